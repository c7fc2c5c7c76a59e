//! What was read and is not emitted yet.

/// From which stream offset on bytes are held back, if any are. Appending moves their end, and this stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held(u64);

impl Held {
    /// Nothing is held back. No stream has this offset.
    pub(crate) const NOTHING: Self = Self(u64::MAX);

    /// What is from `start` on, up to `end`.
    pub(crate) const fn between(start: u64, end: u64) -> Self {
        if start < end {
            Self(start)
        } else {
            Self::NOTHING
        }
    }

    /// Returns `true` if anything is held back.
    pub(crate) const fn is_some(self) -> bool {
        self.0 != u64::MAX
    }

    /// Where it starts, or `position`, up to which was read.
    pub(crate) const fn start(self, position: u64) -> u64 {
        if self.is_some() { self.0 } else { position }
    }

    /// How many bytes up to `position`, up to which was read.
    pub(crate) const fn len(self, position: u64) -> usize {
        (position - self.start(position)) as usize
    }
}
