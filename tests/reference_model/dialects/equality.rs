//! The engine with dialects equals the naive reference, however the input is cut.

use testkit::reference::dialects::generate::{Case, case};
use testkit::reference::dialects::{Dialects, Known, With, held, read};
use testkit::reference::holdback::holdback;
use testkit::reference::{Reading, RefLimits, RefVocabulary, Segment, events_in};
use testkit::sentence;

use super::engine::{self, Report};
use super::{BUILT_IN, data, parser};

fn expected(reading: Reading, case: &Case) -> Report {
    let with = With {
        dialects: &Dialects::built_in(&case.dialects),
        known: &case.sources,
    };
    let (input, limits) = (&case.input, &case.limits);
    let read = read(reading, input, limits, with, &sentence::starts);
    let memo = events_in(
        reading,
        input,
        limits,
        &RefVocabulary::default(),
        &sentence::last_sentence,
    );
    engine::expected(read, memo, &case.sources)
}

fn show(case: &Case) -> String {
    let segments = case.input.iter().map(|segment| {
        let after_break = if segment.after_break { "break, " } else { "" };
        let whose = if segment.own { "" } else { "untrusted " };
        format!(
            "{after_break}{whose}{:?}\n",
            String::from_utf8_lossy(&segment.bytes)
        )
    });
    let (dialects, sources) = (&case.dialects, &case.sources);
    format!(
        "{}{dialects:?} {sources:?} {}",
        segments.collect::<String>(),
        case.limits.max_assertion
    )
}

/// Reads a case whole and in chunks of several lengths, and says what differs.
fn check(reading: Reading, case: &Case, seed: u64) -> Option<String> {
    let expected = expected(reading, case);
    if case.is_open_question() {
        return None;
    }
    let parser = parser::parser(reading, &case.limits, &case.dialects, &case.sources);
    [usize::MAX, 1, 8, 200].into_iter().find_map(|most| {
        let run = || {
            let cuts = engine::cuts(seed, most);
            engine::run(&parser, &case.dialects, &case.input, cuts)
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let difference = match found {
            Ok(found) => engine::difference(&expected, &found)?,
            Err(_) => "panic".to_owned(),
        };
        Some(format!(
            "seed {seed}, chunks up to {most}\n{}\n{difference}\n",
            show(case)
        ))
    })
}

#[test]
fn generated_answers_equal_the_reference() {
    let mut faults = Vec::new();
    for seed in 0..testkit::search::seeds(500) {
        faults.extend(check(Reading::TEXT, &case(seed), seed));
    }
    faults.sort_by_key(String::len);
    let shown = faults.iter().take(8).map(|fault| format!("{fault}\n"));
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        shown.collect::<String>()
    );
}

#[test]
fn the_engine_reads_the_answers_as_the_reference_does() {
    let mut faults = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    let input = |text: &str| {
        vec![Segment {
            own: true,
            bytes: text.as_bytes().to_vec(),
            after_break: false,
        }]
    };
    for answer in data().answer {
        cases.push(Case {
            dialects: answer.dialects(),
            sources: answer.sources(),
            limits: RefLimits::default(),
            input: input(&answer.input()),
        });
    }
    for text in data().ordinary.into_values().flatten() {
        for dialects in [&["numeric"][..], &BUILT_IN] {
            cases.push(Case {
                dialects: dialects.to_vec(),
                sources: Known::Nothing,
                limits: RefLimits::default(),
                input: input(&text),
            });
        }
    }
    for (seed, case) in (0..).zip(&cases) {
        faults.extend(check(Reading::TEXT, case, seed));
    }
    assert!(
        faults.is_empty(),
        "{} differ\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Longest inputs whose every prefix is compared, in bytes.
const SHORT: usize = 120;

/// The first `len` bytes of an input.
fn prefix(input: &[Segment], len: usize) -> Vec<Segment> {
    let mut left = len;
    let mut prefix = Vec::new();
    for segment in input {
        let now = segment.bytes.len().min(left);
        left -= now;
        if now > 0 {
            let bytes = segment.bytes[..now].to_vec();
            prefix.push(Segment { bytes, ..*segment });
        }
    }
    prefix
}

#[test]
fn only_what_may_become_a_marker_or_an_annotation_is_held_back() {
    let mut faults = Vec::new();
    let mut compared = 0;
    for seed in 0..testkit::search::seeds(480) / 40 {
        let case = case(seed);
        let len = case.input.iter().map(|segment| segment.bytes.len()).sum();
        if len > SHORT || case.is_open_question() {
            continue;
        }
        let with = With {
            dialects: &Dialects::built_in(&case.dialects),
            known: &case.sources,
        };
        let fresh = parser::parser(Reading::TEXT, &case.limits, &case.dialects, &case.sources);
        for upto in 1..=len {
            let prefix = prefix(&case.input, upto);
            let mut parser = fresh.clone();
            engine::push(&mut parser, &prefix);
            let (markers, _) = held(Reading::TEXT, &prefix, &case.limits, with);
            let (annotation, _) = holdback(Reading::TEXT, &prefix, &case.limits);
            let expected = upto - markers.min(upto - annotation);
            compared += 1;
            // What comes before a bracket that may begin an annotation waits with it.
            let found = parser.buffered_len();
            if found < expected || found > expected && annotation == 0 {
                let case = Case {
                    input: prefix,
                    ..case.clone()
                };
                faults.push(format!(
                    "seed {seed}: expected {expected}, held back {found}\n{}\n",
                    show(&case)
                ));
                break;
            }
        }
    }
    faults.sort_by_key(String::len);
    let shown: String = faults.iter().take(8).map(String::as_str).collect();
    assert!(
        faults.is_empty(),
        "{} of {compared} differ\n{shown}",
        faults.len()
    );
}
