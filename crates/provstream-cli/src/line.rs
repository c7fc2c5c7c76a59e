//! The lines that are printed, as JSON.

use provstream::provenance::{Assertion, Verdict};
use provstream::{Diagnostic, Span};
use provstream_marc::Violation;
use serde::Serialize;
use serde_json::value::RawValue;

/// The version of the lines' format. It counts up when a member goes or changes its meaning; new members and new kinds of
/// lines may come within a version.
pub(crate) const FORMAT: u32 = 1;

/// One line. The order of the fields is that of the output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Line<'a> {
    /// An assertion with its annotations.
    Assertion {
        #[serde(flatten)]
        assertion: &'a Assertion<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<&'a Verdict>,
    },
    /// A MARC object and what is wrong with it; `record` is what was written, absent if that is longer than a limit.
    Marc {
        kind: &'static str,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        valid: bool,
        violations: Vec<ViolationFields<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<Box<RawValue>>,
    },
    /// Something worth knowing about a place in the stream; the message says what the code leaves open.
    Diagnostic {
        code: &'static str,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// An error that a provider reports in its event stream.
    Error { message: &'a str },
    /// A piece of the stream's text without its annotations.
    Text { text: &'a str },
    /// The totals of a stream, or of several.
    End(Totals),
    /// The totals of a stream whose assertions were judged.
    #[serde(rename = "end")]
    Judged(JudgedTotals),
}

impl<'a> Line<'a> {
    /// An assertion, with a verdict if it was judged.
    pub(crate) fn assertion(assertion: &'a Assertion<'a>, verdict: Option<&'a Verdict>) -> Self {
        Self::Assertion { assertion, verdict }
    }
}

impl From<Diagnostic> for Line<'_> {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic {
            code: diagnostic.code().as_str(),
            span: diagnostic.span(),
            message: None,
        }
    }
}

/// What was found in a stream.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Totals {
    /// Length of the stream.
    pub(crate) bytes: u64,
    /// Assertions printed.
    pub(crate) assertions: u64,
    /// All annotations in brackets, also those that a limit kept out of their assertion, and those of JSON that were
    /// printed.
    pub(crate) annotations: u64,
    /// MARC objects printed.
    pub(crate) marc: u64,
    /// Diagnostics printed.
    pub(crate) diagnostics: u64,
}

/// What was found in a stream whose assertions were judged.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct JudgedTotals {
    /// Length of the stream.
    pub(crate) bytes: u64,
    /// Assertions printed.
    pub(crate) assertions: u64,
    /// Those that were admitted.
    pub(crate) admitted: u64,
    /// Diagnostics, which are not printed.
    pub(crate) diagnostics: u64,
}

/// A violation of a MARC draft.
#[derive(Debug, Serialize)]
pub(crate) struct ViolationFields<'a> {
    pub(crate) code: &'static str,
    pub(crate) level: &'static str,
    /// The line of the input, where lines are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    pub(crate) pointer: &'a str,
    pub(crate) section: &'static str,
    pub(crate) message: &'a str,
}

impl<'a> From<&'a Violation> for ViolationFields<'a> {
    fn from(violation: &'a Violation) -> Self {
        Self {
            code: violation.code().as_str(),
            level: violation.level().as_str(),
            line: None,
            pointer: violation.pointer(),
            section: violation.section(),
            message: violation.message(),
        }
    }
}
