//! provstream beside the parsers that one would take instead, and beside the project's targets.

mod adapter;
mod beside;
pub mod count;
mod dialects;
mod growth;
mod json;
mod latency;
mod peers;
mod plot;
pub mod report;
mod streams;
mod tables;
mod targets;
mod versions;
mod wire;

#[path = "../../benches/support/document.rs"]
mod document;
#[path = "../../benches/support/machine.rs"]
mod machine;
#[path = "../../benches/support/rounds.rs"]
mod rounds;
#[path = "../../benches/support/rows.rs"]
mod rows;
#[path = "../../benches/support/mod.rs"]
mod support;
