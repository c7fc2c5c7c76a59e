//! libFuzzer on [`provstream_fuzz::rewrite`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::rewrite(data));
