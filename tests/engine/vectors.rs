//! The memo's in-line example, the table of resolution and the reasons of verdicts, each row through the parser.

use std::time::Duration;

use provstream::provenance::{
    Annotation, Class, Discipline, Encoding, LabelKind, Reason, Timestamp, VerdictReason, Version,
    Vocabulary,
};
use provstream::{DiagnosticCode, Limits, Parser, Span};
use testkit::seen::Seen;

/// TV-PA-2, byte for byte as section 6 of the memo has it.
const TV_PA_2: &str = "The file CHANGELOG.md contains an entry dated 2026-05-25.\n\
    [substrate.code.read; observation-id=sha256:e3b0c4...;\n \
    ts=2026-05-28T11:40:00Z]\n";

/// The tuple is exact, and nothing else is reported.
fn check_tuple(seen: &Seen, at: usize) {
    let [assertion] = &seen.assertions[..] else {
        panic!("cut at {at}: {:?}", seen.assertions);
    };
    assert_eq!(assertion.text(), &TV_PA_2[..57], "cut at {at}");
    assert_eq!(assertion.span(), Span::new(0, 57), "cut at {at}");
    assert_eq!(assertion.clean_span(), Some(Span::new(0, 57)));
    assert_eq!(assertion.encoding(), Encoding::Bracket);
    assert!(!assertion.limit_hit());
    let expected = Annotation::new(Class::CODE_READ, "substrate.code.read")
        .with_observation_id("sha256:e3b0c4...")
        .with_ts("2026-05-28T11:40:00Z")
        .with_span(Span::new(58, 138));
    let annotations: Vec<_> = assertion.annotations().collect();
    assert_eq!(annotations, std::slice::from_ref(&expected), "cut at {at}");
    assert_eq!(seen.annotations().collect::<Vec<_>>(), [&expected]);
    assert_eq!(seen.diagnostics, [], "cut at {at}");
    assert_eq!(seen.bytes(), TV_PA_2.as_bytes());
    assert_eq!(seen.stripped(), format!("{}\n", &TV_PA_2[..57]).as_bytes());
}

/// TV-PA-2; PA-7, PA-8, PA-32 to PA-37, PA-39
#[test]
fn the_in_line_example_gives_the_tuple_at_every_split() {
    let bytes = TV_PA_2.as_bytes();
    let mut parser = Parser::new();
    check_tuple(&Seen::of(&mut parser, [bytes]), 0);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        check_tuple(&Seen::of(&mut parser, [head, &[], tail]), cut);
    }
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            check_tuple(&Seen::of(&mut parser, pieces), first);
        }
    }
    for size in 1..=64 {
        check_tuple(&Seen::of(&mut parser, bytes.chunks(size)), size);
    }
    // Without the line feed at its end the assertion is complete when the stream is.
    let without = &bytes[..bytes.len() - 1];
    let seen = Seen::of(&mut parser, without.chunks(3));
    assert_eq!(seen.assertions.len(), 1);
    let ts = seen.assertions[0]
        .annotations()
        .next()
        .and_then(|found| found.timestamp());
    assert_eq!(ts.map(Timestamp::unix_seconds), Some(1_779_968_400));
}

/// Version 1.1 with a class of its own, besides the memo's.
fn newer() -> Vocabulary {
    Vocabulary::builder(Version::new(1, 1))
        .class("substrate.sql.query", Version::new(1, 1))
        .build()
        .expect("a sound vocabulary")
}

/// Reads `So. ANNOTATION` under a vocabulary byte by byte and returns the annotation as its assertion has it.
fn resolve(
    vocabulary: &Vocabulary,
    annotation: &str,
) -> (Annotation<'static>, Vec<DiagnosticCode>) {
    let stream = format!("So. {annotation}");
    let mut parser = Parser::builder().vocabulary(vocabulary.clone()).build();
    let seen = Seen::of(&mut parser, stream.as_bytes().chunks(1));
    let [assertion] = &seen.assertions[..] else {
        panic!("{annotation}: {:?}", seen.assertions);
    };
    let found: Vec<_> = assertion
        .annotations()
        .map(Annotation::into_owned)
        .collect();
    let [found] = &found[..] else {
        panic!("{annotation}: {found:?}");
    };
    assert_eq!(
        seen.annotations().collect::<Vec<_>>(),
        [found],
        "at its bracket and with its assertion"
    );
    (
        found.clone(),
        seen.diagnostics.iter().map(|(code, _)| *code).collect(),
    )
}

/// Checks the properties of an annotation that was resolved to `unverified-inference`.
fn check_mapped(vocabulary: &Vocabulary, declared: &str, reason: Reason) {
    let (found, codes) = resolve(
        vocabulary,
        &format!("[{declared}; observation-id=x; ts=2026-05-28T11:40:00Z]"),
    );
    assert_eq!(*found.class(), Class::UNVERIFIED_INFERENCE, "{declared}");
    assert_eq!(found.declared(), declared);
    assert_eq!(found.reason(), Some(reason), "{declared}");
    assert_eq!(found.label_kind(), LabelKind::MappedTerminal);
    assert_eq!(
        found.observation_id(),
        Some("x"),
        "what was declared is kept"
    );
    assert_eq!(found.ts(), Some("2026-05-28T11:40:00Z"));
    assert_eq!(codes, []);
}

/// Table of resolution, row 1: in the loaded vocabulary, no anchor.
#[test]
fn an_identifier_of_the_vocabulary_is_itself() {
    for vocabulary in [Vocabulary::memo(), newer()] {
        let classes = vocabulary.classes().map(|(class, _)| class);
        for class in classes.chain(vocabulary.terminals()) {
            let (found, codes) = resolve(&vocabulary, &format!("[{class}]"));
            assert_eq!((found.class(), found.reason()), (&class, None));
            assert_eq!(found.declared(), class.as_str());
            assert_eq!(codes, []);
        }
    }
}

/// Table of resolution, row 2: anchored, same major, minor not above the loaded one, present at that version.
#[test]
fn an_anchored_identifier_that_was_there_is_itself() {
    for (vocabulary, anchors) in [
        (Vocabulary::memo(), &["1.0"][..]),
        (newer(), &["1.0", "1.1"]),
    ] {
        for anchor in anchors {
            for class in [
                Class::GREP,
                Class::UNVERIFIED_INFERENCE,
                Class::DECAYED_TO_UNCERTAINTY,
            ] {
                let declared = format!("{anchor}.{class}");
                let (found, _) = resolve(&vocabulary, &format!("[{declared}]"));
                assert_eq!(
                    (found.class(), found.reason()),
                    (&class, None),
                    "{declared}"
                );
                assert_eq!(found.declared(), declared);
            }
        }
    }
    let (found, _) = resolve(&newer(), "[1.1.substrate.sql.query]");
    assert_eq!(
        (found.class().as_str(), found.reason()),
        ("substrate.sql.query", None)
    );
}

/// Table of resolution, row 3: anchored with another major, or a minor above the loaded one.
#[test]
fn an_anchor_that_is_not_covered_maps_with_the_version_as_the_reason() {
    for declared in [
        "2.0.substrate.grep",
        "0.9.substrate.grep",
        "1.1.substrate.grep",
        "1.99.substrate.anything",
        "9.9.unverified-inference",
        "99999999999999999999.0.substrate.grep",
        "1.99999999999999999999.substrate.grep",
    ] {
        check_mapped(&Vocabulary::memo(), declared, Reason::VocabularyVersion);
    }
    check_mapped(&newer(), "1.2.substrate.grep", Reason::VocabularyVersion);
}

/// Table of resolution, row 4: anything else.
#[test]
fn anything_else_maps_as_an_unknown_identifier() {
    for declared in [
        "substrate.telepathy",
        "substrate.sql.query",
        "Substrate.Grep",
        "SUBSTRATE.GREP",
        "Unverified-Inference",
        "note",
        "1.0.substrate.telepathy",
        "1.0.Substrate.grep",
        "01.0.substrate.grep",
        "1.00.substrate.grep",
        "02.0.substrate.grep",
    ] {
        check_mapped(&Vocabulary::memo(), declared, Reason::UnknownIdentifier);
    }
    // Known now, but not yet at the version it is anchored to.
    check_mapped(
        &newer(),
        "1.0.substrate.sql.query",
        Reason::UnknownIdentifier,
    );
}

/// A look-alike of an identifier is a different identifier or none: with letters of another script,
/// invisible characters, or an order that only the screen shows.
#[test]
fn a_look_alike_is_no_class_in_brackets_nor_in_json() {
    for declared in [
        "substrate.gr\u{435}p",
        "\u{455}ubstrate.grep",
        "substrate\u{ff0e}grep",
        "substrate\u{2024}grep",
        "substrate.\u{ff47}rep",
        "substrate.gr\u{200d}ep",
        "substrate.grep\u{200b}",
        "\u{feff}substrate.grep",
        "substrate.grep\u{301}",
        "\u{202e}perg.etartsbus",
        "substrate.grep\u{0}",
    ] {
        let bracketed = format!("So. [{declared}; ts=2026-05-28T11:40:00Z]");
        let seen = Seen::of(&mut Parser::new(), bracketed.as_bytes().chunks(1));
        assert_eq!(seen.annotations().count(), 0, "{declared:?}");
        assert_eq!(seen.stripped(), bracketed.as_bytes());
        let written = declared.replace('\0', "\\u0000");
        let json = format!(
            r#"{{"assertion":"So.","provenance":{{"substrate_class":"{written}","ts":"2026-05-28T11:40:00Z"}}}}"#
        );
        let seen = Seen::of(&mut Parser::new(), json.as_bytes().chunks(1));
        let found: Vec<_> = seen.assertions[0].annotations().collect();
        let [found] = &found[..] else {
            panic!("{declared:?}: {found:?}");
        };
        assert_eq!(found.declared(), declared);
        assert_eq!(*found.class(), Class::UNVERIFIED_INFERENCE, "{declared:?}");
        assert_eq!(found.reason(), Some(Reason::UnknownIdentifier));
    }
}

/// Table of resolution, row 5: any identifier in a malformed annotation.
#[test]
fn a_malformed_annotation_maps_and_keeps_nothing_but_its_identifier() {
    let parts = "observation-id=x; ts=2026-05-28T11:40:00Z";
    let many = "; a=b".repeat(17);
    for declared in [
        "substrate.grep",
        "decayed-to-uncertainty",
        "substrate.telepathy",
        "2.0.substrate.grep",
    ] {
        for rest in [
            format!("; {parts}; name"),
            format!("; {parts}; name="),
            format!("; {parts}; name=\"\""),
            format!("; ; {parts}"),
            format!("; {parts};;"),
            format!("; {parts}; observation_id=y"),
            format!("; {parts}; ts=2026-05-28T11:40:00Z"),
            many.clone(),
        ] {
            let (found, codes) = resolve(&Vocabulary::memo(), &format!("[{declared}{rest}]"));
            assert_eq!(*found.class(), Class::UNVERIFIED_INFERENCE);
            assert_eq!(found.reason(), Some(Reason::Malformed), "{declared}{rest}");
            assert_eq!(found.declared(), declared);
            assert_eq!(
                (found.observation_id(), found.ts()),
                (None, None),
                "{declared}{rest}"
            );
            assert_eq!(found.label_kind(), LabelKind::MappedTerminal);
            assert_eq!(codes, []);
        }
    }
    // A semicolon at the end and sixteen parameters are no fault.
    for sound in [format!("; {parts};"), "; a=b".repeat(16)] {
        let (found, _) = resolve(&Vocabulary::memo(), &format!("[substrate.grep{sound}]"));
        assert_eq!((found.class(), found.reason()), (&Class::GREP, None));
    }
}

/// Wire profile 2: an invalid `ts` leaves the class as it is.
#[test]
fn an_invalid_time_leaves_the_class_as_it_is() {
    for ts in [
        "yesterday",
        "2026-02-29T00:00:00Z",
        "2026-05-28 11:40:00Z",
        "2026-05-28T24:00:00Z",
        "2026-05-28T11:40:60Z",
    ] {
        let (found, codes) = resolve(&Vocabulary::memo(), &format!("[substrate.grep; ts={ts}]"));
        assert_eq!(
            (found.class(), found.reason(), found.ts()),
            (&Class::GREP, None, None),
            "{ts}"
        );
        assert_eq!(codes, [DiagnosticCode::InvalidTs]);
    }
}

/// The time at which streams are judged below.
const NOW: &str = "2026-05-28T12:00:00Z";

/// The verdict on the first assertion of a stream: a floor of two, an hour for each class, five seconds of skew.
fn judge(stream: &str) -> VerdictReason {
    judge_within(stream, Limits::default())
}

fn judge_within(stream: &str, limits: Limits) -> VerdictReason {
    let discipline = Discipline::own_state()
        .default_window(Duration::from_secs(3_600))
        .skew(Duration::from_secs(5))
        .build()
        .expect("a sound discipline");
    let now: Timestamp = NOW.parse().expect("a date-time");
    let mut reasons = Vec::new();
    for size in [1, 7, stream.len()] {
        let mut parser = Parser::builder().limits(limits).build();
        let seen = Seen::of(&mut parser, stream.as_bytes().chunks(size));
        let verdict = discipline.judge(&seen.assertions[0], now);
        assert_eq!(
            verdict.admitted(),
            verdict.reason() == VerdictReason::Admitted
        );
        assert_eq!(verdict.floor(), 2);
        reasons.push(verdict.reason());
    }
    assert!(
        reasons.iter().all(|reason| *reason == reasons[0]),
        "{stream}: {reasons:?}"
    );
    reasons[0]
}

const GREP: &str = "[substrate.grep; ts=2026-05-28T11:40:00Z]";
const LOG: &str = "[substrate.git.log; ts=2026-05-28T11:50:00Z]";

#[test]
fn verdict_no_assertion() {
    assert_eq!(
        judge(&format!("{GREP} {LOG} So.")),
        VerdictReason::NoAssertion
    );
    // It comes before every other reason.
    let limits = Limits::default().with_max_annotations(1).expect("in range");
    let stream = format!("- {GREP} {LOG} [unverified-inference] So.");
    assert_eq!(judge_within(&stream, limits), VerdictReason::NoAssertion);
}

#[test]
fn verdict_limit() {
    let limits = Limits::default().with_max_annotations(2).expect("in range");
    let stream = format!("So. {GREP} {LOG} {GREP} And.");
    assert_eq!(judge_within(&stream, limits), VerdictReason::Limit);
    // It comes before a terminal.
    let stream = format!("So. [unverified-inference] {GREP} {LOG}");
    assert_eq!(judge_within(&stream, limits), VerdictReason::Limit);
    let limits = Limits::default().with_max_assertion(4).expect("in range");
    assert_eq!(
        judge_within(&format!("It is so. {GREP} {LOG}"), limits),
        VerdictReason::Limit
    );
    let limits = Limits::default().with_max_pending(40).expect("in range");
    assert_eq!(
        judge_within(&format!("So. {GREP} {LOG}"), limits),
        VerdictReason::Limit
    );
}

/// A parser reports only what is annotated; here what was reported has all its annotations left out.
#[test]
fn verdict_unannotated() {
    let discipline = Discipline::own_state().build().expect("a sound discipline");
    let now: Timestamp = NOW.parse().expect("a date-time");
    let seen = Seen::of(&mut Parser::new(), [&b"It is so. [substrate.grep]"[..]]);
    let bare = seen.assertions[0].clone().with_annotations(Vec::new());
    assert_eq!(
        discipline.judge(&bare, now).reason(),
        VerdictReason::Unannotated
    );
    assert!(!bare.is_annotated());
}

#[test]
fn verdict_terminal() {
    for terminal in [
        "unverified-inference",
        "decayed-to-uncertainty",
        "substrate.telepathy",
        "2.0.substrate.fs.mtime",
        "substrate.fs.mtime; ts",
    ] {
        assert_eq!(
            judge(&format!("So. {GREP} {LOG} [{terminal}]")),
            VerdictReason::Terminal,
            "{terminal}"
        );
        // It comes before the floor.
        assert_eq!(
            judge(&format!("So. [{terminal}]")),
            VerdictReason::Terminal,
            "{terminal}"
        );
    }
}

#[test]
fn verdict_below_floor() {
    for annotations in [
        GREP.to_owned(),
        format!("{GREP} {GREP}"),
        format!("{GREP} [substrate.git.log]"),
        format!("{GREP} [substrate.git.log; ts=tomorrow]"),
        format!("{GREP} [substrate.git.log; ts=2026-05-28T10:59:59.999Z]"),
        format!("{GREP} [substrate.git.log; ts=2026-05-28T12:00:05.001Z]"),
    ] {
        assert_eq!(
            judge(&format!("So. {annotations}")),
            VerdictReason::BelowFloor,
            "{annotations}"
        );
    }
}

#[test]
fn verdict_admitted() {
    for annotations in [
        format!("{GREP} {LOG}"),
        format!("{GREP}. {GREP}\n\n{LOG}"),
        format!("{GREP} [substrate.git.log; ts=2026-05-28T11:00:00Z]"),
        format!("{GREP} [substrate.git.log; ts=2026-05-28T12:00:05Z]"),
        format!("{GREP} [1.0.substrate.git.log; ts=\"2026-05-28T13:30:00+02:00\"]"),
    ] {
        assert_eq!(
            judge(&format!("So. {annotations} End.")),
            VerdictReason::Admitted,
            "{annotations}"
        );
    }
}
