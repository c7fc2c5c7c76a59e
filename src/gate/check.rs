//! Schedule of the checks for text that is too long to be held.

/// Interval of the regular checks, in bytes: one is due at every stream offset that is a multiple
/// of it.
pub(super) const STRIDE: u64 = 1_024;

/// First interval of the checks while text that is too long continues, and in a JSON value outside a fenced block, in bytes. As
/// each of them may read all that can be part of an assertion, the intervals grow with that text, up to [`STRIDE`]: longer ones
/// would leave more than one piece of text to be asked about at a check.
const SHORT_STRIDE: u64 = 256;

/// Minimum of `max_assertion` from which on text that is too long is checked at intervals instead
/// of at every byte.
const LITTLE: u64 = 1_024;

/// Number of bytes without a find, such as markers of empty list items, after which checks are less
/// frequent.
const FRUITLESS: u64 = 256;

/// Stream offset of the next check for text that is too long. It depends on the stream alone, not
/// on the chunking.
///
/// Up to an offset that the engine knows, no text is too long. From there on, each byte that can
/// make text longer is checked, so that text that is too long is found at once, when all text
/// before it is decided about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    at: u64,
    how: How,
}

/// Bytes that may be read before the next check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Bytes that cannot make text too long.
    Far,
    /// ASCII white space, which makes no text longer; no byte since the stream offset `since` did.
    Near { since: u64 },
    /// Any bytes; so it is since the stream offset `since`.
    Blind { since: u64 },
}

impl Check {
    /// Returns the first check of a stream that begins at offset `start`.
    pub(super) fn new(start: u64, max_assertion: usize) -> Self {
        Self::far(start, start.saturating_add(max_assertion as u64))
    }

    /// Returns the next check after `now` if no text is too long up to `until`, which is greater.
    fn far(now: u64, until: u64) -> Self {
        Self {
            at: until.min(next_multiple(now, STRIDE)),
            how: How::Far,
        }
    }

    /// Returns the next check after one without a find; up to `until`, which is greater than `now`,
    /// no text is too long.
    pub(super) fn again(self, now: u64, until: Option<u64>) -> Self {
        if let Some(until) = until {
            return Self::far(now, until);
        }
        let since = match self.how {
            How::Far => now,
            How::Near { since } if now - since < FRUITLESS => since,
            How::Near { .. } | How::Blind { .. } => return self.blind(now),
        };
        Self {
            at: now + 1,
            how: How::Near { since },
        }
    }

    /// Returns this check one byte later than `now`.
    pub(super) const fn postponed(self, now: u64) -> Self {
        Self {
            at: now + 1,
            ..self
        }
    }

    /// Returns the next check after `now` while text that is too long continues, or a value is open
    /// that may be.
    pub(super) fn in_long(self, now: u64, max_assertion: usize) -> Self {
        if max_assertion as u64 >= LITTLE {
            return self.blind(now);
        }
        Self {
            at: now + 1,
            how: How::Far,
        }
    }

    fn blind(self, now: u64) -> Self {
        let since = match self.how {
            How::Blind { since } => since,
            _ => now,
        };
        // A power of two that is at most half as long as the text.
        let grown = 1 << ((now - since) / 2).max(1).ilog2();
        let stride = u64::clamp(grown, SHORT_STRIDE, STRIDE);
        Self {
            at: next_multiple(now, stride),
            how: How::Blind { since },
        }
    }

    /// Returns `true` if text may be released before the check.
    pub(super) fn is_far(self) -> bool {
        self.how == How::Far
    }

    /// Returns `true` if text that is too long may have become part of an assertion since the last check.
    pub(super) fn is_blind(self) -> bool {
        matches!(self.how, How::Blind { .. })
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

/// Returns the first multiple of `stride` after a stream offset.
const fn next_multiple(now: u64, stride: u64) -> u64 {
    now - now % stride + stride
}
