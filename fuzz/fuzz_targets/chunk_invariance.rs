//! libFuzzer on [`provstream_fuzz::chunk_invariance`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::chunk_invariance(data));
