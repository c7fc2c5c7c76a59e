//! Instructions of a filter, counted by callgrind.

use std::env;
use std::hint::black_box;
use std::process::Command;

use crate::filters::FILTERS;
use crate::measure::run;
use crate::streams::Stream;

/// Number of streams that are counted.
const STREAMS: u64 = 200;

/// Runs the filter of this name, or none, over the counted streams; callgrind counts this.
///
/// # Panics
///
/// If there is no filter of this name.
pub fn counted(name: &str) {
    for seed in 0..STREAMS {
        let stream = Stream::generate(seed);
        if name == "none" {
            black_box(stream.tokens().map(str::len).sum::<usize>());
        } else {
            let filter = FILTERS.iter().find(|(other, _)| *other == name);
            let (_, new) = filter.expect("a filter");
            black_box(run(*new, &stream));
        }
    }
}

/// Returns the instructions of a filter for a byte of its input; `None` if valgrind does not run.
#[must_use]
pub fn per_byte(name: &str) -> Option<f64> {
    let bytes: usize = (0..STREAMS)
        .map(|seed| Stream::generate(seed).raw.len())
        .sum();
    let difference = of_run(name)?.checked_sub(of_run("none")?)?;
    Some(difference as f64 / bytes as f64)
}

fn of_run(name: &str) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = command
        .arg(env::current_exe().ok()?)
        .args(["count", name])
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = log
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    line?.trim().parse().ok()
}
