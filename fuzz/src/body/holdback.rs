//! The parser holds exactly the bytes that can still become an annotation.

use super::super::case::Case;
use super::super::reference::engine::parser_in;
use super::super::reference::holdback::{LEAST, holdback};
use super::super::reference::{Reading, RefVocabulary, Segment};
use super::feed;

/// Most bytes of the stream that are looked at: the oracle reads each prefix dozens of times.
const MOST_BYTES: usize = 200;

/// Most prefixes that are looked at.
const MOST_PREFIXES: usize = 3;

/// After each chunk exactly the longest suffix that some continuation makes an annotation is held, and exactly the white
/// space that it removes is removable. Records are not held here.
pub(super) fn check(data: &[u8]) {
    let mut case = Case::new(data);
    case.reading = Reading::new(case.reading.mode);
    // A smaller limit allows no annotation at all.
    case.limits.max_annotation = case.limits.max_annotation.max(LEAST.len());
    let mut parser = parser_in(case.reading, &case.limits, &RefVocabulary::default());
    case.use_up(&mut parser);
    let mut prefix: Vec<Segment> = Vec::new();
    let mut taken = 0;
    let chunks = case.chunks();
    // The last prefixes, so that one that a fuzzer makes longer is looked at again.
    let seen = chunks.iter().scan(0, |sum, (_, chunk)| {
        *sum += chunk.len();
        (*sum <= MOST_BYTES).then_some(())
    });
    let first = seen.count().saturating_sub(MOST_PREFIXES);
    for (number, (own, chunk)) in chunks.into_iter().enumerate() {
        taken += chunk.len();
        if taken > MOST_BYTES {
            return;
        }
        match prefix.last_mut() {
            Some(last) if last.own == own => last.bytes.extend_from_slice(chunk),
            _ => prefix.push(Segment {
                own,
                bytes: chunk.to_vec(),
                after_break: false,
            }),
        }
        feed(&mut parser, own, chunk, |_| {});
        if number >= first {
            let expected = holdback(case.reading, &prefix, &case.limits);
            let found = (parser.buffered_len(), parser.strippable_whitespace());
            assert_eq!(found, expected, "held back and removable after {prefix:?}");
        }
    }
}
