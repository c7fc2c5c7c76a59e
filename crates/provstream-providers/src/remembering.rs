//! A policy that decides the same about the same text of a channel.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::steps::count;
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
    /// Answers about the text, or about the one that it repeats, which those who repeat it share; nothing if there are none.
    made: Option<Arc<Made>>,
    /// Answers about a text that repeats another one, where that one has none.
    more: Made,
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
            made: None,
            more: Made::default(),
            runs_met: 0,
            limits_met: 0,
            is_repeat: false,
            hasher: RandomState::new(),
        }
    }

    /// Decides as `before` did, about a text that repeats its own.
    pub(super) fn repeat(&mut self, before: &Self) {
        self.made.clone_from(&before.made);
        self.more = Made::default();
        self.is_repeat = true;
    }

    /// Decides about the rest of the text as was done in a place that repeats it, and that is over.
    pub(super) fn follow(&mut self, repeated: &mut Self) {
        repeated.made = None;
        let more = core::mem::take(&mut repeated.more);
        if more.is_empty() {
            return;
        }
        let own = own(&mut self.made);
        for decision in more.assertions {
            if let Err(place) = own.find(decision.at) {
                count(own.assertions.len() - place);
                own.assertions.insert(place, decision);
            }
        }
        own.runs.extend(more.runs);
        own.limits.extend(more.limits);
    }

    /// The answers to which those about this text are added.
    fn made_now(&mut self) -> &mut Made {
        if self.is_repeat {
            &mut self.more
        } else {
            own(&mut self.made)
        }
    }

    /// The answer with this number of a kind, and how many there are.
    fn nth<T>(&self, of: impl Fn(&Made) -> &Vec<T>, place: usize) -> (Option<&T>, usize) {
        let (made, more) = (self.made.as_deref().map(&of), of(&self.more));
        let len = made.map_or(0, Vec::len);
        let known = match place.checked_sub(len) {
            None => made.and_then(|made| made.get(place)),
            Some(place) => more.get(place),
        };
        (known, len + more.len())
    }

    fn mark(&self, question: &Question<'_>) -> u64 {
        let assertion = question.assertion();
        let annotations: Vec<_> = assertion.annotations().collect();
        self.hasher.hash_one((assertion.text(), annotations))
    }
}

/// The answers of a text that no other one shares any more.
fn own(made: &mut Option<Arc<Made>>) -> &mut Made {
    let made = made.get_or_insert_default();
    if Arc::strong_count(made) > 1 {
        count(made.assertions.len() + made.runs.len() + made.limits.len());
    }
    Arc::make_mut(made)
}

impl Made {
    fn is_empty(&self) -> bool {
        self.assertions.is_empty() && self.runs.is_empty() && self.limits.is_empty()
    }

    /// The place of the decision about the assertion that begins here, or where it would be.
    fn find(&self, at: u64) -> Result<usize, usize> {
        self.assertions
            .binary_search_by_key(&at, |decision| decision.at)
    }

    fn get(&self, at: u64) -> Option<&Decision> {
        self.assertions.get(self.find(at).ok()?)
    }
}

impl<P: Policy> Policy for Remembering<P> {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        self.policy.judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let at = question.assertion().span().start();
        let mark = self.mark(question);
        let made = self.made.as_deref();
        let known = made.and_then(|made| made.get(at));
        let known = known.or_else(|| self.more.get(at));
        let made = made.map_or(0, |made| made.assertions.len());
        let is_full = made + self.more.assertions.len() >= MAX_DECISIONS;
        let is_known = known.is_some();
        match known {
            Some(decision) if decision.mark == mark => return decision.action.clone(),
            // It does not repeat the text.
            Some(_) if self.is_repeat => return Action::Discard,
            _ if self.is_repeat && is_full => return Action::Discard,
            _ => {}
        }
        let action = self.policy.assertion(question);
        let made = self.made_now();
        if !is_full
            && !is_known
            && let Err(place) = made.find(at)
        {
            let action = action.clone();
            made.assertions.insert(place, Decision { at, mark, action });
        }
        action
    }

    fn unannotated(&mut self) -> Unannotated {
        let place = self.runs_met;
        self.runs_met += 1;
        let (known, len) = self.nth(|made| &made.runs, place);
        match known {
            Some(known) => return known.clone(),
            None if self.is_repeat && place >= MAX_DECISIONS => return Unannotated::Discard,
            None => {}
        }
        let run = self.policy.unannotated();
        if len < MAX_DECISIONS {
            self.made_now().runs.push(run.clone());
        }
        run
    }

    fn limit(&mut self) -> AtLimit {
        let place = self.limits_met;
        self.limits_met += 1;
        let (known, len) = self.nth(|made| &made.limits, place);
        match known {
            Some(known) => return known.clone(),
            None if self.is_repeat && place >= MAX_DECISIONS => return AtLimit::Refuse("".into()),
            None => {}
        }
        let limit = self.policy.limit();
        if len < MAX_DECISIONS {
            self.made_now().limits.push(limit.clone());
        }
        limit
    }
}
