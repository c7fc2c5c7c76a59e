//! Summary of a text whose body is written.

use provstream::DiagnosticCode;

use crate::counts::Counts;
use crate::index::Index;
use crate::note::NotePlace;

/// Summary of a text for the head of a page, returned by
/// [`Transcript::finish`](crate::Transcript::finish).
#[derive(Clone, Debug)]
pub struct TextSummary {
    /// Heading of the part.
    pub(crate) title: Box<str>,
    pub(crate) prefix: Box<str>,
    pub(crate) counts: Counts,
    pub(crate) problems: u64,
    pub(crate) index: Index,
    /// First diagnostics, with their places.
    pub(crate) diagnostics: Vec<(DiagnosticCode, NotePlace)>,
}

impl TextSummary {
    /// Returns the counts of the text.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }
}
