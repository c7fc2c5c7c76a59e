//! The text handed on with its annotations kept, removed or replaced.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::event::{BracketAnnotation, Event, JsonRecord};
use crate::lex::chars::{MOST_REMOVED, removable_tail};
use crate::parser::Parser;

/// What is written in the place of an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replacement {
    /// What stands there, and the white space before it.
    Keep,
    /// Nothing: an annotation and the white space right before it (at most 64 bytes) are removed, or a JSON record.
    Remove,
    /// The white space before it, then these bytes.
    Text(Cow<'static, [u8]>),
}

impl From<&'static str> for Replacement {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text.as_bytes()))
    }
}

impl From<String> for Replacement {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text.into_bytes()))
    }
}

impl From<Vec<u8>> for Replacement {
    fn from(text: Vec<u8>) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// Takes what a [`Rewriter`] writes and decides what becomes of annotations.
pub trait RewriteSink {
    /// Takes the next bytes of the rewritten text.
    fn text(&mut self, bytes: &[u8]);

    /// Decides what is written in the place of an annotation; by default nothing.
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        let _ = annotation;
        Replacement::Remove
    }

    /// Decides what is written in the place of a JSON record that was held back; by default nothing. There are none
    /// unless the parser was [asked](crate::ParserBuilder::hold_records) to hold them.
    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        let _ = record;
        Replacement::Remove
    }

    /// Takes every other event; by default it is passed over.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// A closure takes the text without annotations.
impl<F: FnMut(&[u8])> RewriteSink for F {
    fn text(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}

/// A parser that writes the text with its annotations kept, removed or replaced.
///
/// Text is written as soon as it is certain: held back is only what can still become an annotation, and white space
/// that one which follows would remove.
///
/// ```
/// use provstream::{Parser, Rewriter};
///
/// let mut clean = Vec::new();
/// let mut rewriter = Rewriter::new(Parser::new());
/// for chunk in ["It is so. [subst", "rate.grep] Really."] {
///     rewriter.push(chunk.as_bytes(), &mut |text: &[u8]| clean.extend_from_slice(text));
/// }
/// rewriter.finish(&mut |text: &[u8]| clean.extend_from_slice(text));
/// assert_eq!(clean, b"It is so. Really.");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rewriter {
    parser: Parser,
    /// White space that was handed on by the parser and not yet written: at most 64 bytes.
    white: SmallVec<[u8; MOST_REMOVED]>,
}

impl Rewriter {
    /// A rewriter around a parser that is at the start of a stream.
    #[must_use]
    pub fn new(parser: Parser) -> Self {
        Self {
            parser,
            white: SmallVec::new(),
        }
    }

    /// Takes the next bytes of the model's own output.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl RewriteSink) {
        let white = &mut self.white;
        self.parser.push(chunk, |event| write(event, white, sink));
        self.release(sink);
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted(&mut self, chunk: &[u8], sink: &mut impl RewriteSink) {
        let white = &mut self.white;
        self.parser
            .push_untrusted(chunk, |event| write(event, white, sink));
        self.release(sink);
    }

    /// Writes what was held back at the end of the stream.
    pub fn finish(&mut self, sink: &mut impl RewriteSink) {
        let white = &mut self.white;
        self.parser.finish(|event| write(event, white, sink));
        flush(white, 0, sink);
    }

    /// Back to the start of a stream with the same settings.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.white.clear();
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// The parser inside; white space that was held back is dropped.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }

    fn release(&mut self, sink: &mut impl RewriteSink) {
        if !self.white.is_empty() {
            flush(&mut self.white, self.parser.strippable_whitespace(), sink);
        }
    }
}

/// Writes an event, keeping back the white space that the text so far ends with.
fn write(event: Event<'_>, white: &mut SmallVec<[u8; MOST_REMOVED]>, sink: &mut impl RewriteSink) {
    match event {
        Event::Text(text) => {
            let bytes = text.bytes();
            let tail = removable_tail(bytes);
            let (now, later) = bytes.split_at(bytes.len() - tail);
            if now.is_empty() {
                flush(white, MOST_REMOVED - tail, sink);
            } else {
                flush(white, 0, sink);
                sink.text(now);
            }
            white.extend_from_slice(later);
        }
        Event::Annotation(annotation) => {
            flush(white, annotation.white_space_before(), sink);
            match sink.annotation(&annotation) {
                Replacement::Remove => white.clear(),
                Replacement::Keep => {
                    flush(white, 0, sink);
                    sink.text(annotation.raw());
                }
                Replacement::Text(text) => {
                    flush(white, 0, sink);
                    sink.text(&text);
                }
            }
        }
        Event::Record(record) => {
            flush(white, 0, sink);
            match sink.record(&record) {
                Replacement::Remove => {}
                Replacement::Keep => sink.text(record.raw()),
                Replacement::Text(text) => sink.text(&text),
            }
        }
        other => sink.event(other),
    }
}

/// Writes all but the last `keep` bytes of `white`.
fn flush(white: &mut SmallVec<[u8; MOST_REMOVED]>, keep: usize, sink: &mut impl RewriteSink) {
    let now = white.len().saturating_sub(keep);
    if now > 0 {
        sink.text(&white[..now]);
        white.drain(..now);
    }
}
