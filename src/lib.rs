//! provstream.
#![forbid(unsafe_code)]

pub mod extract;
pub mod provenance;
mod span;

pub use span::Span;
