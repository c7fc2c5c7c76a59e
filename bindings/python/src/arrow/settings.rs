//! Settings of an extraction.

use provstream::Parser;
use provstream::provenance::{Discipline, Timestamp};
use provstream_providers::{Format, Pointer};

/// Settings for the rows of a column.
#[derive(Clone, Debug)]
pub(super) struct ColumnSettings {
    /// Parser that each text starts with a clone of.
    pub(super) parser: Parser,
    pub(super) source: RowSource,
    /// Discipline by which assertions are judged, and the time of judgement.
    pub(super) discipline: Option<(Discipline, Timestamp)>,
}

/// Content of a row.
#[derive(Clone, Debug)]
pub(super) enum RowSource {
    /// Text.
    Raw,
    /// Response of a provider in this format, or in one to be detected.
    Response(Option<Format>),
    /// JSON with texts at these pointers.
    Fields(Vec<Pointer>),
}
