//! Nothing panics.

use provstream::provenance::{Encoding, Timestamp, Version, parse_annotation, parse_duration};
use provstream::sentence::{last_sentence, sentences};
use provstream::{Event, OffsetMap, Span};

use super::super::case::Case;
use super::feed;

/// Nothing panics, whatever is asked of what was found.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let mut parser = case.parser();
    let mut positions = OffsetMap::new();
    let mut spans = Vec::new();
    for (own, chunk) in case.chunks() {
        positions.push(chunk);
        feed(&mut parser, own, chunk, |event| look(&event, &mut spans));
    }
    parser.finish(|event: Event<'_>| look(&event, &mut spans));
    positions.finish();
    for span in spans {
        let points = positions.code_points(span);
        let units = positions.utf16(span);
        if let (Some(points), Some(units)) = (points, units) {
            // A span that starts or ends inside a character, where foreign text does, takes in the whole of it.
            assert!(points.len() <= units.len() && units.len() <= span.len() + 2);
        }
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
