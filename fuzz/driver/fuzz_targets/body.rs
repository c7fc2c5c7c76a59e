//! libFuzzer on the body that the environment variable `PROVSTREAM_BODY` names.
#![no_main]

use std::sync::OnceLock;

use provstream_fuzz::Body;

static BODY: OnceLock<&'static Body> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("PROVSTREAM_BODY").unwrap_or_default();
        let body = Body::named(&name).expect("PROVSTREAM_BODY names a body");
        if body.errand().expect("a readable file in a writable folder") {
            std::process::exit(0);
        }
        BODY.get_or_init(|| body);
    },
    |data: &[u8]| {
        if let Some(body) = BODY.get() {
            body.run(data);
        }
    }
);
