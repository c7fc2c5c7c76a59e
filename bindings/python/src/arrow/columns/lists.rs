//! Columns of lists and structs.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Fields};

use super::block::Numbers;

/// Builds a list column from elements and offsets.
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

/// Builds a struct column from members: name, values, and `true` if nullable.
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

/// Builds a column of the first `rows` numbers.
pub(super) fn numbers(numbers: Numbers<i64>, rows: usize) -> ArrayRef {
    Arc::new(Int64Array::from(numbers.finish(rows)))
}
