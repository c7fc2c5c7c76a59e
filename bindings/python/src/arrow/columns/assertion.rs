//! Column of assertions.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array};
use arrow_schema::ArrowError;
use provstream::Span;
use provstream::provenance::{Assertion, Encoding, Verdict};

use super::super::points::Points;
use super::Origin;
use super::annotation::AnnotationColumns;
use super::bits::Bits;
use super::block::{BLOCK, Ends, Numbers};
use super::lists::{lists, structs};
use super::places::{SpanColumns, ends};
use super::text::{OptionalText, StringColumn};
use super::verdict::Verdicts;

/// Builder of the assertions of all rows.
pub(super) struct Assertions {
    channel: OptionalText,
    field: OptionalText,
    encoding: StringColumn,
    text: StringColumn,
    places: SpanColumns,
    clean_start: Numbers<i64>,
    clean_end: Numbers<i64>,
    has_clean: Bits,
    pointer: OptionalText,
    limit_hit: Bits,
    annotations: AnnotationColumns,
    annotation_ends: Ends,
    verdicts: Verdicts,
    len: usize,
}

impl Assertions {
    /// Creates a builder with capacity for `room` assertions.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            channel: OptionalText::new(),
            field: OptionalText::new(),
            encoding: StringColumn::with_room(room, 8),
            text: StringColumn::with_room(room, 96),
            places: SpanColumns::with_room(room),
            clean_start: Numbers::with_room(room),
            clean_end: Numbers::with_room(room),
            has_clean: Bits::default(),
            pointer: OptionalText::new(),
            limit_hit: Bits::default(),
            annotations: AnnotationColumns::with_room(room + room / 2),
            annotation_ends: Ends::with_room(room),
            verdicts: Verdicts::new(),
            len: 0,
        }
    }

    #[inline]
    pub(super) fn push(
        &mut self,
        origin: Origin<'_>,
        assertion: &Assertion<'_>,
        verdict: Option<&Verdict>,
    ) {
        let row = self.len;
        self.channel.set(row, origin.channel);
        self.field.set(row, origin.field);
        match assertion.encoding() {
            // A copy of a known length.
            Encoding::Bracket => self.encoding.set(row, Encoding::Bracket.as_str()),
            other => self.encoding.set(row, other.as_str()),
        }
        self.text.set(row, assertion.text());
        self.places.push(assertion.span());
        let clean = assertion.clean_span();
        let (start, end) = ends(clean.unwrap_or_default());
        self.clean_start.set(row, start);
        self.clean_end.set(row, end);
        self.has_clean.set_to(row, clean.is_some());
        self.pointer.set(row, assertion.pointer());
        self.limit_hit.set_to(row, assertion.limit_hit());
        let mut annotations = assertion.annotations();
        // `for` would move each annotation: a copy of what has just been written, which waits for it.
        while let Some(annotation) = &annotations.next() {
            self.annotations.push(annotation);
        }
        self.annotation_ends.set(row, self.annotations.len());
        self.verdicts.set(row, verdict);
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            self.end_block();
        }
    }

    #[inline(never)]
    fn end_block(&mut self) {
        for column in [&mut self.channel, &mut self.field, &mut self.pointer] {
            column.end_block();
        }
        self.encoding.end_block();
        self.text.end_block();
        self.clean_start.end_block();
        self.clean_end.end_block();
        self.has_clean.end_block();
        self.limit_hit.end_block();
        self.annotation_ends.end_block();
        self.verdicts.end_block();
    }

    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.places.count_points(text, points);
        self.annotations.count_points(text, points);
    }

    pub(super) fn set_points(&mut self, of: impl Fn(Span) -> Span) {
        self.places.set_points(&of);
        self.annotations.set_points(&of);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of the longest string column, or `None` if one exceeded the capacity of
    /// its offsets.
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
        let rows = self.len;
        let has_clean = self.has_clean.finish_nulls(rows);
        let clean = |numbers: Numbers<i64>| -> ArrayRef {
            let numbers = numbers.finish(rows).into();
            Arc::new(Int64Array::new(numbers, has_clean.clone()))
        };
        let limit_hit: ArrayRef = Arc::new(BooleanArray::new(self.limit_hit.finish(rows), None));
        let annotations = self.annotations.finish()?;
        let annotations = lists(self.annotation_ends.finish(rows).into(), annotations, None)?;
        let [start, end, byte_start, byte_end] = self.places.finish();
        let members = vec![
            ("channel", self.channel.finish(rows), true),
            ("field", self.field.finish(rows), true),
            ("encoding", self.encoding.finish(rows), false),
            ("text", self.text.finish(rows), false),
            ("start", start, false),
            ("end", end, false),
            ("byte_start", byte_start, false),
            ("byte_end", byte_end, false),
            ("clean_byte_start", clean(self.clean_start), true),
            ("clean_byte_end", clean(self.clean_end), true),
            ("pointer", self.pointer.finish(rows), true),
            ("limit_hit", limit_hit, false),
            ("annotations", annotations, false),
            ("verdict", self.verdicts.finish(rows)?, true),
        ];
        structs(members, None)
    }
}
