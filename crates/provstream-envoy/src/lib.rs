//! Removes or gates provenance annotations in the responses of LLM providers within Envoy.
//!
//! Compiled for `wasm32-wasip1`, this package is a filter for Envoy and for other gateways that run proxy-wasm filters. Compiled
//! for any other target, it is a library with the code that the filter shares with the external processor: [`read_routes`] reads
//! a configuration, and an [`Exchange`] takes a request and its response part by part, and says what to change in each.
//! `docs/envoy.md` is the guide to both.

mod choices;
mod config;
mod exchange;
mod record;
mod request_body;

#[cfg(target_family = "wasm")]
mod host;

pub use config::{ConfigError, read_routes};
pub use exchange::{Exchange, HeadPlan, REMOVED_REQUEST_HEADERS, REMOVED_RESPONSE_HEADERS};
pub use record::{ResponseRecord, Sample};
