//! Readers and writers give what the parser and the rewriter give.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use provstream::io::{EventReader, RewriteWriter};
use provstream::{Event, Rewriter};

use super::super::case::Case;

/// Gives a chunk a call, and is interrupted before each.
struct Chunks<'a> {
    chunks: VecDeque<&'a [u8]>,
    interrupted: bool,
}

impl Read for Chunks<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some(chunk) = self.chunks.pop_front() else {
            return Ok(0);
        };
        let (now, later) = chunk.split_at(chunk.len().min(room.len()));
        room[..now.len()].copy_from_slice(now);
        if !later.is_empty() {
            self.chunks.push_front(later);
        }
        Ok(now.len())
    }
}

/// Takes at most three bytes a call.
struct Narrow(Vec<u8>);

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(3);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What an [`EventReader`] and a [`RewriteWriter`] make of a stream in pieces is what the parser and a rewriter make of it.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let bytes = case.bytes();
    let (mut expected, mut text) = (Vec::new(), Vec::new());
    let mut parser = case.parser();
    let mut take = |event: Event<'_>| keep(event.into_owned(), &mut expected, &mut text);
    parser.push(&bytes, &mut take);
    parser.finish(&mut take);

    let cuts = case.chunks();
    // An empty chunk would be the end.
    let chunks: Vec<&[u8]> = cuts
        .into_iter()
        .map(|(_, chunk)| chunk)
        .filter(|chunk| !chunk.is_empty())
        .collect();
    let reader = Chunks {
        chunks: chunks.iter().copied().collect(),
        interrupted: false,
    };
    let (mut found, mut read) = (Vec::new(), Vec::new());
    for event in EventReader::new(reader, case.parser()) {
        let event = event.expect("only interruptions, which are repeated");
        keep(event, &mut found, &mut read);
    }
    assert_eq!(found, expected);
    assert_eq!(read, text);

    let mut stripped = Vec::new();
    let mut rewriter = Rewriter::new(case.parser());
    rewriter.push(&bytes, &mut stripped);
    rewriter.finish(&mut stripped);
    let mut writer = RewriteWriter::new(Narrow(Vec::new()), case.parser(), ());
    for chunk in chunks {
        writer.write_all(chunk).expect("it takes all");
        writer.flush().expect("it takes all");
    }
    let written = writer.finish().expect("it takes all").0;
    assert_eq!(written, stripped);
}

/// Joins the texts, and keeps all other events.
fn keep(
    event: provstream::OwnedEvent,
    others: &mut Vec<provstream::OwnedEvent>,
    text: &mut Vec<u8>,
) {
    match event {
        Event::Text(piece) => text.extend_from_slice(piece.bytes()),
        other => others.push(other),
    }
}
