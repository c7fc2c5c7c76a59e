//! Ids of observations.
#![no_main]

#[path = "../../tests/observe/parsing.rs"]
#[allow(dead_code, reason = "each target calls one of its functions")]
mod parsing;

libfuzzer_sys::fuzz_target!(|data: &[u8]| parsing::id(data));
