//! Whole texts in one call.

use std::borrow::Cow;

use bytes::Bytes;

use crate::event::{BracketAnnotation, Event, OwnedEvent, TextChunk};
use crate::handler::{Handler, Replacement};
use crate::parser::Parser;
use crate::rewrite::Rewriter;

/// Removes the bracketed annotations from a text.
///
/// It borrows if there are none. JSON stays as it is. The text is read as [`Mode::Auto`](crate::Mode::Auto) with the
/// memo's vocabulary and the default limits; a [`Rewriter`] takes others, streams, and replacements.
///
/// ```
/// let text = "It is so. [substrate.grep; ts=2026-05-28T11:40:00Z] Really.";
/// assert_eq!(provstream::strip(text), "It is so. Really.");
/// ```
#[must_use]
pub fn strip(text: &str) -> Cow<'_, str> {
    let mut strip = Strip {
        text,
        kept: 0,
        clean: None,
    };
    let mut rewriter = Rewriter::new(Parser::new());
    rewriter.push(text.as_bytes(), &mut strip);
    rewriter.finish(&mut strip);
    match strip.clean {
        None => Cow::Borrowed(text),
        // Annotations begin and end with ASCII, so that no character is cut.
        Some(clean) => Cow::Owned(match String::from_utf8(clean) {
            Ok(clean) => clean,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
    }
}

struct Strip<'a> {
    text: &'a str,
    /// Number of bytes that are kept so far, if nothing was removed.
    kept: usize,
    /// Text that is kept, once something was removed.
    clean: Option<Vec<u8>>,
}

impl Handler for Strip<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        match &mut self.clean {
            None => self.kept += text.bytes().len(),
            Some(clean) => clean.extend_from_slice(text.bytes()),
        }
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        let kept = &self.text.as_bytes()[..self.kept];
        self.clean.get_or_insert_with(|| kept.to_vec());
        Replacement::Remove
    }
}

/// Parses a whole stream and returns all its events, in order.
///
/// Text comes in pieces as long as possible, which share one copy of the stream. The stream is read as
/// [`Mode::Auto`](crate::Mode::Auto) with the memo's vocabulary and the default limits. The events take memory in
/// proportion to the stream; a [`Parser`] takes a fixed amount, and has settings.
///
/// ```
/// use provstream::Event;
///
/// let events = provstream::parse(b"It is so. [substrate.grep]");
/// let [Event::Text(text), Event::Annotation(_), Event::Assertion(assertion)] = &events[..] else {
///     panic!("{events:?}");
/// };
/// assert_eq!(text.bytes(), "It is so. ");
/// assert_eq!(assertion.text(), "It is so.");
/// ```
#[must_use]
pub fn parse(stream: &[u8]) -> Vec<OwnedEvent> {
    let copy = Bytes::copy_from_slice(stream);
    let mut events: Vec<OwnedEvent> = Vec::new();
    let mut sink = |event: Event<'_>| {
        let Event::Text(text) = &event else {
            return events.push(event.into_owned());
        };
        let (mut start, end) = (text.span().start(), text.span().end());
        if let Some(Event::Text(last)) = events.last() {
            start = last.span().start();
            events.pop();
        }
        // The stream is in memory, so its offsets are indices.
        let bytes = copy.slice(start as usize..end as usize);
        events.push(Event::Text(TextChunk::shared(bytes, start)));
    };
    let mut parser = Parser::new();
    parser.push(stream, &mut sink);
    parser.finish(&mut sink);
    events
}
