//! Lines of NDJSON that commands print.

use std::sync::Arc;

use provstream::provenance::{Assertion, Malformation, Verdict};
use provstream::{Citation, Span};
use provstream_marc::Violation;
use provstream_providers::Channel;
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Version of the output format. It increases when a member goes or changes its meaning; new members and new kinds of lines
/// may come within a version.
pub(crate) const OUTPUT_FORMAT_VERSION: u32 = 1;

/// Line about a stream. The order of the fields is that of the output.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum OutputRecord<'a> {
    /// Assertion with its annotations, and with a verdict if it was judged.
    Assertion {
        #[serde(flatten)]
        assertion: &'a Assertion<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<&'a Verdict>,
        /// Faults of malformed annotations in brackets, by index, for people.
        #[serde(skip)]
        faults: &'a [Option<Malformation>],
    },
    /// Assertion with its annotations and the checks of an extension.
    #[serde(rename = "assertion")]
    Checked {
        #[serde(flatten)]
        assertion: &'a Assertion<'a>,
        checks: &'a Value,
        /// Checks for people.
        #[serde(skip)]
        lines: &'a str,
    },
    /// Assertion with its markers.
    Citation {
        #[serde(flatten)]
        citation: &'a Citation<'a>,
    },
    /// MARC object with its violations; `record` is absent if it is longer than the limit.
    Marc {
        kind: &'static str,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        valid: bool,
        violations: Vec<ViolationRecord<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<Box<RawValue>>,
    },
    /// Diagnostic; `message` has details that the code leaves open.
    Diagnostic {
        code: &'static str,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
    },
    /// Error that a provider reports.
    Error { message: &'a str },
    /// Sentence without an annotation, with `--require-annotations`.
    Unannotated {
        text: &'a str,
        span: Span,
        clean_span: Span,
    },
    /// Piece of the text without annotations.
    Text { text: &'a str },
    /// Totals of a stream, or of all.
    End(EventTotals),
    /// Totals of judged streams.
    #[serde(rename = "end")]
    AdmitEnd(AdmitTotals),
}

/// Counts of `extract`.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct EventTotals {
    /// Length of the stream.
    pub(crate) bytes: u64,
    pub(crate) assertions: u64,
    /// Annotations in brackets, with those that a limit left out, and printed annotations in JSON.
    pub(crate) annotations: u64,
    pub(crate) marc: u64,
    pub(crate) diagnostics: u64,
    /// Assertions with markers; left out without any.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) citations: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts of `admit`.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct AdmitTotals {
    pub(crate) bytes: u64,
    pub(crate) assertions: u64,
    pub(crate) admitted: u64,
    /// Diagnostics, which are not printed.
    pub(crate) diagnostics: u64,
}

/// Violation of a MARC draft.
#[derive(Debug, Serialize)]
pub(crate) struct ViolationRecord<'a> {
    pub(crate) code: &'static str,
    pub(crate) level: &'static str,
    /// Line of the input, where lines are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    pub(crate) pointer: &'a str,
    pub(crate) section: &'static str,
    pub(crate) message: &'a str,
}

impl<'a> From<&'a Violation> for ViolationRecord<'a> {
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

/// Members at the end of a record that name its subject.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RecordContext {
    /// File, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<Arc<str>>,
    /// Line of NDJSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// Field, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<Arc<str>>,
    /// Channel of a response.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_string")]
    pub(crate) channel: Option<Channel>,
    /// Number of files, in the totals of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<u64>,
}

fn as_string<S: Serializer>(channel: &Option<Channel>, serializer: S) -> Result<S::Ok, S::Error> {
    match channel {
        Some(channel) => serializer.collect_str(channel),
        None => serializer.serialize_none(),
    }
}

/// A record with its context.
#[derive(Debug, Serialize)]
pub(crate) struct ContextualLine<'a> {
    #[serde(flatten)]
    pub(crate) record: &'a OutputRecord<'a>,
    #[serde(flatten)]
    pub(crate) context: &'a RecordContext,
}
