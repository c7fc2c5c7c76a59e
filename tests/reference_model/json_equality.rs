//! The engine equals the naive reference on generated streams with JSON in them, in all modes that know it, however they
//! are cut.

use provstream::sentence::last_sentence;
use testkit::reference::engine::{canonical, check, parser_in};
use testkit::reference::generate_json::{self, Case};
use testkit::reference::{RefVocabulary, events_in};

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
fn generated_streams_equal_the_reference() {
    for seed in 0..testkit::search::seeds(1_000) {
        compare(seed);
    }
}
