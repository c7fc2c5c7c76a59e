//! Targets that feed the parser.

use std::borrow::Cow;

use provstream::provenance::{Encoding, Timestamp, Version, parse_annotation, parse_duration};
use provstream::sentence::{last_sentence, sentences};
use provstream::{
    BracketAnnotation, ChunkIndex, Event, JsonRecord, Parser, Positions, Replacement, RewriteSink,
    Rewriter, Span,
};

use super::case::Case;
use super::reference::engine::{canonical, run};
use super::reference::{RefMode, RefVocabulary, events_in, strip_in};

/// Most bytes that a parser and all it owns may take in mode `text` with limits up to the defaults.
const MOST_MEMORY: usize = 12 << 10;

/// The same in the modes that know JSON.
const MOST_MEMORY_JSON: usize = 192 << 10;

/// Nothing panics, whatever is asked of what was found.
pub fn no_panic(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let mut positions = Positions::new();
    let mut index = ChunkIndex::new();
    let mut spans = Vec::new();
    for (own, chunk) in case.chunks() {
        positions.push(chunk);
        index.push(chunk);
        feed(&mut parser, own, chunk, |event| look(&event, &mut spans));
    }
    parser.finish(|event| look(&event, &mut spans));
    positions.finish();
    for span in spans {
        let points = positions.code_points(span);
        let units = positions.utf16(span);
        if let (Some(points), Some(units)) = (points, units) {
            assert!(points.len() <= units.len() && units.len() <= span.len());
        }
        let _ = index.chunks(span);
    }

    let bytes = case.bytes();
    let found = last_sentence(&bytes);
    assert!(found <= bytes.len());
    assert!(sentences(&bytes).count() <= bytes.len() + 1);
    let _ = parse_annotation(&bytes).map_err(|error| error.to_string());
    let _ = Timestamp::parse(&bytes).map_err(|error| error.to_string());
    if let Ok(text) = std::str::from_utf8(&bytes) {
        let _ = parse_duration(text).map_err(|error| error.to_string());
        let _ = text.parse::<Version>().map_err(|error| error.to_string());
    }
}

/// How a stream is cut changes no event.
pub fn chunk_invariance(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let whole = run(&mut parser, &case.input, |left| left);
    parser.reset();
    assert_eq!(run(&mut parser, &case.input, |_| 1), whole, "byte by byte");
    parser.reset();
    assert_eq!(run(&mut parser, &case.input, case.cuts()), whole, "cut");
}

/// The events are those of the naive reference.
pub fn reference(data: &[u8]) {
    let case = Case::new(data);
    let expected = events_in(
        case.reading,
        &case.input,
        &case.limits,
        &RefVocabulary::default(),
        &last_sentence,
    );
    let found = run(&mut case.parser(), &case.input, case.cuts());
    assert_eq!(found, canonical(expected));
}

/// No byte is lost, doubled or changed, and what is held back is accounted for after each chunk.
pub fn conservation(data: &[u8]) {
    let case = Case::new(data);
    let bytes = case.bytes();
    let mut parser = case.parser();
    let mut handed = 0;
    let mut taken = 0;
    let check = |event: Event<'_>, handed: &mut usize| {
        let (span, piece) = match &event {
            Event::Text(text) => (text.span(), text.bytes()),
            Event::Annotation(found) => (found.annotation().span(), found.raw()),
            Event::Record(found) => (found.span(), found.raw()),
            _ => return,
        };
        assert_eq!(span.start(), *handed as u64);
        assert_eq!(piece, &bytes[*handed..span.end() as usize]);
        *handed += piece.len();
    };
    for (own, chunk) in case.chunks() {
        feed(&mut parser, own, chunk, |event| check(event, &mut handed));
        taken += chunk.len();
        assert_eq!(parser.position(), taken as u64);
        assert_eq!(parser.held(), taken - handed);
        let most = if case.reading.hold_records {
            case.limits.max_annotation.max(case.limits.max_record)
        } else {
            case.limits.max_annotation
        };
        assert!(parser.held() <= most);
        assert!(parser.removable_white_space() <= 64.min(handed));
    }
    parser.finish(|event| check(event, &mut handed));
    assert_eq!(handed, bytes.len());
}

/// What a rewriter writes.
struct Writer {
    replacement: Replacement,
    written: Vec<u8>,
}

impl RewriteSink for Writer {
    fn text(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "nothing is not written");
        self.written.extend_from_slice(bytes);
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn record(&mut self, _: &JsonRecord<'_>) -> Replacement {
        self.replacement.clone()
    }
}

/// Keeping annotations is the identity, removing them is what the reference removes, and nothing is held too long.
pub fn rewrite(data: &[u8]) {
    let case = Case::new(data);
    let written = |replacement: Replacement, exact: bool| {
        let mut rewriter = Rewriter::new(case.parser());
        let mut writer = Writer {
            replacement,
            written: Vec::new(),
        };
        for (own, chunk) in case.chunks() {
            if own {
                rewriter.push(chunk, &mut writer);
            } else {
                rewriter.push_foreign(chunk, &mut writer);
            }
            let parser = rewriter.parser();
            let kept = parser.held() + parser.removable_white_space();
            if exact {
                assert_eq!(writer.written.len() + kept, parser.position() as usize);
            }
        }
        rewriter.finish(&mut writer);
        writer.written
    };
    assert_eq!(written(Replacement::Keep, true), case.bytes());
    let vocabulary = RefVocabulary::default();
    let stripped = strip_in(case.reading, &case.input, &case.limits, &vocabulary);
    assert_eq!(written(Replacement::Remove, false), stripped);
    let nothing = Replacement::Text(Cow::Borrowed(b"|"));
    assert!(written(nothing, false).len() >= stripped.len());
}

/// What a stream takes is bounded by the limits.
pub fn memory(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let most = match case.reading.mode {
        RefMode::Text => MOST_MEMORY,
        _ => MOST_MEMORY_JSON,
    };
    for (own, chunk) in case.chunks() {
        feed(&mut parser, own, chunk, |_| {});
        let taken = size_of::<Parser>() + parser.heap_size();
        assert!(taken <= most, "{taken} bytes");
    }
}

fn feed(parser: &mut Parser, own: bool, chunk: &[u8], sink: impl FnMut(Event<'_>)) {
    if own {
        parser.push(chunk, sink);
    } else {
        parser.push_foreign(chunk, sink);
    }
}

/// Looks at everything that an event says.
fn look(event: &Event<'_>, spans: &mut Vec<Span>) {
    match event {
        Event::Text(_) => {}
        Event::Annotation(found) => {
            let annotation = found.annotation();
            assert!(found.raw().starts_with(b"[") && found.raw().ends_with(b"]"));
            assert_eq!(annotation.span().len(), found.raw().len() as u64);
            assert_eq!(annotation.timestamp().is_some(), annotation.ts().is_some());
            assert!(found.parameters().count() <= 16);
            spans.push(annotation.span());
        }
        Event::Assertion(assertion) => {
            spans.push(assertion.span());
            spans.extend(assertion.annotations().map(|annotation| annotation.span()));
            match assertion.encoding() {
                Encoding::Bracket => {
                    assert_eq!(assertion.span().is_empty(), assertion.text().is_empty());
                }
                // A limit may have left nothing of it.
                _ => assert!(
                    assertion.limit_hit()
                        || !assertion.span().is_empty()
                        || assertion.text().is_empty()
                ),
            }
        }
        Event::Marc(object) => {
            if let Some(raw) = object.raw() {
                assert!(raw.starts_with(b"{") && raw.ends_with(b"}"));
                assert_eq!(object.span().len(), raw.len() as u64);
            }
            assert!(
                object
                    .pointer()
                    .is_none_or(|at| at.is_empty() || at.starts_with('/'))
            );
            spans.push(object.span());
        }
        Event::Record(record) => {
            assert!(record.raw().starts_with(b"{") && record.raw().ends_with(b"}"));
            assert_eq!(record.span().len(), record.raw().len() as u64);
            spans.push(record.span());
        }
        Event::Diagnostic(found) => {
            assert!(!found.to_string().is_empty());
            spans.push(found.span());
        }
        other => panic!("an event that there is not: {other:?}"),
    }
}
