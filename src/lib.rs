//! provstream.
#![forbid(unsafe_code)]

pub mod provenance;
mod span;

pub use span::Span;
