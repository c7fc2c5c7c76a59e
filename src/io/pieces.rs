//! Text rewritten from one chunk, without a copy where possible.

use std::ops::Range;

use bytes::Bytes;

/// Joined text up to this many bytes is copied out of one buffer that stays; a longer one is given away.
const SMALL: usize = 1 << 10;

/// The text that comes of one chunk: a part of the chunk as long as that is possible, else joined.
pub struct Pieces<'a> {
    chunk: &'a Bytes,
    /// All text so far, if `joined` is empty.
    part: Range<usize>,
    /// All text so far, unless it is empty.
    joined: &'a mut Vec<u8>,
}

impl<'a> Pieces<'a> {
    /// Starts collecting the text of a chunk; `joined` is empty, and its memory is reused.
    pub const fn new(chunk: &'a Bytes, joined: &'a mut Vec<u8>) -> Self {
        Self {
            chunk,
            part: 0..0,
            joined,
        }
    }

    /// Takes what comes next.
    #[inline]
    pub fn push(&mut self, piece: &[u8]) {
        // Where in the chunk's memory it begins, if it is not a copy that the parser kept.
        let at = piece
            .as_ptr()
            .addr()
            .wrapping_sub(self.chunk.as_ptr().addr());
        let inside = at < self.chunk.len() && piece.len() <= self.chunk.len() - at;
        if inside && self.joined.is_empty() && (self.part.is_empty() || self.part.end == at) {
            if self.part.is_empty() {
                self.part.start = at;
            }
            self.part.end = at + piece.len();
        } else {
            self.join(piece);
        }
    }

    fn join(&mut self, piece: &[u8]) {
        if self.joined.is_empty() {
            self.joined
                .extend_from_slice(self.chunk.get(self.part.clone()).unwrap_or_default());
        }
        self.joined.extend_from_slice(piece);
    }

    /// Returns the collected text.
    #[must_use]
    pub fn take(self) -> Bytes {
        if self.joined.is_empty() {
            return self.chunk.slice(self.part);
        }
        if self.joined.len() > SMALL {
            return std::mem::take(self.joined).into();
        }
        let text = Bytes::copy_from_slice(self.joined);
        self.joined.clear();
        text
    }
}
