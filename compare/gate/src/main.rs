//! Prints the table of docs/gate.md.
//!
//! `cargo run --release --locked --manifest-path compare/Cargo.toml --package provstream-gate-comparison`

use provstream_gate_comparison::{instructions, table};

/// Number of streams.
const STREAMS: u64 = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => print!("{}", table::table(STREAMS, true)),
        ["count", name] => instructions::counted(name),
        _ => {
            eprintln!("usage: provstream-gate-comparison");
            std::process::exit(2);
        }
    }
}
