//! Generated streams: when events are certain, and what holds of every stream.

use testkit::reference::generate_json::Case;
use testkit::reference::{
    Encoding, Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment, events_in, generate_json,
    timed_events_in,
};

use super::{foreign, joined, own, split};

#[test]
fn when_events_are_certain() {
    let known = |mode, input: &[Segment]| -> Vec<(usize, String)> {
        let reading = Reading {
            mode,
            hold_records: false,
        };
        let (limits, vocabulary) = (RefLimits::default(), RefVocabulary::default());
        let timed = timed_events_in(reading, input, &limits, &vocabulary, &split);
        let named = timed.into_iter().filter_map(|(known, event)| match event {
            Ev::Assertion { text, .. } => Some((known, text)),
            Ev::Diagnostic { code, .. } => Some((known, code.to_owned())),
            _ => None,
        });
        named.collect()
    };
    let found = |text: &str| known(RefMode::Auto, &[own(text)]);
    assert_eq!(found("{\"assertion\":\"x\"} "), [(17, "x".to_owned())]);
    assert_eq!(found("a [substrate.grep] {x"), [(20, "a".to_owned())]);
    assert_eq!(found("{\"a"), [(4, "unterminated".to_owned())]);
    assert_eq!(
        known(RefMode::Json, &[own("[1"), foreign("x")]),
        [(2, "unterminated".to_owned())]
    );
    assert_eq!(
        known(RefMode::Json, &[own("[1 x")]),
        [(4, "json-syntax".to_owned())]
    );
}

#[test]
fn generated_streams_keep_the_invariants() {
    let vocabulary = RefVocabulary::default();
    let mut counts = std::collections::BTreeMap::new();
    let mut crowds = 0;
    for seed in 0..4_000 {
        let case = generate_json::case(seed);
        assert_eq!(case, generate_json::case(seed));
        let Case {
            reading,
            limits,
            input,
        } = case;
        let bytes = joined(&input);
        let mut count = |what: String| *counts.entry(what).or_insert(0) += 1;
        let mut spans = Vec::new();
        let mut annotated = 0;
        for event in events_in(reading, &input, &limits, &vocabulary, &split) {
            match event {
                Ev::Text { start, end } => spans.push((start, end)),
                Ev::Record { span } => {
                    assert!(reading.hold_records);
                    count("record".into());
                    spans.push(span);
                }
                Ev::Annotation { span, .. } => {
                    assert_eq!(reading.mode, RefMode::Auto);
                    spans.push(span);
                }
                Ev::Assertion {
                    encoding: Encoding::Json,
                    text,
                    span,
                    pointer,
                    annotations,
                    ..
                } => {
                    assert!(text.len() <= 3 * limits.max_assertion, "seed {seed}");
                    assert!(pointer.is_none_or(|pointer| pointer.len() <= limits.max_pointer));
                    assert!(annotations.len() <= limits.max_annotations);
                    assert!(annotations.is_sorted_by_key(|annotation| annotation.span));
                    let quote = usize::try_from(span.0).expect("an offset into memory") - 1;
                    assert_eq!(bytes[quote], b'"');
                    count(format!("{:?}", reading.mode));
                    count(format!("with {}", annotations.len().min(2)));
                    annotated += annotations.len();
                }
                Ev::Assertion { .. } => {}
                Ev::Marc { kind, raw, .. } => {
                    assert!(raw.is_none_or(|raw| raw.len() <= limits.max_record));
                    count(kind.to_owned());
                }
                Ev::Diagnostic { code, .. } => count(code.to_owned()),
            }
        }
        crowds += usize::from(annotated >= 512);
        spans.sort_unstable();
        let tiles = spans
            .iter()
            .try_fold(0, |end, span| (span.0 == end).then_some(span.1));
        assert_eq!(tiles, Some(bytes.len() as u64), "seed {seed}");
    }
    assert!(crowds > 3, "{crowds} crowds");
    counts.remove("unknown-in-slot");
    // A break right before an annotation is rare here.
    assert!(counts.remove("orphan") > Some(10));
    assert_eq!(counts.len(), 13 + 3 + 3 + 2 + 1, "{counts:?}");
    assert!(counts.values().all(|&count| count > 40), "{counts:?}");
}
