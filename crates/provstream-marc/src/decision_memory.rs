//! Bounded memory of the decisions of a stream.

use std::collections::VecDeque;

use super::terms::Action;

/// Most decisions retained.
const MAX_DECISIONS: usize = 1_024;

/// Most bytes of all retained identifiers.
const MAX_BYTES: usize = 64 << 10;

/// Facts about a decision with which later decisions are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RememberedDecision {
    pub(crate) iteration: Option<i64>,
    /// `max_iterations` of the record, or that of its parent decision if the record has none.
    pub(crate) max_iterations: Option<i64>,
    /// The selected action, if it requires a new assessment.
    pub(crate) loops: Option<Action>,
    /// `true` for `CLARIFY`, after which the user's reply continues the request.
    pub(crate) asks: bool,
    /// Number of earlier rounds of the request.
    pub(crate) rounds: u32,
    /// `true` if a later record names this decision as its parent.
    pub(crate) followed: bool,
}

impl RememberedDecision {
    /// Returns `true` if the decision requires a new assessment and no later record follows it.
    const fn is_open(&self) -> bool {
        self.loops.is_some() && !self.followed
    }
}

/// The latest decisions with their identifiers, oldest first. Bounded by `MAX_DECISIONS` and
/// `MAX_BYTES`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    known: VecDeque<(Box<str>, RememberedDecision)>,
    /// Bytes of all identifiers.
    bytes: usize,
}

impl Decisions {
    fn find(&mut self, id: &str) -> Option<&mut RememberedDecision> {
        let found = self.known.iter_mut().find(|(known, _)| &**known == id);
        found.map(|(_, decision)| decision)
    }

    pub(crate) fn has(&mut self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// Returns the decision that a later record names as its parent, and marks it as followed.
    pub(crate) fn follow(&mut self, id: &str) -> Option<RememberedDecision> {
        let known = self.find(id)?;
        known.followed = true;
        Some(*known)
    }

    /// Returns `true` if an open loop has an iteration smaller than `iteration`.
    pub(crate) fn is_open_below(&self, iteration: i64) -> bool {
        let is_below =
            |one: &RememberedDecision| one.iteration.is_some_and(|count| count < iteration);
        let mut known = self.known.iter();
        iteration > 0 && known.any(|(_, one)| one.is_open() && is_below(one))
    }

    /// Returns the identifiers of loops that no later record follows, oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &str> {
        let open = self.known.iter().filter(|(_, one)| one.is_open());
        open.map(|(id, _)| &**id)
    }

    /// Stores a decision, replacing one with the same identifier. Returns `true` if an older
    /// decision was dropped, or if the identifier is too long to be stored.
    pub(crate) fn remember(&mut self, id: &str, decision: RememberedDecision) -> bool {
        if let Some(known) = self.find(id) {
            *known = decision;
            return false;
        }
        if id.len() > MAX_BYTES {
            return true;
        }
        let mut forgot = false;
        while self.known.len() >= MAX_DECISIONS || self.bytes + id.len() > MAX_BYTES {
            let Some((oldest, _)) = self.known.pop_front() else {
                break;
            };
            self.bytes -= oldest.len();
            forgot = true;
        }
        self.bytes += id.len();
        self.known.push_back((id.into(), decision));
        forgot
    }
}
