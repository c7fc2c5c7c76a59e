//! libFuzzer on [`provstream_fuzz::memory`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::memory(data));
