//! Annotations that wait for their assertion, packed: places in the chunk, or in an arena of their values.

use core::ops::Range;

use super::reading::{Reading, ValueRange};
use super::{Annotation, Class, Reason, Vocabulary};
use crate::Span;

/// An annotation as positions of its values: in the chunk that contains it, or in an arena to which
/// its values were copied (identifier, observation id, time).
///
/// The arena grows from its end towards its start; `from_end` counts from the first of the values to the arena's end, so
/// it stays right when the buffer grows in front. An annotation has at most 65,535 bytes. There may be many records: their
/// size counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    start: u64,
    /// Distance from the first value to the end of the arena, in bytes; 0 while the annotation is
    /// in the chunk.
    from_end: u32,
    len: u16,
    /// Starts of the values, relative to the start of the annotation, or to the first value in the
    /// arena.
    starts: [u16; 3],
    lens: [u16; 3],
    class: u16,
    reason: Option<Reason>,
    /// `Some` if there is an observation id; `true` if it is in quotes.
    observation_id: Option<bool>,
    /// `Some` if there is a time; `true` if it is in quotes. An identifier is always there, and never in quotes.
    ts: Option<bool>,
}

impl Record {
    /// Creates the record of an annotation at `span` in the chunk.
    pub(crate) fn new(reading: &Reading, span: Span) -> Self {
        let values = reading.values();
        Self {
            start: span.start(),
            from_end: 0,
            len: span.len() as u16,
            starts: values.map(|value| value.start as u16),
            lens: values.map(|value| value.len() as u16),
            class: reading.class,
            reason: reading.reason,
            observation_id: reading.observation_id.map(|id| id.quoted),
            ts: reading.ts.map(|ts| ts.quoted),
        }
    }

    /// Returns the stream offset of the annotation.
    pub(crate) const fn start(&self) -> u64 {
        self.start
    }

    /// Returns `true` if the annotation is in the chunk.
    pub(crate) const fn in_chunk(&self) -> bool {
        self.from_end == 0
    }

    /// Returns the ranges of the values, in the bytes of the annotation or of its part of the
    /// arena.
    pub(crate) fn values(&self) -> [Range<usize>; 3] {
        [0, 1, 2].map(|part| {
            let start = usize::from(self.starts[part]);
            start..start + usize::from(self.lens[part])
        })
    }

    /// Records that the values were copied to the arena, `from_end` bytes before its end.
    pub(crate) fn put(&mut self, from_end: usize) {
        self.from_end = from_end as u32;
        self.starts = [0, self.lens[0], self.lens[0] + self.lens[1]];
    }

    fn annotation<'a>(&self, bytes: &'a [u8], vocabulary: &Vocabulary) -> Annotation<'a> {
        let place = |part: usize, quoted: bool| ValueRange {
            start: self.starts[part].into(),
            end: u32::from(self.starts[part]) + u32::from(self.lens[part]),
            quoted,
        };
        let reading = Reading {
            class: self.class,
            reason: self.reason,
            identifier: place(0, false),
            observation_id: self.observation_id.map(|quoted| place(1, quoted)),
            ts: self.ts.map(|quoted| place(2, quoted)),
        };
        let span = Span::new(self.start, self.start + u64::from(self.len));
        reading.annotation(bytes, vocabulary, span)
    }
}

/// The annotations of one assertion, read where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedAnnotations<'a> {
    pub(crate) records: &'a [Record],
    /// Stored bytes, up to the end of the arena.
    pub(crate) arena: &'a [u8],
    pub(crate) chunk: &'a [u8],
    /// Stream offset of the chunk.
    pub(crate) base: u64,
    pub(crate) vocabulary: &'a Vocabulary,
}

impl<'a> PackedAnnotations<'a> {
    pub(crate) const fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn classes(&self) -> impl Iterator<Item = &'a Class> + use<'a> {
        let vocabulary = self.vocabulary;
        self.records
            .iter()
            .map(move |record| vocabulary.class_at(record.class))
    }

    pub(crate) fn get(&self, index: usize) -> Option<Annotation<'a>> {
        let record = self.records.get(index)?;
        let bytes = if record.in_chunk() {
            &self.chunk[(record.start - self.base) as usize..]
        } else {
            &self.arena[self.arena.len() - record.from_end as usize..]
        };
        Some(record.annotation(bytes, self.vocabulary))
    }
}
