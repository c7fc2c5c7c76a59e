//! Lists of structs.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Fields};

use super::text::trim;

/// Where each list ends in the column of its elements.
pub(super) struct Ends {
    offsets: Vec<i32>,
    /// The last list would have ended beyond what an offset can count.
    overflown: bool,
}

impl Ends {
    pub(super) fn new() -> Self {
        Self {
            offsets: vec![0],
            overflown: false,
        }
    }

    /// Ends a list at the element before this one.
    #[inline]
    pub(super) fn push(&mut self, end: usize) {
        let end = i32::try_from(end).unwrap_or_else(|_| {
            self.overflown = true;
            i32::MAX
        });
        self.offsets.push(end);
    }

    /// So many empty lists, before all others.
    pub(super) fn push_leading(&mut self, lists: usize) {
        self.offsets.resize(lists + 1, 0);
    }

    /// Lists so far.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn is_overflown(&self) -> bool {
        self.overflown
    }

    /// Lists of these elements.
    pub(super) fn finish(
        self,
        elements: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        lists(self.offsets.into(), elements, nulls)
    }
}

/// Lists of these elements that end at these offsets.
pub(super) fn lists(
    offsets: ScalarBuffer<i32>,
    elements: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let item = Field::new("item", elements.data_type().clone(), false);
    let offsets = OffsetBuffer::new(offsets);
    let lists = ListArray::try_new(Arc::new(item), offsets, elements, nulls)?;
    Ok(Arc::new(lists))
}

/// A column of structs with these members: name, values, and whether they can be null.
pub(super) fn structs(
    members: Vec<(&str, ArrayRef, bool)>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let field = |(name, values, nullable): &(&str, ArrayRef, bool)| {
        Field::new(*name, values.data_type().clone(), *nullable)
    };
    let fields: Fields = members.iter().map(field).collect();
    let values = members.into_iter().map(|(_, values, _)| values).collect();
    Ok(Arc::new(StructArray::try_new(fields, values, nulls)?))
}

/// A column of numbers.
pub(super) fn numbers(mut values: Vec<i64>) -> ArrayRef {
    trim(&mut values);
    Arc::new(Int64Array::from(values))
}
