//! Settings of a route's filters.

use std::sync::Arc;

use provstream::Rules;
use provstream::provenance::{ObservationCheck, Vocabulary};
#[cfg(feature = "dialects")]
use provstream::{
    Sources,
    render::{MarkerRenderer, Template, Unlisted},
};
#[cfg(feature = "dialects")]
use provstream_providers::ChannelRenderer;
use provstream_providers::{Format, PassMembers, Reasoning};

#[cfg(feature = "dialects")]
use crate::answer_sources::{AnswerSources, ResponseSourceReader};
#[cfg(feature = "dialects")]
use crate::source_classes::SourceClasses;

/// Action on text.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Remove annotations.
    Strip,
    /// Apply a policy.
    Gate(Arc<Rules>),
}

/// Settings about citations.
#[cfg(feature = "dialects")]
#[derive(Clone, Debug, Default)]
pub(crate) struct CitationSettings {
    /// Dialects whose markers are read and removed, too.
    pub(crate) dialects: Option<provstream::Dialects>,
    /// Sources with which the identifiers of markers are compared.
    pub(crate) sources: Option<Arc<dyn Sources>>,
    /// The sources are those of each request.
    pub(crate) has_request_sources: bool,
    /// Classes of the sources of requests.
    pub(crate) classes: SourceClasses,
    /// The sources of a request, which its answer may add to.
    pub(crate) answer: Option<Arc<AnswerSources>>,
    /// Why the sources of the request are incomplete.
    pub(crate) source_gap: Option<crate::SourceGap>,
    /// Text that is written in the place of markers.
    pub(crate) rendering: Option<RenderSettings>,
}

/// Text in the place of markers.
#[cfg(feature = "dialects")]
#[derive(Clone, Debug)]
pub(crate) struct RenderSettings {
    pub(crate) template: Template,
    pub(crate) unlisted: Unlisted,
}

#[cfg(feature = "dialects")]
impl CitationSettings {
    /// Creates the reader of the sources that a response brings, if the sources are those of its request.
    pub(crate) fn source_reader(&self) -> Option<Box<ResponseSourceReader>> {
        let (dialects, answer) = self.dialects.as_ref().zip(self.answer.as_ref())?;
        let reader = ResponseSourceReader::new(dialects, &self.classes, answer);
        Some(Box::new(reader))
    }

    /// Creates the renderer of a response, if something is written in the place of markers.
    pub(crate) fn renderer(&self) -> Option<Box<ChannelRenderer>> {
        let rendering = self.rendering.as_ref()?;
        let sources = match &self.sources {
            Some(sources) => Arc::clone(sources),
            None => Arc::new(AnswerSources::default()),
        };
        let renderer = MarkerRenderer::new(rendering.template.clone(), sources);
        let renderer = renderer.with_unlisted(rendering.unlisted);
        Some(Box::new(ChannelRenderer::new(renderer)))
    }
}

/// Settings of a filter.
#[derive(Clone, Debug)]
pub(crate) struct FilterSettings {
    pub(crate) act: Act,
    pub(crate) vocabulary: Vocabulary,
    /// Record by which a gate checks the observations that annotations cite.
    pub(crate) observations: Option<Arc<dyn ObservationCheck>>,
    #[cfg(feature = "dialects")]
    pub(crate) citations: CitationSettings,
    /// Format of responses; `None` to detect it from the events.
    pub(crate) format: Option<Format>,
    pub(crate) reasoning: Reasoning,
    /// `true` to withhold responses that cannot be inspected.
    pub(crate) is_closed: bool,
    /// Members unknown to the format that pass unchanged.
    pub(crate) pass_members: PassMembers,
    /// Content encodings that the upstream names although the body is not encoded.
    pub(crate) plain_encodings: Vec<Box<str>>,
    pub(crate) max_event: usize,
    pub(crate) max_held: usize,
}

impl FilterSettings {
    pub(crate) const fn is_gate(&self) -> bool {
        matches!(self.act, Act::Gate(_))
    }

    /// Returns `true` if the value of `Content-Encoding` names no encoding: `identity`, `none`, which
    /// clients read in the same way, or those of the settings.
    pub(crate) fn is_plain(&self, encodings: &str) -> bool {
        let own = self.plain_encodings.iter().map(AsRef::as_ref);
        let names = ["", "identity", "none"].into_iter().chain(own);
        let mut encodings = encodings.split(',').map(str::trim);
        encodings.all(|one| names.clone().any(|name| name.eq_ignore_ascii_case(one)))
    }
}
