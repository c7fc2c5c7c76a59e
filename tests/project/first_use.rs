//! First programs of a new user. None of these tests compiled before version 0.1.

use std::ops::Range;

use provstream::io::RewriteWriter;
use provstream::provenance::{Class, Discipline, Timestamp};
use provstream::{
    BracketAnnotation, Event, Handler, Mode, Parser, Replacement, Rewriter, Span, TextChunk,
};

const ANSWER: &[u8] = b"It is so. [substrate.grep; ts=2026-05-28T11:40:00Z] Really.";

#[derive(Default)]
struct Numbered {
    text: Vec<u8>,
    names: Vec<String>,
}

impl Handler for Numbered {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.names.push(annotation.annotation().class().to_string());
        let mark = format!("({})", self.names.len());
        Replacement::from(mark.as_str()) // E0521: only `&'static str`
    }
}

#[test]
fn classes_of_an_assertion() {
    let mut names = Vec::new();
    Parser::new().push(ANSWER, |event: Event<'_>| {
        if let Event::Assertion(assertion) = event {
            // E0515 for a closure that maps annotations to `&str`: each annotation is a temporary.
            names.extend(assertion.classes().map(|class| class.as_str().to_owned()));
            let first: Option<&str> = assertion.classes().map(Class::as_str).next();
            assert_eq!(first, Some("substrate.grep"));
        }
    });
    assert_eq!(names, ["substrate.grep"]);
}

#[test]
fn one_handler_for_everything_borrowed_boxed_or_dynamic() {
    let mut numbered = Numbered::default();
    let dynamic: &mut dyn Handler = &mut numbered; // E0277: traits were not implemented for `&mut T`
    Rewriter::new(Parser::new()).push(ANSWER, dynamic);
    let boxed: Box<dyn Handler + Send> = Box::new(Numbered::default());
    let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), boxed);
    std::io::Write::write_all(&mut writer, ANSWER).expect("a vector takes all");
    assert_eq!(
        writer.finish().expect("a vector takes all"),
        b"It is so. (1) Really."
    );
    Parser::new().push(ANSWER, &mut numbered);
    assert_eq!(numbered.names.len(), 2);
}

#[test]
fn the_same_closure_for_push_and_finish_of_parser_and_rewriter() {
    let mut events = 0;
    let mut count = |_: Event<'_>| events += 1; // E0631: a rewriter took `FnMut(&[u8])`
    let mut parser = Parser::new();
    parser.push(ANSWER, &mut count);
    parser.finish(&mut count);
    let mut rewriter = Rewriter::new(parser);
    rewriter.push(ANSWER, &mut count);
    rewriter.finish(count); // E0308: by reference only
    assert!(events > 4);
}

#[test]
fn a_vector_collects_text() {
    let mut clean = Vec::new();
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(ANSWER, &mut clean);
    rewriter.finish(&mut clean);
    assert_eq!(clean, b"It is so. Really.");
}

#[test]
fn one_call_for_a_whole_text() {
    assert_eq!(provstream::strip("It is so. [substrate.grep]"), "It is so.");
    let plain = provstream::strip("It is so.");
    assert!(matches!(plain, std::borrow::Cow::Borrowed("It is so.")));
    assert_eq!(provstream::parse(b"A. [substrate.grep]").len(), 3);
}

#[test]
fn names_are_parsed_and_shown() {
    assert_eq!("substrate.grep".parse::<Class>(), Ok(Class::GREP)); // E0277
    assert_eq!("json".parse::<Mode>(), Ok(Mode::Json)); // E0277
    assert_eq!(Mode::Ndjson.to_string(), "ndjson");
    let error = "jsn".parse::<Mode>().expect_err("not a mode");
    let expected = r#"unknown mode "jsn", expected one of "text", "json", "ndjson", "auto""#;
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.expected().len(), 4);
    assert!("substrate.telepathy".parse::<Class>().is_err());
    assert!("json-syntax".parse::<provstream::DiagnosticCode>().is_ok());
    assert!(
        "mapped-terminal"
            .parse::<provstream::provenance::LabelKind>()
            .is_ok()
    );
}

#[test]
fn verdicts_are_shown_and_the_time_is_at_hand() {
    let discipline = Discipline::builder(1)
        .default_window(std::time::Duration::from_secs(300))
        .build()
        .expect("a floor of 1");
    let now = Timestamp::now(); // E0599
    assert!(now > "2026-01-01T00:00:00Z".parse().expect("a date-time"));
    for event in provstream::parse(ANSWER) {
        if let Event::Assertion(assertion) = event {
            let at = "2026-05-28T11:41:00Z".parse().expect("a date-time");
            let verdict = discipline.judge(&assertion, at);
            assert_eq!(
                format!("{verdict}"),
                "admitted: 1 of 1 classes: substrate.grep"
            ); // E0277
        }
    }
    assert_eq!(Timestamp::UNIX_EPOCH.to_string(), "1970-01-01T00:00:00Z");
}

#[test]
fn spans_are_ranges() {
    let range: Range<u64> = Span::new(2, 5).into();
    assert_eq!(Span::from(range), Span::new(2, 5));
    let index: Range<usize> = Span::new(0, 9).try_into().expect("it fits");
    assert_eq!(&ANSWER[index], b"It is so.");
}

#[test]
#[cfg(feature = "serde")]
fn an_assertion_is_json() {
    for event in provstream::parse(b"It is so. [substrate.grep]") {
        if let Event::Assertion(assertion) = event {
            let json = serde_json::to_string(&assertion).expect("it can be written"); // E0277
            assert!(
                json.starts_with(r#"{"encoding":"bracket","text":"It is so.""#),
                "{json}"
            );
        }
    }
}

#[test]
fn an_event_is_kept() {
    let mut kept = Vec::new();
    let keep = |event: Event<'_>| kept.push(event.into_owned());
    Parser::new().push(ANSWER, keep);
    let sent = std::thread::spawn(move || kept.len())
        .join()
        .expect("no panic");
    assert_eq!(sent, 4);
}
