//! The tuple a provenance annotation carries, and the assertion it is attached to.

use std::borrow::Cow;
use std::fmt;

use super::{Class, Timestamp};
use crate::Span;

/// Why a declared identifier was taken for `unverified-inference`.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Not in the loaded vocabulary.
    UnknownIdentifier,
    /// Anchored to a version that is not loaded.
    VocabularyVersion,
    /// The annotation is malformed.
    Malformed,
}

impl Reason {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownIdentifier => "unknown-identifier",
            Self::VocabularyVersion => "vocabulary-version",
            Self::Malformed => "malformed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The concrete encoding an assertion was written in.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// In-line bracketed.
    Bracket,
    /// JSON.
    Json,
}

/// One provenance annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    class: Class,
    declared: Cow<'a, str>,
    reason: Option<Reason>,
    observation_id: Option<Cow<'a, str>>,
    ts: Option<Cow<'a, str>>,
    span: Span,
}

impl<'a> Annotation<'a> {
    /// An annotation of `class`, declared as written.
    #[must_use]
    pub fn new(class: Class, declared: impl Into<Cow<'a, str>>) -> Self {
        Self {
            class,
            declared: declared.into(),
            reason: None,
            observation_id: None,
            ts: None,
            span: Span::default(),
        }
    }

    /// With a reason.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// With an observation id.
    #[must_use]
    pub fn with_observation_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.observation_id = Some(id.into());
        self
    }

    /// With a time of observation.
    #[must_use]
    pub fn with_ts(mut self, ts: impl Into<Cow<'a, str>>) -> Self {
        self.ts = Some(ts.into());
        self
    }

    /// With a span.
    #[must_use]
    pub fn with_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// The class it was resolved to.
    #[must_use]
    pub fn class(&self) -> &Class {
        &self.class
    }

    /// The identifier as written.
    #[must_use]
    pub fn declared(&self) -> &str {
        &self.declared
    }

    /// Why the class is not the declared one.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The observation id.
    #[must_use]
    pub fn observation_id(&self) -> Option<&str> {
        self.observation_id.as_deref()
    }

    /// The time of observation as written.
    #[must_use]
    pub fn ts(&self) -> Option<&str> {
        self.ts.as_deref()
    }

    /// The time of observation.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.ts().and_then(|ts| Timestamp::parse(ts).ok())
    }

    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// Without borrowing.
    #[must_use]
    pub fn into_owned(self) -> Annotation<'static> {
        Annotation {
            class: self.class,
            declared: Cow::Owned(self.declared.into_owned()),
            reason: self.reason,
            observation_id: self.observation_id.map(|id| Cow::Owned(id.into_owned())),
            ts: self.ts.map(|ts| Cow::Owned(ts.into_owned())),
            span: self.span,
        }
    }
}

/// One assertion with its annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion<'a> {
    encoding: Encoding,
    text: Cow<'a, str>,
    span: Span,
    annotations: Vec<Annotation<'a>>,
    limit_hit: bool,
}

impl<'a> Assertion<'a> {
    /// An assertion without annotations.
    #[must_use]
    pub fn new(encoding: Encoding, text: impl Into<Cow<'a, str>>, span: Span) -> Self {
        Self {
            encoding,
            text: text.into(),
            span,
            annotations: Vec::new(),
            limit_hit: false,
        }
    }

    /// With annotations.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Vec<Annotation<'a>>) -> Self {
        self.annotations = annotations;
        self
    }

    /// Whether it hit a limit.
    #[must_use]
    pub fn with_limit_hit(mut self, limit_hit: bool) -> Self {
        self.limit_hit = limit_hit;
        self
    }

    /// The encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The span.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// The annotations.
    pub fn annotations(&self) -> impl Iterator<Item = Annotation<'_>> {
        self.annotations.iter().cloned()
    }

    /// Whether it hit a limit.
    #[must_use]
    pub fn limit_hit(&self) -> bool {
        self.limit_hit
    }
}
