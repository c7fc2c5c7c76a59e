//! What a byte costs in a long stream against what it costs in a short one: `cargo bench --bench growth`.
//!
//! One parser reads 64 MiB, and after each MiB of it a new one reads 1 MiB of the same family, so that whatever else the
//! machine does hits both alike. The input comes from one recycled buffer. `PROVSTREAM_ROUNDS` sets how often each ratio
//! is taken at least.

#[path = "../tests/common/adversarial.rs"]
mod adversarial;

use std::hint::black_box;
use std::time::{Duration, Instant};

use adversarial::{Family, families};
use provstream::{Event, Mode, Parser};

/// Length of the short stream in bytes.
const SHORT: usize = 1 << 20;

/// How many times longer the long one is.
const LONGER: usize = 64;

/// Sizes of chunks.
const SIZES: [usize; 2] = [64 << 10, 1];

/// Rounds go on until this much time was measured, since a short time says little.
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
        parser.push(chunk, |event| match event {
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

/// The time of a long stream through one parser over that of as many bytes in short ones, and both together.
fn round(family: &Family, mode: Mode, size: usize) -> (f64, Duration) {
    let parser = || Parser::builder().mode(mode).build();
    let mut long = parser();
    let mut chunks = family.chunks(size, LONGER * SHORT);
    let (mut in_long, mut in_short) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..LONGER {
        in_long += feed(&mut long, &mut chunks, SHORT);
        in_short += feed(&mut parser(), &mut family.chunks(size, SHORT), SHORT);
    }
    (
        in_long.as_secs_f64() / in_short.as_secs_f64(),
        in_long + in_short,
    )
}

/// The median of at least `rounds` ratios.
fn growth(family: &Family, mode: Mode, size: usize, rounds: usize) -> f64 {
    let mut ratios = Vec::new();
    let mut measured = Duration::ZERO;
    while ratios.len() < rounds || (measured < ENOUGH && ratios.len() < MOST) {
        let (ratio, time) = round(family, mode, size);
        ratios.push(ratio);
        measured += time;
    }
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
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
