//! Annotations that wait for their assertion, packed into an arena of their values.

use super::reading::{Reading, Value};
use super::{Annotation, Reason, Vocabulary};
use crate::Span;

/// One annotation whose values stand in an arena that grows from its end towards its start.
///
/// They stand one behind the other (identifier, observation id, ts); `from_end` counts from the first of them to the
/// end of the arena, so it stays right when the arena's buffer grows in front. A value is shorter than an annotation,
/// so 16 bits hold its length. There may be many records: their size counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    start: u64,
    len: u32,
    from_end: u32,
    values: [u16; 3],
    class: u16,
    reason: Option<Reason>,
    /// Whether it is in quotes, if there is one.
    observation_id: Option<bool>,
    /// Whether it is in quotes; there is always an identifier, which never is.
    ts: Option<bool>,
}

impl Record {
    /// The annotation at `span` that `reading` describes, with its values `from_end` bytes before the arena's end.
    pub(crate) fn new(reading: &Reading, span: Span, from_end: usize) -> Self {
        let short = |value: Value| u16::try_from(value.len()).unwrap_or(u16::MAX);
        Self {
            start: span.start(),
            len: u32::try_from(span.len()).unwrap_or(u32::MAX),
            from_end: u32::try_from(from_end).unwrap_or(u32::MAX),
            values: reading.values().map(short),
            class: reading.class,
            reason: reading.reason,
            observation_id: reading.observation_id.map(|id| id.quoted),
            ts: reading.ts.map(|ts| ts.quoted),
        }
    }

    fn annotation<'a>(&self, arena: &'a [u8], vocabulary: &Vocabulary) -> Annotation<'a> {
        let mut end = (arena.len() - self.from_end as usize) as u32;
        let [identifier, observation_id, ts] = self.values.map(|len| {
            let start = end;
            end += u32::from(len);
            (start, end)
        });
        let place = |(start, end): (u32, u32), quoted: bool| Value { start, end, quoted };
        let reading = Reading {
            class: self.class,
            reason: self.reason,
            identifier: place(identifier, false),
            observation_id: self
                .observation_id
                .map(|quoted| place(observation_id, quoted)),
            ts: self.ts.map(|quoted| place(ts, quoted)),
        };
        let span = Span::new(self.start, self.start + u64::from(self.len));
        reading.annotation(arena, vocabulary, span)
    }
}

/// The annotations of one assertion, read where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedAnnotations<'a> {
    records: &'a [Record],
    arena: &'a [u8],
    vocabulary: &'a Vocabulary,
}

impl<'a> PackedAnnotations<'a> {
    /// Annotations whose values end with the end of `arena`.
    pub(crate) const fn new(
        records: &'a [Record],
        arena: &'a [u8],
        vocabulary: &'a Vocabulary,
    ) -> Self {
        Self {
            records,
            arena,
            vocabulary,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Annotation<'a>> {
        let record = self.records.get(index)?;
        Some(record.annotation(self.arena, self.vocabulary))
    }
}
