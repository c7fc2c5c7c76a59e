//! Half-open ranges of stream offsets.

use core::fmt;

/// A half-open range `[start, end)` of byte offsets from the start of a stream.
///
/// Offsets are 0-based and 64 bits wide on every platform, so a stream may be longer than memory.
/// Source: `provenance memo 6` (assertion span), wire profile, offsets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    start: u64,
    end: u64,
}

impl Span {
    /// The span from `start` up to and excluding `end`; an `end` below `start` gives an empty span at `start`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self {
            start,
            end: if end < start { start } else { end },
        }
    }

    /// Offset of the first byte.
    #[must_use]
    pub const fn start(self) -> u64 {
        self.start
    }

    /// Offset just behind the last byte.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.end
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    /// Whether the span holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
