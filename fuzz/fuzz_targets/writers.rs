//! libFuzzer on [`provstream_fuzz::writers`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| provstream_fuzz::writers(data));
