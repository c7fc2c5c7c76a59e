//! The records of a stream, held against each other.

use provstream::MarcKind;
use provstream_marc::{Document, Draft, Level, Profile, Report, SequenceValidator};
use testkit::marc::sequence::{Record, Sequence};

/// Fewer bytes than have as many decisions as are remembered, or as many bytes of identifiers.
const MOST: usize = 16 << 10;

/// Each line is a record. What is wrong between records is what the naive model finds by walking back over the parents, from the
/// first record on and at the end of every beginning. Strictness changes nothing, -01 has nothing to check, and a copy goes on
/// like the validator that it was made of.
pub(super) fn check(data: &[u8]) {
    if data.len() > MOST {
        return;
    }
    let strict = Profile::new(Draft::Draft02).strict();
    let mut validator = SequenceValidator::new(Profile::default());
    let mut others = [strict, Profile::new(Draft::Draft01).strict()].map(SequenceValidator::new);
    let mut model = Sequence::default();
    let lines = data.split(|&byte| byte == b'\n').collect::<Vec<_>>();
    // A copy from the middle of the stream, and what has been found since.
    let (mut copy, mut since) = (validator.clone(), Vec::new());
    for (number, line) in lines.iter().enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if number == lines.len() / 2 {
            (copy, since) = (validator.clone(), Vec::new());
        }
        let Ok(document) = Document::parse(line) else {
            model.skip();
            validator.skip();
            others.iter_mut().for_each(SequenceValidator::skip);
            since.push((None, Report::default()));
            continue;
        };
        let expected = match Record::of(&document) {
            _ if document.kind() != Some(MarcKind::Core) => Vec::new(),
            Some(record) => model.check(record),
            None => return,
        };
        let report = validator.check(&document);
        same(&report, expected, line);
        let [strict, older] = others.each_mut().map(|other| other.check(&document));
        assert_eq!(strict, report);
        assert!(older.is_clean(), "{older}");
        check_open(&validator.finish(), &model);
        since.push((Some(document), report));
    }
    for (document, report) in since {
        match document {
            Some(document) => assert_eq!(copy.check(&document), report),
            None => copy.skip(),
        }
    }
    assert_eq!(copy, validator);
    let end = validator.finish();
    let ends = [&copy, &others[0]].map(SequenceValidator::finish);
    assert_eq!(ends, [end.clone(), end]);
    assert!(others[1].finish().is_clean());
}

/// Asserts that a report has exactly the violations that the model found, in any order.
fn same(report: &Report, mut expected: Vec<(&str, &str)>, line: &[u8]) {
    assert!(report.is_valid(), "{report}");
    let violations = report.violations().iter();
    let mut found: Vec<_> = violations
        .map(|one| (one.code().as_str(), one.pointer()))
        .collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{}", line.escape_ascii());
}

/// The open loops are those of the model; short identifiers are in the messages.
fn check_open(report: &Report, model: &Sequence) {
    let open = model.open();
    let violations = report.violations();
    assert_eq!(violations.len(), open.len(), "{report}\n{open:?}");
    for one in violations {
        assert_eq!(
            (one.code().as_str(), one.pointer(), one.level()),
            ("open-loop", "/decision_id", Level::Should)
        );
    }
    let plain = |id: &&str| id.len() < 20 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    for id in open.into_iter().filter(plain) {
        let shown = format!("`{id}`");
        assert!(
            violations.iter().any(|one| one.message().contains(&shown)),
            "{id} in {report}"
        );
    }
}
