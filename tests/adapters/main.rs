//! Adapters for std, futures and tokio, and metrics.

#[cfg(feature = "futures")]
mod io_futures;
mod io_std;
#[cfg(feature = "tokio")]
mod io_tokio;
#[cfg(feature = "metrics")]
mod metered;
