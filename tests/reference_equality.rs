//! The engine equals the naive reference on generated inputs, however they are cut.

mod reference;

use provstream::sentence::last_sentence;
use reference::engine::{Cuts, canonical, parser, run};
use reference::{RefVocabulary, Segment, events, generate};

/// Inputs compared, each read whole and in three cuttings; `PROVSTREAM_SEEDS` sets another number for a longer search.
const INPUTS: u64 = 10_000;

fn show(input: &[Segment]) -> String {
    input
        .iter()
        .map(|segment| {
            format!(
                "{}{:?}\n",
                if segment.own { "" } else { "foreign " },
                String::from_utf8_lossy(&segment.bytes)
            )
        })
        .collect()
}

fn compare(seed: u64) {
    let input = generate::input(seed);
    let limits = generate::limits(seed);
    let vocabulary = RefVocabulary::default();
    let expected = canonical(events(&input, &limits, &vocabulary, &last_sentence));
    let mut engine = parser(&limits, &vocabulary);
    let mut cuts = Cuts(seed);
    for most in [usize::MAX, 1, 8, 200] {
        let found = run(&mut engine, &input, |left| {
            if most == usize::MAX {
                left
            } else {
                1 + cuts.below(most)
            }
        });
        engine.reset();
        if found == expected {
            continue;
        }
        let at = expected
            .iter()
            .zip(&found)
            .take_while(|(a, b)| a == b)
            .count();
        panic!(
            "seed {seed}, chunks up to {most}, {limits:?}\n{}\nexpected {:?}\nfound {:?}",
            show(&input),
            &expected[at..expected.len().min(at + 2)],
            &found[at..found.len().min(at + 2)]
        );
    }
}

#[test]
fn ten_thousand_generated_inputs_equal_the_reference() {
    let more = std::env::var("PROVSTREAM_SEEDS").ok();
    let inputs = more.and_then(|n| n.parse().ok()).unwrap_or(INPUTS);
    for seed in 0..inputs {
        compare(seed);
    }
}
