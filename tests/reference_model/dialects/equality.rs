//! The engine with dialects equals the naive reference, however the input is cut.

use provstream::Parser;
use testkit::reference::dialects::generate::{Case, case};
use testkit::reference::dialects::{Dialects, Known, With, held};
use testkit::reference::holdback::holdback;
use testkit::reference::{Reading, RefLimits, Segment};

use super::engine::{check, show};
use super::parser::parser;
use super::{BUILT_IN, data};

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

/// Reads an input, of which more may follow.
fn push(parser: &mut Parser, input: &[Segment]) {
    for segment in input {
        if segment.after_break {
            parser.push_break(());
        }
        match segment.own {
            true => parser.push(&segment.bytes, ()),
            false => parser.push_untrusted(&segment.bytes, ()),
        }
    }
}

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
        let fresh = parser(Reading::TEXT, &case.limits, &case.dialects, &case.sources);
        for upto in 1..=len {
            let prefix = prefix(&case.input, upto);
            let mut parser = fresh.clone();
            push(&mut parser, &prefix);
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
