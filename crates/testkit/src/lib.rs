//! What the tests, benches and fuzz bodies of provstream share: the naive reference, generators, adversarial streams.
//!
//! Compiled once for all of them. Nothing here is published.
#![allow(
    missing_docs,
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "helpers for tests, named for what they do"
)]

pub mod adversarial;
pub mod damaged;
pub mod gate;
pub mod judges;
#[cfg(feature = "marc")]
pub mod marc;
pub mod meter;
pub mod ndjson;
pub mod reference;
pub mod script;
pub mod search;
pub mod seen;
pub mod sentence;
#[cfg(feature = "providers")]
pub mod wire;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
