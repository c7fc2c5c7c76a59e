//! libFuzzer on [`provstream_fuzz::vocabulary_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::vocabulary_file(data));
