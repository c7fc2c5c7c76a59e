//! Columns of bits.

use std::sync::LazyLock;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};

/// Bits of a word.
const WORD: usize = 64;

/// Bits that grow at their end: values, or whether each value is there.
#[derive(Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// The bits after the words.
    open: u64,
    len: usize,
}

impl Bits {
    #[inline]
    pub(super) fn push(&mut self, bit: bool) {
        self.open |= u64::from(bit) << (self.len % WORD);
        self.len += 1;
        if self.len.is_multiple_of(WORD) {
            self.words.push(self.open);
            self.open = 0;
        }
    }

    /// So many zeros, before all others.
    pub(super) fn zeros(len: usize) -> Self {
        Self {
            words: vec![0; len / WORD],
            open: 0,
            len,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn finish(mut self) -> BooleanBuffer {
        if !self.len.is_multiple_of(WORD) {
            self.words.push(self.open);
        }
        BooleanBuffer::new(little_endian(self.words), 0, self.len)
    }

    /// The bits as those of a column that has values where they are set; `None` if it has all.
    pub(super) fn finish_nulls(self) -> Option<NullBuffer> {
        Some(NullBuffer::new(self.finish())).filter(|nulls| nulls.null_count() > 0)
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
