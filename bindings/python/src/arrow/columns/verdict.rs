//! Column of verdicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array};
use arrow_schema::ArrowError;
use provstream::provenance::Verdict;

use super::bits::{Bits, all_null, unset, zeros};
use super::block::{BLOCK, Ends, Numbers};
use super::lists::{lists, structs};
use super::text::{OptionalText, StringColumn};

/// Builder of the verdicts of all assertions; null without a discipline.
///
/// The members of a null verdict are null too, because some engines read a member without its
/// struct.
pub(super) struct Verdicts {
    /// `true` after the first verdict. Results without a discipline have none; until then nothing
    /// is stored.
    is_used: bool,
    admitted: Bits,
    reason: OptionalText,
    class: StringColumn,
    classes: usize,
    class_ends: Ends,
    floor: Numbers<i64>,
    valid: Bits,
}

impl Verdicts {
    pub(super) fn new() -> Self {
        Self {
            is_used: false,
            admitted: Bits::default(),
            reason: OptionalText::new(),
            class: StringColumn::with_room(0, 0),
            classes: 0,
            class_ends: Ends::with_room(0),
            floor: Numbers::with_room(0),
            valid: Bits::default(),
        }
    }

    /// Sets the verdict of the next row, `row`, or null.
    #[inline]
    pub(super) fn set(&mut self, row: usize, verdict: Option<&Verdict>) {
        if verdict.is_some() || self.is_used {
            self.set_any(row, verdict);
        }
    }

    fn set_any(&mut self, row: usize, verdict: Option<&Verdict>) {
        if !self.is_used {
            self.lead(row);
        }
        self.valid.set_to(row, verdict.is_some());
        let admitted = verdict.is_some_and(Verdict::admitted);
        self.admitted.set_to(row, admitted);
        let reason = verdict.map(|verdict| verdict.reason().as_str());
        self.reason.set(row, reason);
        for class in verdict.map_or(&[][..], Verdict::classes) {
            self.class.set(self.classes, class.as_str());
            self.classes += 1;
            if self.classes.is_multiple_of(BLOCK) {
                self.class.end_block();
            }
        }
        self.class_ends.set(row, self.classes);
        let floor = verdict.map_or(0, Verdict::floor);
        self.floor
            .set(row, i64::try_from(floor).unwrap_or(i64::MAX));
    }

    /// Starts the column at `row`, which is the next row: earlier rows have no verdict.
    #[cold]
    fn lead(&mut self, row: usize) {
        self.is_used = true;
        self.valid.lead(row);
        self.admitted.lead(row);
        self.class_ends.lead(row);
        self.floor.lead(row);
    }

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        if self.is_used {
            self.valid.end_block();
            self.admitted.end_block();
            self.reason.end_block();
            self.class_ends.end_block();
            self.floor.end_block();
        }
    }

    /// Returns the bytes of the longest string column, or `None` if one exceeded the capacity of
    /// its offsets.
    pub(super) fn size(&self) -> Option<usize> {
        if self.class_ends.is_overflown() {
            return None;
        }
        Some(self.reason.size()?.max(self.class.size()?))
    }

    /// Builds a column of the first `rows` verdicts.
    pub(super) fn finish(self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let class = self.class.finish(self.classes);
        let (nulls, admitted, floor, classes) = if self.is_used {
            let nulls = self.valid.finish_nulls(rows);
            let classes = lists(self.class_ends.finish(rows).into(), class, nulls.clone())?;
            let floor = self.floor.finish(rows).into();
            (nulls, self.admitted.finish(rows), floor, classes)
        } else {
            let nulls = all_null(rows);
            let classes = lists(zeros(rows + 1), class, nulls.clone())?;
            (nulls, unset(rows), zeros(rows), classes)
        };
        let admitted: ArrayRef = Arc::new(BooleanArray::new(admitted, nulls.clone()));
        let floor: ArrayRef = Arc::new(Int64Array::new(floor, nulls.clone()));
        let members = vec![
            ("admitted", admitted, true),
            ("reason", self.reason.finish(rows), true),
            ("classes", classes, true),
            ("floor", floor, true),
        ];
        structs(members, nulls)
    }
}
