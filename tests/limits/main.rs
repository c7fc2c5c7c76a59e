//! Bounds: limits, memory, allocations, long streams.

mod allocations;
mod buffering;
mod json;
mod memory;
mod memory_json;
mod soak;
mod text;
