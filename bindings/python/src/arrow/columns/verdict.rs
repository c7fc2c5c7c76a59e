//! The column of verdicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder};
use arrow_schema::ArrowError;
use provstream::provenance::Verdict;

use super::lists::{Ends, numbers, structs};
use super::text::Text;

/// The verdicts of all assertions; null where none was asked for.
pub(super) struct Verdicts {
    admitted: BooleanBufferBuilder,
    reason: Text,
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
            reason: Text::new(),
            class: Text::new(),
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
        self.reason
            .push(verdict.map_or("", |verdict| verdict.reason().as_str()));
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
        let admitted: ArrayRef = Arc::new(BooleanArray::new(self.admitted.finish(), None));
        let classes = self.class.finish()?;
        let members = vec![
            ("admitted", admitted, false),
            ("reason", self.reason.finish()?, false),
            ("classes", self.class_ends.finish(classes, None)?, false),
            ("floor", numbers(self.floor), false),
        ];
        structs(members, self.nulls.finish())
    }
}
