//! Assertions written as JSON read back equal.

use proptest::prelude::*;
use provstream::provenance::{
    Annotation, Assertion, Class, Encoding, JsonForm, Reason, Timestamp, Version, Vocabulary,
    WriteError, write_json_annotation, write_json_assertion,
};
use provstream::{Event, Limits, Mode, Parser, Span};
use serde_json::Value;

fn vocabulary() -> Vocabulary {
    let version = Version::new(1, 1);
    Vocabulary::builder(version)
        .class("Ledger.ct", version)
        .build()
        .unwrap()
}

/// The annotation that a parser with the vocabulary makes of an identifier.
fn resolved(declared: &str, vocabulary: &Vocabulary) -> Annotation<'static> {
    let resolution = vocabulary.resolve(declared.as_bytes());
    let annotation = Annotation::new(resolution.class().clone(), declared.to_owned());
    match resolution.reason() {
        Some(reason) => annotation.with_reason(reason),
        None => annotation,
    }
}

fn grep() -> Annotation<'static> {
    Annotation::new(Class::GREP, "substrate.grep")
}

fn assertion(text: &str, annotations: Vec<Annotation<'static>>) -> Assertion<'static> {
    Assertion::new(Encoding::Json, text.to_owned(), Span::default()).with_annotations(annotations)
}

/// Without the place, which is not written.
fn placeless(assertion: &Assertion<'_>) -> (String, Vec<Annotation<'static>>) {
    let annotations = assertion
        .annotations()
        .map(|found| found.with_span(Span::default()).into_owned());
    (assertion.text().to_owned(), annotations.collect())
}

/// The assertions of a stream, and how many diagnostics it has.
fn read(
    json: &str,
    mode: Mode,
    vocabulary: &Vocabulary,
    limits: Limits,
) -> (Vec<Assertion<'static>>, usize) {
    let mut found = (Vec::new(), 0);
    let mut parser = Parser::builder()
        .mode(mode)
        .vocabulary(vocabulary.clone())
        .limits(limits)
        .build();
    let mut sink = |event: Event<'_>| match event {
        Event::Assertion(assertion) => found.0.push(assertion.into_owned()),
        Event::Diagnostic(_) => found.1 += 1,
        _ => {}
    };
    for chunk in json.as_bytes().chunks(5) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    found
}

/// Checks that a parser with the `limits` reads an assertion written within them, and finds an
/// equal one.
fn reads_back(assertion: &Assertion<'_>, vocabulary: &Vocabulary, limits: Limits) {
    let json = JsonForm::assertion_within(assertion, &limits)
        .unwrap()
        .to_string();
    for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
        let (found, diagnostics) = read(&json, mode, vocabulary, limits);
        assert_eq!((found.len(), diagnostics), (1, 0), "{mode:?}: {json}");
        assert_eq!(
            placeless(&found[0]),
            placeless(assertion),
            "{mode:?}: {json}"
        );
        assert!(!found[0].limit_hit(), "{mode:?}: {json}");
    }
}

fn text() -> impl Strategy<Value = String> {
    let special = prop::sample::select(
        "\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \u{7f}\u{85}\"\\/{}[]u`\u{2028}\u{feff}\u{fffd}\u{ffff}é🚀\u{10ffff}"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![special, any::<char>()], 0..30)
        .prop_map(|characters| characters.into_iter().collect())
}

fn annotation() -> impl Strategy<Value = Annotation<'static>> {
    let declared = prop_oneof![
        prop::sample::select(vec![
            "substrate.grep",
            "1.0.substrate.grep",
            "1.1.Ledger.ct",
            "1.0.Ledger.ct",
            "2.0.substrate.x",
            "01.0.substrate.grep",
            "decayed-to-uncertainty",
            "",
        ])
        .prop_map(str::to_owned),
        text(),
    ];
    let ts = prop::sample::select(vec!["2026-05-28t11:40:00.5-02:30", "2026-05-28T11:40:00Z"]);
    let parts = (declared, prop::option::of(text()), prop::option::of(ts));
    parts.prop_map(|(declared, id, ts)| {
        let mut annotation = resolved(&declared, &vocabulary());
        if let Some(id) = id {
            annotation = annotation.with_observation_id(id);
        }
        if let Some(ts) = ts {
            annotation = annotation.with_ts(ts);
        }
        annotation
    })
}

/// Checks the members that another JSON reader finds in the object of an annotation.
fn assert_members(object: &Value, annotation: &Annotation<'_>) {
    let member = |name: &str| object.get(name).map(|value| value.as_str().unwrap());
    assert_eq!(member("substrate_class"), Some(annotation.declared()));
    assert_eq!(member("observation_id"), annotation.observation_id());
    assert_eq!(member("ts"), annotation.ts());
}

proptest! {
    #[test]
    fn written_assertions_read_back(text in text(), annotations in prop::collection::vec(annotation(), 0..4)) {
        reads_back(&assertion(&text, annotations), &vocabulary(), Limits::default());
    }

    #[test]
    fn written_assertions_are_json_on_one_line(text in text(), annotations in prop::collection::vec(annotation(), 0..4)) {
        let assertion = assertion(&text, annotations.clone());
        let form = JsonForm::assertion(&assertion).unwrap();
        let json = form.to_string();
        prop_assert!(!json.contains('\n'));
        prop_assert_eq!(form.byte_length(), json.len());
        let object: Value = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(object["assertion"].as_str(), Some(text.as_str()));
        let provenance = &object["provenance"];
        let found = match annotations.len() {
            0 => vec![],
            1 => vec![provenance.clone()],
            _ => provenance.as_array().unwrap().clone(),
        };
        prop_assert_eq!(found.len(), annotations.len());
        for (object, annotation) in found.iter().zip(&annotations) {
            assert_members(object, annotation);
            prop_assert_eq!(object.to_string().len(), write_json_annotation(annotation).unwrap().len());
        }
    }
}

/// PA-38: the memo's example in JSON, written from the one in free text.
#[test]
fn a_bracketed_assertion_becomes_an_object() {
    let stream = "The file CHANGELOG.md contains an entry dated 2026-05-25.\n\
        [substrate.code.read; observation-id=sha256:e3b0c4...;\n ts=2026-05-28T11:40:00Z]";
    let memo = Vocabulary::memo();
    let (found, _) = read(stream, Mode::Text, &memo, Limits::default());
    assert_eq!(
        write_json_assertion(&found[0]).unwrap(),
        "{\"assertion\":\"The file CHANGELOG.md contains an entry dated 2026-05-25.\",\
        \"provenance\":{\"substrate_class\":\"substrate.code.read\",\
        \"observation_id\":\"sha256:e3b0c4...\",\"ts\":\"2026-05-28T11:40:00Z\"}}"
    );
    reads_back(&found[0], &memo, Limits::default());
}

#[test]
fn only_what_must_be_escaped_is() {
    let text = "\0\u{8}\t\n\u{b}\u{c}\r\u{1b}\u{1f} \u{7f}\u{85}\"\\/<\u{2028}é🚀";
    assert_eq!(
        write_json_assertion(&assertion(text, vec![])).unwrap(),
        "{\"assertion\":\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001b\\u001f \u{7f}\u{85}\\\"\\\\/<\u{2028}é🚀\"}"
    );
}

#[test]
fn an_empty_string_is_written() {
    let annotation = resolved("", &Vocabulary::memo()).with_observation_id("");
    assert_eq!(
        write_json_assertion(&assertion("", vec![annotation])).unwrap(),
        "{\"assertion\":\"\",\"provenance\":{\"substrate_class\":\"\",\"observation_id\":\"\"}}"
    );
}

#[test]
fn an_annotation_that_would_not_read_back_is_refused() {
    let mapped = |declared: &'static str, reason| {
        Annotation::new(Class::UNVERIFIED_INFERENCE, declared).with_reason(reason)
    };
    for (annotation, error) in [
        (
            mapped("substrate.grep", Reason::Malformed),
            WriteError::Malformed,
        ),
        (
            Annotation::new(Class::GREP, "substrate.git.log"),
            WriteError::OtherClass,
        ),
        (
            mapped("substrate.grep", Reason::UnknownIdentifier),
            WriteError::OtherClass,
        ),
        (
            mapped("a b", Reason::VocabularyVersion),
            WriteError::OtherClass,
        ),
        (
            grep().with_ts("2026"),
            WriteError::BadTs(Timestamp::parse("2026").unwrap_err()),
        ),
        (
            grep().with_observation_id("\n".repeat(513)),
            WriteError::MemberTooLong {
                member: "observation_id",
                length: 1_026,
                limit: 1_024,
            },
        ),
        (
            mapped("x", Reason::UnknownIdentifier)
                .with_ts(format!("2026-05-28T11:40:00.{}Z", "1".repeat(1_004))),
            WriteError::MemberTooLong {
                member: "ts",
                length: 1_025,
                limit: 1_024,
            },
        ),
    ] {
        assert_eq!(write_json_annotation(&annotation), Err(error));
        let assertion = assertion("It is.", vec![grep(), annotation]);
        assert_eq!(write_json_assertion(&assertion), Err(error));
        assert!(!error.to_string().is_empty());
    }
    // No grammar binds an identifier in JSON, and a string in it can be empty.
    for declared in ["a b", "1.0.", "", "note", "\"]\n"] {
        let annotation = mapped(declared, Reason::UnknownIdentifier);
        assert!(write_json_annotation(&annotation).is_ok(), "{declared:?}");
    }
}

#[test]
fn an_assertion_that_would_not_read_back_is_refused() {
    let limits = Limits::default();
    let beyond = |name, needed, limit| WriteError::BeyondLimit {
        name,
        needed,
        limit,
    };
    let id = || grep().with_observation_id("x".repeat(1_024));
    for (assertion, limits, error) in [
        (
            assertion("It is.", vec![]).with_limit_hit(true),
            limits,
            WriteError::LimitHit,
        ),
        (
            assertion(&"é\"".repeat(1_025), vec![]),
            limits,
            WriteError::MemberTooLong {
                member: "assertion",
                length: 4_100,
                limit: 4_096,
            },
        ),
        (
            assertion("It is.", vec![grep(); 65]),
            limits,
            beyond("max_annotations", 65, 64),
        ),
        (
            assertion("It is.", vec![grep()]),
            limits.with_max_depth(1).unwrap(),
            beyond("max_depth", 2, 1),
        ),
        (
            assertion("It is.", vec![grep(), grep()]),
            limits.with_max_depth(2).unwrap(),
            beyond("max_depth", 3, 2),
        ),
        (
            assertion("It is.", vec![]),
            limits.with_max_pointer(9).unwrap(),
            beyond("max_pointer", 10, 9),
        ),
        (
            assertion("It is.", vec![grep()]),
            limits.with_max_pending(19).unwrap(),
            beyond("max_pending", 20, 19),
        ),
        (
            assertion("It is.", vec![id(); 64]),
            limits,
            beyond("max_pending", 6 + 64 * 1_038, 65_536),
        ),
    ] {
        assert_eq!(JsonForm::assertion_within(&assertion, &limits), Err(error));
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn the_limits_allow_themselves() {
    let memo = Vocabulary::memo();
    let limits = Limits::default();
    let id = "\\".repeat(512);
    let text = "\n".repeat(2_048);
    for (assertion, limits) in [
        (assertion(&text, vec![]), limits),
        (assertion("It is.", vec![grep(); 64]), limits),
        (
            assertion("It is.", vec![grep().with_observation_id(id)]),
            limits,
        ),
        (
            assertion("It is.", vec![]),
            limits.with_max_depth(1).unwrap(),
        ),
        (
            assertion("It is.", vec![grep()]),
            limits.with_max_depth(2).unwrap(),
        ),
        (
            assertion("It is.", vec![grep(), grep()]),
            limits.with_max_depth(3).unwrap(),
        ),
        (
            assertion("It is.", vec![grep()]),
            limits.with_max_pointer(10).unwrap(),
        ),
        (
            assertion("It is.", vec![grep()]),
            limits.with_max_pending(20).unwrap(),
        ),
        (
            assertion("It is.", vec![grep().with_observation_id("it")]),
            limits.with_max_annotation(14).unwrap(),
        ),
        (
            assertion("It\"", vec![]),
            limits.with_max_assertion(4).unwrap(),
        ),
    ] {
        assert!(JsonForm::assertion_within(&assertion, &limits).is_ok());
        reads_back(&assertion, &memo, limits);
    }
}
