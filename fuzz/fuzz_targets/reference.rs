//! libFuzzer on [`provstream_fuzz::reference`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::reference(data));
