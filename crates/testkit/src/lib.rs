//! Shared support for the tests, benchmarks and fuzz targets of provstream: the naive reference,
//! generators, adversarial streams.
//!
//! It is compiled once for all of them and is not published.
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

/// Returns the path of the repository root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
