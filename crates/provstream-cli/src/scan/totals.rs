//! Counts of a part of a file, of a file, or of all files.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use super::record::{AdmitTotals, EventTotals, OutputRecord};
use crate::fields::FieldCounts;
use crate::hidden_annotations::HiddenIn;
use crate::messages::{CountAndExample, description};
use crate::response::ResponseStatus;

/// Counts over one or more streams.
#[derive(Debug, Default)]
pub(crate) struct StreamCounts {
    pub(crate) totals: EventTotals,
    /// Assertions that were not admitted.
    pub(crate) refused: CountAndExample,
    /// Sentences without an annotation, if they are counted.
    pub(crate) unannotated: CountAndExample,
    /// Annotations that are malformed or of an unknown class.
    pub(crate) faulty: CountAndExample,
    /// Cited identifiers that a list of sources does not have.
    pub(crate) unlisted: CountAndExample,
    pub(crate) unjudged: UnjudgedDiagnostics,
    /// Errors that providers reported.
    pub(crate) errors: u64,
    /// Streams that were not fully read, or have annotations that were not read.
    pub(crate) incomplete: u64,
}

impl StreamCounts {
    /// Adds the counts of a later stream.
    pub(crate) fn merge(&mut self, later: &Self) {
        let (totals, other) = (&mut self.totals, later.totals);
        totals.bytes += other.bytes;
        totals.assertions += other.assertions;
        totals.annotations += other.annotations;
        totals.marc += other.marc;
        totals.citations += other.citations;
        totals.diagnostics += other.diagnostics;
        self.refused.merge(&later.refused);
        self.unannotated.merge(&later.unannotated);
        self.faulty.merge(&later.faulty);
        self.unlisted.merge(&later.unlisted);
        self.unjudged.merge(&later.unjudged);
        self.errors += later.errors;
        self.incomplete += later.incomplete;
    }

    /// Returns `true` if there is text, and nothing was found in it.
    pub(crate) const fn has_only_text(&self) -> bool {
        let EventTotals {
            bytes,
            assertions,
            annotations,
            marc,
            diagnostics,
            citations,
        } = self.totals;
        let found = assertions + annotations + marc + diagnostics + citations;
        bytes > 0 && found == 0
    }

    /// Builds the line of totals.
    pub(crate) fn end_record(&self, is_judged: bool) -> OutputRecord<'static> {
        let totals = self.totals;
        if !is_judged {
            return OutputRecord::End(totals);
        }
        OutputRecord::AdmitEnd(AdmitTotals {
            bytes: totals.bytes,
            assertions: totals.assertions,
            admitted: totals.assertions - self.refused.count(),
            diagnostics: totals.diagnostics,
        })
    }
}

/// Result of reading a part of a file, or a whole file.
#[derive(Debug, Default)]
pub(crate) struct PartSummary {
    pub(crate) counts: StreamCounts,
    pub(crate) status: ResponseStatus,
    pub(crate) fields: FieldCounts,
    /// Place of annotations that were not read, if no assertion was found.
    pub(crate) hidden: Option<HiddenIn>,
    /// Name of the dialect of markers that were not read, if there are no annotations.
    pub(crate) dialect: Option<String>,
}

impl PartSummary {
    /// Adds the summary of the next part.
    pub(crate) fn merge(&mut self, next: Self) {
        self.counts.merge(&next.counts);
        self.fields.merge(&next.fields);
        self.hidden = self.hidden.or(next.hidden);
        self.dialect = self.dialect.take().or(next.dialect);
        // A response is read in one part.
        self.status = next.status;
    }
}

/// Returns `true` for a diagnostic after which something was not read that may be an assertion, or a part of one.
fn prevents_verdict(code: &str) -> bool {
    code.starts_with("limit-")
        || matches!(
            code,
            "json-syntax"
                | "unterminated"
                | "orphan"
                | "no-field"
                | "unclosed-marker"
                | "unread-marker"
        )
}

/// Counts of diagnostics that prevent verdicts.
#[derive(Debug, Default)]
pub(crate) struct UnjudgedDiagnostics {
    codes: BTreeMap<&'static str, u64>,
    first: CountAndExample,
}

impl UnjudgedDiagnostics {
    /// Counts a diagnostic at a location; returns `true` if it prevents verdicts.
    pub(crate) fn add(&mut self, code: &'static str, location: impl FnOnce() -> String) -> bool {
        let counts = prevents_verdict(code);
        if counts {
            *self.codes.entry(code).or_default() += 1;
            self.first.add(|| match description(code) {
                Some(description) => format!("{}: {description}", location()),
                None => location(),
            });
        }
        counts
    }

    fn merge(&mut self, later: &Self) {
        for (code, count) in &later.codes {
            *self.codes.entry(code).or_default() += count;
        }
        self.first.merge(&later.first);
    }

    /// Returns `true` without any.
    pub(crate) fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }
}

impl Display for UnjudgedDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = self
            .codes
            .iter()
            .map(|(code, count)| format!("{count} {code}"));
        let codes = codes.collect::<Vec<_>>().join(", ");
        let first = self.first.example();
        write!(
            f,
            "not all was judged: {codes}{first}; `provstream extract` with the same input options shows where"
        )
    }
}
