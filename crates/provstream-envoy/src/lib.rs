//! Removes or gates provenance annotations in the responses of LLM providers within Envoy.

mod exchange;
#[cfg(target_family = "wasm")]
mod host;

pub use exchange::Exchange;
