//! Bounds: limits, memory, allocations, long streams.

mod allocations;
mod limits;
mod limits_hold;
mod limits_json;
mod memory;
mod memory_json;
mod soak;
