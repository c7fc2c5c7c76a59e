//! Recorded streams of providers, and what is in them.

pub mod fixtures;
pub mod text;
