//! The lines that are printed, as JSON.

use provstream::provenance::{Annotation, Assertion, Verdict};
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
        encoding: &'static str,
        text: &'a str,
        span: Offsets,
        #[serde(skip_serializing_if = "Option::is_none")]
        clean_span: Option<Offsets>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        #[serde(serialize_with = "write_annotations")]
        annotations: &'a Assertion<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<Judged<'a>>,
    },
    /// A MARC object and what is wrong with it; `record` is what was written, none if that is longer than a limit.
    Marc {
        kind: &'static str,
        span: Offsets,
        #[serde(skip_serializing_if = "Option::is_none")]
        pointer: Option<&'a str>,
        valid: bool,
        violations: Vec<ViolationFields<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<Box<RawValue>>,
    },
    /// Something worth knowing about a place in the stream.
    Diagnostic { code: &'static str, span: Offsets },
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
        Self::Assertion {
            encoding: assertion.encoding().as_str(),
            text: assertion.text(),
            span: assertion.span().into(),
            clean_span: assertion.clean_span().map(Offsets::from),
            pointer: assertion.pointer(),
            annotations: assertion,
            verdict: verdict.map(Judged::from),
        }
    }
}

impl From<Diagnostic> for Line<'_> {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic {
            code: diagnostic.code().as_str(),
            span: diagnostic.span().into(),
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

/// A span.
#[derive(Debug, Serialize)]
pub(crate) struct Offsets {
    start: u64,
    end: u64,
}

impl From<Span> for Offsets {
    fn from(span: Span) -> Self {
        Self {
            start: span.start(),
            end: span.end(),
        }
    }
}

#[derive(Debug, Serialize)]
struct AnnotationFields<'a> {
    class: &'a str,
    declared: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<&'a str>,
    span: Offsets,
}

/// An annotation as a JSON object.
struct AnnotationLine<'a>(Annotation<'a>);

impl Serialize for AnnotationLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let annotation = &self.0;
        AnnotationFields {
            class: annotation.class().as_str(),
            declared: annotation.declared(),
            reason: annotation.reason().map(|reason| reason.as_str()),
            observation_id: annotation.observation_id(),
            ts: annotation.ts(),
            span: annotation.span().into(),
        }
        .serialize(serializer)
    }
}

fn write_annotations<S: Serializer>(
    assertion: &Assertion<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(assertion.annotations().map(AnnotationLine))
}

/// A verdict.
#[derive(Debug, Serialize)]
pub(crate) struct Judged<'a> {
    admitted: bool,
    reason: &'static str,
    classes: Vec<&'a str>,
    floor: usize,
}

impl<'a> From<&'a Verdict> for Judged<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        Self {
            admitted: verdict.admitted(),
            reason: verdict.reason().as_str(),
            classes: verdict
                .classes()
                .iter()
                .map(|class| class.as_str())
                .collect(),
            floor: verdict.floor(),
        }
    }
}
