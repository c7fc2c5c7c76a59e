//! Tests the naive reference on examples worked by hand.

use testkit::reference;

use testkit::reference::{
    Ev, RefLimits, RefVocabulary, Segment, events, generate, strip, timed_events,
};

/// A splitter simple enough to work examples by hand: a sentence ends at `.`, `!` or `?` with white space behind it.
fn split(candidate: &[u8]) -> usize {
    let starts_after = |&at: &usize| {
        matches!(candidate[at - 1], b'.' | b'!' | b'?') && candidate[at].is_ascii_whitespace()
    };
    (1..candidate.len()).rev().find(starts_after).unwrap_or(0)
}

/// Builds a segment of model text.
fn own(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: true,
        bytes: text.as_ref().to_vec(),
        after_break: false,
    }
}

/// Builds a segment of untrusted text.
fn foreign(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: false,
        bytes: text.as_ref().to_vec(),
        after_break: false,
    }
}

/// All bytes of an input.
fn joined(input: &[Segment]) -> Vec<u8> {
    input
        .iter()
        .flat_map(|segment| segment.bytes.clone())
        .collect()
}

/// A number that is small enough to index.
fn index(offset: u64) -> usize {
    usize::try_from(offset).expect("an offset into memory")
}

/// The events but text in one line, in the notation of the file of examples.
fn show_with(input: &[Segment], limits: &RefLimits, vocabulary: &RefVocabulary) -> String {
    let bytes = joined(input);
    let mut shown = Vec::new();
    for event in events(input, limits, vocabulary, &split) {
        let mut words = Vec::new();
        match event {
            Ev::Text { .. } | Ev::Marc { .. } | Ev::Record { .. } => continue,
            Ev::Annotation {
                class,
                reason,
                observation_id,
                ts,
                ..
            } => {
                let short = class.strip_prefix("substrate.").unwrap_or(&class);
                words.push(format!("@{short}"));
                words.extend(reason.map(|reason| format!("!{reason}")));
                words.extend(observation_id.map(|id| format!("id={id}")));
                words.extend(ts.map(|ts| format!("ts={ts}")));
            }
            Ev::Assertion {
                text,
                annotations,
                limited,
                ..
            } => {
                words.push(format!("={}", annotations.len()));
                words.extend(limited.then(|| "limited".to_owned()));
                words.extend(Some(text).filter(|text| !text.is_empty()));
            }
            Ev::Diagnostic { code, span } => {
                let raw = String::from_utf8_lossy(&bytes[index(span.0)..index(span.1)]);
                words.push(format!("?{code}"));
                words.extend(Some(raw.into_owned()).filter(|raw| !raw.is_empty()));
            }
        }
        shown.push(words.join(" "));
    }
    shown.join(" / ")
}

/// Formats the events of model text with the default limits and vocabulary.
fn show(text: impl AsRef<[u8]>) -> String {
    show_with(
        &[own(text)],
        &RefLimits::default(),
        &RefVocabulary::default(),
    )
}

/// Undoes the escapes of the file of examples.
fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let hex = |digits: &str| {
            let code = u32::from_str_radix(digits, 16).expect("hexadecimal digits");
            char::from_u32(code).expect("a character")
        };
        let (char, length) = match escape.as_bytes()[0] {
            b'\\' => ('\\', 1),
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b't' => ('\t', 1),
            b'x' => (hex(&escape[1..3]), 3),
            b'u' => {
                let end = escape.find('}').expect("a closing brace");
                (hex(&escape[2..end]), end + 1)
            }
            other => panic!("no escape: {other}"),
        };
        plain.push(char);
        rest = &escape[length..];
    }
    plain + rest
}

#[test]
fn the_examples_hold() {
    let mut limits = RefLimits::default();
    let mut count = 0;
    for line in include_str!("../../crates/testkit/src/reference/examples.txt").lines() {
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if let Some(header) = line.strip_prefix("== ") {
            limits = RefLimits::default();
            for limit in header.split(' ').skip(1) {
                let (name, value) = limit.split_once('=').expect("a limit and its value");
                let value = value.parse().expect("a number");
                match name {
                    "max_annotation" => limits.max_annotation = value,
                    "max_assertion" => limits.max_assertion = value,
                    "max_annotations" => limits.max_annotations = value,
                    "max_pending" => limits.max_pending = value,
                    other => panic!("no limit: {other}"),
                }
            }
            continue;
        }
        let (input, expected) = line.split_once(" =>").expect("an arrow");
        let shown = show_with(&[own(unescape(input))], &limits, &RefVocabulary::default());
        assert_eq!(shown, unescape(expected.trim_start()), "{line}");
        count += 1;
    }
    assert!(count >= 150, "{count} examples");
}

#[test]
fn the_number_of_parameters() {
    let with = |count| format!("A [substrate.grep{}]", "; x=1".repeat(count));
    assert_eq!(show(with(16)), "@grep / =1 A");
    assert_eq!(show(with(16).replace(']', ";]")), "@grep / =1 A");
    assert_eq!(show(with(17)), "@unverified-inference !malformed / =1 A");
}

#[test]
fn a_newer_vocabulary() {
    let mut newer = RefVocabulary {
        version: (1, 2),
        ..RefVocabulary::default()
    };
    newer.classes.push(("log".into(), (1, 1)));
    let show = |text: &str| show_with(&[own(text)], &RefLimits::default(), &newer);
    let mapped = |reason: &str| format!("@unverified-inference !{reason} / =1 A");
    assert_eq!(show("A [log]"), "@log / =1 A");
    assert_eq!(show("A [1.1.log]"), "@log / =1 A");
    assert_eq!(show("A [1.2.log]"), "@log / =1 A");
    assert_eq!(show("A [1.0.log]"), mapped("unknown-identifier"));
    assert_eq!(show("A [1.3.log]"), mapped("vocabulary-version"));
    assert_eq!(show("A [LOG]"), mapped("unknown-identifier"));
}

#[test]
fn a_whole_event_has_all_its_fields() {
    let found = events(
        &[own(
            "The cat. \t[1.0.substrate.grep;observation_id=\"a\\\"b\"] x",
        )],
        &RefLimits::default(),
        &RefVocabulary::default(),
        &split,
    );
    let annotation = reference::Ann {
        span: (10, 52),
        class: "substrate.grep".into(),
        declared: "1.0.substrate.grep".into(),
        reason: None,
        observation_id: Some("a\"b".into()),
        ts: None,
    };
    let expected = [
        Ev::Text { start: 0, end: 10 },
        Ev::Annotation {
            span: (10, 52),
            whitespace_before: 2,
            class: "substrate.grep".into(),
            declared: "1.0.substrate.grep".into(),
            reason: None,
            observation_id: Some("a\"b".into()),
            ts: None,
        },
        Ev::Assertion {
            encoding: reference::Encoding::Bracket,
            text: "The cat.".into(),
            span: (0, 8),
            extent: reference::Extent {
                span: (0, 8),
                repeated: false,
            },
            clean_span: Some((0, 8)),
            pointer: None,
            annotations: vec![annotation],
            limited: false,
        },
        Ev::Text { start: 52, end: 54 },
    ];
    assert_eq!(found, expected);
}

#[test]
fn timestamps() {
    let valid = [
        "2026-05-28T11:40:00Z",
        "2026-05-28t11:40:00.5z",
        "2024-02-29T23:59:59-00:00",
        "2000-02-29T00:00:00+23:59",
        "2016-12-31T23:59:60Z",
        "2016-12-31T23:59:60.9Z",
        "2017-01-01T00:59:60+01:00",
        "2016-12-31T18:59:60-05:00",
        "2026-06-30T15:59:60-08:00",
        "0000-01-01T00:00:00Z",
    ];
    for ts in valid {
        let input = format!("A [substrate.grep; ts={ts}]");
        assert_eq!(show(input), format!("@grep ts={ts} / =1 A"));
    }
    let invalid = [
        "2026-05-28",
        "2026-05-28 11:40:00Z",
        "2026-05-28T11:40:00",
        "2026-05-28T11:40Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-05-28T24:00:00Z",
        "2026-05-28T11:60:00Z",
        "2026-05-28T11:40:61Z",
        "2016-12-31T23:58:60Z",
        "2016-12-30T23:59:60Z",
        "2016-12-31T23:59:60+01:00",
        "2026-05-28T11:40:00.Z",
        "2026-05-28T11:40:00+2:00",
        "2026-05-28T11:40:00+24:00",
        "2026-05-28T11:40:00+00:60",
        "2026-05-28T11:40:00+0000",
        "+2026-05-28T11:40:00Z",
        "2026-00-10T11:40:00Z",
        "2026-05-00T11:40:00Z",
        "2026-05-28T11:40:00Zx",
        "2026-05-28T11:40:00,5Z",
    ];
    for ts in invalid {
        let input = format!("A [substrate.grep; ts={ts} ]");
        assert_eq!(show(input), format!("@grep / ?invalid-ts {ts} / =1 A"));
    }
}

#[test]
fn bytes_that_are_not_utf8() {
    assert_eq!(
        show(b"A\xFF [substrate.grep; observation-id=\"a\xE2\x80\"; x=\xFF]."),
        "@grep id=a\u{fffd} / ?invalid-utf8 \"a\u{fffd}\" / =1 A\u{fffd} / ?invalid-utf8 A\u{fffd}"
    );
    assert_eq!(
        show(b"A [substrate.grep; ts=2026\xFF]"),
        "@grep / ?invalid-ts 2026\u{fffd} / =1 A"
    );
    assert_eq!(show(b"A [substrate.grep] \xE2\x80"), "@grep / =1 A");
    assert_eq!(
        show(b"A [substrate.grep] \xE2[substrate.grep]"),
        "@grep / =1 A / @grep / =1 \u{fffd} / ?invalid-utf8 \u{fffd}"
    );
}

#[test]
fn foreign_text() {
    let cases: &[(&[Segment], &str)] = &[
        (&[foreign("A [substrate.grep]")], ""),
        (&[foreign("A. B "), own("[substrate.grep]")], "@grep / =1 B"),
        (
            &[foreign("A\n- B "), own("[substrate.grep]")],
            "@grep / =1 B",
        ),
        (
            &[own("A [substrate.grep; x="), foreign("1]")],
            "?unterminated [substrate.grep; x=",
        ),
        (&[own("A [substrate.gr"), own("ep]")], "@grep / =1 A"),
        (
            &[own("A [substrate.gr"), foreign(""), own("ep]")],
            "@grep / =1 A",
        ),
        (
            &[own("A ` "), foreign("B"), own(" [substrate.grep]")],
            "@grep / =1 A ` B",
        ),
        (
            &[foreign("A `"), own(" [substrate.grep]")],
            "@grep / =1 A `",
        ),
        (&[foreign("A \\"), own("[substrate.grep]")], ""),
        (
            &[foreign("```\n"), own("[substrate.grep]")],
            "@grep / =1 ```",
        ),
        (
            &[own("```"), foreign("\n"), own("[substrate.grep]")],
            "@grep / =1 ```",
        ),
        (&[own("~~~"), foreign("\n"), own("[substrate.grep]")], ""),
        (
            &[foreign("> "), own("~~~\n[substrate.grep]")],
            "@grep / =1 ~~~",
        ),
        (&[foreign("  "), own("~~~\n[substrate.grep]")], ""),
        (
            &[own("~~~\n"), foreign("~~~\n"), own("[substrate.grep]")],
            "",
        ),
        (
            &[own("~~~\nx\n~~~"), foreign("\n"), own("[substrate.grep]")],
            "",
        ),
        (
            &[own("> ~~~\n"), foreign("x\n"), own("> [substrate.grep]")],
            "",
        ),
        (
            &[own("> ~~~\n"), foreign("x\n"), own("B [substrate.grep]")],
            "@grep / =1 B",
        ),
        (
            &[
                own("A [substrate.grep]"),
                foreign(". "),
                own("[substrate.grep]"),
            ],
            "@grep / @grep / =2 A",
        ),
        (
            &[
                own("A [substrate.grep]"),
                foreign("[x"),
                own("[substrate.grep]"),
            ],
            "@grep / =1 A / @grep / =1 [x",
        ),
    ];
    for (input, expected) in cases {
        let shown = show_with(input, &RefLimits::default(), &RefVocabulary::default());
        assert_eq!(shown, *expected, "input {input:?}");
    }
}

#[test]
fn stripping_takes_the_annotation_and_whitespace_before_it() {
    let stripped = |input: &[Segment]| {
        let stripped = strip(input, &RefLimits::default(), &RefVocabulary::default());
        String::from_utf8(stripped).unwrap()
    };
    assert_eq!(
        stripped(&[own("A. \r\n\t[substrate.grep] [substrate.grep]. B")]),
        "A.. B"
    );
    assert_eq!(stripped(&[own("A\u{a0} [substrate.grep]")]), "A\u{a0}");
    assert_eq!(
        stripped(&[own("A [substrate.grep; x")]),
        "A [substrate.grep; x"
    );
    assert_eq!(stripped(&[foreign("A "), own(" [substrate.grep]")]), "A ");
    let long = format!("A{}[substrate.grep]", " ".repeat(70));
    assert_eq!(stripped(&[own(long)]), format!("A{}", " ".repeat(6)));
}

#[test]
fn clean_spans() {
    let input = "A [substrate.grep]. Bc [substrate.grep] \n- [substrate.grep]";
    let found = events(
        &[own(input)],
        &RefLimits::default(),
        &RefVocabulary::default(),
        &split,
    );
    let spans: Vec<_> = found
        .iter()
        .filter_map(|event| match event {
            Ev::Assertion {
                span, clean_span, ..
            } => Some((*span, clean_span.expect("brackets have one"))),
            _ => None,
        })
        .collect();
    // Stripped: "A. Bc \n-".
    assert_eq!(
        spans,
        [((0, 1), (0, 1)), ((20, 22), (3, 5)), ((43, 43), (8, 8))]
    );
}

#[test]
fn when_an_assertion_is_certain() {
    // What follows an annotation, and how many bytes of it tell that no other one joins; 0 for the end of the stream.
    let cases: [(&[u8], usize); 12] = [
        (b"", 0),
        (b" . ", 0),
        (b" x ", 2),
        (b"\n- x", 2),
        ("\u{bb}\u{2014}x".as_bytes(), 5),
        ("\u{e9}".as_bytes(), 1),
        (b"\xE2\x80", 0),
        (b" \\[substrate.grep]", 2),
        (b" [x] y", 4),
        (b" [substrate.grep; y", 0),
        (b" [substrate.grep; y z", 21),
        (b" [substrate.grep y", 18),
    ];
    for (after, expected) in cases {
        let bytes = [b"A [substrate.grep]", after].concat();
        let total = bytes.len();
        let timed = timed_events(
            &[own(bytes)],
            &RefLimits::default(),
            &RefVocabulary::default(),
            &split,
        );
        let assertion = timed
            .iter()
            .find(|(_, event)| matches!(event, Ev::Assertion { .. }));
        let known = assertion.map(|(known, _)| *known);
        let expected = if expected == 0 {
            total + 1
        } else {
            18 + expected
        };
        assert_eq!(known, Some(expected), "{after:?}");
    }
}

#[test]
fn generated_inputs_keep_the_invariants() {
    let vocabulary = RefVocabulary::default();
    let (mut annotations, mut codes) = (0, std::collections::BTreeMap::new());
    for seed in 0..2_000 {
        let (input, limits) = (generate::input(seed), generate::limits(seed));
        assert_eq!(input, generate::input(seed));
        let found = events(&input, &limits, &vocabulary, &split);
        let mut spans = Vec::new();
        let bytes = joined(&input);
        let stripped = strip(&input, &limits, &vocabulary);
        let mut removed = 0;
        for event in &found {
            match event {
                Ev::Text { start, end } => spans.push((*start, *end)),
                Ev::Annotation {
                    span,
                    whitespace_before,
                    ..
                } => {
                    annotations += 1;
                    assert!(span.1 - span.0 <= limits.max_annotation as u64);
                    removed += span.1 - span.0 + whitespace_before;
                    spans.push(*span);
                }
                Ev::Assertion {
                    span,
                    clean_span,
                    annotations,
                    ..
                } => {
                    assert!(
                        span.1 - span.0 <= limits.max_assertion as u64,
                        "seed {seed}"
                    );
                    assert!(annotations.len() <= limits.max_annotations);
                    assert!(
                        annotations
                            .iter()
                            .all(|annotation| annotation.span.0 >= span.1)
                    );
                    let at = |(start, end)| index(start)..index(end);
                    let clean_span = clean_span.expect("brackets have one");
                    assert_eq!(bytes[at(*span)], stripped[at(clean_span)], "seed {seed}");
                }
                Ev::Marc { .. } | Ev::Record { .. } => panic!("JSON in free text, seed {seed}"),
                Ev::Diagnostic { code, .. } => *codes.entry(*code).or_insert(0) += 1,
            }
        }
        spans.sort_unstable();
        let tiles = spans
            .iter()
            .try_fold(0, |end, span| (span.0 == end).then_some(span.1));
        assert_eq!(tiles, Some(bytes.len() as u64), "seed {seed}");
        assert_eq!(
            stripped.len() as u64 + removed,
            bytes.len() as u64,
            "seed {seed}"
        );
    }
    assert!(annotations > 5_000, "{annotations} annotations");
    assert_eq!(codes.len(), 10, "{codes:?}");
    assert!(codes.values().all(|&count| count > 50), "{codes:?}");
}
