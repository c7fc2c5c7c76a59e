//! Whole texts in one call.

use std::borrow::Cow;

use crate::event::{BracketAnnotation, Event, TextChunk};
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
    /// How much of the text is kept so far, if nothing was removed.
    kept: usize,
    /// What is kept, once something was removed.
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

/// Parses a whole stream: all its events, in order.
///
/// Text borrows from the stream, in pieces as long as possible; everything else is owned. The stream is read as
/// [`Mode::Auto`](crate::Mode::Auto) with the memo's vocabulary and the default limits. The events take memory in
/// proportion to the stream; a [`Parser`] takes a fixed amount, and other settings.
///
/// ```
/// use provstream::Event;
///
/// let events = provstream::parse(b"It is so. [substrate.grep]");
/// let [Event::Text(text), Event::Annotation(_), Event::Assertion(assertion)] = &events[..] else {
///     panic!("{events:?}");
/// };
/// assert_eq!(text.bytes(), b"It is so. ");
/// assert_eq!(assertion.text(), "It is so.");
/// ```
#[must_use]
pub fn parse(stream: &[u8]) -> Vec<Event<'_>> {
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut sink = |event: Event<'_>| {
        let span = match event {
            Event::Text(text) => text.span(),
            Event::Annotation(found) => return events.push(Event::Annotation(found.into_owned())),
            Event::Assertion(found) => return events.push(Event::Assertion(found.into_owned())),
            Event::Marc(object) => return events.push(Event::Marc(object.into_owned())),
            Event::Record(record) => return events.push(Event::Record(record.into_owned())),
            Event::Diagnostic(found) => return events.push(Event::Diagnostic(found)),
        };
        let start = match events.last() {
            Some(Event::Text(last)) => last.span().start(),
            _ => span.start(),
        };
        if start < span.start() {
            events.pop();
        }
        // The stream is in memory, so its offsets are indices.
        let bytes = &stream[start as usize..span.end() as usize];
        events.push(Event::Text(TextChunk::new(bytes, start)));
    };
    let mut parser = Parser::new();
    parser.push(stream, &mut sink);
    parser.finish(&mut sink);
    events
}
