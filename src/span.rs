//! Half-open ranges of stream offsets.

use core::fmt;
use core::num::TryFromIntError;
use core::ops::Range;

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
    /// Creates the span from `start` up to and excluding `end`; an `end` below `start` gives an
    /// empty span at `start`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self {
            start,
            end: if end < start { start } else { end },
        }
    }

    /// Returns the offset of the first byte.
    #[must_use]
    pub const fn start(self) -> u64 {
        self.start
    }

    /// Returns the offset after the last byte.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.end
    }

    /// Returns the length in bytes.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    /// Returns `true` if the span has no bytes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<Range<u64>> for Span {
    /// Converts as [`Span::new`] does with the ends of the range.
    fn from(range: Range<u64>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl From<Span> for Range<u64> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}

/// The span as an index into a slice that starts at offset 0.
///
/// ```
/// use core::ops::Range;
/// use provstream::Span;
///
/// let stream = b"It is so. [substrate.grep]";
/// let at: Range<usize> = Span::new(0, 9).try_into()?;
/// assert_eq!(stream.get(at), Some(&b"It is so."[..]));
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
impl TryFrom<Span> for Range<usize> {
    type Error = TryFromIntError;

    /// Fails if an offset does not fit into a `usize`, which takes a platform of 32 bits.
    fn try_from(span: Span) -> Result<Self, TryFromIntError> {
        Ok(span.start.try_into()?..span.end.try_into()?)
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
