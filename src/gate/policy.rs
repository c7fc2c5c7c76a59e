//! Questions of a gate to its policy, and the policy's answers.

use std::borrow::Cow;

use super::spacing::Spacing;
#[cfg(feature = "dialects")]
use crate::marker::{Citation, CitationParts};
use crate::provenance::{Assertion, Verdict};
use crate::span::Span;

/// Decision about an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Releases the text as it is.
    Release,
    /// Releases the text between a text before it and a text after it.
    Mark(Cow<'static, str>, Cow<'static, str>),
    /// Releases this text in its place.
    Replace(Cow<'static, str>),
    /// Discards the text.
    Discard,
    /// Ends the stream before the text, so that the caller can ask for the rest again.
    Suspend,
    /// Ends the stream before the text, with this text.
    Refuse(Cow<'static, str>),
}

impl Action {
    /// Returns `true` if the action ends the stream.
    #[must_use]
    pub const fn ends(&self) -> bool {
        matches!(self, Self::Suspend | Self::Refuse(_))
    }

    /// Bytes of heap of its texts.
    pub(super) fn heap(&self) -> usize {
        match self {
            Self::Mark(before, after) => owned(before) + owned(after),
            Self::Replace(text) | Self::Refuse(text) => owned(text),
            Self::Release | Self::Discard | Self::Suspend => 0,
        }
    }
}

#[expect(clippy::ptr_arg, reason = "only an owned text has a capacity")]
fn owned(text: &Cow<'static, str>) -> usize {
    match text {
        Cow::Owned(text) => text.capacity(),
        Cow::Borrowed(_) => 0,
    }
}

/// Decision about a run of text that no assertion covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unannotated {
    /// Releases the text as it is.
    #[default]
    Release,
    /// Releases the text between a text before it and a text after it.
    Mark(Cow<'static, str>, Cow<'static, str>),
    /// Releases this text in its place.
    Replace(Cow<'static, str>),
    /// Discards the text.
    Discard,
}

impl Unannotated {
    /// Bytes of heap of its texts.
    pub(super) fn heap(&self) -> usize {
        match self {
            Self::Mark(before, after) => owned(before) + owned(after),
            Self::Replace(text) => owned(text),
            Self::Release | Self::Discard => 0,
        }
    }
}

/// Decision about text that is held back for longer than is allowed, is too long for an assertion, or is not read because it is
/// not the JSON that was expected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtLimit {
    /// Releases the text as unannotated, and [`GateHandler::limit`](super::GateHandler::limit) reports its span. An assertion
    /// that covers some of it is acted on as far as its text is still held back.
    #[default]
    Release,
    /// Ends the stream before the text, with this text.
    Refuse(Cow<'static, str>),
}

/// Decides what becomes of the text of a stream.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy of a gate",
    note = "to gate by the `Rules` of a policy file, give them a clock: `rules.policy(Timestamp::now)`"
)]
pub trait Policy {
    /// Judges an assertion that is complete, before it is decided about; by default there is no verdict.
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        let _ = assertion;
        None
    }

    /// Decides about an assertion that is complete.
    ///
    /// With dialects, it is asked about citations as well (`Question::citation`); of empty ones, which have no text to decide
    /// about, only about orphans (`Citation::is_orphan`).
    ///
    /// Assertions are asked about in the order in which they are complete. After an answer that ends the stream, only
    /// those that begin before that place are.
    fn assertion(&mut self, question: &Question<'_>) -> Action;

    /// Decides about a run of unannotated text, of which only the first character is known; by default it is released.
    ///
    /// Runs are asked about in their order. Whether a run is asked about before or after an assertion that follows it can depend
    /// on the chunks.
    fn unannotated(&mut self) -> Unannotated {
        Unannotated::Release
    }

    /// Decides about text that the gate cannot hold back until its assertion is complete, or cannot read; by default, it is
    /// released.
    ///
    /// The gate asks if a sentence or a block of code is longer than [`max_assertion`](crate::Limits::max_assertion), before any
    /// of it is released, and after [`AtLimit::Release`] again while the text goes on. In free text, a JSON value outside a block
    /// of code is not too long. At stream offsets that are multiples of 1,024, the gate also asks if more than
    /// [`with_max_held`](super::Gate::with_max_held) bytes are held back. And it asks where a stream of JSON values is not JSON.
    ///
    /// [`assertion`](Self::assertion) decides only about text that is still held back when its assertion is complete. So a
    /// policy that must not let through what it withholds has to override this method and return [`AtLimit::Refuse`].
    /// Otherwise, a claim gets past it by being long enough.
    ///
    /// In [`assertion`](Self::assertion), [`Assertion::limit_hit`] reports that a limit cut off the text or left out an
    /// annotation or a part of one.
    fn limit(&mut self) -> AtLimit {
        AtLimit::Release
    }

    /// Returns the treatment of white space beside text that is discarded ([`Action::Discard`], [`Unannotated::Discard`]); by
    /// default it is joined, so that no gap is left.
    ///
    /// In JSON strings nothing is joined.
    fn spacing(&self) -> Spacing {
        Spacing::Join
    }
}

impl<P: Policy + ?Sized> Policy for &mut P {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        (**self).judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        (**self).assertion(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        (**self).unannotated()
    }

    fn limit(&mut self) -> AtLimit {
        (**self).limit()
    }

    fn spacing(&self) -> Spacing {
        (**self).spacing()
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        (**self).judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        (**self).assertion(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        (**self).unannotated()
    }

    fn limit(&mut self) -> AtLimit {
        (**self).limit()
    }

    fn spacing(&self) -> Spacing {
        (**self).spacing()
    }
}

/// An assertion that a policy is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub(super) assertion: &'a Assertion<'a>,
    pub(super) clean_span: Span,
    pub(super) verdict: Option<&'a Verdict>,
    pub(super) channel: &'a str,
    pub(super) untrusted: bool,
    #[cfg(feature = "dialects")]
    pub(super) citation: Option<&'a CitationParts<'a>>,
}

impl<'a> Question<'a> {
    /// Returns the assertion with its annotations. That of a citation has those of `Citation::assertion`.
    #[must_use]
    pub const fn assertion(&self) -> &'a Assertion<'a> {
        self.assertion
    }

    /// Returns the citation whose assertion this is; `None` for an assertion of annotations.
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn citation(&self) -> Option<Citation<'a>> {
        self.citation.map(Citation::borrowed)
    }

    /// Returns `true` if the assertion is that of a citation.
    pub(super) const fn is_citation(&self) -> bool {
        #[cfg(feature = "dialects")]
        return self.citation.is_some();
        #[cfg(not(feature = "dialects"))]
        return false;
    }

    /// Returns the span of the text in the stream without annotations, in bytes, also in JSON.
    #[must_use]
    pub const fn clean_span(&self) -> Span {
        self.clean_span
    }

    /// Returns the verdict of [`Policy::judge`].
    #[must_use]
    pub const fn verdict(&self) -> Option<&'a Verdict> {
        self.verdict
    }

    /// Returns the name of the channel, set with [`Gate::with_channel`](super::Gate::with_channel);
    /// may be empty.
    #[must_use]
    pub const fn channel(&self) -> &'a str {
        self.channel
    }

    /// Returns `true` if some of the text is untrusted.
    #[must_use]
    pub const fn untrusted(&self) -> bool {
        self.untrusted
    }
}
