//! The naive reference of dialects beside the engine, which the tests compile, too.

#[path = "../../tests/reference_model/dialects/engine.rs"]
pub(crate) mod engine;
#[path = "../../tests/reference_model/dialects/parser.rs"]
mod parser;
