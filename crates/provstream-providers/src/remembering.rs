//! A policy that decides the same about the same text of a channel.

use core::cmp::Reverse;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::steps::{count, each};
use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, AtLimit, Policy, Question, Unannotated};

/// Decisions of one kind that are kept of a channel. What comes after them is withheld in places that repeat the text.
const MAX_DECISIONS: usize = 1 << 12;

/// Bytes of text that is not released as it is that are kept of a channel. Where there is more, places that repeat the text without
/// its annotations are emptied.
const MAX_WORDS: usize = 1 << 16;

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
    /// The assertions of the repeated text that came again, by place.
    met: Vec<u64>,
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
    /// Bytes of their words.
    words: usize,
}

#[derive(Clone, Debug)]
struct Decision {
    /// Where the assertion begins.
    at: u64,
    /// A hash of its text and annotations, so that it is not taken for another one at that place.
    mark: u64,
    action: Action,
    /// Its text, if there was room for it.
    words: Option<Box<str>>,
}

impl<P> Remembering<P> {
    pub(super) fn new(policy: P) -> Self {
        Self {
            policy,
            made: None,
            more: Made::default(),
            runs_met: 0,
            limits_met: 0,
            met: Vec::new(),
            is_repeat: false,
            hasher: RandomState::new(),
        }
    }

    /// Decides as `before` did, about a text that repeats its own.
    pub(super) fn repeat(&mut self, before: &Self) {
        self.made.clone_from(&before.made);
        self.more = Made::default();
        self.met.clear();
        self.is_repeat = true;
    }

    /// Decides as `ahead` did, which is this one further on in the same text.
    pub(super) fn adopt(&mut self, ahead: &Self) {
        self.made.clone_from(&ahead.made);
    }

    /// Adds what is to be done with what was written for a text that repeats another one: as was decided about the same words of that
    /// one, where their annotations did not come again.
    pub(super) fn settle_repeat(&mut self, unfound: Unfound, copy: &[u8], to: &mut Settled) {
        self.met.sort_unstable();
        if let Some(made) = self.made.as_deref().filter(|_| self.is_repeat) {
            made.settle(&self.met, unfound, copy, to);
        }
    }

    /// The same of what was written for a text of another name, of which there may be more to come, as was decided about the same words
    /// of this one. Returns `false` if nothing was to be done.
    pub(super) fn settle_elsewhere(&self, more: bool, copy: &[u8], to: &mut Settled) -> bool {
        let made = self.made.as_deref();
        let made = made.filter(|made| made.withholds());
        if let Some(made) = made {
            let unfound = match more {
                true => Unfound::Keeps,
                false => Unfound::Ends,
            };
            made.settle(&[], unfound, copy, to);
        }
        made.is_some()
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

    /// The decision about the assertion of the repeated text that a question is about, wherever it is in this one.
    fn again(&mut self, at: u64, mark: u64) -> Option<Action> {
        let made = self.made.as_deref()?;
        let here = made.get(at).filter(|decision| decision.mark == mark);
        let decision = here.or_else(|| {
            let after = self.met.last().map_or(0, |last| last + 1);
            let later = made
                .assertions
                .partition_point(|decision| decision.at < after);
            let mut later = made.assertions[later..].iter();
            later.find(|decision| decision.mark == mark)
        })?;
        let action = decision.action.clone();
        self.met.push(decision.at);
        Some(action)
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

/// What becomes of a copy that does not have the words of an assertion that is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfound {
    /// It is emptied: it may have them in another form.
    Empties,
    /// It is emptied if the policy ended the text with that assertion.
    Ends,
    /// It stays as it is.
    Keeps,
}

/// What is to be done with a copy of a text.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Words, and what comes in the place of each.
    words: Vec<(Box<str>, String)>,
    /// Where it ends, and with which text.
    end: Option<(usize, Option<Box<str>>)>,
}

impl Settled {
    /// It ends at this place, or before.
    pub(super) fn end(&mut self, at: usize, refusal: Option<&str>) {
        if self.end.as_ref().is_none_or(|(end, _)| at < *end) {
            self.end = Some((at, refusal.map(Box::from)));
        }
    }

    fn replace(&mut self, words: &str, action: &Action) {
        let by = match action {
            Action::Replace(text) => text.to_string(),
            Action::Mark(before, after) => format!("{before}{words}{after}"),
            _ => String::new(),
        };
        self.words.push((words.into(), by));
    }

    /// Ends a copy where it is to end.
    pub(super) fn cut(&self, copy: &mut Vec<u8>) {
        if let Some((end, _)) = self.end {
            copy.truncate(end);
        }
    }

    /// Replaces the words in a part of a copy, which begins or ends in none of them.
    pub(super) fn replace_in(&mut self, copy: &mut Vec<u8>) {
        // Some may be in others.
        self.words.sort_by_key(|(words, _)| Reverse(words.len()));
        for (words, by) in each(self.words.iter()) {
            count(copy.len());
            *copy = replaced(copy, words.as_bytes(), by.as_bytes());
        }
    }

    /// Adds what comes at the end of a copy.
    pub(super) fn refuse(&self, copy: &mut Vec<u8>) {
        if let Some((_, Some(refusal))) = &self.end {
            copy.extend_from_slice(refusal.as_bytes());
        }
    }
}

/// Bytes of words that are looked up at once.
const GRAM: usize = 4;

/// The runs of [`GRAM`] bytes of a text, so that it is not searched for each of many words that it does not have.
struct Grams(Box<[u64; Self::BITS / 64]>);

impl Grams {
    const BITS: usize = 1 << 14;

    fn of(text: &[u8]) -> Self {
        let mut grams = Self(Box::new([0; Self::BITS / 64]));
        for gram in text.windows(GRAM).filter_map(<[u8]>::first_chunk) {
            let bit = Self::bit(gram);
            grams.0[bit / 64] |= 1 << (bit % 64);
        }
        grams
    }

    fn bit(gram: &[u8; GRAM]) -> usize {
        // Multiplication spreads the bits upwards.
        (u32::from_le_bytes(*gram).wrapping_mul(0x9E37_79B1) >> (32 - Self::BITS.ilog2())) as usize
    }

    /// Whether the text may have these words; if not, it has not.
    fn may_have(&self, words: &[u8]) -> bool {
        let mut ends = [words.first_chunk(), words.last_chunk()]
            .into_iter()
            .flatten();
        ends.all(|gram| {
            let bit = Self::bit(gram);
            self.0[bit / 64] >> (bit % 64) & 1 == 1
        })
    }
}

/// Bytes with others in the place of each of these words.
fn replaced(bytes: &[u8], words: &[u8], by: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    for place in memchr::memmem::find_iter(bytes, words) {
        out.extend_from_slice(&bytes[at..place]);
        out.extend_from_slice(by);
        at = place + words.len();
    }
    out.extend_from_slice(&bytes[at..]);
    out
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
    /// Whether some assertion is not released as it is.
    fn withholds(&self) -> bool {
        let mut actions = self.assertions.iter().map(|decision| &decision.action);
        actions.any(|action| *action != Action::Release)
    }

    /// Adds what is to be done with a copy: what was decided about the same words, but for the assertions at the places `met`, which are
    /// sorted.
    fn settle(&self, met: &[u64], unfound: Unfound, copy: &[u8], to: &mut Settled) {
        let grams = Grams::of(copy);
        for decision in &self.assertions {
            if decision.action == Action::Release || met.binary_search(&decision.at).is_ok() {
                continue;
            }
            let Some(words) = &decision.words else {
                return to.end(0, None);
            };
            let may_be_there = !words.is_empty() && grams.may_have(words.as_bytes());
            let first = may_be_there.then(|| {
                count(copy.len());
                memchr::memmem::find(copy, words.as_bytes())
            });
            let first = first.flatten();
            let refusal = match &decision.action {
                Action::Refuse(text) => Some(Some(&**text)),
                Action::Suspend => Some(None),
                _ => None,
            };
            match (refusal, first) {
                // What follows was not released.
                (Some(refusal), Some(first)) => return to.end(first, refusal),
                (Some(refusal), None) if unfound != Unfound::Keeps => return to.end(0, refusal),
                (None, Some(_)) => to.replace(words, &decision.action),
                (None, None) if unfound == Unfound::Empties && !words.is_empty() => {
                    return to.end(0, None);
                }
                (_, None) => {}
            }
        }
    }

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
        if self.is_repeat
            && let Some(action) = self.again(at, mark)
        {
            return action;
        }
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
        if is_full && !is_known {
            return action;
        }
        let made = self.made_now();
        let text = match &action {
            Action::Release => "",
            _ => question.assertion().text(),
        };
        made.words += text.len();
        let decision = Decision {
            at,
            mark,
            action: action.clone(),
            words: (made.words <= MAX_WORDS).then(|| text.into()),
        };
        match made.find(at) {
            // It was decided about before all of its annotations came.
            Ok(place) => made.assertions[place] = decision,
            Err(place) => made.assertions.insert(place, decision),
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
