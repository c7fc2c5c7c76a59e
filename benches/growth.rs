//! Cost of a byte in a long stream against its cost in a short one: `cargo bench --bench growth`.
//!
//! One parser reads 64 MiB, and after each MiB of it a new one reads 1 MiB of the same family, so that whatever else the
//! machine does hits both alike; medians over the MiB of the second half are compared. The input comes from one recycled buffer. `PROVSTREAM_ROUNDS` sets how often each ratio
//! is taken at least.

use std::hint::black_box;
use std::time::{Duration, Instant};

use provstream::{Event, Mode, Parser};
use testkit::adversarial::{Family, families};

/// Length of the short stream in bytes.
const SHORT: usize = 1 << 20;

/// Ratio of the length of the long stream to that of the short one.
const LONGER: usize = 64;

/// Sizes of chunks.
const SIZES: [usize; 2] = [64 << 10, 1];

/// Rounds go on for so long at least, since a short time says little.
const ENOUGH: Duration = Duration::from_millis(200);

/// Most rounds for one ratio.
const MOST: usize = 41;

/// Feeds chunks up to `len` bytes; gives how long that took.
fn feed<'a>(
    parser: &mut Parser,
    chunks: &mut impl Iterator<Item = &'a [u8]>,
    len: usize,
) -> Duration {
    let start = Instant::now();
    let mut fed = 0;
    while fed < len
        && let Some(chunk) = chunks.next()
    {
        fed += chunk.len();
        parser.push(chunk, |event: Event<'_>| match event {
            Event::Text(text) => {
                black_box(text.bytes());
            }
            other => {
                black_box(&other);
            }
        });
    }
    start.elapsed()
}

/// Times of each MiB of a long stream's second half through one parser, and of as many bytes through new ones, are added.
fn round(family: &Family, mode: Mode, size: usize, times: &mut [Vec<Duration>; 2]) {
    let parser = || Parser::builder().mode(mode).build();
    let mut long = parser();
    let mut chunks = family.chunks(size, LONGER * SHORT);
    for part in 0..LONGER {
        let in_long = feed(&mut long, &mut chunks, SHORT);
        let in_short = feed(&mut parser(), &mut family.chunks(size, SHORT), SHORT);
        if part >= LONGER / 2 {
            times[0].push(in_long);
            times[1].push(in_short);
        }
    }
}

/// The ratio of the median times of a MiB, long stream to short, over at least `rounds` rounds.
fn growth(family: &Family, mode: Mode, size: usize, rounds: usize) -> f64 {
    let mut times = [Vec::new(), Vec::new()];
    let start = Instant::now();
    let mut round_number = 0;
    while round_number < rounds || (start.elapsed() < ENOUGH && round_number < MOST) {
        round(family, mode, size, &mut times);
        round_number += 1;
    }
    let [long, short] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    });
    long / short
}

fn main() {
    let rounds = std::env::var("PROVSTREAM_ROUNDS").ok();
    let rounds = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    println!("| family | mode | 64 KiB chunks | 1-byte chunks |");
    println!("|---|---|---|---|");
    let mut worst = (0.0, String::new());
    for family in families() {
        let modes = if family.is_json() {
            &[("auto", Mode::Auto), ("json", Mode::Json)][..]
        } else {
            &[("auto", Mode::Auto)]
        };
        for &(name, mode) in modes {
            let ratios = SIZES.map(|size| growth(&family, mode, size, rounds));
            println!(
                "| {} | {name} | {:.2} | {:.2} |",
                family.name, ratios[0], ratios[1]
            );
            for (size, ratio) in SIZES.into_iter().zip(ratios) {
                if ratio > worst.0 {
                    worst = (ratio, format!("{}, {name}, chunks of {size}", family.name));
                }
            }
        }
    }
    println!(
        "\nworst: {:.2} ({}), at most 1.20 is asked for",
        worst.0, worst.1
    );
}
