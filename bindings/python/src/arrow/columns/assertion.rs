//! The column of assertions.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array};
use arrow_schema::ArrowError;
use provstream::Span;
use provstream::provenance::{Assertion, Encoding, Verdict};

use super::super::points::Points;
use super::Origin;
use super::annotation::Annotations;
use super::bits::Bits;
use super::lists::{Ends, numbers, structs};
use super::text::{OptionalText, Text};
use super::verdict::Verdicts;

/// The assertions of all rows.
pub(super) struct Assertions {
    channel: OptionalText,
    field: OptionalText,
    encoding: Text,
    text: Text,
    places: Places,
    clean_start: Vec<i64>,
    clean_end: Vec<i64>,
    has_clean: Bits,
    pointer: OptionalText,
    limit_hit: Bits,
    annotations: Annotations,
    annotation_ends: Ends,
    verdicts: Verdicts,
}

impl Assertions {
    /// With room for so many assertions.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            channel: OptionalText::new(),
            field: OptionalText::new(),
            encoding: Text::with_room(room, 8),
            text: Text::with_room(room, 96),
            places: Places::with_room(room),
            clean_start: Vec::with_capacity(room),
            clean_end: Vec::with_capacity(room),
            has_clean: Bits::default(),
            pointer: OptionalText::new(),
            limit_hit: Bits::default(),
            annotations: Annotations::with_room(room + room / 2),
            annotation_ends: Ends::new(),
            verdicts: Verdicts::new(),
        }
    }

    #[inline]
    pub(super) fn push(
        &mut self,
        origin: Origin<'_>,
        assertion: &Assertion<'_>,
        verdict: Option<&Verdict>,
    ) {
        self.channel.push(origin.channel);
        self.field.push(origin.field);
        match assertion.encoding() {
            // A copy of a known length.
            Encoding::Bracket => self.encoding.push(Encoding::Bracket.as_str()),
            other => self.encoding.push(other.as_str()),
        }
        self.text.push(assertion.text());
        self.places.push(assertion.span());
        let clean = assertion.clean_span();
        let (start, end) = ends(clean.unwrap_or_default());
        self.clean_start.push(start);
        self.clean_end.push(end);
        self.has_clean.push(clean.is_some());
        self.pointer.push(assertion.pointer());
        self.limit_hit.push(assertion.limit_hit());
        let mut annotations = assertion.annotations();
        // `for` would move each annotation: a copy of what has just been written, which waits for it.
        while let Some(annotation) = &annotations.next() {
            self.annotations.push(annotation);
        }
        self.annotation_ends.push(self.annotations.len());
        self.verdicts.push(verdict);
    }

    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.places.count_points(text, points);
        self.annotations.count_points(text, points);
    }

    pub(super) fn len(&self) -> usize {
        self.annotation_ends.len()
    }

    /// Bytes of the longest column of strings; `None` if one could not take all.
    pub(super) fn size(&self) -> Option<usize> {
        if self.annotation_ends.is_overflown() {
            return None;
        }
        let mut largest = self.annotations.size()?.max(self.verdicts.size()?);
        for column in [&self.channel, &self.field, &self.pointer] {
            largest = largest.max(column.size()?);
        }
        Some(largest.max(self.text.size()?).max(self.encoding.size()?))
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        let has_clean = self.has_clean.finish_nulls();
        let clean = |values| -> ArrayRef {
            Arc::new(Int64Array::new(Vec::into(values), has_clean.clone()))
        };
        let limit_hit: ArrayRef = Arc::new(BooleanArray::new(self.limit_hit.finish(), None));
        let annotations = self.annotations.finish()?;
        let [start, end, byte_start, byte_end] = self.places.finish();
        let members = vec![
            ("channel", self.channel.finish(), true),
            ("field", self.field.finish(), true),
            ("encoding", self.encoding.finish(), false),
            ("text", self.text.finish(), false),
            ("start", start, false),
            ("end", end, false),
            ("byte_start", byte_start, false),
            ("byte_end", byte_end, false),
            ("clean_byte_start", clean(self.clean_start), true),
            ("clean_byte_end", clean(self.clean_end), true),
            ("pointer", self.pointer.finish(), true),
            ("limit_hit", limit_hit, false),
            (
                "annotations",
                self.annotation_ends.finish(annotations, None)?,
                false,
            ),
            ("verdict", self.verdicts.finish()?, true),
        ];
        structs(members, None)
    }
}

/// Places in code points and in bytes.
pub(super) struct Places {
    /// Of the last places, code points may not have been counted yet.
    start: Vec<i64>,
    end: Vec<i64>,
    byte_start: Vec<i64>,
    byte_end: Vec<i64>,
}

impl Places {
    /// With room for so many places.
    pub(super) fn with_room(room: usize) -> Self {
        let [start, end, byte_start, byte_end] = [(); 4].map(|()| Vec::with_capacity(room));
        Self {
            start,
            end,
            byte_start,
            byte_end,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, span: Span) {
        let (start, end) = ends(span);
        self.byte_start.push(start);
        self.byte_end.push(end);
    }

    /// Counts the code points that were not counted yet, of places in this text.
    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        let new = self.start.len()..self.byte_start.len();
        if new.is_empty() {
            return;
        }
        points.read(text);
        let (starts, ends_of) = (&self.byte_start[new.clone()], &self.byte_end[new]);
        if points.is_ascii() {
            self.start.extend_from_slice(starts);
            self.end.extend_from_slice(ends_of);
            return;
        }
        for (start, end) in starts.iter().zip(ends_of) {
            let span = Span::new(start.cast_unsigned(), end.cast_unsigned());
            let (start, end) = ends(points.of(span));
            self.start.push(start);
            self.end.push(end);
        }
    }

    /// `start`, `end`, `byte_start`, `byte_end`.
    pub(super) fn finish(self) -> [ArrayRef; 4] {
        [self.start, self.end, self.byte_start, self.byte_end].map(numbers)
    }
}

/// Both ends of a span of a text in memory, whose length fits.
#[inline]
pub(super) fn ends(span: Span) -> (i64, i64) {
    (span.start().cast_signed(), span.end().cast_signed())
}
