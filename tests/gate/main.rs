//! The release point and the gate beside their naive oracles.

#[cfg(feature = "dialects")]
mod citations;
mod delay;
#[cfg(feature = "dialects")]
#[path = "../reference_model/dialects/parser.rs"]
mod dialect_parser;
mod gate;
mod limit;
#[cfg(feature = "settings")]
mod observations;
mod rebuild;
mod release_point;
#[cfg(feature = "settings")]
mod rules;
mod spacing;
