//! A single annotation of the memo's tuple.

use std::borrow::Cow;

use super::{Class, Timestamp};
use crate::Span;
use crate::names::names;

/// Reason for which an annotation counts as `unverified-inference` although another class was
/// declared.
///
/// Source: `provenance memo 4` (unknown identifiers), wire profile, resolving an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The identifier is not in the loaded vocabulary.
    UnknownIdentifier,
    /// The identifier is anchored to a version the loaded vocabulary does not cover.
    VocabularyVersion,
    /// The annotation breaks the grammar although it was clearly meant as one.
    Malformed,
    /// A marker names a source that a complete list of sources does not have.
    UnknownSource,
}

names! {
    Reason, "reason", "The name used on the wire, such as `unknown-identifier`.",
    UnknownIdentifier => "unknown-identifier",
    VocabularyVersion => "vocabulary-version",
    Malformed => "malformed",
    UnknownSource => "unknown-source",
}

/// Kind of label of an annotation; the memo requires that these are kept apart.
///
/// An assertion without any annotation has none of these kinds: see
/// [`Assertion::is_annotated`](super::Assertion::is_annotated). Source: `provenance memo 5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LabelKind {
    /// A substrate class is named as corroborating. It is the emitter's claim, never evidence (`provenance memo 11.1`).
    Corroborated,
    /// A terminal state, declared by the emitter itself.
    DeclaredTerminal,
    /// `unverified-inference` because what was declared could not be accepted; see [`Annotation::reason`].
    MappedTerminal,
}

names! {
    LabelKind, "kind of label", "The name, such as `declared-terminal`.",
    Corroborated => "corroborated",
    DeclaredTerminal => "declared-terminal",
    MappedTerminal => "mapped-terminal",
}

/// A provenance annotation: the declared identifier and the class it resolves to.
///
/// Borrows from the stream where possible; [`into_owned`](Self::into_owned) copies the strings.
/// Source: `provenance memo 6`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Annotation<'a> {
    pub(crate) class: Class,
    pub(crate) declared: Cow<'a, str>,
    pub(crate) reason: Option<Reason>,
    pub(crate) observation_id: Option<Cow<'a, str>>,
    pub(crate) ts: Option<Cow<'a, str>>,
    pub(crate) span: Span,
}

impl<'a> Annotation<'a> {
    /// Creates an annotation with a declared identifier and the class it resolves to, and nothing
    /// else.
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

    /// Sets the reason for which the annotation counts as `unverified-inference`, whatever class was named.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Self {
        self.class = Class::UNVERIFIED_INFERENCE;
        self.reason = Some(reason);
        self
    }

    /// Sets the observation id.
    #[must_use]
    pub fn with_observation_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.observation_id = Some(id.into());
        self
    }

    /// Sets the time of the observation, as written (RFC 3339).
    #[must_use]
    pub fn with_ts(mut self, ts: impl Into<Cow<'a, str>>) -> Self {
        self.ts = Some(ts.into());
        self
    }

    /// Sets the span in the stream.
    #[must_use]
    pub const fn with_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// Removes the observation id, for readers who need not know it (`provenance memo 12`: an id may expose a path, a content
    /// hash or a peer credential).
    #[must_use]
    pub fn without_observation_id(mut self) -> Self {
        self.observation_id = None;
        self
    }

    /// Returns the resolved class.
    #[must_use]
    pub const fn class(&self) -> &Class {
        &self.class
    }

    /// Returns the identifier as written; in JSON, any string, decoded; empty if there was none or
    /// it was too long.
    #[must_use]
    pub fn declared(&self) -> &str {
        &self.declared
    }

    /// Returns the reason for a class other than the declared one, `None` if they are equal.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Returns the identifier of the observation, which is opaque.
    #[must_use]
    pub fn observation_id(&self) -> Option<&str> {
        self.observation_id.as_deref()
    }

    /// Returns the time of the observation as written; `None` also if it is not a date-time of RFC
    /// 3339.
    #[must_use]
    pub fn ts(&self) -> Option<&str> {
        self.ts.as_deref()
    }

    /// Returns the time of the observation as an instant.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.ts().and_then(|ts| ts.parse().ok())
    }

    /// Returns the span in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.span
    }

    /// Returns the state that the label declares (`provenance memo 5`).
    #[must_use]
    pub const fn label_kind(&self) -> LabelKind {
        match (self.reason, self.class.is_terminal()) {
            (Some(_), _) => LabelKind::MappedTerminal,
            (None, true) => LabelKind::DeclaredTerminal,
            (None, false) => LabelKind::Corroborated,
        }
    }

    /// Copies the annotation with its strings.
    #[must_use]
    pub fn into_owned(self) -> Annotation<'static> {
        let own = |value: Cow<'a, str>| Cow::Owned(value.into_owned());
        Annotation {
            class: self.class,
            declared: own(self.declared),
            reason: self.reason,
            observation_id: self.observation_id.map(own),
            ts: self.ts.map(own),
            span: self.span,
        }
    }
}

impl Annotation<'_> {
    /// Borrows the annotation.
    pub(super) fn reborrow(&self) -> Annotation<'_> {
        Annotation {
            class: self.class.clone(),
            declared: Cow::Borrowed(&self.declared),
            reason: self.reason,
            observation_id: self.observation_id.as_deref().map(Cow::Borrowed),
            ts: self.ts.as_deref().map(Cow::Borrowed),
            span: self.span,
        }
    }
}
