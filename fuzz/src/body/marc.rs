//! MARC objects: read, validated, written.

use provstream::{Event, Limits, Mode, Parser};
use provstream_marc::{
    Core, Disclosure, Document, Draft, Level, MarcKind, Profile, ReadErrorKind, Report,
    SequenceValidator, ViolationCode,
};
use serde_json::Value;

/// A document is an object that `serde_json` takes, and written it reads back equal; validation tells the same twice and
/// says what the types take; what the parser finds is what was there.
pub(super) fn check(data: &[u8]) {
    let document = match Document::parse(data) {
        Ok(document) => document,
        Err(error) => {
            assert!(error.line() >= 1 && !error.to_string().is_empty());
            let value = serde_json::from_slice::<Value>(data);
            assert!(!value.is_ok_and(|value| value.is_object()), "{error}");
            return;
        }
    };
    let json = document.to_json();
    let again = Document::parse(json.as_bytes()).expect("what is written is JSON");
    assert_eq!(again.to_json(), json);
    assert_eq!(again.len(), document.len());
    if let (Ok(before), Ok(after)) = (
        serde_json::from_slice::<Value>(data),
        serde_json::from_str::<Value>(&json),
    ) {
        assert_eq!(before, after);
    }
    for &draft in Draft::ALL {
        for profile in [Profile::new(draft), Profile::new(draft).strict()] {
            for kind in [MarcKind::Core, MarcKind::Disclosure] {
                check_verdict(data, &document, kind, profile);
            }
            let mut stream = SequenceValidator::new(profile);
            look(&stream.check(&document));
            look(&stream.check(&document));
            look(&stream.finish());
        }
    }
    check_found(data, &document);
}

fn look(report: &Report) {
    let must = report
        .violations()
        .iter()
        .any(|one| one.level() == Level::Must);
    assert_eq!(report.is_valid(), !must);
    assert_eq!(report.is_clean(), report.violations().is_empty());
    for violation in report.violations() {
        assert!(violation.pointer().is_empty() || violation.pointer().starts_with('/'));
        assert!(
            !violation.message().contains(char::is_control),
            "{violation:?}"
        );
        assert!(violation.message().chars().count() < 250, "{violation:?}");
        assert!(!violation.code().as_str().is_empty());
    }
}

fn check_verdict(data: &[u8], document: &Document, kind: MarcKind, profile: Profile) {
    let report = document.validate(kind, profile);
    look(&report);
    assert_eq!(document.validate(kind, profile), report);
    // Written as UTF-8, what was not is no fault any more.
    let was_not_utf8 = |code| code == ViolationCode::InvalidUtf8;
    if !report
        .violations()
        .iter()
        .any(|one| was_not_utf8(one.code()))
    {
        let again = Document::parse(document.to_json().as_bytes()).expect("JSON");
        assert_eq!(again.validate(kind, profile), report);
    }
    let read = match kind {
        MarcKind::Core => Core::read(data, profile).map(|core| core.to_json()),
        _ => Disclosure::read(data, profile).map(|disclosure| disclosure.to_json()),
    };
    match read {
        Ok(json) => {
            assert!(report.is_valid(), "{report}");
            assert_eq!(json, document.to_json());
        }
        Err(error) => match error.kind() {
            ReadErrorKind::Invalid(refused) => {
                assert!(!report.is_valid());
                assert_eq!(*refused, report);
            }
            _ => panic!("{error}, though it is a document"),
        },
    }
}

/// The parser finds the object by its members, and hands it out as it stands.
fn check_found(data: &[u8], document: &Document) {
    let mut found = Vec::new();
    // After a value that is nested too deep, the parser would begin again in the next line.
    let limits = Limits::default().with_max_depth(65_536);
    let limits = limits.expect("a limit in its range");
    let mut parser = Parser::builder().mode(Mode::Json).limits(limits).build();
    let mut sink = |event: Event<'_>| {
        if let Event::Marc(object) = event
            && object.pointer() == Some("")
        {
            found.push((object.kind(), object.raw().map(<[u8]>::to_vec)));
        }
    };
    for chunk in data.chunks(7) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    let [(kind, raw)] = &found[..] else {
        assert!(found.is_empty());
        return;
    };
    // The parser goes by fewer members; a document that knows its kind by all of them is like MARC in any case.
    assert!(document.kind().is_none() || document.is_marc_like());
    let has = |name: &str| document.get(name).is_some();
    let shown = ["answer", "confidence_band", "uncertainty_source"];
    let is_disclosure = shown.into_iter().all(has);
    // A complete record is one whatever else it has.
    let is_record = document.kind() == Some(MarcKind::Core) && has("marc_version") && raw.is_some();
    assert!(is_disclosure || *kind == MarcKind::Core);
    assert!(*kind == MarcKind::Disclosure || is_record || !is_disclosure);
    if let Some(raw) = raw {
        assert_eq!(Document::parse(raw).as_ref(), Ok(document));
    }
}
