//! The least for JSON.

use std::hint::black_box;
use std::str::from_utf8;

use provstream::provenance::Vocabulary;
use provstream::{Event, Parser};

use super::records::{Record, records};
use super::sixteen::{any, control, eq};
use super::window::Window;
use crate::document::Document;
use crate::support::provstream;
use crate::support::read::look;

/// A document whose asserted objects are known. In its bytes `assertion` has another name of the same length, so that a
/// parser reads the grammar and has nothing to report.
pub(crate) struct Objects {
    bytes: Vec<u8>,
    records: Vec<Record>,
    parser: Parser,
    vocabulary: Vocabulary,
    pointer: String,
}

impl Objects {
    /// Prepares the measurement for a document with an array of objects.
    #[must_use]
    pub(crate) fn new(document: &Document) -> Self {
        let text = std::str::from_utf8(&document.bytes).expect("ASCII");
        let bytes = text.replace("\"assertion\"", "\"assertiom\"").into_bytes();
        let mut parser = document.parser();
        assert_eq!(provstream(&mut parser, &bytes, bytes.len()), 0);
        Self {
            records: records(document.parser(), &document.bytes),
            bytes,
            parser,
            vocabulary: Vocabulary::memo(),
            pointer: String::with_capacity(64),
        }
    }

    /// Reads the document in chunks that have many objects; gives their number.
    pub(crate) fn long_chunks(&mut self, size: usize) -> usize {
        let (mut at, mut told) = (0, 0);
        for chunk in self.bytes.chunks(size) {
            self.parser.push(chunk, |event: Event<'_>| {
                look(event);
            });
            at += chunk.len();
            while let Some(record) = self.records.get(told)
                && record.end <= at
            {
                told += tell(
                    record,
                    told,
                    &self.bytes,
                    &self.vocabulary,
                    &mut self.pointer,
                );
            }
        }
        self.end();
        told
    }

    /// Reads the document in chunks of `N` bytes, each object's grammar at its end and at once; gives their number.
    pub(crate) fn short_chunks<const N: usize>(&mut self, window: &mut Window) -> usize {
        let (mut at, mut from, mut told) = (0, 0, 0);
        let mut structured = false;
        for chunk in self.bytes.chunks(N) {
            at += chunk.len();
            // The last one may be shorter.
            if let Ok(chunk) = chunk.try_into() {
                window.append::<N>(chunk);
                structured |= has_structure(chunk);
            }
            black_box(chunk);
            while let Some(record) = self.records.get(told)
                && record.end <= at
                && structured
            {
                self.parser.push(&self.bytes[from..record.end], ());
                told += tell(
                    record,
                    told,
                    &self.bytes,
                    &self.vocabulary,
                    &mut self.pointer,
                );
                from = record.end;
                structured = from < at;
            }
        }
        black_box(window);
        self.end();
        told
    }

    fn end(&mut self) {
        self.parser.finish(());
        self.parser.reset();
    }
}

/// Reports one object with its position; returns 1 if its assertion is sound.
#[inline]
fn tell(
    record: &Record,
    index: usize,
    bytes: &[u8],
    vocabulary: &Vocabulary,
    pointer: &mut String,
) -> usize {
    write_pointer(pointer, index);
    black_box(pointer.as_str());
    let id = from_utf8(&bytes[record.id.clone()]);
    record.tell(bytes, vocabulary) & usize::from(id.is_ok())
}

/// The pointer to the assertion of the object at this index of an array, below 10,000.
#[inline]
fn write_pointer(pointer: &mut String, index: usize) {
    pointer.clear();
    pointer.push('/');
    for power in [1_000, 100, 10, 1] {
        if index >= power || power == 1 {
            pointer.push(char::from(b'0' + (index / power % 10) as u8));
        }
    }
    pointer.push_str("/assertion");
}

/// Returns `true` if a chunk within a string has a quote, a backslash or a control character.
#[inline(always)]
fn has_structure(chunk: &[u8]) -> bool {
    any(chunk, |block| {
        control(block) | eq(block, b'"') | eq(block, b'\\')
    }) != 0
}
