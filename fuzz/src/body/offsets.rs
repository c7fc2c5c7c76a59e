//! Offsets in other units are those counted over the whole text.

use provstream::{OffsetMap, Span};

use super::super::case::Case;
use super::super::reference::engine::Cuts;

/// Number of spans to convert.
const SPANS: usize = 40;

/// Windows in bytes.
const WINDOWS: [usize; 4] = [65_536, 0, 63, 600];

/// Counts of characters before each offset, over the whole text.
struct Naive {
    /// Code points and UTF-16 code units that end at the offset or before.
    ended: Vec<[u64; 2]>,
    /// Code points and UTF-16 code units that start before the offset.
    begun: Vec<[u64; 2]>,
}

impl Naive {
    fn new(text: &[u8]) -> Self {
        let (mut ended, mut begun) = (Vec::new(), Vec::new());
        let mut done = [0, 0];
        let mut take = |bytes: usize, units: usize| {
            let after = [done[0] + 1, done[1] + units as u64];
            ended.resize(ended.len() + bytes, done);
            begun.push(done);
            begun.resize(ended.len(), after);
            done = after;
        };
        for chunk in text.utf8_chunks() {
            for char in chunk.valid().chars() {
                take(char.len_utf8(), char.len_utf16());
            }
            if !chunk.invalid().is_empty() {
                take(chunk.invalid().len(), 1);
            }
        }
        ended.push(done);
        begun.push(done);
        Self { ended, begun }
    }

    /// A span of bytes in code points (0) or UTF-16 code units (1).
    fn units(&self, span: Span, unit: usize) -> Span {
        let first = self.ended[span.start() as usize][unit];
        let last = self.begun[span.end() as usize][unit];
        Span::new(first, if span.is_empty() { first } else { last })
    }
}

/// Checks that an [`OffsetMap`], used and reset, gives for its window the offsets that are counted over the whole text.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let bytes = case.bytes();
    let chunks = case.chunks();
    let mut choices = Cuts(bytes.len() as u64);
    let window = WINDOWS[choices.below(WINDOWS.len())];
    let mut positions = OffsetMap::with_window(window);
    for (_, chunk) in case.earlier() {
        positions.push(chunk);
    }
    positions.reset();
    for (_, chunk) in &chunks {
        positions.push(chunk);
    }
    positions.finish();
    assert_eq!(positions.position(), bytes.len() as u64);

    let naive = Naive::new(&bytes);
    let oldest = bytes.len().saturating_sub(window);
    for _ in 0..SPANS {
        // Half of them near the end, which small windows reach.
        let near = choices.below(2) * bytes.len().saturating_sub(80);
        let start = near + choices.below(bytes.len() + 2 - near);
        let end = start + choices.below(12);
        let span = Span::new(start as u64, end as u64);
        let known = start >= oldest && end <= bytes.len();
        for (unit, found) in [positions.code_points(span), positions.utf16(span)]
            .into_iter()
            .enumerate()
        {
            let expected = known.then(|| naive.units(span, unit));
            assert_eq!(found, expected, "{span} in unit {unit}, window {window}");
        }
    }
}
