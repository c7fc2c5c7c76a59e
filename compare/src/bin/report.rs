//! Measures everything and writes `docs/benchmarks.md` and `docs/latency.svg`, or measures some rows and prints them.
//!
//! `cargo run --release --locked --manifest-path compare/Cargo.toml`; `PROVSTREAM_ROUNDS=3` makes it short. With the
//! argument `wire` it prints the rows about providers' streams, with `dialects` those about markers of citations.

use std::process::ExitCode;

fn main() -> std::io::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => provstream_compare::report::write()?,
        ["wire"] => print!("{}", provstream_compare::report::wire()),
        ["dialects"] => print!("{}", provstream_compare::report::dialects()),
        _ => {
            eprintln!("usage: report [wire | dialects]");
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
