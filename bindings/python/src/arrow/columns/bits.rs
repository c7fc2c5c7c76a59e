//! Columns of bits.

use std::sync::LazyLock;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

use super::block::BLOCK;

/// A column of bits: values, or whether each value is there.
///
/// It grows in blocks as columns of numbers do. A block is a word.
#[derive(Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    block: u64,
}

const _: () = assert!(BLOCK == u64::BITS as usize, "a block is a word");

impl Bits {
    /// Sets the bit of this row, the next one. One that is not set is 0.
    #[inline]
    pub(super) fn set(&mut self, row: usize) {
        self.set_to(row, true);
    }

    /// Sets the bit of this row, the next one, to this value.
    #[inline]
    pub(super) fn set_to(&mut self, row: usize, bit: bool) {
        self.block |= u64::from(bit) << (row % BLOCK);
    }

    /// Goes on at this row: the bits of those before are 0, and none has been set.
    pub(super) fn lead(&mut self, row: usize) {
        self.words.resize(row / BLOCK, 0);
    }

    /// Writes the open block, which is full.
    pub(super) fn end_block(&mut self) {
        self.words.push(std::mem::take(&mut self.block));
    }

    /// The bits of so many rows.
    pub(super) fn finish(mut self, rows: usize) -> BooleanBuffer {
        if !rows.is_multiple_of(BLOCK) {
            self.words.push(self.block);
        }
        BooleanBuffer::new(little_endian(self.words), 0, rows)
    }

    /// The bits of so many rows as those of a column that has values where they are set; `None` if it has all.
    pub(super) fn finish_nulls(self, rows: usize) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.finish(rows))).filter(|nulls| nulls.null_count() > 0)
    }
}

/// Words as bytes in the order of Arrow: the lowest first.
fn little_endian(mut words: Vec<u64>) -> Buffer {
    for word in &mut words {
        *word = word.to_le();
    }
    Buffer::from_vec(words)
}

/// Words of zeros that all columns without values share: most columns of a result have none.
static ZEROS: LazyLock<Buffer> = LazyLock::new(|| Buffer::from_vec(vec![0_u64; 1 << 18]));

/// So many zeros.
pub(super) fn zeros<T: ArrowNativeType>(len: usize) -> ScalarBuffer<T> {
    let bytes = len * size_of::<T>();
    let buffer = if bytes <= ZEROS.len() {
        ZEROS.slice_with_length(0, bytes)
    } else {
        Buffer::from_vec(vec![0_u64; bytes.div_ceil(size_of::<u64>())])
    };
    ScalarBuffer::new(buffer, 0, len)
}

/// So many bits that are not set.
pub(super) fn unset(len: usize) -> BooleanBuffer {
    BooleanBuffer::new(zeros::<u8>(len.div_ceil(8)).into_inner(), 0, len)
}

/// So many nulls; `None` if there are not any.
pub(super) fn all_null(len: usize) -> Option<NullBuffer> {
    (len > 0).then(|| NullBuffer::new(unset(len)))
}
