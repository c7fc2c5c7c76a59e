//! The last bytes of a stream, since a chunk is the caller's again once it is read.

/// Size of the buffer in bytes: an assertion and an annotation at the default limits, and room to
/// write on.
const BYTES: usize = 1 << 13;

/// A buffer that is written from the start again when it is full.
pub(crate) struct Window {
    bytes: Box<[u8; BYTES]>,
    len: usize,
}

impl Window {
    /// An empty one.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            bytes: Box::new([0; BYTES]),
            len: 0,
        }
    }

    /// Keeps the bytes of a chunk, which are fewer than [`BYTES`].
    #[inline]
    pub(crate) fn append<const N: usize>(&mut self, chunk: &[u8; N]) {
        if self.len + N > BYTES {
            self.len = 0;
        }
        self.bytes[self.len..self.len + N].copy_from_slice(chunk);
        self.len += N;
    }
}
