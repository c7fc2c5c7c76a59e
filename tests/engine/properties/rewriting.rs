//! Properties of removing, keeping and replacing annotations.

use std::borrow::Cow;

use proptest::prelude::*;
use provstream::{Replacement, Rewriter, Span};
use testkit::reference;
use testkit::reference::RefVocabulary;

use super::{
    cases, engine, joined, json_limits, json_segments, limits, reading, rewrite, rewrite_with,
    seen, segments,
};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn with_json_stripping_removes_what_the_reference_removes(
        reading in reading(), input in json_segments(25), limits in json_limits(), size in 1_usize..40
    ) {
        let vocabulary = RefVocabulary::default();
        let parser = || reference::engine::parser_in(reading, &limits, &vocabulary);
        let expected = reference::strip_in(reading, &input, &limits, &vocabulary);
        prop_assert_eq!(rewrite_with(parser(), &input, size, Replacement::Remove), expected);
        prop_assert_eq!(rewrite_with(parser(), &input, size, Replacement::Keep), joined(&input));
    }

    #[test]
    fn stripping_removes_what_the_reference_removes(input in segments(25), limits in limits(), size in 1_usize..40) {
        let expected = reference::strip(&input, &limits, &RefVocabulary::default());
        let stripped = rewrite(&limits, &input, size, Replacement::Remove);
        prop_assert_eq!(&stripped, &expected);
        let seen = seen(&mut engine(&limits), &input, &[]);
        prop_assert_eq!(&seen.stripped(), &expected);
        // What is left and what was removed are the whole stream.
        let mut removed = 0;
        for tile in &seen.tiles {
            if let Some((_, white)) = tile.annotation {
                prop_assert!(white <= 64);
                removed += white + tile.bytes.len();
            }
        }
        prop_assert_eq!(stripped.len() + removed, joined(&input).len());
    }

    #[test]
    fn chunks_that_are_written_unchanged_are_written_as_pushed_ones_are(
        input in segments(25), limits in limits(), size in 1_usize..40
    ) {
        let mut pushed = Rewriter::new(engine(&limits));
        let mut asked = Rewriter::new(engine(&limits));
        let raw = joined(&input);
        let (mut expected, mut written) = (Vec::new(), Vec::new());
        for chunk in raw.chunks(size) {
            let before = written.len();
            pushed.push(chunk, &mut expected);
            match asked.push_unchanged(chunk) {
                Some(offset) => {
                    prop_assert_eq!(offset, before as u64);
                    written.extend_from_slice(chunk);
                }
                None => asked.push(chunk, &mut written),
            }
            prop_assert_eq!(&written, &expected);
        }
        prop_assert_eq!(asked.undecided_from(), pushed.undecided_from());
        pushed.finish(&mut expected);
        asked.finish(&mut written);
        prop_assert_eq!(written, expected);
    }

    #[test]
    fn clean_spans_find_the_assertion_in_stripped_text(input in segments(25), limits in limits()) {
        let raw = joined(&input);
        let seen = seen(&mut engine(&limits), &input, &[]);
        let stripped = seen.stripped();
        let range = |span: Span| span.start() as usize..span.end() as usize;
        for assertion in &seen.assertions {
            let clean = assertion.clean_span().expect("brackets have one");
            prop_assert_eq!(&stripped[range(clean)], &raw[range(assertion.span())]);
        }
    }

    #[test]
    fn keeping_annotations_is_the_identity(input in segments(25), limits in limits(), size in 1_usize..40) {
        prop_assert_eq!(rewrite(&limits, &input, size, Replacement::Keep), joined(&input));
    }

    #[test]
    fn a_replacement_stands_where_the_annotation_stood(input in segments(25), limits in limits(), size in 1_usize..40) {
        let mark = b"<mark>";
        let expected: Vec<u8> = seen(&mut engine(&limits), &input, &[])
            .tiles
            .iter()
            .flat_map(|tile| if tile.annotation.is_some() { mark.to_vec() } else { tile.bytes.clone() })
            .collect();
        let written = rewrite(&limits, &input, size, Replacement::Text(Cow::Borrowed(mark)));
        prop_assert_eq!(written, expected);
    }
}
