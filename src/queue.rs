//! A parser that takes shared chunks and queues its events.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::event::{Event, OwnedEvent, TextChunk};
use crate::parser::Parser;

/// A parser that takes chunks as [`Bytes`] and gives owned events when asked for them.
///
/// The queue holds the events of the chunks pushed and not yet taken, so its length follows the caller: take all
/// events before pushing the next chunk and it is bounded by one chunk.
///
/// ```
/// use bytes::Bytes;
/// use provstream::{Event, Parser, QueuedParser};
///
/// let mut queue = QueuedParser::new(Parser::new());
/// queue.push(Bytes::from_static(b"It is so. [substrate.grep] "));
/// queue.finish();
/// let assertions = std::iter::from_fn(|| queue.next_event())
///     .filter(|event| matches!(event, Event::Assertion(_)))
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
            self.events.push_back(Event::Text(text));
        }
    }

    /// Takes the next bytes; if all that comes of them is text, gives that, which is the chunk itself, else queues what
    /// comes of them.
    #[inline]
    pub(crate) fn push_first(&mut self, chunk: Bytes) -> Option<TextChunk<'static, Bytes>> {
        if chunk.is_empty() {
            return None;
        }
        match self.parser.push_plain(&chunk) {
            Some(start) => Some(TextChunk::shared(chunk, start)),
            None => {
                self.push_any(&chunk, false);
                None
            }
        }
    }

    fn push_any(&mut self, chunk: &Bytes, untrusted: bool) {
        let (start, events) = (self.parser.position(), &mut self.events);
        self.parser.push_any(chunk, untrusted, &mut |event| {
            events.push_back(own(event, chunk, start));
        });
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted(&mut self, chunk: Bytes) {
        self.push_any(&chunk, true);
    }

    /// Marks a place where something other than text comes; see [`Parser::push_break`].
    pub fn push_break(&mut self) {
        let (start, events) = (self.parser.position(), &mut self.events);
        self.parser.break_any(&mut |event| {
            events.push_back(own(event, &Bytes::new(), start));
        });
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

/// The event with nothing borrowed. Text that lies in `chunk`, which starts at stream offset `start`, shares its memory.
fn own(event: Event<'_>, chunk: &Bytes, start: u64) -> OwnedEvent {
    match event {
        Event::Text(text) => {
            let span = text.span();
            match span.start().checked_sub(start) {
                // It begins in the chunk, so it lies in the chunk.
                Some(at) => {
                    let at = at as usize;
                    let bytes = chunk.slice(at..at + text.bytes().len());
                    Event::Text(TextChunk::shared(bytes, span.start()))
                }
                None => Event::Text(text.into_owned()),
            }
        }
        other => other.into_owned(),
    }
}
