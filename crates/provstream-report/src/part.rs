//! What is known about a text once its body is written.

use crate::counts::Counts;
use crate::index::Index;

/// What the head of a page has to know about a text; from [`Transcript::finish`](crate::Transcript::finish).
#[derive(Clone, Debug)]
pub struct Part {
    /// Its heading.
    pub(crate) title: Box<str>,
    pub(crate) prefix: Box<str>,
    pub(crate) counts: Counts,
    pub(crate) problems: u64,
    pub(crate) index: Index,
}

impl Part {
    /// What was counted in the text.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }
}
