//! A policy that decides the same about the same text of a channel.

use std::hash::{BuildHasher, RandomState};

use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, AtLimit, Policy, Question, Unannotated};

/// Decisions of one kind that are kept of a channel. What comes after them is withheld in places that repeat the text.
const MAX_DECISIONS: usize = 1 << 12;

/// Asks a policy about the text of a channel, and repeats its answers about places that repeat the text.
///
/// A policy may change its mind, so a repeated text that it is asked about again may have what was withheld before.
#[derive(Clone, Debug)]
pub(super) struct Remembering<P> {
    policy: P,
    made: Made,
    /// Runs of unannotated text, and limits, about which was decided so far; of them the first have been repeated.
    runs_met: usize,
    limits_met: usize,
    /// The text repeats another one.
    is_repeat: bool,
    /// For the marks of assertions.
    hasher: RandomState,
}

/// The answers of a policy about a text.
#[derive(Clone, Debug, Default)]
struct Made {
    /// About assertions, sorted by place.
    assertions: Vec<Decision>,
    /// About runs of unannotated text, in order.
    runs: Vec<Unannotated>,
    /// About limits that were reached, in order.
    limits: Vec<AtLimit>,
}

#[derive(Clone, Debug)]
struct Decision {
    /// Where the assertion begins.
    at: u64,
    /// A hash of its text and annotations, so that it is not taken for another one at that place.
    mark: u64,
    action: Action,
}

impl<P> Remembering<P> {
    pub(super) fn new(policy: P) -> Self {
        Self {
            policy,
            made: Made::default(),
            runs_met: 0,
            limits_met: 0,
            is_repeat: false,
            hasher: RandomState::new(),
        }
    }

    /// Decides as `before` did, about a text that repeats its own.
    pub(super) fn repeat(&mut self, before: &Self) {
        self.made.clone_from(&before.made);
        self.is_repeat = true;
    }

    /// Decides about the rest of the text as was done in a place that repeats it.
    pub(super) fn follow(&mut self, repeated: &Self) {
        // All that was decided before is among it.
        let (own, made) = (&mut self.made, &repeated.made);
        if made.assertions.len() > own.assertions.len() {
            own.assertions.clone_from(&made.assertions);
        }
        if made.runs.len() > own.runs.len() {
            own.runs.clone_from(&made.runs);
        }
        if made.limits.len() > own.limits.len() {
            own.limits.clone_from(&made.limits);
        }
    }

    fn mark(&self, question: &Question<'_>) -> u64 {
        let assertion = question.assertion();
        let annotations: Vec<_> = assertion.annotations().collect();
        self.hasher.hash_one((assertion.text(), annotations))
    }
}

impl<P: Policy> Policy for Remembering<P> {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        self.policy.judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let at = question.assertion().span().start();
        let mark = self.mark(question);
        let made = &self.made.assertions;
        let place = made.partition_point(|decision| decision.at < at);
        let known = made.get(place).filter(|decision| decision.at == at);
        let is_full = made.len() >= MAX_DECISIONS;
        match known {
            Some(decision) if decision.mark == mark => return decision.action.clone(),
            // It does not repeat the text.
            Some(_) if self.is_repeat => return Action::Discard,
            _ if self.is_repeat && is_full => return Action::Discard,
            _ => {}
        }
        let action = self.policy.assertion(question);
        if !is_full && known.is_none() {
            let action = action.clone();
            let decision = Decision { at, mark, action };
            self.made.assertions.insert(place, decision);
        }
        action
    }

    fn unannotated(&mut self) -> Unannotated {
        let place = self.runs_met;
        self.runs_met += 1;
        match self.made.runs.get(place) {
            Some(known) => return known.clone(),
            None if self.is_repeat && place >= MAX_DECISIONS => return Unannotated::Discard,
            None => {}
        }
        let run = self.policy.unannotated();
        if place < MAX_DECISIONS {
            self.made.runs.push(run.clone());
        }
        run
    }

    fn limit(&mut self) -> AtLimit {
        let place = self.limits_met;
        self.limits_met += 1;
        match self.made.limits.get(place) {
            Some(known) => return known.clone(),
            None if self.is_repeat && place >= MAX_DECISIONS => return AtLimit::Refuse("".into()),
            None => {}
        }
        let limit = self.policy.limit();
        if place < MAX_DECISIONS {
            self.made.limits.push(limit.clone());
        }
        limit
    }
}
