//! What is remembered of the decisions of a stream.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

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
    /// How many rounds of its loop came before it.
    pub(crate) rounds: u32,
    /// Whether a later record names it as its parent.
    pub(crate) followed: bool,
}

/// The last decisions by their identifiers, within a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    known: HashMap<Arc<str>, Decision>,
    /// All keys of the map, each once, the oldest first.
    order: VecDeque<Arc<str>>,
    /// Bytes of all keys.
    bytes: usize,
}

impl Decisions {
    pub(crate) fn get(&self, id: &str) -> Option<Decision> {
        self.known.get(id).copied()
    }

    /// The decision that a later record names as its parent.
    pub(crate) fn follow(&mut self, id: &str) -> Option<Decision> {
        let known = self.known.get_mut(id)?;
        known.followed = true;
        Some(*known)
    }

    /// Whether a loop with a smaller iteration is not followed yet.
    pub(crate) fn is_open_below(&self, iteration: i64) -> bool {
        let is_open_below = |one: &Decision| {
            let below = one.iteration.is_some_and(|count| count < iteration);
            below && one.loops.is_some() && !one.followed
        };
        iteration > 0 && self.known.values().any(is_open_below)
    }

    /// The identifiers of loops that no later record follows, the oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(AsRef::as_ref).filter(|id| {
            self.get(id)
                .is_some_and(|one| one.loops.is_some() && !one.followed)
        })
    }

    /// Remembers a decision, in place of an older one with the same identifier. Whether a decision was forgotten for it,
    /// or its identifier is too long to be remembered.
    pub(crate) fn remember(&mut self, id: &str, decision: Decision) -> bool {
        if let Some(known) = self.known.get_mut(id) {
            *known = decision;
            return false;
        }
        if id.len() > MAX_BYTES {
            return true;
        }
        let mut forgot = false;
        while self.order.len() >= MAX_DECISIONS || self.bytes + id.len() > MAX_BYTES {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.known.remove(&oldest);
            self.bytes -= oldest.len();
            forgot = true;
        }
        let id: Arc<str> = id.into();
        self.bytes += id.len();
        self.order.push_back(Arc::clone(&id));
        self.known.insert(id, decision);
        forgot
    }
}
