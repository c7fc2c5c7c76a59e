//! Settings files in TOML, with the position of everything that is wrong in them.
//!
//! Vocabularies, MARC deployments and policies are read with this module, so that all of them have the same limits and report
//! errors the same way.

mod position;
#[cfg(feature = "settings")]
mod toml_file;

pub use position::{FilePosition, quoted_piece};
#[cfg(feature = "settings")]
pub use toml_file::{Fault, FaultKind, File, Key, Table, Value};
