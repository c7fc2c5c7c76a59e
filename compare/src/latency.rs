//! How long one push of four bytes takes, and how much is held after it.

use std::hint::black_box;
use std::time::Instant;

use provstream::{Event, Mode, Parser, ParserBuilder};

use crate::document::{Document, Layout};
use crate::json;
use crate::peers::OWN;
use crate::streams::Kind;
use crate::support::read::look;

/// Bytes of a chunk.
const CHUNK: usize = 4;

/// How often each stream is read.
pub(crate) const PASSES: usize = 15;

/// Bytes of a stream.
const LENGTH: usize = 1 << 20;

/// Values in order, each as often as it was seen.
pub(crate) struct Distribution(Vec<u32>);

impl Distribution {
    fn new(mut values: Vec<u32>) -> Self {
        values.sort_unstable();
        Self(values)
    }

    /// The least value that so great a part of all does not exceed, 0 to 1; none of nothing.
    #[must_use]
    pub(crate) fn quantile(&self, part: f64) -> Option<u32> {
        let at = (self.0.len() as f64 * part).ceil() as usize;
        self.0.get(at.max(1) - 1).copied()
    }

    /// For each value that was seen, in order, the part of all that is at least as large.
    #[must_use]
    pub(crate) fn at_least(&self) -> Vec<(u32, f64)> {
        let all = self.0.len();
        let mut points: Vec<(u32, f64)> = Vec::new();
        for (index, &value) in self.0.iter().enumerate() {
            if points.last().is_none_or(|&(last, _)| last < value) {
                points.push((value, (all - index) as f64 / all as f64));
            }
        }
        points
    }
}

/// What was seen of the pushes of one stream.
pub(crate) struct Latency {
    /// What is read.
    pub(crate) name: &'static str,
    /// Nanoseconds of every push of every pass, the reading of the clock included.
    pub(crate) all: Distribution,
    /// Nanoseconds of each push in the pass in which it took the least.
    pub(crate) least: Distribution,
    /// Bytes held back after each push; empty for the clock alone.
    pub(crate) held: Distribution,
}

/// Nanoseconds of each push of one pass, and the bytes held back after it.
type Pass = (Vec<u32>, Vec<u32>);

/// Looks at all passes.
fn observe(name: &'static str, mut pass: impl FnMut() -> Pass) -> Latency {
    let (mut least, mut held) = pass();
    let mut all = Vec::with_capacity(PASSES * least.len());
    for _ in 0..PASSES {
        let (times, now) = pass();
        for (least, &time) in least.iter_mut().zip(&times) {
            *least = time.min(*least);
        }
        all.extend(times);
        held = now;
    }
    Latency {
        name,
        all: Distribution::new(all),
        least: Distribution::new(least),
        held: Distribution::new(held),
    }
}

/// The clock read twice with nothing between.
#[must_use]
pub(crate) fn clock() -> Latency {
    let read = |_| nanoseconds(black_box(Instant::now()));
    observe("the clock alone", || {
        ((0..LENGTH / CHUNK).map(read).collect(), Vec::new())
    })
}

/// Every stream.
#[must_use]
pub(crate) fn streams() -> Vec<Latency> {
    let text = |kind: Kind| kind.text(&OWN, LENGTH).0;
    let builder = |mode| Parser::builder().mode(mode);
    let documents = [Layout::Compact, Layout::Lines].map(Document::new);
    let [array, lines] = documents.each_ref().map(json::text);
    vec![
        stream(
            "text, an annotation every 200 bytes",
            builder(Mode::Text),
            &text(Kind::Every(200)),
        ),
        stream(
            "rich text every 2000 bytes, mode auto",
            builder(Mode::Auto),
            &text(Kind::Rich(2_000)),
        ),
        stream("JSON, asserted objects", builder(Mode::Json), array),
        stream(
            "NDJSON, records held to be removed",
            builder(Mode::Ndjson).hold_records(true),
            lines,
        ),
    ]
}

fn nanoseconds(start: Instant) -> u32 {
    u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX)
}

/// Pushes a stream again and again.
fn stream(name: &'static str, builder: ParserBuilder, text: &str) -> Latency {
    let mut parser = builder.build();
    observe(name, || {
        let mut found = 0;
        let pass = text.as_bytes().chunks(CHUNK).map(|chunk| {
            let start = Instant::now();
            parser.push(chunk, |event: Event<'_>| found += look(event));
            (nanoseconds(start), parser.buffered_len() as u32)
        });
        let pass = pass.unzip();
        parser.finish(|event: Event<'_>| found += look(event));
        parser.reset();
        black_box(found);
        pass
    })
}
