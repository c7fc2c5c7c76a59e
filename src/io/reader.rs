//! Events from a reader.

use std::io::{self, Read};

use bytes::BytesMut;

use super::{PIECE, is_passing};
use crate::event::OwnedEvent;
use crate::parser::Parser;
use crate::queue::QueuedParser;

/// An iterator of the events of what a reader reads.
///
/// It asks for at most 8 KiB at a time, only when all events of what was read are taken, and parses what it gets at once,
/// so events of a slow reader are not delayed. Interrupted reads are repeated. When the reader has nothing yet
/// ([`WouldBlock`](io::ErrorKind::WouldBlock)), that error is an item, and the next call reads again.
///
/// **The end.** The iterator finishes at the end of the reader inside and at its first other error. The events that the end
/// completes come before the error, and nothing after it; the reader inside is not read any further. Dropping the
/// adapter drops the events that were not taken.
///
/// ```
/// use provstream::io::EventReader;
/// use provstream::{Event, Parser};
///
/// let answer = &b"It is so. [substrate.grep]"[..]; // a file, a socket, standard input
/// for event in EventReader::new(answer, Parser::new()) {
///     if let Event::Assertion(assertion) = event? {
///         assert_eq!(assertion.text(), "It is so.");
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is read until events are asked for"]
pub struct EventReader<R> {
    reader: R,
    queue: QueuedParser,
    /// Room for what is read next, with zeros; split off as it is filled.
    room: BytesMut,
    ended: bool,
    /// An error for after the events.
    failed: Option<io::Error>,
}

impl<R> EventReader<R> {
    /// The events of `reader`, with a parser that is at the start of a stream.
    pub fn new(reader: R, parser: Parser) -> Self {
        Self {
            reader,
            queue: QueuedParser::new(parser),
            room: BytesMut::new(),
            ended: false,
            failed: None,
        }
    }

    /// The reader inside.
    #[must_use]
    pub const fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The reader inside. What is read past the adapter is not parsed.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader inside, without the events that were not taken.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.reader
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.queue.parser()
    }
}

impl<R: Read> EventReader<R> {
    /// Reads and parses one piece.
    fn read(&mut self) -> io::Result<()> {
        if self.room.is_empty() {
            self.room.resize(PIECE, 0);
        }
        match self.reader.read(&mut self.room)? {
            0 => self.finish(),
            taken if taken > self.room.len() => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "expected a reader to fill at most the buffer it was given, but it reported more",
                ));
            }
            taken => self.queue.push(self.room.split_to(taken).freeze()),
        }
        Ok(())
    }

    fn finish(&mut self) {
        self.ended = true;
        self.room = BytesMut::new();
        self.queue.finish();
    }
}

impl<R: Read> Iterator for EventReader<R> {
    type Item = io::Result<OwnedEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.queue.next_event() {
                return Some(Ok(event));
            }
            if self.ended {
                return self.failed.take().map(Err);
            }
            match self.read() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_passing(&error) => return Some(Err(error)),
                Err(error) => {
                    self.finish();
                    self.failed = Some(error);
                }
                Ok(()) => {}
            }
        }
    }
}

impl<R: Read> std::iter::FusedIterator for EventReader<R> {}
