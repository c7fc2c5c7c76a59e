//! How the texts of a column are read.

use provstream::Parser;
use provstream::provenance::{Discipline, Timestamp};
use provstream_providers::{Format, Pointer};

/// How each row is read.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// What every text is read by a copy of.
    pub(super) parser: Parser,
    pub(super) source: Source,
    /// What judges assertions, and the time to judge by.
    pub(super) discipline: Option<(Discipline, Timestamp)>,
}

/// What a row is.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The text itself.
    Raw,
    /// A provider's response, of this format or of the one that its events show.
    Response(Option<Format>),
    /// JSON with the text at these places.
    Fields(Vec<Pointer>),
}
