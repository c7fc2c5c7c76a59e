//! Instruction counts of the hot paths beside a committed baseline.
//!
//! `cargo run --release -p provstream-instructions` prints the table; with `--check` it fails where a path takes more
//! than 5 % above its baseline, with `--renew` it writes the baseline. Needs valgrind on the path. With the feature `dialects`, it also
//! counts the cases of dialects.

#[path = "../../support/document.rs"]
mod document;
#[path = "../../support/prose.rs"]
mod prose;
#[path = "../../support/read.rs"]
mod read;

mod baseline;
mod callgrind;
mod cases;
mod provider;
mod table;

use std::process::ExitCode;

use baseline::Baseline;
use table::Verdict;

/// Task given on the command line.
enum Task {
    Show,
    Check,
    Renew,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let task = match arguments[..] {
        [] => Task::Show,
        ["--check"] => Task::Check,
        ["--renew"] => Task::Renew,
        [callgrind::INSIDE] => {
            callgrind::run_inside();
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("usage: provstream-instructions [--check | --renew]");
            return ExitCode::FAILURE;
        }
    };
    match run(&task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and does what is asked; false if a check failed.
fn run(task: &Task) -> Result<bool, String> {
    let run = callgrind::measure()?;
    if let Task::Renew = task {
        Baseline::write(&run)?;
    }
    let baseline = Baseline::read()?;
    let verdict = Verdict::of(&run, &baseline);
    table::print(&run, &baseline, &verdict);
    Ok(!matches!(task, Task::Check) || verdict.holds())
}
