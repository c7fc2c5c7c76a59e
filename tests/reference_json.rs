//! The engine equals the naive reference on generated streams with JSON in them, in all modes that know it, however they
//! are cut.

mod reference;

use provstream::sentence::last_sentence;
use reference::engine::{Cuts, canonical, parser_in, run};
use reference::generate_json::{self, Case};
use reference::{RefVocabulary, Segment, events_in};

/// Streams compared, each read whole and in three cuttings; `PROVSTREAM_SEEDS` sets another number for a longer search.
const STREAMS: u64 = 10_000;

fn show(input: &[Segment]) -> String {
    input
        .iter()
        .map(|segment| {
            format!(
                "{}\"{}\"\n",
                if segment.own { "" } else { "foreign " },
                segment.bytes.escape_ascii()
            )
        })
        .collect()
}

fn compare(seed: u64) {
    let Case {
        reading,
        limits,
        input,
    } = generate_json::case(seed);
    let vocabulary = RefVocabulary::default();
    let events = events_in(reading, &input, &limits, &vocabulary, &last_sentence);
    let expected = canonical(events);
    let mut engine = parser_in(reading, &limits, &vocabulary);
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
            "seed {seed}, chunks up to {most}, {reading:?}, {limits:?}\n{}\nexpected {:#?}\nfound {:#?}",
            show(&input),
            &expected[at..expected.len().min(at + 2)],
            &found[at..found.len().min(at + 2)]
        );
    }
}

#[test]
fn ten_thousand_generated_streams_equal_the_reference() {
    let more = std::env::var("PROVSTREAM_SEEDS").ok();
    let streams = more.and_then(|n| n.parse().ok()).unwrap_or(STREAMS);
    for seed in 0..streams {
        compare(seed);
    }
}
