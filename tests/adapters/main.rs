//! Adapters for std, futures and tokio, and metrics.

#[cfg(all(feature = "futures", feature = "tokio"))]
mod ends;
#[cfg(feature = "futures")]
mod futures;
#[cfg(all(feature = "futures", feature = "tokio"))]
mod gate;
#[cfg(all(feature = "futures", feature = "tokio"))]
mod gate_drops;
#[cfg(feature = "metrics")]
mod metered;
mod std;
#[cfg(feature = "tokio")]
mod tokio;
