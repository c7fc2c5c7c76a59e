//! Written annotations read back equal, and escaped text does not read as an annotation.

use std::ops::Range;

use proptest::prelude::*;
use provstream::Span;
use provstream::provenance::{
    Version, Vocabulary, escape, escape_str, parse_annotation, write_bracketed,
};

fn vocabulary() -> Vocabulary {
    let version = Version::new(1, 1);
    Vocabulary::builder(version)
        .class("Ledger.ct", version)
        .build()
        .unwrap()
}

/// Returns `true` if the bytes are a whole annotation that meets the start condition of the wire
/// profile.
fn is_annotation(bytes: &[u8], vocabulary: &Vocabulary) -> bool {
    let Ok(parsed) = parse_annotation(bytes) else {
        return false;
    };
    let after_anchor = parsed
        .identifier()
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let listed = |name: &str| name.eq_ignore_ascii_case(after_anchor);
    let known = ["observation-id", "observation_id", "ts"];
    let assigned = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let behind = text
            .split_once(';')
            .map_or("", |(_, behind)| behind)
            .trim_start();
        let (name, _) = behind.split_once('=').unwrap_or(("", ""));
        known.contains(&name.trim_end_matches([' ', '\t']))
    };
    after_anchor.starts_with("substrate.")
        || vocabulary
            .classes()
            .any(|(class, _)| listed(class.as_str()))
        || vocabulary
            .terminals()
            .iter()
            .any(|class| listed(class.as_str()))
        || assigned(bytes)
}

/// Returns `true` if a bracket in a part of the text, not escaped by an odd number of backslashes,
/// starts an annotation.
fn has_annotation(text: &[u8], part: Range<usize>, vocabulary: &Vocabulary) -> bool {
    part.filter(|&at| text[at] == b'[').any(|at| {
        let backslashes = text[..at]
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        let mut ends = (at..text.len()).filter(|&end| text[end] == b']');
        backslashes % 2 == 0 && ends.any(|end| is_annotation(&text[at..=end], vocabulary))
    })
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[",
        "[",
        "[",
        "]",
        ";",
        "\\",
        "\"",
        "=",
        " ",
        "\n",
        "\t",
        ".",
        "1.0.",
        "2",
        "substrate.grep",
        "substrate.",
        "grep",
        "Ledger.CT",
        "UNVERIFIED-INFERENCE",
        "note",
        "ts",
        "ts=",
        "observation-",
        "id",
        "_id=",
        "x",
        "é",
        "`",
        "(url)",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Text with an annotation in it, and what follows where the text is cut.
fn cut_text() -> impl Strategy<Value = (String, String)> {
    let select = |options: &'static [&'static str]| prop::sample::select(options);
    let backslashes = select(&["", "", "\\", "\\\\", "\\\\\\"]);
    let space = || select(&["", "", " ", "\n", " \r\n\t"]);
    let identifier = select(&[
        "substrate.x",
        "1.0.substrate.grep",
        "lEDGER.ct",
        "7.70.DECAYED-to-uncertainty",
        "note.a",
    ]);
    let tail = select(&[
        "]",
        ";]",
        "; ts=1]",
        ";ts\t= \"]\" ]",
        ";\nobservation-id=[",
        "; observation_id=a]",
        "; x=1; ts=2]",
    ]);
    let annotation = (backslashes, space(), identifier, space(), tail).prop_map(
        |(slashes, before, identifier, behind, tail)| {
            format!("{slashes}[{before}{identifier}{behind}{tail}")
        },
    );
    (pieces(), annotation, pieces(), any::<prop::sample::Index>()).prop_map(
        |(before, annotation, behind, cut)| {
            let text = before + &annotation + &behind;
            let at = text
                .char_indices()
                .map(|(at, _)| at)
                .nth(cut.index(text.chars().count()))
                .unwrap_or(0);
            let (text, after) = text.split_at(at);
            (text.to_owned(), after.to_owned())
        },
    )
}

proptest! {
    #[test]
    fn written_annotations_read_back(
        identifier in prop_oneof![
            Just("substrate.grep".to_owned()),
            Just("1.1.Ledger.ct".to_owned()),
            Just("decayed-to-uncertainty".to_owned()),
            Just("2.0.substrate.x".to_owned()),
            "([0-9]{1,3}\\.[0-9]{1,2}\\.)?[a-zA-Z][a-z0-9_\\-]{0,6}(\\.[a-z]{1,4}){0,2}",
        ],
        id in prop::option::of(prop_oneof!["[\\[\\];\"\\\\ \ta-c=é]{1,10}", "[^\\p{Cc}]{1,20}", "\\PC{0,8}"]),
        ts in prop::option::of(prop_oneof![Just("2026-05-28t11:40:00.5-02:30"), Just("2026-05-28T11:40:00Z"), Just("soon")]),
    ) {
        let vocabulary = vocabulary();
        let resolution = vocabulary.resolve(identifier.as_bytes());
        let mut annotation = provstream::provenance::Annotation::new(resolution.class().clone(), identifier.as_str());
        if let Some(reason) = resolution.reason() {
            annotation = annotation.with_reason(reason);
        }
        if let Some(id) = &id {
            annotation = annotation.with_observation_id(id.as_str());
        }
        if let Some(ts) = ts {
            annotation = annotation.with_ts(ts);
        }
        match write_bracketed(&annotation) {
            Ok(text) => {
                prop_assert!(is_annotation(text.as_bytes(), &vocabulary), "{text}");
                let read = parse_annotation(text.as_bytes()).unwrap();
                prop_assert_eq!(read.malformation(), None);
                prop_assert_eq!(read.resolve(&vocabulary, Span::default()), annotation);
            }
            Err(error) => {
                let plain = identifier.starts_with("substrate.") || resolution.reason().is_none();
                let fault = id.as_deref().is_some_and(|id| id.is_empty() || id.contains('\u{7f}'))
                    || ts == Some("soon")
                    || (!plain && id.is_none() && ts.is_none());
                prop_assert!(fault, "{error}: {annotation:?}");
            }
        }
    }

    /// OP-26: wherever escaped text is placed, no bracket of it starts an annotation.
    #[test]
    fn escaped_text_has_no_annotation((text, after) in cut_text(), before in pieces()) {
        let vocabulary = vocabulary();
        let escaped = escape(text.as_bytes(), &vocabulary);
        let before = before.trim_end_matches('\\');
        let placed = [before.as_bytes(), &escaped, after.as_bytes()].concat();
        let own = before.len()..before.len() + escaped.len();
        prop_assert!(!has_annotation(&placed, own, &vocabulary), "{text:?} {after:?}");

        prop_assert_eq!(&escape(&escaped, &vocabulary), &escaped);
        let as_text = escape_str(&text, &vocabulary);
        prop_assert_eq!(as_text.as_bytes(), &*escaped);
    }

    #[test]
    fn only_backslashes_are_added(text in pieces()) {
        let vocabulary = vocabulary();
        let escaped = escape_str(&text, &vocabulary);
        prop_assert_eq!(escaped.replace('\\', ""), text.replace('\\', ""));
    }
}
