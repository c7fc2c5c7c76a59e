//! Seeded generator of streams with JSON, for every mode that reads JSON; equal seeds give equal
//! streams on every platform.

mod alone;
mod object;
mod prose;
mod value;

use super::generate::{self, Random};
use super::{Reading, RefLimits, RefMode, Segment};

/// A stream with the mode and the limits to read it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub reading: Reading,
    pub limits: RefLimits,
    pub input: Vec<Segment>,
}

/// Generator of JSON values.
struct Maker<'a> {
    random: &'a mut Random,
    /// Maximum depth of most values.
    max_depth: usize,
    /// Line feeds between tokens.
    feeds: bool,
}

/// Generates the case for a seed.
pub fn case(seed: u64) -> Case {
    let mut random = Random::new(seed ^ 0x5EED_0000_0000);
    let mode = match random.below(12) {
        0..=2 => RefMode::Json,
        3..=5 => RefMode::Ndjson,
        _ => RefMode::Auto,
    };
    let reading = Reading {
        mode,
        hold_records: random.once_in(2),
    };
    let limits = limits(&mut random);
    // Streams made for free text alone are read with JSON in mind as well.
    if mode == RefMode::Auto && random.once_in(5) {
        let limits = free_text_limits(seed);
        let input = generate::input(seed);
        return Case {
            reading,
            limits,
            input,
        };
    }
    let mixes_foreign = random.once_in(5);
    let mut input = vec![Segment {
        own: !mixes_foreign || !random.once_in(4),
        bytes: Vec::new(),
        after_break: false,
    }];
    if random.once_in(10) {
        input[0].bytes.extend_from_slice(b"\xEF\xBB\xBF");
    }
    let size = match random.below(12) {
        0 => 1_500 + random.below(3_000),
        1..=6 => 20 + random.below(200),
        _ => 100 + random.below(700),
    };
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let mut maker = Maker::new(&mut random, limits.max_depth, mode != RefMode::Ndjson);
        match mode {
            RefMode::Json => alone::document(&mut maker, &mut bytes),
            RefMode::Ndjson => alone::line(&mut maker, &mut bytes),
            _ => prose::piece(&mut maker, &mut bytes),
        }
    }
    let mut rest = &bytes[..];
    while mixes_foreign && !rest.is_empty() {
        let (now, later) = rest.split_at(random.below(rest.len().min(160) + 1));
        let last = input.len() - 1;
        input[last].bytes.extend_from_slice(now);
        let own = !input[last].own;
        // Now and then the same kind twice, or nothing at all.
        input.push(Segment {
            own: own ^ random.once_in(6),
            bytes: Vec::new(),
            after_break: false,
        });
        rest = later;
    }
    let last = input.len() - 1;
    input[last].bytes.extend_from_slice(rest);
    Case {
        reading,
        limits,
        input: generate::with_breaks(input, seed, 3),
    }
}

/// Draws the limits that belong to a seed of the free-text generator.
fn free_text_limits(seed: u64) -> RefLimits {
    let mut limits = generate::limits(seed);
    if limits.max_pending != RefLimits::default().max_pending {
        limits.max_pending_json = limits.max_pending;
    }
    limits
}

/// Draws limits: most of them the defaults, often one or two small ones.
fn limits(random: &mut Random) -> RefLimits {
    let mut limits = RefLimits::default();
    if random.once_in(4) {
        limits.max_annotation = [14, 22, 32, 64, 1][random.below(5)];
    }
    if random.once_in(3) {
        limits.max_assertion = [4, 5, 9, 16, 40][random.below(5)];
    }
    if random.once_in(4) {
        limits.max_annotations = [2, 1, 3, 400, 1_000][random.below(5)];
    }
    if random.once_in(3) {
        limits.max_pending = [60, 20, 35, 120, 1][random.below(5)];
        limits.max_pending_json = limits.max_pending;
    }
    if random.once_in(3) {
        limits.max_depth = 1 + random.below(5);
    }
    if random.once_in(4) {
        limits.max_pointer = [10, 11, 12, 17, 30, 1][random.below(6)];
    }
    if random.once_in(4) {
        limits.max_record = [20, 40, 80, 150, 1][random.below(5)];
    }
    limits
}
