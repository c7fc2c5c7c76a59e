//! Random bytes and random changes of sound input: nothing panics, and what is accepted is read back equal.

use std::panic::{RefUnwindSafe, catch_unwind};

use super::parsing;

/// Sound queries, one a line.
const QUERIES: &str = include_str!("samples/queries.ndjson");

/// Sound lines of logs.
const LOGS: &str = include_str!("samples/logs.ndjson");

/// Number of inputs of each search; `PROVSTREAM_SEEDS` sets another.
fn seeds() -> u64 {
    let seeds = std::env::var("PROVSTREAM_SEEDS").ok();
    seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(2000)
}

/// Generator of numbers (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("a small number")
    }

    /// Random bytes, or a line of samples that is cut, repeated, or has other bytes in some places.
    fn bytes(&mut self, samples: &str) -> Vec<u8> {
        let samples: Vec<&str> = samples.lines().collect();
        if self.below(8) == 0 {
            return (0..self.below(200)).map(|_| self.next() as u8).collect();
        }
        let mut bytes = samples[self.below(samples.len())].as_bytes().to_vec();
        for _ in 0..self.below(6) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, self.next() as u8),
                2 if !bytes.is_empty() => bytes[at] = b"{}[]\",:\\0-e.1u/"[self.below(15)],
                3 => {
                    let piece = bytes[at..].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => {
                    let other = samples[self.below(samples.len())].as_bytes();
                    let piece = &other[self.below(other.len())..];
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            bytes.truncate(20_000);
        }
        bytes
    }
}

/// Checks inputs that `draw` makes of seeds; an input that fails is shown.
fn search(check: impl Fn(&[u8]) + RefUnwindSafe, draw: impl Fn(&mut Numbers) -> Vec<u8>) {
    for seed in 0..seeds() {
        let input = draw(&mut Numbers(seed));
        let checked = catch_unwind(|| check(&input));
        assert!(checked.is_ok(), "seed {seed}: {}", input.escape_ascii());
    }
}

#[test]
fn queries() {
    search(parsing::query, |numbers| numbers.bytes(QUERIES));
}

#[test]
fn ids() {
    search(parsing::id, |numbers| {
        let (id, content) = (numbers.bytes(QUERIES), numbers.bytes(QUERIES));
        [&id[..], b"\0", &content].concat()
    });
}

#[test]
fn logs() {
    search(parsing::log, |numbers| {
        let lines: Vec<_> = (0..6).map(|_| numbers.bytes(LOGS)).collect();
        lines.join(&b'\n')
    });
}
