//! The column of verdicts.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array};
use arrow_schema::ArrowError;
use provstream::provenance::Verdict;

use super::bits::{Bits, all_null, unset, zeros};
use super::lists::{Ends, lists, structs};
use super::text::{OptionalText, Text};

/// The verdicts of all assertions; null where none was asked for.
///
/// Their members are then null too: some engines take a member without a look at its struct.
pub(super) struct Verdicts {
    /// Assertions without a verdict before the first one that has one, which are not in the columns yet: most often all.
    leading: usize,
    admitted: Bits,
    reason: OptionalText,
    class: Text,
    classes: usize,
    class_ends: Ends,
    floor: Vec<i64>,
    valid: Bits,
}

impl Verdicts {
    pub(super) fn new() -> Self {
        Self {
            leading: 0,
            admitted: Bits::default(),
            reason: OptionalText::new(),
            class: Text::with_room(0, 0),
            classes: 0,
            class_ends: Ends::new(),
            floor: Vec::new(),
            valid: Bits::default(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, verdict: Option<&Verdict>) {
        if verdict.is_none() && self.valid.len() == 0 {
            self.leading += 1;
        } else {
            self.push_any(verdict);
        }
    }

    fn push_any(&mut self, verdict: Option<&Verdict>) {
        if self.leading > 0 {
            self.lead();
        }
        self.valid.push(verdict.is_some());
        self.admitted.push(verdict.is_some_and(Verdict::admitted));
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

    /// Appends the assertions before the first verdict.
    #[cold]
    fn lead(&mut self) {
        let leading = std::mem::take(&mut self.leading);
        self.valid = Bits::zeros(leading);
        self.admitted = Bits::zeros(leading);
        self.reason.push_leading(leading);
        self.class_ends.push_leading(leading);
        self.floor = vec![0; leading];
    }

    /// Bytes of the longest column of strings; `None` if one could not take all.
    pub(super) fn size(&self) -> Option<usize> {
        if self.class_ends.is_overflown() {
            return None;
        }
        Some(self.reason.size()?.max(self.class.size()?))
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let class = self.class.finish();
        let (nulls, admitted, floor, classes) = if self.valid.len() == 0 {
            let len = self.leading;
            self.reason.push_leading(len);
            let nulls = all_null(len);
            let classes = lists(zeros(len + 1), class, nulls.clone())?;
            (nulls, unset(len), zeros(len), classes)
        } else {
            let nulls = self.valid.finish_nulls();
            let classes = self.class_ends.finish(class, nulls.clone())?;
            (nulls, self.admitted.finish(), self.floor.into(), classes)
        };
        let admitted: ArrayRef = Arc::new(BooleanArray::new(admitted, nulls.clone()));
        let floor: ArrayRef = Arc::new(Int64Array::new(floor, nulls.clone()));
        let members = vec![
            ("admitted", admitted, true),
            ("reason", self.reason.finish(), true),
            ("classes", classes, true),
            ("floor", floor, true),
        ];
        structs(members, nulls)
    }
}
