//! The engine equals the naive reference on generated streams with JSON in them, in all modes that know it, however they
//! are cut.

use provstream::sentence::last_sentence;
use testkit::reference::engine::{canonical, check, parser_in};
use testkit::reference::generate_json::{self, Case};
use testkit::reference::{RefVocabulary, events_in};

/// Streams compared, each read whole and in three cuttings; `PROVSTREAM_SEEDS` sets another number for a longer search.
const STREAMS: u64 = 10_000;

fn compare(seed: u64) {
    let Case {
        reading,
        limits,
        input,
    } = generate_json::case(seed);
    let vocabulary = RefVocabulary::default();
    let events = events_in(reading, &input, &limits, &vocabulary, &last_sentence);
    let mut parser = parser_in(reading, &limits, &vocabulary);
    let what = (reading, &limits);
    check(&mut parser, &input, &canonical(events), seed, &what);
}

#[test]
fn ten_thousand_generated_streams_equal_the_reference() {
    let more = std::env::var("PROVSTREAM_SEEDS").ok();
    let streams = more.and_then(|n| n.parse().ok()).unwrap_or(STREAMS);
    for seed in 0..streams {
        compare(seed);
    }
}
