//! Rules for assertions, with their texts in several languages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::gate::policy::{Action, AtLimit, Unannotated};

/// Action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Release,
    Mark,
    Replace,
    Discard,
    Suspend,
    Refuse,
}

impl Verb {
    pub(super) const ALL: [Self; 6] = [
        Self::Release,
        Self::Mark,
        Self::Replace,
        Self::Discard,
        Self::Suspend,
        Self::Refuse,
    ];

    /// Returns the name in policy files.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Mark => "mark",
            Self::Replace => "replace",
            Self::Discard => "discard",
            Self::Suspend => "suspend",
            Self::Refuse => "refuse",
        }
    }
}

/// A text in one language or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocalisedText {
    /// Text for every language without a text of its own.
    pub(super) general: Box<str>,
    pub(super) by_language: BTreeMap<Box<str>, Box<str>>,
}

impl LocalisedText {
    fn in_language(&self, language: &str) -> Cow<'static, str> {
        let text = self.by_language.get(language).unwrap_or(&self.general);
        Cow::Owned(text.to_string())
    }
}

/// Rule for assertions of one disposition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) verb: Verb,
    /// Text that replaces the assertion, or precedes it if it is marked.
    pub(super) text: LocalisedText,
    /// Text that follows an assertion that is marked.
    pub(super) after: LocalisedText,
}

impl Rule {
    /// Releases everything.
    pub(super) fn release() -> Self {
        Self {
            verb: Verb::Release,
            text: LocalisedText::default(),
            after: LocalisedText::default(),
        }
    }

    pub(super) fn action(&self, language: &str) -> Action {
        let text = || self.text.in_language(language);
        match self.verb {
            Verb::Release => Action::Release,
            Verb::Mark => Action::Mark(text(), self.after.in_language(language)),
            Verb::Replace => Action::Replace(text()),
            Verb::Discard => Action::Discard,
            Verb::Suspend => Action::Suspend,
            Verb::Refuse => Action::Refuse(text()),
        }
    }

    /// Returns the decision about text that no assertion covers. Nothing ends the stream there: a file cannot ask for that.
    pub(super) fn unannotated(&self, language: &str) -> Unannotated {
        match self.action(language) {
            Action::Release => Unannotated::Release,
            Action::Mark(before, after) => Unannotated::Mark(before, after),
            Action::Replace(text) => Unannotated::Replace(text),
            Action::Discard | Action::Suspend | Action::Refuse(_) => Unannotated::Discard,
        }
    }

    /// Returns the decision about text that is too long: release it, or end the stream.
    pub(super) fn at_limit(&self, language: &str) -> AtLimit {
        match self.action(language) {
            Action::Release | Action::Mark(..) => AtLimit::Release,
            Action::Replace(text) | Action::Refuse(text) => AtLimit::Refuse(text),
            Action::Discard | Action::Suspend => AtLimit::Refuse(Cow::Borrowed("")),
        }
    }
}
