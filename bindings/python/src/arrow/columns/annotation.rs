//! The column of annotations.

use std::sync::Arc;

use arrow_array::{ArrayRef, TimestampMicrosecondArray};
use arrow_schema::ArrowError;
use provstream::provenance::{Annotation, Timestamp};

use super::super::points::Points;
use super::assertion::Places;
use super::bits::Bits;
use super::lists::structs;
use super::text::{OptionalText, Text};

/// The annotations of all assertions.
pub(super) struct Annotations {
    class: Text,
    declared: Text,
    reason: OptionalText,
    observation_id: OptionalText,
    ts: OptionalText,
    time: Vec<i64>,
    has_time: Bits,
    places: Places,
}

impl Annotations {
    /// With room for so many annotations.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            class: Text::with_room(room, 20),
            declared: Text::with_room(room, 20),
            reason: OptionalText::new(),
            observation_id: OptionalText::with_room(room, 24),
            ts: OptionalText::with_room(room, 24),
            time: Vec::with_capacity(room),
            has_time: Bits::default(),
            places: Places::with_room(room),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, annotation: &Annotation<'_>) {
        self.class.push(annotation.class().as_str());
        self.declared.push(annotation.declared());
        let reason = annotation.reason();
        self.reason.push(reason.map(|reason| reason.as_str()));
        self.observation_id.push(annotation.observation_id());
        self.ts.push(annotation.ts());
        let time = annotation.timestamp().and_then(micros);
        self.time.push(time.unwrap_or_default());
        self.has_time.push(time.is_some());
        self.places.push(annotation.span());
    }

    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.places.count_points(text, points);
    }

    pub(super) fn len(&self) -> usize {
        self.time.len()
    }

    /// Bytes of the longest column of strings; `None` if one could not take all.
    pub(super) fn size(&self) -> Option<usize> {
        let mut largest = self.class.size()?.max(self.declared.size()?);
        for column in [&self.reason, &self.observation_id, &self.ts] {
            largest = largest.max(column.size()?);
        }
        Some(largest)
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        let time = TimestampMicrosecondArray::new(self.time.into(), self.has_time.finish_nulls());
        let time: ArrayRef = Arc::new(time.with_timezone("UTC"));
        let [start, end, byte_start, byte_end] = self.places.finish();
        let members = vec![
            ("class", self.class.finish(), false),
            ("declared", self.declared.finish(), false),
            ("reason", self.reason.finish(), true),
            ("observation_id", self.observation_id.finish(), true),
            ("ts", self.ts.finish(), true),
            ("time", time, true),
            ("start", start, false),
            ("end", end, false),
            ("byte_start", byte_start, false),
            ("byte_end", byte_end, false),
        ];
        structs(members, None)
    }
}

/// Microseconds from 1970-01-01T00:00:00Z, rounded towards the past. Every year of RFC 3339 fits.
fn micros(time: Timestamp) -> Option<i64> {
    let seconds = time.unix_seconds().checked_mul(1_000_000)?;
    seconds.checked_add(i64::from(time.subsec_nanos() / 1_000))
}
