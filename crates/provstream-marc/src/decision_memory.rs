//! What is remembered of the decisions of a stream.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::terms::Action;

/// Most decisions that are remembered.
const MAX_DECISIONS: usize = 1_024;

/// Most bytes of their identifiers.
const MAX_BYTES: usize = 64 << 10;

/// What later decisions are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) iteration: Option<i64>,
    /// Its own maximum, else the one it has from the decision before.
    pub(crate) max_iterations: Option<i64>,
    /// Its action, if that asks for a new assessment.
    pub(crate) loops: Option<Action>,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(iteration: i64) -> Decision {
        Decision {
            iteration: Some(iteration),
            ..Decision::default()
        }
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut decisions = Decisions::default();
        for number in 0..MAX_DECISIONS as i64 {
            assert!(!decisions.remember(&number.to_string(), decision(number)));
        }
        assert_eq!(decisions.get("0"), Some(decision(0)));
        assert!(decisions.remember("next", decision(0)));
        assert_eq!(decisions.get("0"), None);
        assert_eq!(decisions.get("1"), Some(decision(1)));
        assert_eq!(decisions.known.len(), MAX_DECISIONS);
    }

    #[test]
    fn identifiers_share_a_budget() {
        let mut decisions = Decisions::default();
        let id = |first: char, len: usize| String::from(first) + &"x".repeat(len - 1);
        assert!(!decisions.remember(&id('a', MAX_BYTES / 2), decision(1)));
        assert!(!decisions.remember(&id('b', MAX_BYTES / 2), decision(2)));
        assert!(!decisions.remember("", decision(3)));
        assert!(decisions.remember("c", decision(4)));
        assert_eq!(decisions.get(&id('a', MAX_BYTES / 2)), None);
        assert_eq!(decisions.bytes, MAX_BYTES / 2 + 1);
        assert!(decisions.remember(&id('d', MAX_BYTES), decision(5)));
        assert_eq!((decisions.known.len(), decisions.bytes), (1, MAX_BYTES));
        assert!(decisions.remember(&id('e', MAX_BYTES + 1), decision(6)));
        assert_eq!((decisions.known.len(), decisions.bytes), (1, MAX_BYTES));
    }

    #[test]
    fn the_same_identifier_takes_no_room_twice() {
        let mut decisions = Decisions::default();
        for number in 0..10 {
            assert!(!decisions.remember("a", decision(number)));
        }
        assert_eq!(decisions.get("a"), Some(decision(9)));
        assert_eq!((decisions.order.len(), decisions.bytes), (1, 1));
    }
}
