//! Events from a framed transport.

use std::io;

use bytes::BytesMut;
use tokio_util::codec::Decoder;

use crate::event::OwnedEvent;
use crate::parser::Parser;
use crate::queue::QueuedParser;

/// A decoder of events, for `tokio_util::codec::FramedRead`.
///
/// It takes all bytes that it is given when its events are taken, so the transport's buffer never grows beyond what is
/// read at once, and gives the events one by one. The end of the transport ends the stream; a transport that goes on after
/// its end goes on with the same stream, offsets included, with nothing open. Decoding has no errors of its own,
/// and those of the transport do not reach it: what is held back comes at the transport's end, not before an error.
///
/// ```
/// use futures_util::StreamExt;
/// use provstream::io::EventDecoder;
/// use provstream::{Event, Parser};
/// use tokio_util::codec::FramedRead;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let answer = &b"It is so. [substrate.grep]"[..]; // a socket, a child's output
/// let mut events = FramedRead::new(answer, EventDecoder::new(Parser::new()));
/// while let Some(event) = events.next().await {
///     if let Event::Assertion(assertion) = event? {
///         assert_eq!(assertion.text(), "It is so.");
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventDecoder {
    queue: QueuedParser,
    /// Whether the parser has finished the stream.
    finished: bool,
}

impl EventDecoder {
    /// A decoder around a parser that is at the start of a stream.
    #[must_use]
    pub const fn new(parser: Parser) -> Self {
        Self {
            queue: QueuedParser::new(parser),
            finished: false,
        }
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.queue.parser()
    }
}

impl Decoder for EventDecoder {
    type Item = OwnedEvent;
    type Error = io::Error;

    fn decode(&mut self, source: &mut BytesMut) -> io::Result<Option<OwnedEvent>> {
        let next = self.queue.next_event();
        if next.is_some() || source.is_empty() {
            return Ok(next);
        }
        self.finished = false;
        self.queue.push(source.split().freeze());
        Ok(self.queue.next_event())
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> io::Result<Option<OwnedEvent>> {
        if let Some(event) = self.decode(source)? {
            return Ok(Some(event));
        }
        if !self.finished {
            self.finished = true;
            self.queue.finish();
        }
        Ok(self.queue.next_event())
    }
}
