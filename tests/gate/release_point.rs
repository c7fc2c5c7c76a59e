//! The release point beside a search over continuations.

use provstream::Parser;
use testkit::gate::pieces::{Short, short};
use testkit::gate::release_point::release_point;
use testkit::reference::engine::{feed, parser_in};
use testkit::reference::{RefLimits, RefVocabulary, Segment};

/// Inputs compared at every prefix; `PROVSTREAM_SEEDS` sets another number for a longer search.
const INPUTS: u64 = 60;

fn parser(short: &Short, limits: &RefLimits) -> Parser {
    parser_in(short.reading, limits, &RefVocabulary::default())
}

/// The first `len` bytes of an input.
fn prefix(input: &[Segment], len: usize) -> Vec<Segment> {
    let mut left = len;
    let mut prefix = Vec::new();
    for segment in input {
        let now = segment.bytes.len().min(left);
        left -= now;
        if now > 0 {
            prefix.push(Segment {
                own: segment.own,
                bytes: segment.bytes[..now].to_vec(),
            });
        }
    }
    prefix
}

/// Whether a stream ends with a whole character, as far as its last bytes show.
fn ends_whole(bytes: &[u8]) -> bool {
    match bytes.utf8_chunks().last() {
        Some(chunk) => {
            !std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none())
        }
        None => true,
    }
}

/// The first prefix of an input at which the two differ.
fn difference(short: &Short) -> Option<String> {
    let limits = RefLimits::default();
    let len = short.input.iter().map(|segment| segment.bytes.len()).sum();
    let mut bytewise = parser(short, &limits);
    let mut bytes = Vec::new();
    for upto in 1..=len {
        let prefix = prefix(&short.input, upto);
        let last = prefix.last().expect("a byte");
        let byte = *last.bytes.last().expect("a byte");
        bytes.push(byte);
        feed(&mut bytewise, last.own, &[byte], &mut Vec::new());
        let found = bytewise.undecided_from();
        let mut whole = parser(short, &limits);
        for segment in &prefix {
            feed(&mut whole, segment.own, &segment.bytes, &mut Vec::new());
        }
        let expected = release_point(short.reading, &prefix, &limits);
        let exact = ends_whole(&bytes);
        let read_whole = whole.undecided_from();
        let same = found == expected && read_whole == expected;
        if !same && (ends_whole(&bytes) || found > expected || read_whole > expected) {
            let bytes: Vec<_> = prefix
                .iter()
                .map(|segment| (segment.own, segment.bytes.escape_ascii().to_string()))
                .collect();
            return Some(format!(
                "{:?}: expected {expected}, found {found}, read whole {read_whole}: {bytes:?}",
                short.reading
            ));
        }
    }
    None
}

/// The number of inputs to compare.
fn seeds(default: u64) -> std::ops::Range<u64> {
    let from_env = |name| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first = from_env("PROVSTREAM_FIRST_SEED").unwrap_or(0);
    first..first + from_env("PROVSTREAM_SEEDS").unwrap_or(default)
}

#[test]
fn the_release_point_equals_a_search_over_continuations() {
    let differences: Vec<_> = seeds(INPUTS)
        .filter_map(|seed| Some(format!("seed {seed}, {}", difference(&short(seed, 8))?)))
        .take(12)
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
