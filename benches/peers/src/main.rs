//! provstream beside other JSON parsers: both sides in one run, the median of paired rounds and their range.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`; `PROVSTREAM_ROUNDS` sets the number of rounds.

#[path = "../../support/document.rs"]
mod document;
mod readers;

use std::hint::black_box;
use std::time::Instant;

use document::{Document, Layout};
use provstream::Parser;

/// Rounds of which the median is taken, unless the environment says otherwise.
const ROUNDS: usize = 31;

fn rounds() -> usize {
    std::env::var("PROVSTREAM_ROUNDS").map_or(ROUNDS, |text| {
        text.parse()
            .ok()
            .filter(|&rounds| rounds > 0)
            .expect("PROVSTREAM_ROUNDS is a number of rounds")
    })
}

fn seconds(mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn median(values: &[f64]) -> f64 {
    values[values.len() / 2]
}

/// One line of the table: what is done to which document, and beside whom.
struct Row<'a> {
    document: &'a Document,
    chunk: usize,
    peer: &'static str,
    /// The ratio to reach, if there is one for this document.
    target: Option<f64>,
}

impl Row<'_> {
    /// Prints how many times as fast as `peer` the parser is.
    fn measure(self, parser: &mut Parser, mut peer: impl FnMut() -> usize) {
        let Self {
            document, chunk, ..
        } = self;
        let mut own = || readers::provstream(parser, &document.bytes, chunk);
        seconds(&mut peer);
        seconds(&mut own);
        let (mut ratios, mut own_rates, mut peer_rates) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds() {
            let peer = seconds(&mut peer);
            let own = seconds(&mut own);
            ratios.push(peer / own);
            own_rates.push(document.bytes.len() as f64 / own / 1e6);
            peer_rates.push(document.bytes.len() as f64 / peer / 1e6);
        }
        for values in [&mut ratios, &mut own_rates, &mut peer_rates] {
            values.sort_by(f64::total_cmp);
        }
        println!(
            "| {}, {chunk}-byte chunks | {} | {} | {:.2} | {:.2} to {:.2} | {:.0} | {:.0} |",
            document.layout,
            self.peer,
            self.target
                .map_or(String::new(), |target| format!("{target:.2}")),
            median(&ratios),
            ratios[0],
            ratios[ratios.len() - 1],
            median(&own_rates),
            median(&peer_rates),
        );
    }
}

fn main() {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown CPU", |(_, name)| name.trim());
    let documents = [Layout::Compact, Layout::Pretty, Layout::Lines].map(Document::new);
    println!("{cpu}, {} paired rounds", rounds());
    for document in &documents {
        let mut parser = document.parser();
        let found = readers::provstream(&mut parser, &document.bytes, 1 << 16);
        assert_eq!(found, document.objects, "assertions found");
        println!(
            "{}: {} bytes, {} objects",
            document.layout,
            document.bytes.len(),
            document.objects,
        );
    }
    println!(
        "\n| provstream, records extracted | beside | at least | reached | range | MB/s | MB/s of the other |\n\
         |---|---|---|---|---|---|---|"
    );
    for document in &documents {
        let mut parser = document.parser();
        let compact = document.layout == Layout::Compact;
        let row = |chunk, peer, target| Row {
            document,
            chunk,
            peer,
            target: compact.then_some(target),
        };
        row(1 << 16, "jiter, skipping the whole", 0.95)
            .measure(&mut parser, || readers::jiter(&document.bytes));
        row(1 << 16, "serde_json, IgnoredAny of the whole", 0.8)
            .measure(&mut parser, || readers::serde_json(&document.bytes));
        for (chunk, target) in [(4, 2.4), (64, 3.0)] {
            let mut actson = readers::Actson::new();
            row(chunk, "actson, the same chunks", target)
                .measure(&mut parser, || actson.read(&document.bytes, chunk));
        }
    }
}
