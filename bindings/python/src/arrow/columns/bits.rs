//! Columns of bits.

use std::sync::LazyLock;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

use super::block::BLOCK;

/// Builder of a column of bits: Boolean values or a validity bitmap.
///
/// Grows in blocks like [`Numbers`](super::block::Numbers). A block is one word.
#[derive(Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    block: u64,
}

const _: () = assert!(BLOCK == u64::BITS as usize, "a block is a word");

impl Bits {
    /// Sets the bit of the next row, `row`. Unset bits are 0.
    #[inline]
    pub(super) fn set(&mut self, row: usize) {
        self.set_to(row, true);
    }

    /// Sets the bit of the next row, `row`, to a value.
    #[inline]
    pub(super) fn set_to(&mut self, row: usize, bit: bool) {
        self.block |= u64::from(bit) << (row % BLOCK);
    }

    /// Starts the column at `row`, which is the next row: the bits of earlier rows are 0. No bit
    /// may have been set.
    pub(super) fn lead(&mut self, row: usize) {
        self.words.resize(row / BLOCK, 0);
    }

    /// Appends the full block to the column.
    pub(super) fn end_block(&mut self) {
        self.words.push(std::mem::take(&mut self.block));
    }

    /// Returns the bits of the first `rows` rows.
    pub(super) fn finish(mut self, rows: usize) -> BooleanBuffer {
        if !rows.is_multiple_of(BLOCK) {
            self.words.push(self.block);
        }
        BooleanBuffer::new(little_endian(self.words), 0, rows)
    }

    /// Returns a validity bitmap of the first `rows` rows, or `None` if all bits are set.
    pub(super) fn finish_nulls(self, rows: usize) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.finish(rows))).filter(|nulls| nulls.null_count() > 0)
    }
}

/// Converts words to bytes in Arrow's order: least significant byte first.
fn little_endian(mut words: Vec<u64>) -> Buffer {
    for word in &mut words {
        *word = word.to_le();
    }
    Buffer::from_vec(words)
}

/// Zeros shared by all columns without values. Most columns of a result have none.
static ZEROS: LazyLock<Buffer> = LazyLock::new(|| Buffer::from_vec(vec![0_u64; 1 << 18]));

/// Returns `len` zeros.
pub(super) fn zeros<T: ArrowNativeType>(len: usize) -> ScalarBuffer<T> {
    let bytes = len * size_of::<T>();
    let buffer = if bytes <= ZEROS.len() {
        ZEROS.slice_with_length(0, bytes)
    } else {
        Buffer::from_vec(vec![0_u64; bytes.div_ceil(size_of::<u64>())])
    };
    ScalarBuffer::new(buffer, 0, len)
}

/// Returns `len` unset bits.
pub(super) fn unset(len: usize) -> BooleanBuffer {
    BooleanBuffer::new(zeros::<u8>(len.div_ceil(8)).into_inner(), 0, len)
}

/// Returns a bitmap of `len` nulls, or `None` for length 0.
pub(super) fn all_null(len: usize) -> Option<NullBuffer> {
    (len > 0).then(|| NullBuffer::new(unset(len)))
}
