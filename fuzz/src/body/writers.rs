//! Written annotations and assertions read back equal.

use provstream::provenance::{
    Annotation, Assertion, Class, Encoding, Reason, Vocabulary, escape, write_bracketed,
    write_json_assertion,
};
use provstream::{Event, Mode, Parser, Span};

/// Checks that annotations and assertions read back equal, and that escaped text has no annotation.
pub(super) fn check(data: &[u8]) {
    let memo = Vocabulary::memo();
    let text = String::from_utf8_lossy(data);
    let mut fields = text.splitn(3, '\n');
    let (declared, id, ts) = (fields.next(), fields.next(), fields.next());
    let declared = declared.unwrap_or_default();
    let resolution = memo.resolve(declared.as_bytes());
    let mut annotation = Annotation::new(resolution.class().clone(), declared);
    if let Some(reason) = resolution.reason() {
        annotation = annotation.with_reason(reason);
    }
    if let Some(id) = id {
        annotation = annotation.with_observation_id(id);
    }
    if let Some(ts) = ts {
        annotation = annotation.with_ts(ts);
    }
    if let Ok(written) = write_bracketed(&annotation) {
        let stream = format!("So. {written} End.");
        let span = Span::new(4, 4 + written.len() as u64);
        assert_eq!(
            annotations(stream.as_bytes()),
            [annotation.clone().with_span(span)],
            "{stream}"
        );
    }
    let assertion = Assertion::new(Encoding::Json, &*text, Span::default())
        .with_annotations(vec![annotation; data.len() % 3]);
    if let Ok(written) = write_json_assertion(&assertion) {
        assert!(!written.contains('\n'), "{written}");
        assert_same(&asserted(&written), &assertion);
    }
    // A malformed one cannot be written: what was wrong with it is lost.
    let malformed =
        Annotation::new(Class::UNVERIFIED_INFERENCE, declared).with_reason(Reason::Malformed);
    assert!(write_bracketed(&malformed).is_err());

    let escaped = escape(data, &memo);
    assert_eq!(escape(&escaped, &memo), escaped);
    let without: Vec<u8> = escaped
        .iter()
        .copied()
        .filter(|&byte| byte != b'\\')
        .collect();
    let plain: Vec<u8> = data.iter().copied().filter(|&byte| byte != b'\\').collect();
    assert_eq!(without, plain, "only backslashes are added");
    for (before, after) in [
        ("", ""),
        ("So. ", "]"),
        ("`", " ; ts=x]"),
        ("```\n", "substrate.grep]"),
        ("> ", "=x]"),
    ] {
        let stream = [before.as_bytes(), &escaped, after.as_bytes()].concat();
        let inside = before.len() as u64..(before.len() + escaped.len()) as u64;
        for found in annotations(&stream) {
            assert!(!inside.contains(&found.span().start()), "{found:?}");
        }
    }
}

/// Asserts that two assertions are equal except for their positions.
fn assert_same(one: &Assertion<'_>, other: &Assertion<'_>) {
    assert_eq!(one.text(), other.text());
    assert_eq!(one.limit_hit(), other.limit_hit());
    let placeless = |assertion: &Assertion<'_>| -> Vec<_> {
        assertion
            .annotations()
            .map(|annotation| annotation.with_span(Span::default()).into_owned())
            .collect()
    };
    assert_eq!(placeless(one), placeless(other));
}

/// The only assertion of a JSON stream fed in pieces of five bytes, which has no diagnostics.
fn asserted(stream: &str) -> Assertion<'static> {
    let mut found = Vec::new();
    let mut parser = Parser::builder().mode(Mode::Json).build();
    let mut sink = |event: Event<'_>| match event {
        Event::Assertion(assertion) => found.push(assertion.into_owned()),
        Event::Diagnostic(diagnostic) => panic!("{diagnostic} in {stream}"),
        _ => {}
    };
    for chunk in stream.as_bytes().chunks(5) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    assert_eq!(found.len(), 1, "{stream}");
    found.remove(0)
}

/// The annotations of a stream fed in pieces of five bytes.
fn annotations(stream: &[u8]) -> Vec<Annotation<'static>> {
    let mut found = Vec::new();
    let mut parser = Parser::new();
    for chunk in stream.chunks(5) {
        parser.push(chunk, |event: Event<'_>| {
            if let Event::Annotation(annotation) = event {
                found.push(annotation.annotation().into_owned());
            }
        });
    }
    found
}
