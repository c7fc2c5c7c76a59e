//! The engine equals the naive reference on generated inputs, however they are cut.

use provstream::sentence::last_sentence;
use testkit::reference::engine::{canonical, check, parser};
use testkit::reference::{RefVocabulary, events, generate};

/// Inputs compared, each read whole and in three cuttings; `PROVSTREAM_SEEDS` sets another number for a longer search.
const INPUTS: u64 = 10_000;

fn compare(seed: u64) {
    let input = generate::input(seed);
    let limits = generate::limits(seed);
    let vocabulary = RefVocabulary::default();
    let events = events(&input, &limits, &vocabulary, &last_sentence);
    let mut parser = parser(&limits, &vocabulary);
    check(&mut parser, &input, &canonical(events), seed, &limits);
}

#[test]
fn ten_thousand_generated_inputs_equal_the_reference() {
    let more = std::env::var("PROVSTREAM_SEEDS").ok();
    let inputs = more.and_then(|n| n.parse().ok()).unwrap_or(INPUTS);
    for seed in 0..inputs {
        compare(seed);
    }
}
