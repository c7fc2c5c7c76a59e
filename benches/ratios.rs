//! The ratios to the floors that the README quotes: both sides in one run, the median of paired rounds.
//!
//! `cargo bench --bench ratios`

mod support;

use std::hint::black_box;
use std::time::Instant;

use provstream::{Mode, Parser};
use support::prose::LENGTH;
use support::{PATTERN, Prose, memchr3_and_copy, memchr3_pass, regex_pass, stream};

/// Rounds of which the median is taken.
const ROUNDS: usize = 31;

fn seconds(mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Prints how many times as fast as `floor` the parser is.
fn row(name: &str, target: f64, mut floor: impl FnMut() -> usize, mut work: impl FnMut() -> usize) {
    seconds(&mut floor);
    seconds(&mut work);
    let mut ratios = Vec::new();
    let mut rates = Vec::new();
    for _ in 0..ROUNDS {
        let floor = seconds(&mut floor);
        let work = seconds(&mut work);
        ratios.push(floor / work);
        rates.push(LENGTH as f64 / work / 1e6);
    }
    println!(
        "| {name} | {target:.2} | {:.2} | {:.0} |",
        median(ratios),
        median(rates)
    );
}

fn main() {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown CPU", |(_, name)| name.trim());
    println!("{cpu}, {ROUNDS} paired rounds of {LENGTH} bytes\n");
    println!("| work, annotations apart | at least | reached | MB/s |\n|---|---|---|---|");

    let regex = regex::bytes::Regex::new(PATTERN).expect("a sound pattern");
    let mut parser = Parser::builder().mode(Mode::Text).build();
    let mut auto = Parser::new();
    let mut buffer = Vec::with_capacity(LENGTH);
    let plain = |gap| stream(Prose::Plain, gap);
    let rich = |gap| stream(Prose::Rich, gap);

    let text = plain(20_000);
    row(
        "64 KiB chunks, 20,000 B: memchr3 pass",
        0.7,
        || memchr3_pass(&text),
        || support::provstream(&mut parser, &text, 1 << 16),
    );
    row(
        "the same in mode auto",
        0.55,
        || memchr3_pass(&text),
        || support::provstream(&mut auto, &text, 1 << 16),
    );
    for (gap, prose, name, target) in [
        (2_000, Prose::Plain, "64 KiB chunks, 2,000 B: regex", 2.5),
        (2_000, Prose::Rich, "the same, rich prose", 1.3),
        (200, Prose::Plain, "64 KiB chunks, 200 B: regex", 3.5),
        (200, Prose::Rich, "the same, rich prose", 2.8),
    ] {
        let text = if prose == Prose::Plain {
            plain(gap)
        } else {
            rich(gap)
        };
        row(
            name,
            target,
            || regex_pass(&regex, &text),
            || support::provstream(&mut parser, &text, 1 << 16),
        );
    }
    for (gap, name, target) in [
        (20_000, "4-byte chunks, 20,000 B: memchr3 and copy", 1.5),
        (200, "4-byte chunks, 200 B: memchr3 and copy", 0.7),
    ] {
        let text = plain(gap);
        row(
            name,
            target,
            || memchr3_and_copy(&mut buffer, &text, 4),
            || support::provstream(&mut parser, &text, 4),
        );
    }
    let text = plain(20_000);
    row(
        "4-byte chunks, 20,000 B, mode auto: the same",
        1.5,
        || memchr3_and_copy(&mut buffer, &text, 4),
        || support::provstream(&mut auto, &text, 4),
    );
}
