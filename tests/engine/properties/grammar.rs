//! The grammar of one annotation and the lexer agree, and what is written is read back.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use provstream::provenance::{
    Annotation, Class, Reason, Vocabulary, parse_annotation, write_bracketed,
};
use provstream::{DiagnosticCode, Parser, Span};
use testkit::reference;
use testkit::reference::{Ev, RefLimits, RefVocabulary};
use testkit::seen::Seen;

use super::streams::FRAGMENTS;
use super::{cases, own};

/// Starts of annotations, so that more of the generated ones get somewhere.
const OPENINGS: &[&str] = &[
    "[",
    "[ ",
    "[substrate.",
    "[substrate.grep",
    "[substrate.grep;",
    "[substrate.grep; x=",
    "[substrate.grep; x=\"",
    "[1.0.substrate.grep",
    "[2.0.note; ts=",
    "[note; observation_id",
    "[Unverified-Inference ",
    "[decayed-to-uncertainty\n",
];

/// Pieces of annotations.
const PIECES: &[&str] = &[
    ";",
    ";",
    "=",
    "=",
    " ",
    "\t",
    "\n",
    "\r\n",
    "]",
    "]",
    "]",
    "[",
    "\"",
    "\"",
    "\\",
    "\\\"",
    "\\\\",
    "a",
    "x",
    "x=1",
    "ts",
    "ts=",
    "observation-id=",
    "observation_id=",
    "2026-05-28T11:40:00Z",
    "\"2026-05-28T11:40:00Z\"",
    "sha256:e3b0",
    "substrate",
    ".",
    "grep",
    "1",
    ".0.",
    "-",
    "_",
    "\u{e9}",
    "\0",
    "\x7f",
    "; ts=x",
    "; a=b; c=d; e=f; g=h",
];

/// Something close to an annotation.
fn attempt() -> impl Strategy<Value = String> {
    (
        select(OPENINGS),
        vec(select(PIECES), 0..14),
        prop::bool::weighted(0.7),
    )
        .prop_map(|(start, pieces, closed)| {
            format!(
                "{start}{}{}",
                pieces.concat(),
                if closed { "]" } else { "" }
            )
        })
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn the_grammar_and_the_lexer_agree(attempt in attempt(), size in 1_usize..9) {
        let vocabulary = Vocabulary::memo();
        let stream = format!("So. {attempt}");
        let seen = Seen::of(&mut Parser::new(), stream.as_bytes().chunks(size));
        // Each annotation that the lexer found is one to the grammar and says the same.
        for tile in seen.tiles.iter() {
            let Some((annotation, _)) = &tile.annotation else { continue };
            let parsed = parse_annotation(&tile.bytes);
            let parsed = match parsed {
                Ok(parsed) => parsed,
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {stream:?}"))),
            };
            let malformed = annotation.reason() == Some(Reason::Malformed);
            prop_assert_eq!(parsed.malformation().is_some(), malformed, "{:?}", stream);
            prop_assert_eq!(&parsed.resolve(&vocabulary, tile.span), annotation, "{:?}", stream);
        }
        // And the other way: what the grammar takes and the profile looks at is found, what it refuses is not.
        let first = seen.tiles.iter().find(|tile| tile.span.start() == 4).and_then(|tile| tile.annotation.as_ref());
        let end_of_first = first.map(|(annotation, _)| annotation.span().end() as usize - 4);
        match parse_annotation(attempt.as_bytes()) {
            Ok(parsed) => {
                let looked_at = reference::events(&own(stream.as_bytes()), &RefLimits::default(), &RefVocabulary::default(), &|_| 0)
                    .iter()
                    .any(|event| matches!(event, Ev::Annotation { span: (4, end), .. } if *end == stream.len() as u64));
                prop_assert_eq!(end_of_first == Some(attempt.len()), looked_at, "{:?}", stream);
                let certain = parsed.identifier().starts_with("substrate.");
                prop_assert!(!certain || looked_at, "{:?}", stream);
            }
            Err(error) => {
                prop_assert_ne!(end_of_first, Some(attempt.len()), "{:?}", stream);
                // An attempt that had started ends where the grammar says that none continues.
                let ended = seen.diagnostics.iter().find(|(code, span)| *code == DiagnosticCode::Unterminated && span.start() == 4);
                if let Some((_, span)) = ended {
                    prop_assert_eq!(span.len() as usize, error.offset(), "{:?}", stream);
                    prop_assert_eq!(error.is_incomplete(), span.end() as usize == stream.len(), "{:?}", stream);
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_back_through_the_parser(
        (class, declared, reason) in select(vec![
            (Class::GREP, "substrate.grep", None),
            (Class::CODE_READ, "1.0.substrate.code.read", None),
            (Class::UNVERIFIED_INFERENCE, "unverified-inference", None),
            (Class::DECAYED_TO_UNCERTAINTY, "decayed-to-uncertainty", None),
            (Class::UNVERIFIED_INFERENCE, "substrate.telepathy", Some(Reason::UnknownIdentifier)),
            (Class::UNVERIFIED_INFERENCE, "9.9.substrate.grep", Some(Reason::VocabularyVersion)),
            (Class::UNVERIFIED_INFERENCE, "note", Some(Reason::UnknownIdentifier)),
            (Class::UNVERIFIED_INFERENCE, "GREP", Some(Reason::UnknownIdentifier)),
        ]),
        id in prop::option::of(prop_oneof![
            vec(select(FRAGMENTS), 0..6).prop_map(|fragments| fragments.concat()),
            any::<String>(),
            "[ a-z\"\\\\;\\[\\]=\t]{0,12}",
        ]),
        ts in prop::option::of(select(vec!["2026-05-28T11:40:00Z", "2026-05-28t11:40:00.5+02:00", "yesterday"])),
        size in 1_usize..30,
    ) {
        let mut annotation = Annotation::new(class, declared);
        if let Some(reason) = reason {
            annotation = annotation.with_reason(reason);
        }
        if let Some(id) = id {
            annotation = annotation.with_observation_id(id);
        }
        if let Some(ts) = ts {
            annotation = annotation.with_ts(ts);
        }
        // What cannot be written is refused; what is written is read.
        if let Ok(written) = write_bracketed(&annotation) {
            let stream = format!("It is so. {written} End.");
            let seen = Seen::of(&mut Parser::new(), stream.as_bytes().chunks(size));
            let expected = annotation.with_span(Span::new(10, 10 + written.len() as u64));
            prop_assert_eq!(seen.annotations().collect::<Vec<_>>(), [&expected], "{}", stream);
            let [assertion] = &seen.assertions[..] else {
                return Err(TestCaseError::fail(stream));
            };
            prop_assert_eq!(assertion.annotations().collect::<Vec<_>>(), [expected]);
            prop_assert_eq!(assertion.text(), "It is so.");
            prop_assert_eq!(&seen.diagnostics, &[]);
        } else {
            prop_assert!(
                annotation.observation_id().is_some_and(|id| id.is_empty() || id.contains(|c: char| c.is_ascii_control()) || id.len() > 900)
                    || annotation.ts() == Some("yesterday")
                    || matches!(annotation.declared(), "note" | "GREP"),
                "{:?}", annotation
            );
        }
    }
}
