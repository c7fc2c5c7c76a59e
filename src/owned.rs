//! The parser's owned face: chunks and events that can be queued, sent to other threads and kept.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::event::{Diagnostic, Event, parameters};
use crate::marc_object::MarcObject;
use crate::parser::Parser;
use crate::provenance::{Annotation, Assertion, Parameter};
use crate::{BracketAnnotation, JsonRecord, Span};

/// An [`Event`] that borrows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedEvent {
    /// Bytes of the stream that are no bracketed annotation; see [`Event::Text`].
    Text(OwnedText),
    /// A bracketed annotation; see [`Event::Annotation`].
    Annotation(OwnedAnnotation),
    /// An assertion with all its annotations; see [`Event::Assertion`].
    Assertion(Assertion<'static>),
    /// A MARC object; see [`Event::Marc`].
    Marc(MarcObject<'static>),
    /// A JSON record that was held back; see [`Event::Record`].
    Record(OwnedRecord),
    /// A notice; see [`Event::Diagnostic`].
    Diagnostic(Diagnostic),
}

/// A piece of the stream that is no annotation.
///
/// Where it lies in one chunk it is a slice of that chunk and shares its memory: whoever keeps a short piece for long
/// keeps the whole chunk, and should copy it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedText {
    bytes: Bytes,
    start: u64,
}

impl OwnedText {
    /// The bytes as they stand in the stream; not checked to be UTF-8.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The bytes themselves.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Where the bytes stand in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.bytes.len() as u64)
    }
}

/// A JSON record as it stood in the stream; its bytes are a copy, so it keeps no chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    raw: Bytes,
    start: u64,
}

impl OwnedRecord {
    /// Its bytes, from `{` to `}`.
    #[must_use]
    pub const fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// Where it stands in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len() as u64)
    }
}

impl From<&JsonRecord<'_>> for OwnedRecord {
    fn from(record: &JsonRecord<'_>) -> Self {
        Self {
            raw: Bytes::copy_from_slice(record.raw()),
            start: record.span().start(),
        }
    }
}

/// A bracketed annotation as it stood in the stream; its bytes are a copy, so it keeps no chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedAnnotation {
    annotation: Annotation<'static>,
    raw: Bytes,
    white_space_before: usize,
}

impl OwnedAnnotation {
    /// What it says, after resolution against the vocabulary.
    #[must_use]
    pub const fn annotation(&self) -> &Annotation<'static> {
        &self.annotation
    }

    /// Its bytes, from `[` to `]`.
    #[must_use]
    pub const fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// Where it stands in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.annotation.span()
    }

    /// All its parameters in order, also those that have no meaning here; none when it is malformed.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        parameters(&self.raw)
    }

    /// How many bytes of white space right before it are removed with it when stripping: 0 to 64.
    #[must_use]
    pub const fn white_space_before(&self) -> usize {
        self.white_space_before
    }
}

impl From<&BracketAnnotation<'_>> for OwnedAnnotation {
    fn from(found: &BracketAnnotation<'_>) -> Self {
        Self {
            annotation: found.annotation().into_owned(),
            raw: Bytes::copy_from_slice(found.raw()),
            white_space_before: found.white_space_before(),
        }
    }
}

/// A parser that takes chunks as [`Bytes`] and gives owned events when asked for them.
///
/// The queue holds the events of the chunks pushed and not yet taken, so its length follows the caller: take all
/// events before pushing the next chunk and it is bounded by one chunk.
///
/// ```
/// use bytes::Bytes;
/// use provstream::{OwnedEvent, Parser, QueuedParser};
///
/// let mut queue = QueuedParser::new(Parser::new());
/// queue.push(Bytes::from_static(b"It is so. [substrate.grep] "));
/// queue.finish();
/// let assertions = std::iter::from_fn(|| queue.next_event())
///     .filter(|event| matches!(event, OwnedEvent::Assertion(_)))
///     .count();
/// assert_eq!(assertions, 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct QueuedParser {
    parser: Parser,
    events: VecDeque<OwnedEvent>,
}

impl QueuedParser {
    /// A queue around a parser that is at the start of a stream.
    #[must_use]
    pub const fn new(parser: Parser) -> Self {
        Self {
            parser,
            events: VecDeque::new(),
        }
    }

    /// Takes the next bytes of the model's own output.
    pub fn push(&mut self, chunk: Bytes) {
        if let Some(text) = self.push_first(chunk) {
            self.events.push_back(OwnedEvent::Text(text));
        }
    }

    /// Takes the next bytes; if all that comes of them is text, gives that, which is the chunk itself, else queues what
    /// comes of them.
    #[inline]
    pub(crate) fn push_first(&mut self, chunk: Bytes) -> Option<OwnedText> {
        if chunk.is_empty() {
            return None;
        }
        match self.parser.push_plain(&chunk) {
            Some(start) => Some(OwnedText {
                bytes: chunk,
                start,
            }),
            None => {
                self.push_any(&chunk, false);
                None
            }
        }
    }

    fn push_any(&mut self, chunk: &Bytes, foreign: bool) {
        let (start, events) = (self.parser.position(), &mut self.events);
        self.parser.push_any(chunk, foreign, &mut |event| {
            events.push_back(own(event, chunk, start));
        });
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted(&mut self, chunk: Bytes) {
        self.push_any(&chunk, true);
    }

    /// Reports what is still open at the end of the stream; see [`Parser::finish`].
    pub fn finish(&mut self) {
        let (start, events) = (self.parser.position(), &mut self.events);
        self.parser.finish(|event: Event<'_>| {
            events.push_back(own(event, &Bytes::new(), start));
        });
    }

    /// The next event; none until more is pushed.
    pub fn next_event(&mut self) -> Option<OwnedEvent> {
        self.events.pop_front()
    }

    /// Back to the start of a stream with the same settings; events not taken are dropped.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.events.clear();
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// The parser inside, without the events that were not taken.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }
}

/// A copy of the event that borrows nothing.
impl From<Event<'_>> for OwnedEvent {
    fn from(event: Event<'_>) -> Self {
        own(event, &Bytes::new(), u64::MAX)
    }
}

/// The event with nothing borrowed; text is a slice of `chunk`, which starts at stream offset `start`, where it lies in
/// it.
fn own(event: Event<'_>, chunk: &Bytes, start: u64) -> OwnedEvent {
    match event {
        Event::Text(text) => {
            let span = text.span();
            let bytes = match span.start().checked_sub(start) {
                // It begins in the chunk, so it lies in the chunk.
                Some(at) => chunk.slice(at as usize..at as usize + text.bytes().len()),
                None => Bytes::copy_from_slice(text.bytes()),
            };
            OwnedEvent::Text(OwnedText {
                bytes,
                start: span.start(),
            })
        }
        Event::Annotation(found) => OwnedEvent::Annotation((&found).into()),
        Event::Assertion(assertion) => OwnedEvent::Assertion(assertion.into_owned()),
        Event::Marc(object) => OwnedEvent::Marc(object.into_owned()),
        Event::Record(record) => OwnedEvent::Record((&record).into()),
        Event::Diagnostic(diagnostic) => OwnedEvent::Diagnostic(diagnostic),
    }
}
