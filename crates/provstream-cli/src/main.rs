//! The program `provstream`.

use std::process::ExitCode;

fn main() -> ExitCode {
    provstream_cli::run(&[], None)
}
