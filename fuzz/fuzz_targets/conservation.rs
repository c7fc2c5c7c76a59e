//! libFuzzer on [`provstream_fuzz::conservation`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::conservation(data));
