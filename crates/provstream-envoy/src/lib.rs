//! Removes or gates provenance annotations in the responses of LLM providers within Envoy.
//!
//! Compiled for `wasm32-wasip1`, this package is a filter for Envoy and for every gateway that runs proxy-wasm filters. Compiled for
//! anything else, it is what the filter and the external processor share: [`read_routes`] reads their configuration, and an
//! [`Exchange`] takes a request and its response part by part, and says what is to be changed in each. `docs/envoy.md` has
//! examples of both.

mod choices;
mod config;
mod exchange;
mod record;

#[cfg(target_family = "wasm")]
mod host;

pub use config::{ConfigError, read_routes};
pub use exchange::{Exchange, HeadPlan, REMOVED_REQUEST_HEADERS, REMOVED_RESPONSE_HEADERS};
pub use record::{Record, Sample};
