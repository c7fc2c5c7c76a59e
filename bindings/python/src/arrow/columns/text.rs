//! Columns of strings.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use super::bits::{Bits, all_null, zeros};
use super::block::{Ends, trim};

/// Most bytes of a string column, limited by 32-bit offsets.
const MAX_BYTES: usize = i32::MAX as usize;

/// Builder of a string column.
pub(super) struct StringColumn {
    /// Offsets. Overflown if a string was left out.
    ends: Ends,
    bytes: Vec<u8>,
}

impl StringColumn {
    /// Creates a builder with capacity for `strings` strings of `each` bytes.
    pub(super) fn with_room(strings: usize, each: usize) -> Self {
        Self {
            ends: Ends::with_room(strings),
            bytes: Vec::with_capacity(strings * each),
        }
    }

    /// Sets the string of the next row, `row`.
    #[inline]
    pub(super) fn set(&mut self, row: usize, text: &str) {
        if text.len() <= MAX_BYTES - self.bytes.len() {
            self.bytes.extend_from_slice(text.as_bytes());
        } else {
            self.ends.overflow();
        }
        self.set_empty(row);
    }

    /// Sets the string of the next row, `row`, to an empty string.
    #[inline]
    fn set_empty(&mut self, row: usize) {
        self.ends.set(row, self.bytes.len());
    }

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        self.ends.end_block();
    }

    /// Returns the bytes of all strings, or `None` if a string was left out.
    pub(super) fn size(&self) -> Option<usize> {
        (!self.ends.is_overflown()).then_some(self.bytes.len())
    }

    /// Builds a column of the first `rows` strings.
    pub(super) fn finish(self, rows: usize) -> ArrayRef {
        self.finish_with(rows, None)
    }

    fn finish_with(mut self, rows: usize, nulls: Option<NullBuffer>) -> ArrayRef {
        trim(&mut self.bytes);
        let offsets = self.ends.finish(rows).into();
        strings(offsets, Buffer::from_vec(self.bytes), nulls)
    }
}

/// Builder of a nullable string column.
pub(super) struct OptionalText {
    /// `true` after the first string. Most of these columns never get one; until then nothing is
    /// stored.
    is_used: bool,
    text: StringColumn,
    valid: Bits,
}

impl OptionalText {
    pub(super) fn new() -> Self {
        Self::with_room(0, 0)
    }

    /// Creates a builder with capacity for `strings` strings of `each` bytes.
    pub(super) fn with_room(strings: usize, each: usize) -> Self {
        Self {
            is_used: false,
            text: StringColumn::with_room(strings, each),
            valid: Bits::default(),
        }
    }

    /// Sets the string of the next row, `row`, or null.
    #[inline]
    pub(super) fn set(&mut self, row: usize, text: Option<&str>) {
        if let Some(text) = text {
            if !self.is_used {
                self.lead(row);
            }
            self.text.set(row, text);
            self.valid.set(row);
        } else if self.is_used {
            self.text.set_empty(row);
        }
    }

    /// Starts the column at `row`, which is the next row: earlier rows are null.
    #[cold]
    fn lead(&mut self, row: usize) {
        self.is_used = true;
        self.text.ends.lead(row);
        self.valid.lead(row);
    }

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        if self.is_used {
            self.text.end_block();
            self.valid.end_block();
        }
    }

    pub(super) fn size(&self) -> Option<usize> {
        self.text.size()
    }

    /// Builds a column of the first `rows` rows.
    pub(super) fn finish(self, rows: usize) -> ArrayRef {
        if self.is_used {
            let nulls = self.valid.finish_nulls(rows);
            self.text.finish_with(rows, nulls)
        } else {
            strings(zeros(rows + 1), Buffer::default(), all_null(rows))
        }
    }
}

/// Builds a string column from offsets and bytes.
fn strings(offsets: ScalarBuffer<i32>, bytes: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
    #[expect(
        unsafe_code,
        reason = "to check all text and offsets once more takes a tenth of the time of everything"
    )]
    // SAFETY: `bytes` has been appended to by `Text::set` alone, which takes `&str`, and the offsets are 0 and the ends of
    // these strings, in order; or there are no bytes, and all offsets are 0. There are as many nulls as strings: `Text` and
    // `OptionalText` finish both with the same number of rows.
    let array = unsafe {
        let offsets = OffsetBuffer::new_unchecked(offsets);
        StringArray::new_unchecked(offsets, bytes, nulls)
    };
    Arc::new(array)
}
