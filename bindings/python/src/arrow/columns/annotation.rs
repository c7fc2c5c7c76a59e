//! Column of annotations.

use std::sync::Arc;

use arrow_array::{ArrayRef, TimestampMicrosecondArray};
use arrow_schema::ArrowError;
use provstream::Span;
use provstream::provenance::{Annotation, Timestamp};

use super::super::points::Points;
use super::bits::Bits;
use super::block::{BLOCK, Numbers};
use super::lists::structs;
use super::places::SpanColumns;
use super::text::{OptionalText, StringColumn};

/// Builder of the annotations of all assertions.
pub(super) struct AnnotationColumns {
    class: StringColumn,
    declared: StringColumn,
    reason: OptionalText,
    observation_id: OptionalText,
    ts: OptionalText,
    time: Numbers<i64>,
    has_time: Bits,
    places: SpanColumns,
    len: usize,
}

impl AnnotationColumns {
    /// Creates a builder with capacity for `room` annotations.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            class: StringColumn::with_room(room, 20),
            declared: StringColumn::with_room(room, 20),
            reason: OptionalText::new(),
            observation_id: OptionalText::with_room(room, 24),
            ts: OptionalText::with_room(room, 24),
            time: Numbers::with_room(room),
            has_time: Bits::default(),
            places: SpanColumns::with_room(room),
            len: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, annotation: &Annotation<'_>) {
        let row = self.len;
        self.class.set(row, annotation.class().as_str());
        self.declared.set(row, annotation.declared());
        let reason = annotation.reason();
        self.reason.set(row, reason.map(|reason| reason.as_str()));
        self.observation_id.set(row, annotation.observation_id());
        self.ts.set(row, annotation.ts());
        let time = annotation.timestamp().and_then(micros);
        self.time.set(row, time.unwrap_or_default());
        self.has_time.set_to(row, time.is_some());
        self.places.push(annotation.span());
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            self.end_block();
        }
    }

    #[inline(never)]
    fn end_block(&mut self) {
        self.class.end_block();
        self.declared.end_block();
        for column in [&mut self.reason, &mut self.observation_id, &mut self.ts] {
            column.end_block();
        }
        self.time.end_block();
        self.has_time.end_block();
    }

    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.places.count_points(text, points);
    }

    pub(super) fn set_points(&mut self, of: impl Fn(Span) -> Span) {
        self.places.set_points(of);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of the longest string column, or `None` if one exceeded the capacity of
    /// its offsets.
    pub(super) fn size(&self) -> Option<usize> {
        let mut largest = self.class.size()?.max(self.declared.size()?);
        for column in [&self.reason, &self.observation_id, &self.ts] {
            largest = largest.max(column.size()?);
        }
        Some(largest)
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        let rows = self.len;
        let has_time = self.has_time.finish_nulls(rows);
        let time = TimestampMicrosecondArray::new(self.time.finish(rows).into(), has_time);
        let time: ArrayRef = Arc::new(time.with_timezone("UTC"));
        let [start, end, byte_start, byte_end] = self.places.finish();
        let members = vec![
            ("class", self.class.finish(rows), false),
            ("declared", self.declared.finish(rows), false),
            ("reason", self.reason.finish(rows), true),
            ("observation_id", self.observation_id.finish(rows), true),
            ("ts", self.ts.finish(rows), true),
            ("time", time, true),
            ("start", start, false),
            ("end", end, false),
            ("byte_start", byte_start, false),
            ("byte_end", byte_end, false),
        ];
        structs(members, None)
    }
}

/// Returns microseconds since 1970-01-01T00:00:00Z, rounded down. Every year of RFC 3339 fits.
fn micros(time: Timestamp) -> Option<i64> {
    let seconds = time.unix_seconds().checked_mul(1_000_000)?;
    seconds.checked_add(i64::from(time.subsec_nanos() / 1_000))
}
