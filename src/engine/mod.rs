//! From bytes to events: a folder for each grammar, and the drivers that put them together.

pub(crate) mod annotation;
mod block;
pub(crate) mod buffer;
mod bytes;
pub(crate) mod chars;
mod held;
pub(crate) mod json;
mod lookback;
mod markdown;
mod run;
pub mod sentence;
pub(crate) mod text;
mod window;

use crate::Limits;
use crate::event::Event;
use crate::provenance::Vocabulary;

/// What an engine needs to know but does not own.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) vocabulary: &'a Vocabulary,
}

/// Takes the events of one push.
pub(crate) type Sink<'a> = dyn FnMut(Event<'_>) + 'a;

/// From where on text may still become part of an assertion, as stream offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReleasePoint {
    pub(crate) at: u64,
    /// It is where it is because `max_assertion` cuts off the text before it.
    pub(crate) cut: bool,
}

impl ReleasePoint {
    /// One that no limit has moved.
    pub(crate) const fn uncut(at: u64) -> Self {
        Self { at, cut: false }
    }

    /// One that is at most at `limit`.
    pub(crate) fn at_most(self, limit: u64) -> Self {
        let at = self.at.min(limit);
        Self { at, ..self }
    }
}

/// What a stream is in the midst of, as far as it matters to where its text becomes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Text,
    /// What may become an annotation.
    Candidate,
    /// A block of code.
    Block,
    /// A JSON value outside a block of code.
    Value,
}
