//! Writes what a fuzzer's bytes stand for: `expand BODY <found >input`.
//!
//! A find that is choices of the generator would be another one as soon as the generator changes.

use std::io::{self, Read, Write};
use std::process::ExitCode;

use provstream_fuzz::Body;

fn main() -> io::Result<ExitCode> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(body) = Body::named(&name) else {
        eprintln!("usage: expand BODY <found >input");
        return Ok(ExitCode::from(2));
    };
    let mut found = Vec::new();
    io::stdin().read_to_end(&mut found)?;
    io::stdout().write_all(&body.expand(&found))?;
    Ok(ExitCode::SUCCESS)
}
