//! The lines that are printed, as JSON.

use provstream::provenance::{Assertion, Verdict};
use provstream::{Diagnostic, Span};
use provstream_providers::Channel;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::marc::record::ViolationFields;

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
    /// A MARC object and what is wrong with it; `record` is what was written, none if that is longer than a limit.
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
    /// Something worth knowing about a place in the stream.
    Diagnostic { code: &'static str, span: Span },
    /// An error that a provider reports in its event stream.
    Error { message: &'a str },
    /// A piece of the stream's text without its annotations.
    Text { text: &'a str },
    /// The totals of the stream.
    End(Totals),
}

/// A line about a channel of an event stream, if the input has any.
#[derive(Debug, Serialize)]
pub(crate) struct InChannel<'a> {
    /// What is printed.
    #[serde(flatten)]
    pub(crate) line: &'a Line<'a>,
    /// Whose text it is about.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_channel"
    )]
    pub(crate) channel: Option<Channel>,
}

fn write_channel<S: Serializer>(
    channel: &Option<Channel>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match channel {
        Some(channel) => serializer.collect_str(channel),
        None => serializer.serialize_none(),
    }
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
