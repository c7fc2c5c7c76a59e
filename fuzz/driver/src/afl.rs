//! AFL++ on the body that the first argument names.

use std::process::ExitCode;

use provstream_fuzz::{BODIES, Body};

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(body) = Body::named(&name) else {
        eprintln!("usage: provstream-afl BODY, one of:");
        for body in &BODIES {
            eprintln!("  {}", body.name());
        }
        return ExitCode::from(2);
    };
    match body.errand() {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => {}
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    afl::fuzz!(|data: &[u8]| body.run(data));
    ExitCode::SUCCESS
}
