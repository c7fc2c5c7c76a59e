//! Columns of strings.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// A column of strings that grows.
pub(super) struct Text {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    /// A string would have ended beyond what an offset can count, and was left out.
    overflown: bool,
}

impl Text {
    pub(super) fn new() -> Self {
        Self {
            offsets: vec![0],
            bytes: Vec::new(),
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

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        self.finish_with(None)
    }

    fn finish_with(self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        let bytes = Buffer::from_vec(self.bytes);
        Ok(Arc::new(StringArray::try_new(offsets, bytes, nulls)?))
    }
}

/// A column of strings, or of nulls.
pub(super) struct OptionalText {
    text: Text,
    nulls: NullBufferBuilder,
}

impl OptionalText {
    pub(super) fn new() -> Self {
        Self {
            text: Text::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, text: Option<&str>) {
        self.text.push(text.unwrap_or_default());
        self.nulls.append(text.is_some());
    }

    pub(super) fn size(&self) -> Option<usize> {
        self.text.size()
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = self.nulls.finish();
        self.text.finish_with(nulls)
    }
}
