//! When a gate looks for text that is too long to be held back.

use crate::engine::Within;
use crate::engine::chars::{Separator, separator};

/// At stream offsets that are multiples of this, it is looked for wherever it begins.
pub(super) const STRIDE: u64 = 1_024;

/// The same while text that is too long goes on, and in a JSON value outside a block of code.
const SHORT_STRIDE: u64 = 256;

/// Text of which less than this is too long is looked at byte by byte there.
const LITTLE: u64 = 1_024;

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

/// What comes before the next offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// No text that is too long.
    Far,
    /// No byte that makes text longer.
    Near(Within),
    /// Nothing is released.
    Blind,
}

impl Check {
    /// The first in a stream that begins at an offset.
    pub(super) fn new(start: u64, max_assertion: usize) -> Self {
        Self::next(start, start.saturating_add(max_assertion as u64), Within::Text)
    }

    /// The next one after `now`; up to `until`, no text is too long.
    pub(super) fn next(now: u64, until: u64, within: Within) -> Self {
        let far = until > now;
        let at = if far { until } else { now + 1 };
        Self {
            at: at.min(next_multiple(now, STRIDE)),
            how: if far { How::Far } else { How::Near(within) },
        }
    }

    /// The next one after `now`, where text that is too long goes on, or a value is open that may be.
    pub(super) fn blind(now: u64, max_assertion: usize) -> Self {
        if (max_assertion as u64) < LITTLE {
            return Self::next(now, now, Within::Candidate);
        }
        Self {
            at: next_multiple(now, SHORT_STRIDE),
            how: How::Blind,
        }
    }

    /// Whether nothing is released at an offset.
    pub(super) fn is_blind_at(self, now: u64) -> bool {
        self.how == How::Blind && self.at != now
    }

    /// How many of the next bytes may be taken at a time.
    pub(super) fn room(&mut self, now: u64, bytes: &[u8]) -> usize {
        if let How::Near(within) = self.how {
            let before = before_text(bytes, within);
            self.at = (now + before as u64 + 1).min(next_multiple(now, STRIDE));
        }
        usize::try_from(self.at - now).unwrap_or(usize::MAX)
    }

    /// Whether it is here.
    pub(super) const fn is_at(self, now: u64) -> bool {
        self.at == now
    }

    /// Whether it comes after an offset.
    pub(super) const fn is_after(self, end: u64) -> bool {
        end < self.at
    }
}

/// How many bytes come before the next one that may make text longer. What may be white space at the end of `bytes` is not;
/// looking for text after a part of such a character, too, makes no difference.
fn before_text(bytes: &[u8], within: Within) -> usize {
    let mut at = 0;
    while within != Within::Candidate && at < bytes.len() {
        at += match (separator(&bytes[at..]), bytes[at]) {
            (Separator::White(len), _) => len,
            (Separator::Partial, _) => bytes.len() - at,
            // Markers of quotes, and in text of list items and headings, of which there may be any number.
            (_, b'>') => 1,
            (_, b'-' | b'+' | b'*' | b'#') if within == Within::Text => 1,
            _ => break,
        };
    }
    at
}

/// The first multiple of `stride` after a stream offset.
const fn next_multiple(now: u64, stride: u64) -> u64 {
    now - now % stride + stride
}
