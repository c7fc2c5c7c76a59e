//! When a gate looks for text that is too long to be held back.

/// At stream offsets that are multiples of this, it is looked for wherever it begins.
pub(super) const STRIDE: u64 = 1_024;

/// Stride while a text that is too long continues, and in a JSON value outside a fenced block.
const SHORT_STRIDE: u64 = 256;

/// Text of which less than this is too long is looked at byte by byte there.
const LITTLE: u64 = 1_024;

/// After so many bytes that made no text too long, such as markers of empty list items, it is looked for less often.
const FRUITLESS: u64 = 256;

/// The next stream offset at which text that is too long is looked for. It follows from the stream alone, not from how it is cut
/// into chunks.
///
/// Up to an offset that the engine knows, no text is too long. From there on, each byte that can make it longer is looked at, so
/// that what is too long is found at once, and all before its beginning is decided about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    at: u64,
    how: How,
}

/// Bytes that may be taken before the next check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// No text that is too long.
    Far,
    /// Only ASCII white space, which makes no text longer; nor did what came before since an offset.
    Near { since: u64 },
    /// Anything.
    Blind,
}

impl Check {
    /// The first in a stream that begins at an offset.
    pub(super) fn new(start: u64, max_assertion: usize) -> Self {
        Self::far(start, start.saturating_add(max_assertion as u64))
    }

    /// The next one after `now`, with nothing too long up to `until`, which is later.
    fn far(now: u64, until: u64) -> Self {
        Self {
            at: until.min(next_multiple(now, STRIDE)),
            how: How::Far,
        }
    }

    /// The next one after `now`, where nothing was found; up to `until`, which is later, nothing is too long.
    pub(super) fn again(self, now: u64, until: Option<u64>) -> Self {
        if let Some(until) = until {
            return Self::far(now, until);
        }
        let since = match self.how {
            How::Far => now,
            How::Near { since } if now - since < FRUITLESS => since,
            How::Near { .. } | How::Blind => return Self::blind(now),
        };
        Self {
            at: now + 1,
            how: How::Near { since },
        }
    }

    /// The next one after `now`, where text that is too long goes on, or a value is open that may be.
    pub(super) fn in_long(now: u64, max_assertion: usize) -> Self {
        if max_assertion as u64 >= LITTLE {
            return Self::blind(now);
        }
        Self {
            at: now + 1,
            how: How::Far,
        }
    }

    fn blind(now: u64) -> Self {
        Self {
            at: next_multiple(now, SHORT_STRIDE),
            how: How::Blind,
        }
    }

    /// Returns `true` if text may be released before the check.
    pub(super) fn is_far(self) -> bool {
        self.how == How::Far
    }

    /// Returns `true` if text that is too long may have become part of an assertion since the last check.
    pub(super) fn is_blind(self) -> bool {
        self.how == How::Blind
    }

    /// Returns the number of the next bytes that may be taken at once.
    pub(super) fn room(&mut self, now: u64, bytes: &[u8]) -> usize {
        if let How::Near { .. } = self.how {
            let is_white = |byte: &&u8| matches!(byte, b' ' | b'\t'..=b'\r');
            let before = bytes.iter().take_while(is_white).count();
            self.at = (now + before as u64 + 1).min(next_multiple(now, STRIDE));
        }
        usize::try_from(self.at - now).unwrap_or(usize::MAX)
    }

    /// Returns `true` if the check is due at `now`.
    pub(super) const fn is_at(self, now: u64) -> bool {
        self.at == now
    }

    /// Returns `true` if the check comes after offset `end`.
    pub(super) const fn is_after(self, end: u64) -> bool {
        end < self.at
    }
}

/// The first multiple of `stride` after a stream offset.
const fn next_multiple(now: u64, stride: u64) -> u64 {
    now - now % stride + stride
}
