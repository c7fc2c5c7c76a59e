//! Columns of strings.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use super::bits::{Bits, all_null, zeros};

/// A column of strings that grows.
pub(super) struct Text {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    /// A string would have ended beyond what an offset can count, and was left out.
    overflown: bool,
}

impl Text {
    /// With room for so many strings of so many bytes each.
    pub(super) fn with_room(strings: usize, each: usize) -> Self {
        let mut offsets = Vec::with_capacity(strings + 1);
        offsets.push(0);
        Self {
            offsets,
            bytes: Vec::with_capacity(strings * each),
            overflown: false,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, text: &str) {
        match i32::try_from(self.bytes.len() + text.len()) {
            Ok(end) => {
                self.bytes.extend_from_slice(text.as_bytes());
                self.offsets.push(end);
            }
            Err(_) => self.overflow(),
        }
    }

    #[cold]
    fn overflow(&mut self) {
        self.overflown = true;
        self.push("");
    }

    /// Bytes of all strings; `None` once a string was left out.
    pub(super) fn size(&self) -> Option<usize> {
        (!self.overflown).then_some(self.bytes.len())
    }

    pub(super) fn finish(self) -> ArrayRef {
        self.finish_with(None)
    }

    fn finish_with(mut self, nulls: Option<NullBuffer>) -> ArrayRef {
        trim(&mut self.offsets);
        trim(&mut self.bytes);
        let offsets = ScalarBuffer::from(self.offsets);
        let bytes = Buffer::from_vec(self.bytes);
        #[expect(
            unsafe_code,
            reason = "to check all text and offsets once more takes a tenth of the time of everything"
        )]
        // SAFETY: `bytes` has been appended to by `push` alone, which takes `&str`, and the offsets are 0 and the ends of
        // these strings, in order. There are as many nulls as strings: `OptionalText` appends one of each.
        let array = unsafe {
            let offsets = OffsetBuffer::new_unchecked(offsets);
            StringArray::new_unchecked(offsets, bytes, nulls)
        };
        Arc::new(array)
    }
}

/// A column of strings, or of nulls.
pub(super) struct OptionalText {
    /// Nulls before the first string, which are not in the columns yet: most of these columns have nothing else.
    leading: usize,
    text: Text,
    valid: Bits,
}

impl OptionalText {
    pub(super) fn new() -> Self {
        Self::with_room(0, 0)
    }

    /// With room for so many strings of so many bytes each.
    pub(super) fn with_room(strings: usize, each: usize) -> Self {
        Self {
            leading: 0,
            text: Text::with_room(strings, each),
            valid: Bits::default(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, text: Option<&str>) {
        if text.is_none() && self.valid.len() == 0 {
            self.leading += 1;
        } else {
            self.push_any(text);
        }
    }

    fn push_any(&mut self, text: Option<&str>) {
        if self.leading > 0 {
            self.lead();
        }
        self.text.push(text.unwrap_or_default());
        self.valid.push(text.is_some());
    }

    /// So many nulls, before all others.
    pub(super) fn push_leading(&mut self, nulls: usize) {
        self.leading += nulls;
    }

    /// Appends the nulls before the first string.
    #[cold]
    fn lead(&mut self) {
        self.text.offsets.resize(self.leading + 1, 0);
        self.valid = Bits::zeros(self.leading);
        self.leading = 0;
    }

    pub(super) fn size(&self) -> Option<usize> {
        self.text.size()
    }

    pub(super) fn finish(self) -> ArrayRef {
        if self.valid.len() == 0 {
            let offsets = OffsetBuffer::new(zeros(self.leading + 1));
            let nulls = all_null(self.leading);
            return Arc::new(StringArray::new(offsets, Buffer::default(), nulls));
        }
        let nulls = self.valid.finish_nulls();
        self.text.finish_with(nulls)
    }
}

/// Gives back room that is not needed. Room that was never used has taken no memory, so that a copy would be a waste.
pub(super) fn trim<T>(values: &mut Vec<T>) {
    if values.capacity() / 2 > values.len() {
        values.shrink_to_fit();
    }
}
