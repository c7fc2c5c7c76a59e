//! Records and disclosures are read and written without loss, and brought from -01 to -02.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use provstream::{Event, Mode, Parser};
use provstream_marc::{
    Action, Core, Disclosure, Document, DocumentErrorKind, Draft, MarcKind, Profile, ReadErrorKind,
    SequenceValidator, Target,
};
use testkit::marc::generate::{Random, mutated, quoted, valid};
use testkit::marc::{cases, draft, json, profiles};

fn kind() -> impl Strategy<Value = MarcKind> {
    select(&testkit::marc::KINDS[..])
}

/// A decoded name or string.
fn decoded(quoted: &str) -> Option<String> {
    serde_json::from_str(quoted).ok()
}

/// An object with further members, as JSON, at places of their own.
fn with_members(document: &Document, extra: &[(Index, String, String)]) -> String {
    let mut members: Vec<_> = document
        .members()
        .map(|(name, json)| format!("{}:{json}", quoted(&name)))
        .collect();
    for (place, name, json) in extra {
        let at = place.index(members.len() + 1);
        members.insert(at, format!("{name}:{json}"));
    }
    format!("{{{}}}", members.join(","))
}

/// Members with names that differ from each other and from those of the drafts.
fn extra() -> impl Strategy<Value = Vec<(Index, String, String)>> {
    let member = (any::<Index>(), json::string(), json::value());
    vec(member, 0..5).prop_map(|members| {
        let named = |(number, (place, name, value)): (usize, (Index, String, json::Json))| {
            let prefix = if number % 2 == 0 { "x_" } else { "note-" };
            (
                place,
                format!("\"{prefix}{number}{}", &name[1..]),
                value.compact(),
            )
        };
        members.into_iter().enumerate().map(named).collect()
    })
}

/// The MARC objects of a stream that comes in these pieces, as the parser hands them over.
fn objects(
    mode: Mode,
    bytes: &[u8],
    cuts: &[Index],
    mut each: impl FnMut(&provstream_marc::MarcObject<'_>),
) {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut parser = Parser::builder().mode(mode).build();
    let mut sink = |event: Event<'_>| {
        if let Event::Marc(object) = event {
            each(&object);
        }
    };
    let mut start = 0;
    for end in cuts.into_iter().chain([bytes.len()]) {
        parser.push(&bytes[start..end], &mut sink);
        start = end;
    }
    parser.finish(&mut sink);
}

proptest! {
    #![proptest_config(cases(400))]

    /// M2-75, M2-145; OP-56, OP-61, OP-78
    #[test]
    fn an_object_is_written_as_it_was_read_but_for_white_space(object in json::object(), seed in any::<u64>()) {
        let compact = object.compact();
        let document = Document::parse(object.loose(seed).as_bytes()).expect("an object");
        prop_assert_eq!(document.to_json(), &compact[..]);
        let again = Document::parse(compact.as_bytes()).expect("an object");
        prop_assert_eq!(again.to_json(), compact);
        prop_assert_eq!(&again, &document);
        let json::Json::Object(members) = object else { panic!("an object") };
        prop_assert_eq!(document.len(), members.len());
        for ((name, json), (written, value)) in document.members().zip(&members) {
            prop_assert_eq!(json, value.compact());
            // Half of a surrogate pair is read by no other reader of JSON.
            if let Some(decoded) = decoded(written) {
                prop_assert_eq!(name, decoded);
            }
        }
        for (name, _) in document.members() {
            let first = document.members().find(|(other, _)| *other == name).map(|(_, json)| json);
            prop_assert_eq!(document.get(&name), first);
        }
    }

    /// M1-8, M1-11, M2-75, M2-134, M2-136; OP-56, OP-76, OP-78
    #[test]
    fn the_types_keep_every_member_in_its_place(
        kind in kind(), draft in draft(), seed in any::<u64>(), extra in extra()
    ) {
        let document = valid(kind, draft, &mut Random::new(seed));
        let json = with_members(&document, &extra);
        let written = match kind {
            MarcKind::Core => Core::read(json.as_bytes(), draft.into()).map(|core| core.to_json()),
            _ => Disclosure::read(json.as_bytes(), draft.into()).map(|disclosure| disclosure.to_json()),
        };
        prop_assert_eq!(written, Ok(json));
    }

    /// M2-6, M2-9, M2-75
    #[test]
    fn an_event_gives_the_object_that_the_bytes_give(
        kind in kind(), draft in draft(), seed in any::<u64>(), faulty in any::<bool>(), cuts in vec(any::<Index>(), 0..12),
        around in select(&[("", ""), ("[1, ", "]"), ("{\"meta\": {\"a\": ", ", \"b\": 2}}")][..])
    ) {
        let mut random = Random::new(seed);
        let document = if faulty { mutated(kind, draft, &mut random) } else { valid(kind, draft, &mut random) };
        // The parser goes by fewer members: it passes over disclosures without one of these, and what it reports is judged as
        // the kind that its members say.
        let has = |name: &str| document.get(name).is_some();
        let reported = has("marc_version") || ["answer", "confidence_band", "uncertainty_source"].into_iter().all(has);
        let (Some(kind), true) = (document.kind(), reported) else { return Ok(()) };
        let json = document.to_json().replace(",\"", " ,\n \"");
        // White space may have been put into a string just as well: what counts are the bytes.
        let document = Document::parse(json.as_bytes()).expect("an object");
        let stream = [around.0, &json, around.1].concat();
        for (mode, stream) in [
            (Mode::Json, stream.clone()),
            (Mode::Ndjson, stream.replace('\n', " ")),
            (Mode::Auto, format!("As asked: {stream} That is all.")),
        ] {
            let mut seen = 0;
            let mut result = Ok(());
            objects(mode, stream.as_bytes(), &cuts, |object| {
                seen += 1;
                let read = object.raw().map(Document::parse);
                let same = read == Some(Ok(document.clone()));
                let judged = profiles().all(|profile| provstream_marc::validate(object, profile) == document.validate(kind, profile));
                if !(same && judged) {
                    result = Err(format!("{mode:?} {object:?}"));
                }
            });
            prop_assert_eq!(result, Ok(()));
            prop_assert_eq!(seen, 1, "{:?} {}", mode, stream);
        }
    }
}

/// M2-136: a complete record stays one to the parser, whatever members of a disclosure it has besides.
#[test]
fn unknown_members_do_not_change_the_kind_that_an_event_gives() {
    let with = |mut document: Document, names: &[&str]| {
        for name in names {
            document.set(name, "\"x\"").expect("JSON");
        }
        document
    };
    let foreign = ["answer", "uncertainty_source"];
    let record = valid(MarcKind::Core, Draft::Draft02, &mut Random::new(1));
    let mut partial = with(record.clone(), &foreign);
    partial.remove("remediability");
    let disclosure = valid(MarcKind::Disclosure, Draft::Draft02, &mut Random::new(1));
    for (document, kind) in [
        (with(record, &foreign), MarcKind::Core),
        (partial, MarcKind::Disclosure),
        (
            with(disclosure, &["marc_version", "pre_capability"]),
            MarcKind::Disclosure,
        ),
    ] {
        let json = document.to_json();
        // An escape in a name, a name inside of a member, and a text that looks like names change nothing.
        let json = json.replace("\"selected_action\"", "\"selected\\u005faction\"");
        let json = json.replacen('{', r#"{"x_a":{"remediability":["remediability\":"]},"#, 1);
        for size in [1, 7, json.len()] {
            let mut kinds = Vec::new();
            let mut parser = provstream::Parser::builder().mode(Mode::Json).build();
            let mut sink = |event: provstream::Event<'_>| {
                if let provstream::Event::Marc(object) = event {
                    kinds.push(object.kind());
                }
            };
            for chunk in json.as_bytes().chunks(size) {
                parser.push(chunk, &mut sink);
            }
            parser.finish(&mut sink);
            assert_eq!(kinds, [kind], "{size}: {json}");
        }
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// M1-7; OP-44
    #[test]
    fn a_record_of_01_is_brought_to_02_with_the_target_that_its_action_implies(
        seed in any::<u64>(), extra in extra()
    ) {
        let document = valid(MarcKind::Core, Draft::Draft01, &mut Random::new(seed));
        let json = with_members(&document, &extra);
        let old = Core::read(json.as_bytes(), Draft::Draft01.into()).expect("valid");
        let new = old.clone().upgrade().expect("valid under -02, too");
        prop_assert_eq!(new.draft(), Draft::Draft02);
        let implied = match old.selected_action() {
            Action::Answer => Target::Answer,
            _ => Target::DirectAnswerSuitability,
        };
        prop_assert_eq!((old.confidence_target(), new.confidence_target()), (None, Some(implied)));
        prop_assert!(new.document().validate(MarcKind::Core, Draft::Draft02.into()).is_valid());
        let mut without = new.document().clone();
        prop_assert_eq!(without.remove("confidence_target"), Some(quoted(implied.as_str())));
        prop_assert_eq!(without.to_json(), old.to_json());
        prop_assert_eq!(new.clone().upgrade(), Ok(new));
    }

    /// M1-7; OP-44, OP-45
    #[test]
    fn a_disclosure_of_01_is_brought_to_02_with_the_target_of_its_action(seed in any::<u64>(), action in select(Action::ALL)) {
        let document = valid(MarcKind::Disclosure, Draft::Draft01, &mut Random::new(seed));
        let old = Disclosure::new(document, Draft::Draft01.into()).expect("valid");
        let action = old.selected_action().unwrap_or(action);
        let new = old.clone().upgrade(action).expect("valid under -02, too");
        let implied = match action {
            Action::Answer => Target::Answer,
            _ => Target::DirectAnswerSuitability,
        };
        prop_assert_eq!((new.draft(), new.confidence_target()), (Draft::Draft02, Some(implied)));
        let mut without = new.document().clone();
        without.remove("confidence_target");
        prop_assert_eq!(without.to_json(), old.to_json());
        prop_assert_eq!(new.clone().upgrade(Action::Answer), Ok(new));
    }
}

/// Bytes that look like MARC, more or less.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\ud83d",
        b"\xff",
        b"\xf0\x9f",
        b"1",
        b"-1e",
        b"1e999999999999",
        b"0.5",
        b"null",
        b"\"marc_version\":\"1.0\"",
        b"\"uncertainty\":{",
        b"\"answer\":",
        b"\"x_\":",
        b"\"selected_action\":\"ANSWER\"",
        b"\"iteration\":",
        b"\"confidence_band\":\"low\",",
        b"\"uncertainty_source\":\"safety\",",
        b" ",
        b"\n",
        b"\0",
    ];
    vec(select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// An object of records' members with arbitrary values.
fn nearly_marc() -> impl Strategy<Value = Vec<u8>> {
    const NAMES: &[&str] = &[
        "marc_version",
        "decision_id",
        "parent_decision_id",
        "iteration",
        "max_iterations",
        "uncertainty",
        "primary_source",
        "selected_action",
        "post_answer_confidence",
        "confidence_band",
        "answer",
        "uncertainty_source",
        "recommended_next_step",
    ];
    let terms = json::Json::Scalar("\"ANSWER\"".into());
    let value = prop_oneof![4 => json::value(), 1 => Just(terms)];
    vec((select(NAMES), value), 0..16).prop_map(|members| {
        let members = members
            .into_iter()
            .map(|(name, value)| (quoted(name), value))
            .collect();
        json::Json::Object(members).compact().into_bytes()
    })
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// M2-9, M2-159
    #[test]
    fn no_input_makes_reading_or_judging_panic(
        bytes in prop_oneof![vec(any::<u8>(), 0..200), nearly_json(), nearly_marc()]
    ) {
        let Ok(document) = Document::parse(&bytes) else {
            let error = Core::read(&bytes, Profile::default()).expect_err("no object");
            prop_assert!(matches!(error.kind(), ReadErrorKind::Document(_)));
            return Ok(());
        };
        let text = String::from_utf8_lossy(&bytes);
        if let Cow::Borrowed(text) = text {
            prop_assert_eq!(document.to_json().parse(), text.parse::<Document>());
        }
        for profile in profiles() {
            for kind in testkit::marc::KINDS {
                let report = document.validate(kind, profile);
                let taken = match kind {
                    MarcKind::Core => Core::new(document.clone(), profile).is_ok(),
                    _ => Disclosure::new(document.clone(), profile).is_ok(),
                };
                prop_assert_eq!(taken, report.is_valid());
            }
            let mut check = SequenceValidator::new(profile);
            for _ in 0..2 {
                prop_assert!(check.check(&document).is_valid());
            }
        }
    }
}

/// OP-44
#[test]
fn a_member_of_02_in_a_record_of_01_has_to_be_as_02_wants_it() {
    let document = valid(MarcKind::Core, Draft::Draft01, &mut Random::new(1));
    for (name, value, taken) in [
        ("decision_id", "\"d-1\"", true),
        ("decision_id", "7", false),
        ("iteration", "1.5", false),
        ("x_iteration", "1.5", true),
    ] {
        let mut document = document.clone();
        document.set(name, value).expect("JSON");
        let old = Core::new(document, Draft::Draft01.into()).expect("valid under -01");
        assert_eq!(old.upgrade().is_ok(), taken, "{name} {value}");
    }
}

/// OP-44
#[test]
fn a_target_that_a_record_of_01_has_is_kept_if_02_knows_it_and_else_is_an_error() {
    let refused = Err("/confidence_target");
    let document = valid(MarcKind::Core, Draft::Draft01, &mut Random::new(1));
    for (action, given, expected) in [
        (
            "CLARIFY",
            "\"action_suitability\"",
            Ok(Target::ActionSuitability),
        ),
        ("CLARIFY", "\"answer\"", Ok(Target::Answer)),
        ("CLARIFY", "\"later\"", refused),
        ("CLARIFY", "null", refused),
        ("CLARIFY", "[]", refused),
        ("ANSWER", "\"answer\"", Ok(Target::Answer)),
        ("ANSWER", "\"Answer\"", refused),
        ("ANSWER", "7", refused),
        ("ANSWER", "\"action_suitability\"", refused),
    ] {
        let mut document = document.clone();
        document.set_str("selected_action", action);
        document.set("post_answer_confidence", "0.5").expect("JSON");
        document.set("confidence_target", given).expect("JSON");
        let old = Core::new(document, Draft::Draft01.into()).expect("valid under -01");
        let new = old.upgrade();
        let found = match &new {
            Ok(record) => Ok(record.confidence_target().expect("a target")),
            Err(report) => Err(report.violations()[0].pointer()),
        };
        assert_eq!(found, expected, "{action} {given}");
    }
    for (given, expected) in [
        ("\"answer\"", Ok(Target::Answer)),
        ("\"Answer\"", refused),
        ("null", refused),
        ("\"action_suitability\"", refused),
    ] {
        let mut document = valid(MarcKind::Disclosure, Draft::Draft01, &mut Random::new(1));
        document.set_str("selected_action", "ANSWER");
        document.set("confidence_target", given).expect("JSON");
        let old = Disclosure::new(document, Draft::Draft01.into()).expect("valid under -01");
        let new = old.upgrade(Action::Answer);
        let found = match &new {
            Ok(disclosure) => Ok(disclosure.confidence_target().expect("a target")),
            Err(report) => Err(report.violations()[0].pointer()),
        };
        assert_eq!(found, expected, "{given}");
    }
}

/// Each error says what it is and why.
#[test]
fn an_error_says_why_an_object_cannot_be_read() {
    let error = Core::read(b"{", Profile::default()).expect_err("not JSON");
    assert!(
        error
            .to_string()
            .starts_with("not a JSON object: EOF while parsing an object at line 1 column 1"),
        "{error}"
    );
    let ReadErrorKind::Document(place) = error.kind() else {
        panic!("{error}");
    };
    assert_eq!(
        (place.kind(), place.line(), place.column()),
        (DocumentErrorKind::Truncated, 1, 1)
    );
    let mut document = valid(MarcKind::Core, Draft::Draft02, &mut Random::new(1));
    document.set("note", "1").expect("JSON");
    document.remove("marc_version");
    let error =
        Core::read(document.to_json().as_bytes(), Profile::default()).expect_err("not valid");
    let message = error.to_string();
    // What must be comes first, though it is found later.
    assert!(
        message.starts_with("the object is not valid: must MARC-02 9.1 /marc_version: "),
        "{message}"
    );
    assert!(message.contains("; should MARC-02 11 /note: "), "{message}");
}

/// M2-136: a member that the draft does not define never changes what an object is.
#[test]
fn d5_marc_version_alone_decides_nothing() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        for kind in testkit::marc::KINDS {
            let mut document = valid(kind, Draft::Draft02, &mut random);
            document.set_str("marc_version", "1.0");
            assert_eq!(document.kind(), Some(kind));
        }
    }
    let disclosure = r#"{"marc_version":"1.0","answer":"no","confidence_band":"low","confidence_target":"answer","uncertainty_source":"safety","recommended_next_step":"x"}"#;
    let document: Document = disclosure.parse().unwrap();
    let report = document.validate(document.kind().unwrap(), Profile::default());
    assert!(report.is_valid() && !report.is_clean(), "{report}");
    let envelope: Document =
        format!(r#"{{"marc_version":"1.0","id":7,"metadata":{{"marc_disclosure":{disclosure}}}}}"#)
            .parse()
            .unwrap();
    assert_eq!(envelope.kind(), None);
    assert!(!envelope.is_marc_like());
}
