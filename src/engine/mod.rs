//! Engine that converts bytes to events: a folder for each grammar, and the driver that combines
//! them.

pub(crate) mod annotation;
mod block;
pub(crate) mod buffer;
pub(crate) mod bytes;
pub(crate) mod chars;
pub(crate) mod driver;
mod held;
pub(crate) mod json;
mod lookback;
mod markdown;
#[cfg(feature = "dialects")]
pub(crate) mod marker;
#[cfg(not(feature = "dialects"))]
mod no_markers;
mod run;
pub mod sentence;
mod unknown;
mod window;

use crate::Limits;
use crate::event::Event;
use crate::provenance::Vocabulary;

/// Chunk of a push, with everything that an engine uses but does not own.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) chunk: &'a [u8],
    /// Stream offset of the first byte of the chunk.
    pub(crate) base: u64,
}

impl Input<'_> {
    /// Returns the stream offset of the next byte.
    pub(crate) const fn end(&self) -> u64 {
        self.base + self.chunk.len() as u64
    }

    /// Returns the index of a stream offset in the chunk.
    pub(crate) const fn index(&self, offset: u64) -> usize {
        (offset - self.base) as usize
    }

    /// Splits the chunk at an index.
    pub(crate) fn split_at(&self, at: usize) -> (Self, Self) {
        let (chunk, later) = self.chunk.split_at(at);
        let base = self.base + at as u64;
        let later = Self {
            chunk: later,
            base,
            ..*self
        };
        (Self { chunk, ..*self }, later)
    }
}

/// Receiver of the events of one push.
pub(crate) type Sink<'a> = dyn FnMut(Event<'_>) + 'a;

/// Effect of truncation by `max_assertion` on the start of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtCut {
    No,
    /// Depends on the next bytes of an incomplete word.
    Maybe,
    Yes,
}

impl From<bool> for AtCut {
    fn from(at_cut: bool) -> Self {
        if at_cut { Self::Yes } else { Self::No }
    }
}

/// Release point: the stream offset from which on text may still become part of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReleasePoint {
    pub(crate) at: u64,
    /// Truncation by `max_assertion` that determines the offset.
    pub(crate) cut: AtCut,
    /// Stream offset of the start of the text block; 0 if the start is no longer retained.
    pub(crate) block: u64,
}

/// Earliest offset at which an incomplete citation may begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCitation {
    /// Offset in the stream.
    pub(crate) stream: u64,
    /// Offset in the clean text.
    pub(crate) clean: u64,
    /// The offset is where `max_assertion` cuts off the text before.
    pub(crate) cut: bool,
    /// Stream offset up to which nothing is cut off.
    pub(crate) uncut_until: u64,
}

impl ReleasePoint {
    /// Creates a release point that no limit has moved.
    pub(crate) const fn uncut(at: u64) -> Self {
        Self {
            at,
            cut: AtCut::No,
            block: at,
        }
    }

    /// Lowers the release point to `most`; `cut` if `max_assertion` determines that offset.
    pub(crate) fn at_most_as(self, most: u64, cut: bool) -> Self {
        if self.at < most {
            return self;
        }
        Self {
            at: most,
            cut: cut.into(),
            block: self.block.min(most),
        }
    }

    /// Lowers the release point to `limit`.
    pub(crate) fn at_most(self, limit: u64) -> Self {
        Self {
            at: self.at.min(limit),
            block: self.block.min(limit),
            ..self
        }
    }
}
