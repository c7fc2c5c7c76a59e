//! A rewriter keeps, removes and replaces.

use std::borrow::Cow;

use provstream::{BracketAnnotation, Handler, JsonRecord, Replacement, Rewriter, TextChunk};

use super::super::case::Case;
use super::super::reference::{RefVocabulary, strip_in};

/// What a rewriter writes.
struct Writer {
    replacement: Replacement,
    written: Vec<u8>,
}

impl Handler for Writer {
    fn text(&mut self, text: TextChunk<'_>) {
        assert!(!text.bytes().is_empty(), "nothing is not written");
        self.written.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn record(&mut self, _: &JsonRecord<'_>) -> Replacement {
        self.replacement.clone()
    }
}

/// Keeping annotations is the identity, removing them is what the reference removes, and nothing is held too long.
pub(super) fn check(data: &[u8]) {
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
                rewriter.push_untrusted(chunk, &mut writer);
            }
            let parser = rewriter.parser();
            let kept = parser.buffered_len() + parser.strippable_whitespace();
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
