//! libFuzzer on [`provstream_fuzz::no_panic`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::no_panic(data));
