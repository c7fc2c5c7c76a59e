//! The column of verdicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder};
use arrow_schema::ArrowError;
use provstream::provenance::Verdict;

use super::lists::{Ends, structs};
use super::text::{OptionalText, Text};

/// The verdicts of all assertions; null where none was asked for.
///
/// Their members are then null too: some engines take a member without a look at its struct.
pub(super) struct Verdicts {
    admitted: BooleanBufferBuilder,
    reason: OptionalText,
    class: Text,
    classes: usize,
    class_ends: Ends,
    floor: Vec<i64>,
    nulls: NullBufferBuilder,
}

impl Verdicts {
    pub(super) fn new() -> Self {
        Self {
            admitted: BooleanBufferBuilder::new(0),
            reason: OptionalText::new(),
            class: Text::with_room(0, 0),
            classes: 0,
            class_ends: Ends::new(),
            floor: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, verdict: Option<&Verdict>) {
        self.nulls.append(verdict.is_some());
        self.admitted.append(verdict.is_some_and(Verdict::admitted));
        let reason = verdict.map(|verdict| verdict.reason().as_str());
        self.reason.push(reason);
        for class in verdict.map_or(&[][..], Verdict::classes) {
            self.class.push(class.as_str());
            self.classes += 1;
        }
        self.class_ends.push(self.classes);
        let floor = verdict.map_or(0, Verdict::floor);
        self.floor.push(i64::try_from(floor).unwrap_or(i64::MAX));
    }

    /// Bytes of the longest column of strings; `None` if one could not take all.
    pub(super) fn size(&self) -> Option<usize> {
        if self.class_ends.is_overflown() {
            return None;
        }
        Some(self.reason.size()?.max(self.class.size()?))
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = self.nulls.finish();
        let admitted: ArrayRef = Arc::new(BooleanArray::new(self.admitted.finish(), nulls.clone()));
        let floor: ArrayRef = Arc::new(Int64Array::new(self.floor.into(), nulls.clone()));
        let classes = self.class.finish();
        let classes = self.class_ends.finish(classes, nulls.clone())?;
        let members = vec![
            ("admitted", admitted, true),
            ("reason", self.reason.finish(), true),
            ("classes", classes, true),
            ("floor", floor, true),
        ];
        structs(members, nulls)
    }
}
