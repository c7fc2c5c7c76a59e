//! What is remembered of the decisions of a stream.

use std::collections::VecDeque;

use super::terms::Action;

/// Most decisions that are remembered.
const MAX_DECISIONS: usize = 1_024;

/// Most bytes of their identifiers.
const MAX_BYTES: usize = 64 << 10;

/// What later decisions are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) iteration: Option<i64>,
    /// Its own maximum, else the one it has from the decision before.
    pub(crate) max_iterations: Option<i64>,
    /// Its action, if that asks for a new assessment.
    pub(crate) loops: Option<Action>,
    /// Whether it asks the user, after whose reply the request goes on.
    pub(crate) asks: bool,
    /// How many rounds of its request came before it.
    pub(crate) rounds: u32,
    /// Whether a later record names it as its parent.
    pub(crate) followed: bool,
}

impl Decision {
    /// Whether it asks for a new assessment, and none follows yet.
    const fn is_open(&self) -> bool {
        self.loops.is_some() && !self.followed
    }
}

/// The last decisions with their identifiers, the oldest first, within a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    known: VecDeque<(Box<str>, Decision)>,
    /// Bytes of all identifiers.
    bytes: usize,
}

impl Decisions {
    fn find(&mut self, id: &str) -> Option<&mut Decision> {
        let found = self.known.iter_mut().find(|(known, _)| &**known == id);
        found.map(|(_, decision)| decision)
    }

    pub(crate) fn has(&mut self, id: &str) -> bool {
        self.find(id).is_some()
    }

    /// The decision that a later record names as its parent.
    pub(crate) fn follow(&mut self, id: &str) -> Option<Decision> {
        let known = self.find(id)?;
        known.followed = true;
        Some(*known)
    }

    /// Whether a loop with a smaller iteration is not followed yet.
    pub(crate) fn is_open_below(&self, iteration: i64) -> bool {
        let is_below = |one: &Decision| one.iteration.is_some_and(|count| count < iteration);
        let mut known = self.known.iter();
        iteration > 0 && known.any(|(_, one)| one.is_open() && is_below(one))
    }

    /// The identifiers of loops that no later record follows, the oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &str> {
        let open = self.known.iter().filter(|(_, one)| one.is_open());
        open.map(|(id, _)| &**id)
    }

    /// Remembers a decision, in place of an older one with the same identifier. Whether a decision was forgotten for it,
    /// or its identifier is too long to be remembered.
    pub(crate) fn remember(&mut self, id: &str, decision: Decision) -> bool {
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
