//! Untrusted text has no annotation.

use proptest::prelude::*;
use provstream::{Event, Parser};

use super::{bytes, cases, seen, segments};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn foreign_text_has_no_annotation(input in bytes(40), size in 1_usize..40) {
        let mut parser = Parser::new();
        let mut other = 0;
        for chunk in input.chunks(size) {
            parser.push_untrusted(chunk, |event: Event<'_>| other += usize::from(!matches!(event, Event::Text(_))));
            prop_assert_eq!(parser.buffered_len(), 0, "foreign text is handed on at once");
        }
        parser.finish(|event: Event<'_>| other += usize::from(!matches!(event, Event::Text(_))));
        prop_assert_eq!(other, 0);
    }

    #[test]
    fn an_annotation_lies_in_own_text(input in segments(25)) {
        let mut starts = Vec::new();
        let mut at = 0;
        for segment in &input {
            starts.push((at, at + segment.bytes.len() as u64, segment.own));
            at += segment.bytes.len() as u64;
        }
        for annotation in seen(&mut Parser::new(), &input, &[]).annotations() {
            let span = annotation.span();
            for &(start, end, own) in &starts {
                prop_assert!(own || span.end() <= start || end <= span.start());
            }
        }
    }
}
