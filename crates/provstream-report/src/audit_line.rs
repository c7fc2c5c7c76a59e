//! The lines of an audit log.

use std::borrow::Cow;

use serde::Deserialize;

/// A line, as `provstream gate` writes it.
#[derive(Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(borrow)]
    pub(crate) decision: Cow<'a, str>,
    #[serde(default)]
    pub(crate) stream: String,
    #[serde(default)]
    pub(crate) channel: String,
    #[serde(default)]
    pub(crate) policy: String,
    pub(crate) clean_span: Option<LoggedSpan>,
    pub(crate) sha256: Option<String>,
    #[serde(default)]
    pub(crate) untrusted: bool,
    #[serde(default)]
    pub(crate) annotations: Vec<LoggedAnnotation>,
    #[serde(default)]
    pub(crate) counting: Vec<String>,
    pub(crate) verdict: Option<LoggedVerdict>,
    pub(crate) disposition: Option<String>,
    pub(crate) action: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
pub(crate) struct LoggedSpan {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

#[derive(Deserialize)]
pub(crate) struct LoggedAnnotation {
    #[serde(default)]
    pub(crate) declared: String,
    pub(crate) observation_id: Option<String>,
    pub(crate) ts: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct LoggedVerdict {
    #[serde(default)]
    pub(crate) classes: Vec<String>,
    pub(crate) floor: u64,
}
