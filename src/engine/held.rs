//! Held bytes: read but not emitted yet.

/// Stream offset of the first held byte, if there is one. Appending bytes does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HoldStart(u64);

impl HoldStart {
    /// No held bytes, represented by an offset that no stream reaches.
    pub(crate) const NOTHING: Self = Self(u64::MAX);

    /// Returns the hold of the bytes from `start` to `end`.
    pub(crate) const fn between(start: u64, end: u64) -> Self {
        if start < end {
            Self(start)
        } else {
            Self::NOTHING
        }
    }

    /// Returns `true` if bytes are held.
    pub(crate) const fn is_some(self) -> bool {
        self.0 != u64::MAX
    }

    /// Returns the stream offset of the first held byte, or `position` if there is none.
    pub(crate) const fn start(self, position: u64) -> u64 {
        if self.is_some() { self.0 } else { position }
    }

    /// Returns the number of held bytes up to `position`, the end of the bytes read.
    pub(crate) const fn len(self, position: u64) -> usize {
        (position - self.start(position)) as usize
    }
}
