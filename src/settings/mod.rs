//! Settings files in TOML, with the position of everything that is wrong in them.
//!
//! Vocabularies, MARC deployments and policies are read with this module, so that all of them have the same limits and report
//! errors the same way.

#[cfg(feature = "settings")]
mod named_file;
mod position;
#[cfg(feature = "settings")]
mod toml_file;

#[cfg(feature = "settings")]
pub use named_file::{FileError, read_file, read_text};
pub use position::{FilePosition, quoted_piece};
#[cfg(feature = "settings")]
pub use toml_file::{Fault, FaultKind, File, Key, Table, Value};
