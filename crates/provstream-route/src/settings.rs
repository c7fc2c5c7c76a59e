//! What a route does with the bodies of its responses.

use std::sync::Arc;

use provstream::Rules;
use provstream::provenance::Vocabulary;
use provstream_providers::{Format, PassMembers, Reasoning};

/// What becomes of text.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Its annotations are removed.
    Strip,
    /// A policy decides about it.
    Gate(Arc<Rules>),
}

/// The settings of a filter.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) act: Act,
    pub(crate) vocabulary: Vocabulary,
    /// Found out from the events if none.
    pub(crate) format: Option<Format>,
    pub(crate) reasoning: Reasoning,
    /// What cannot be inspected is withheld.
    pub(crate) is_closed: bool,
    /// Members that the format does not have, and that pass.
    pub(crate) pass_members: PassMembers,
    pub(crate) max_event: usize,
    pub(crate) max_held: usize,
}

impl Settings {
    pub(crate) const fn is_gate(&self) -> bool {
        matches!(self.act, Act::Gate(_))
    }
}
