//! No assertion begins before the release point, which does not depend on when it was asked for.

use provstream::{Event, Parser};
use testkit::gate::release_point::release_point;

use super::super::case::Case;
use super::super::reference::engine::parser_in;
use super::super::reference::{RefLimits, RefVocabulary, Segment};
use super::feed;

/// The longest stream whose last release point is looked for in its continuations.
const MOST_BYTES: usize = 80;

/// Interval of the streams that are searched, as the search takes a thousand times as long as the
/// rest.
const SEARCHED: u64 = 8;

/// The release point never moves back, and no assertion begins before it, cut or not. One that was asked for after each chunk
/// is where one is that was asked for once; and that is where the search over continuations has it.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let mut often = case.used_parser();
    let mut from = 0;
    for (own, chunk) in case.chunks() {
        feed(&mut often, own, chunk, |event| begins_at(&event, from));
        let asked = often.undecided_from();
        assert!(
            from <= asked && asked <= often.position(),
            "{from}, then {asked}"
        );
        from = asked;
    }
    let mut once = case.parser();
    for segment in &case.input {
        feed(&mut once, segment.own, &segment.bytes, |_| {});
    }
    // A change to text of the other kind, before its first byte, is not known to the second parser.
    if case.input.last().is_some_and(|last| !last.bytes.is_empty()) {
        let found = once.undecided_from();
        assert_eq!(found, from, "asked once, and after each chunk");
    }
    often.finish(|event: Event<'_>| begins_at(&event, from));
    if case.seed().is_multiple_of(SEARCHED) {
        search(case);
    }
}

fn begins_at(event: &Event<'_>, from: u64) {
    if let Event::Assertion(assertion) = event {
        let start = assertion.span().start();
        assert!(
            start >= from,
            "release point {from}, then an assertion at {start}"
        );
    }
}

/// The release point at the end of a short stream, with the default limits, is that of the search.
fn search(case: Case) {
    let input: Vec<Segment> = case
        .input
        .into_iter()
        .filter(|segment| !segment.bytes.is_empty())
        .collect();
    let bytes: Vec<u8> = input.iter().flat_map(|part| part.bytes.clone()).collect();
    if bytes.is_empty() || bytes.len() > MOST_BYTES {
        return;
    }
    let limits = RefLimits::default();
    let mut parser: Parser = parser_in(case.reading, &limits, &RefVocabulary::default());
    for segment in &input {
        feed(&mut parser, segment.own, &segment.bytes, |_| {});
    }
    let expected = release_point(case.reading, &input, &limits);
    let found = parser.undecided_from();
    // Within a character it may be earlier; and the search does not try every continuation.
    assert!(
        found <= expected,
        "expected at most {expected}, found {found}: {input:?}"
    );
}
