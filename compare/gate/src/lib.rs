//! Ways to withhold inadmissible sentences from a stream, measured on the same generated streams.

pub mod delivery;
pub mod filters;
pub mod instructions;
pub mod measure;
pub mod streams;
pub mod table;
