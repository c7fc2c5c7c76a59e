//! The engine equals the naive reference on generated inputs, however they are cut.

use provstream::sentence::last_sentence;
use testkit::reference::engine::{canonical, check, parser};
use testkit::reference::{RefVocabulary, events, generate};

fn compare(seed: u64) {
    let input = generate::input(seed);
    let limits = generate::limits(seed);
    let vocabulary = RefVocabulary::default();
    let events = events(&input, &limits, &vocabulary, &last_sentence);
    let mut parser = parser(&limits, &vocabulary);
    check(&mut parser, &input, &canonical(events), seed, &limits);
}

#[test]
fn generated_inputs_equal_the_reference() {
    for seed in 0..testkit::search::seeds(1_000) {
        compare(seed);
    }
}
