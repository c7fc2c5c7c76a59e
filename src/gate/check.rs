//! When a gate looks for text that is too long to be held back.

/// At stream offsets that are multiples of this, it is looked for wherever it begins.
pub(super) const STRIDE: u64 = 1_024;

/// The next stream offset at which text that is too long is looked for: the first at which there can be such text, and each
/// multiple of the stride. It follows from the stream alone, not from how it is cut into chunks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    at: u64,
    /// It is after the next byte that is neither a space nor a tab, or at a multiple of the stride.
    after_text: bool,
}

impl Check {
    /// The first in a stream that begins at an offset.
    pub(super) fn new(start: u64, max_assertion: usize) -> Self {
        Self::next(start, start.saturating_add(max_assertion as u64))
    }

    /// The next one after `now`, where no text is too long; up to `until`, none will be.
    pub(super) fn next(now: u64, until: u64) -> Self {
        // Else the text is nearly too long, or what follows it is a candidate annotation or white space, or a JSON value.
        let after_text = until <= now;
        let at = now.max(until) + 1;
        Self {
            at: at.min(next_multiple(now)),
            after_text,
        }
    }

    /// The next one after `now`, where nothing is to be found before.
    pub(super) const fn at_multiple(now: u64) -> Self {
        Self {
            at: next_multiple(now),
            after_text: false,
        }
    }

    /// How many of the next bytes may be taken at a time.
    pub(super) fn room(&mut self, now: u64, bytes: &[u8]) -> usize {
        if self.after_text {
            let white = bytes
                .iter()
                .take_while(|&byte| matches!(byte, b' ' | b'\t'));
            self.at = (now + white.count() as u64 + 1).min(next_multiple(now));
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

/// The first multiple of the stride after a stream offset.
const fn next_multiple(now: u64) -> u64 {
    now - now % STRIDE + STRIDE
}
