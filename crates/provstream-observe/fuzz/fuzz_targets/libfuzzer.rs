//! libFuzzer on the body that the environment variable `PROVSTREAM_BODY` names.
#![no_main]

use std::sync::LazyLock;

static BODY: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("PROVSTREAM_BODY").unwrap_or_default();
    provstream_observe_fuzz::body(&name).expect("PROVSTREAM_BODY is queries, ids or imports")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| BODY(data));
