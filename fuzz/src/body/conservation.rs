//! No byte is lost, doubled or changed.

use provstream::Event;

use super::super::case::Case;
use super::feed;

/// No byte is lost, doubled or changed, and what is held back is accounted for after each chunk.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let bytes = case.bytes();
    let mut parser = case.used_parser();
    let mut handed = 0;
    let mut taken = 0;
    let take = |event: Event<'_>, handed: &mut usize| {
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
        feed(&mut parser, own, chunk, |event| take(event, &mut handed));
        taken += chunk.len();
        assert_eq!(parser.position(), taken as u64);
        assert_eq!(parser.buffered_len(), taken - handed);
        let most = if case.reading.hold_records {
            case.limits.max_annotation.max(case.limits.max_record)
        } else {
            case.limits.max_annotation
        };
        assert!(parser.buffered_len() <= most);
        assert!(parser.strippable_whitespace() <= 64.min(handed));
    }
    parser.finish(|event: Event<'_>| take(event, &mut handed));
    assert_eq!(handed, bytes.len());
}
