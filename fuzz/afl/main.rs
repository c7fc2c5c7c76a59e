//! AFL++ on the target that the first argument names.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, body)) = provstream_fuzz::TARGETS
        .iter()
        .find(|(known, _)| *known == name)
    else {
        eprintln!("usage: provstream-afl TARGET, one of:");
        for (known, _) in provstream_fuzz::TARGETS {
            eprintln!("  {known}");
        }
        return ExitCode::from(2);
    };
    afl::fuzz!(|data: &[u8]| body(data));
    ExitCode::SUCCESS
}
