//! Settings of a route's filters.

use std::sync::Arc;

use provstream::Rules;
use provstream::provenance::{ObservationCheck, Vocabulary};
use provstream_providers::{Format, PassMembers, Reasoning};

/// Action on text.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Remove annotations.
    Strip,
    /// Apply a policy.
    Gate(Arc<Rules>),
}

/// Settings of a filter.
#[derive(Clone, Debug)]
pub(crate) struct FilterSettings {
    pub(crate) act: Act,
    pub(crate) vocabulary: Vocabulary,
    /// Record by which a gate checks the observations that annotations cite.
    pub(crate) observations: Option<Arc<dyn ObservationCheck>>,
    /// Dialects whose markers are read and removed, too.
    #[cfg(feature = "dialects")]
    pub(crate) dialects: Option<provstream::Dialects>,
    /// Sources with which the identifiers of markers are compared.
    #[cfg(feature = "dialects")]
    pub(crate) sources: Option<Arc<crate::SourceList>>,
    /// The sources are those of each request.
    #[cfg(feature = "dialects")]
    pub(crate) has_request_sources: bool,
    /// Why the sources of the request are incomplete.
    #[cfg(feature = "dialects")]
    pub(crate) source_gap: Option<crate::SourceGap>,
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
