//! AFL++ on the body that the first argument names.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(body) = provstream_observe_fuzz::body(&name) else {
        eprintln!("usage: afl queries|ids|imports");
        return ExitCode::from(2);
    };
    afl::fuzz!(|data: &[u8]| body(data));
    ExitCode::SUCCESS
}
