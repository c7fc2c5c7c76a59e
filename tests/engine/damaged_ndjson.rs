//! A long stream of NDJSON with damaged lines: every good one is reported, every bad one told, and memory stays small.

use testkit::damaged;

use allocation_counter::measure;
use provstream::{DiagnosticCode, Event, Mode, Parser};
use testkit::damaged::{LENGTH, Line};

/// Most bytes that the parser and all that reads along may take.
const MOST: u64 = 16 << 20;

/// An expected or a reported event.
#[derive(Debug, PartialEq)]
enum Told {
    Assertion(String, usize),
    Syntax(usize),
}

fn expected(start: usize, line: &Line, told: &mut Vec<Told>) {
    if let Some(text) = &line.assertion {
        told.push(Told::Assertion(text.clone(), 2));
    }
    if let Some(at) = line.offending {
        told.push(Told::Syntax(start + at));
    }
}

/// Reads the whole stream, the lines of which are gathered to chunks of about this size, and cut in the midst of a line.
fn read(size: usize) {
    let mut parser = Parser::builder().mode(Mode::Ndjson).build();
    let mut waiting = Vec::new();
    let (mut wanted, mut found) = (Vec::new(), Vec::new());
    let (mut fed, mut lines, mut bad) = (0, 0, 0);
    let sink = |event: Event<'_>, found: &mut Vec<Told>| match event {
        Event::Text(_) => {}
        Event::Assertion(assertion) => {
            assert!(!assertion.limit_hit());
            let count = assertion.annotations().count();
            found.push(Told::Assertion(assertion.text().to_owned(), count));
        }
        Event::Diagnostic(diagnostic) => {
            assert_eq!(diagnostic.code(), DiagnosticCode::JsonSyntax);
            found.push(Told::Syntax(diagnostic.span().start() as usize));
        }
        other => panic!("an event that is not expected: {other:?}"),
    };
    for (start, line) in damaged::lines() {
        expected(start, &line, &mut wanted);
        waiting.extend_from_slice(line.bytes.as_bytes());
        lines += 1;
        bad += usize::from(line.offending.is_some());
        while waiting.len() > size {
            parser.push(&waiting[..size], |event: Event<'_>| sink(event, &mut found));
            fed += size;
            waiting.drain(..size);
            // What was found is what was wanted first.
            let known = found.len();
            assert_eq!(found, wanted[..known], "before byte {fed}");
            wanted.drain(..known);
            found.clear();
        }
    }
    parser.push(&waiting, |event: Event<'_>| sink(event, &mut found));
    fed += waiting.len();
    parser.finish(|event: Event<'_>| sink(event, &mut found));
    assert_eq!(found, wanted, "at the end");
    assert!(fed >= LENGTH && parser.position() == fed as u64);
    assert!(bad > 800 && lines / bad == 100, "{bad} of {lines} are bad");
}

#[test]
fn every_good_line_is_reported_and_every_bad_one_told() {
    for size in [4_093, 65_536] {
        let taken = measure(|| read(size)).bytes_max;
        assert!(taken < MOST, "{taken} bytes");
    }
}
