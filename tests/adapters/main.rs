//! Adapters for std, futures and tokio.

#[cfg(all(feature = "futures", feature = "tokio"))]
mod ends;
#[cfg(feature = "futures")]
mod futures;
#[cfg(all(feature = "futures", feature = "tokio"))]
mod gate;
#[cfg(all(feature = "futures", feature = "tokio"))]
mod gate_drops;
mod std;
#[cfg(feature = "tokio")]
mod tokio;
