//! A policy that repeats its decisions about the same text of a channel.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::copy_changes::CopyChanges;
use super::steps::{count, each};
use super::words::Words;
use provstream::provenance::{Assertion, Verdict};
use provstream::{Action, AtLimit, Policy, Question, Spacing, Unannotated};

/// Maximum number of decisions of one kind that are recorded for a channel. In copies of the text, later assertions
/// are withheld.
const MAX_DECISIONS: usize = 1 << 12;

/// Maximum number of bytes of withheld or changed text that are recorded for a channel. Beyond this, copies of the
/// text without its annotations are emptied.
const MAX_WORDS: usize = 1 << 16;

/// Asks a policy about the text of a channel, and repeats its decisions for copies of the text.
///
/// Asking twice would not be safe: a policy may decide differently, and release in the copy what was withheld before.
#[derive(Clone, Debug)]
pub(super) struct Remembering<P> {
    policy: P,
    /// Decisions about the text, or about the text that this one repeats; shared by all copies. `None` if there are
    /// none.
    made: Option<Arc<Made>>,
    /// Further decisions about a copy, where the other text has none.
    more: Made,
    /// Number of runs of unannotated text decided so far, including repeated decisions.
    runs_met: usize,
    limits_met: usize,
    /// Places of the other text's assertions that also occurred in this copy.
    met: Vec<AssertionPlace>,
    /// The text is a copy of another one.
    is_repeat: bool,
    /// Words of the other text before the place where the policy ended it.
    end: Option<Words>,
    /// Hasher for [`RecordedDecision::mark`].
    hasher: RandomState,
}

/// Presence in a copy of the assertion with which a policy ended a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// The copy does not have its words.
    No,
    /// The assertion has no words.
    Perhaps,
    /// The copy has its words.
    Words,
}

/// Decisions of a policy about a text.
#[derive(Clone, Debug, Default)]
struct Made {
    /// Decisions about assertions, sorted by place.
    assertions: Vec<RecordedDecision>,
    /// Decisions about runs of unannotated text, in order.
    runs: Vec<Unannotated>,
    /// Decisions at limits, in order.
    limits: Vec<AtLimit>,
    /// Total length in bytes of the texts of all decisions other than `Release` that were made,
    /// kept or not.
    words: usize,
    /// Some assertion is not released unchanged.
    has_withheld: bool,
    /// Hashes of the texts of such assertions, without those that are only marked.
    withheld: BTreeSet<u64>,
    /// In a copy, one of them is not among those of the other text.
    has_more: bool,
    /// An assertion that is not released unchanged is not among `assertions`, because there are too many.
    has_forgotten: bool,
}

/// Place of an assertion in a text, also when its annotations are not all read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AssertionPlace {
    /// Offset of its first byte.
    at: u64,
    /// Offset of the first marker of a citation. Several citations can begin at the same byte, one inside another.
    marker: Option<u64>,
}

impl AssertionPlace {
    fn of(question: &Question<'_>) -> Self {
        Self {
            at: question.assertion().span().start(),
            marker: first_marker(question),
        }
    }
}

#[cfg(feature = "dialects")]
fn first_marker(question: &Question<'_>) -> Option<u64> {
    let citation = question.citation()?;
    let first = citation.ids().next();
    Some(first.map_or(0, |cited| cited.marker.start()))
}

#[cfg(not(feature = "dialects"))]
const fn first_marker(_: &Question<'_>) -> Option<u64> {
    None
}

#[derive(Clone, Debug)]
struct RecordedDecision {
    place: AssertionPlace,
    /// Hash of the assertion's text and annotations, to distinguish it from another assertion at the same place.
    mark: u64,
    action: Action,
    /// Text of the assertion; empty if it is released unchanged, `None` if `MAX_WORDS` is used up.
    words: Option<Box<str>>,
}

impl<P: Policy> Remembering<P> {
    pub(super) fn new(policy: P) -> Self {
        Self {
            policy,
            made: None,
            more: Made::default(),
            runs_met: 0,
            limits_met: 0,
            met: Vec::new(),
            is_repeat: false,
            end: None,
            hasher: RandomState::new(),
        }
    }

    /// Begins a copy of the text of `before`, with its decisions. If the policy ended that text, `end` has the words
    /// before its end.
    pub(super) fn repeat(&mut self, before: &Self, end: Option<Words>) {
        self.end = end;
        self.made.clone_from(&before.made);
        self.more = Made::default();
        self.met.clear();
        self.is_repeat = true;
    }

    /// Adopts the decisions of `ahead`, a clone of this policy that has read more of the same text.
    pub(super) fn adopt(&mut self, ahead: &Self) {
        self.made.clone_from(&ahead.made);
    }

    /// Adds to `to` the changes to a written copy: the recorded decisions about the same words, for assertions whose
    /// annotations did not occur in the copy. `ended_after` has the words of the copy before the place where the policy
    /// ended the copy itself.
    pub(super) fn settle_repeat(
        &mut self,
        (unfound, ended_after): (Unfound, Option<Words>),
        copy: &[u8],
        to: &mut CopyChanges,
    ) {
        self.met.sort_unstable();
        to.set_spacing(self.policy.spacing());
        if to.look_at(self.made.as_deref().map_or(0, |made| made.assertions.len())) {
            return;
        }
        if let Some(made) = self.made.as_deref().filter(|_| self.is_repeat) {
            let is_end = |end: &Words| !ended_after.is_some_and(|words| words.is_like(end));
            let end = self.end.filter(is_end);
            if let Some(end) = end {
                made.end(end, copy, true, to);
            }
            made.settle((&self.met, end.is_some()), unfound, copy, to);
        }
    }

    /// Adds to `to` the changes to text of another member: the recorded decisions about the same words. If the policy
    /// ended the text, `end` has the words before its end. Returns `true` if there may be changes.
    pub(super) fn settle_elsewhere(
        &self,
        (unfound, end): (Unfound, Option<Words>),
        copy: &[u8],
        to: &mut CopyChanges,
    ) -> bool {
        to.set_spacing(self.policy.spacing());
        let made = self.made.as_deref();
        if to.look_at(made.map_or(0, |made| made.assertions.len())) {
            return true;
        }
        let made = made.filter(|made| end.is_some() || made.withholds());
        if let Some(made) = made {
            let refused = made.refused_in(copy);
            let end = end.filter(|_| unfound != Unfound::Keeps || refused != Refused::No);
            if let Some(end) = end {
                // Each later delta of another member may have an assertion without words, and the refusal is written once.
                let has = |refusal: &str| memchr::memmem::find(copy, refusal.as_bytes()).is_some();
                let with_refusal = match refused {
                    Refused::Perhaps => {
                        unfound != Unfound::Keeps || made.refusal().is_some_and(has)
                    }
                    Refused::No | Refused::Words => true,
                };
                made.end(end, copy, with_refusal, to);
            }
            made.settle((&[], end.is_some()), unfound, copy, to);
        }
        made.is_some()
    }

    /// Returns `true` if some assertion of the text is not released unchanged.
    pub(super) fn withholds(&self) -> bool {
        self.made.as_deref().is_some_and(Made::withholds)
    }

    /// Returns `true` if some assertion of a copy is withheld, and the other text has none with these words; without another text,
    /// none of `others` has. A policy that ended the other text has withheld all that follows.
    pub(super) fn withholds_more<'p>(&self, others: impl Iterator<Item = &'p Self> + Clone) -> bool
    where
        P: 'p,
    {
        if self.is_repeat {
            return self.end.is_none() && self.more.has_more;
        }
        let made = self.made.as_deref().filter(|made| made.has_more);
        made.is_some_and(|made| {
            let others = others.filter_map(|other| other.made.as_deref());
            let is_known = |hash| others.clone().any(|other| other.withheld.contains(hash));
            !each(made.withheld.iter()).all(is_known)
        })
    }

    /// Adopts the further decisions about a copy that has ended.
    pub(super) fn follow(&mut self, repeated: &mut Self) {
        repeated.made = None;
        let more = core::mem::take(&mut repeated.more);
        if more.is_empty() {
            return;
        }
        let own = own(&mut self.made);
        own.has_forgotten |= more.has_forgotten;
        own.has_withheld |= more.has_withheld;
        count(more.withheld.len());
        own.withheld.extend(more.withheld);
        for decision in more.assertions {
            if let Err(index) = own.find(decision.place) {
                count(own.assertions.len() - index);
                own.assertions.insert(index, decision);
            }
        }
        own.runs.extend(more.runs);
        own.limits.extend(more.limits);
    }

    /// Returns the decision about the other text's assertion with this mark, preferably at the same place, otherwise
    /// after the last one that occurred.
    fn again(&mut self, place: AssertionPlace, mark: u64) -> Option<Action> {
        let made = self.made.as_deref()?;
        let here = made.get(place).filter(|decision| decision.mark == mark);
        let decision = here.or_else(|| {
            let last = self.met.last();
            let later = made
                .assertions
                .partition_point(|decision| last.is_some_and(|last| decision.place <= *last));
            let mut later = made.assertions[later..].iter();
            later.find(|decision| decision.mark == mark)
        })?;
        let action = decision.action.clone();
        self.met.push(decision.place);
        Some(action)
    }

    /// Notes that `action` is not recorded, unless it is `Release`, and returns it.
    fn forget(&mut self, action: Action) -> Action {
        if action != Action::Release {
            self.made_now().has_forgotten = true;
        }
        action
    }

    /// Withholds an assertion of a copy without asking the policy.
    fn withhold(&mut self, question: &Question<'_>) -> Action {
        let hash = self.hasher.hash_one(question.assertion().text());
        let made = self.made.as_deref();
        self.more.has_more |= !made.is_some_and(|made| made.withheld.contains(&hash));
        self.forget(Action::Discard)
    }

    /// Returns the record to which decisions about this text are added.
    fn made_now(&mut self) -> &mut Made {
        if self.is_repeat {
            &mut self.more
        } else {
            own(&mut self.made)
        }
    }

    /// Returns the decision of a kind at an index, if any, and the number of decisions of that kind.
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

/// Treatment of a copy that does not contain the words of a withheld assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfound {
    /// The copy is emptied: it may have the words in another form.
    Empties,
    /// The copy is emptied if the policy ended the text with that assertion.
    Ends,
    /// The copy stays unchanged.
    Keeps,
}

/// Length in bytes of the sequences that are looked up.
const GRAM: usize = 4;

/// Set of the [`GRAM`]-byte sequences of a text (a Bloom filter). Avoids searching the text for each of many words
/// that it does not contain.
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

    /// Returns `false` only if the text does not contain these words.
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

/// Returns a record that no other text shares, by a clone if necessary.
fn own(made: &mut Option<Arc<Made>>) -> &mut Made {
    let made = made.get_or_insert_default();
    if Arc::strong_count(made) > 1 {
        let withheld = made.withheld.len();
        count(made.assertions.len() + made.runs.len() + made.limits.len() + withheld);
    }
    Arc::make_mut(made)
}

impl Made {
    /// Returns `true` if some assertion is not released unchanged.
    const fn withholds(&self) -> bool {
        self.has_forgotten || self.has_withheld
    }

    /// Returns the refusal that the policy wrote at the end of the text, if it wrote one.
    fn refusal(&self) -> Option<&str> {
        let mut actions = self.assertions.iter().map(|decision| &decision.action);
        match actions.find(|action| action.ends()) {
            Some(Action::Refuse(text)) => Some(text),
            Some(_) => None,
            None => self.limits.iter().find_map(|limit| match limit {
                AtLimit::Refuse(text) => Some(&**text),
                _ => None,
            }),
        }
    }

    /// Looks in a copy for the words of the assertions with which the policy ended the text.
    fn refused_in(&self, copy: &[u8]) -> Refused {
        let mut refused = Refused::No;
        for decision in self.assertions.iter().filter(|of| of.action.ends()) {
            match decision.words.as_deref() {
                None | Some("") => refused = Refused::Perhaps,
                Some(words) if memchr::memmem::find(copy, words.as_bytes()).is_some() => {
                    return Refused::Words;
                }
                Some(_) => {}
            }
        }
        refused
    }

    /// Cuts a copy at the end of what was released of a text that the policy ended. A copy that begins with other words
    /// may have what came after that end, and is emptied. The refusal is appended `with_refusal`.
    fn end(&self, end: Words, copy: &[u8], with_refusal: bool, to: &mut CopyChanges) {
        count(copy.len());
        let refusal = self.refusal().filter(|_| with_refusal);
        to.end(end.prefix_of(copy).unwrap_or(0), refusal);
    }

    /// Adds to `to` the changes to a copy: the decisions about the same words, except for the assertions at the
    /// places `met`, which are sorted, and the end of the text if it `is_ended` already.
    fn settle(
        &self,
        (met, is_ended): (&[AssertionPlace], bool),
        unfound: Unfound,
        copy: &[u8],
        to: &mut CopyChanges,
    ) {
        if self.has_forgotten {
            return to.end(0, None);
        }
        let grams = Grams::of(copy);
        for decision in &self.assertions {
            let ends = decision.action.ends();
            let is_done = decision.action == Action::Release || ends && is_ended;
            if is_done || met.binary_search(&decision.place).is_ok() {
                continue;
            }
            let Some(words) = &decision.words else {
                return to.end(0, None);
            };
            let may_be_there = !words.is_empty() && grams.may_have(words.as_bytes());
            // What is there is searched for again, and replaced.
            if may_be_there && to.search(3 * copy.len() as u64) {
                return;
            }
            let is_there = may_be_there && {
                count(copy.len());
                memchr::memmem::find(copy, words.as_bytes()).is_some()
            };
            match is_there {
                // The policy ended the text at this assertion, but its place in this copy is not
                // known: empty the copy.
                _ if ends && (is_there || unfound != Unfound::Keeps) => {
                    return to.end(0, self.refusal());
                }
                true => to.add(words, &decision.action),
                false if unfound == Unfound::Empties && !words.is_empty() => {
                    return to.end(0, None);
                }
                false => {}
            }
        }
    }

    fn is_empty(&self) -> bool {
        !self.has_forgotten
            && self.assertions.is_empty()
            && self.runs.is_empty()
            && self.limits.is_empty()
    }

    /// Returns the index of the decision about the assertion at this place, or the index for inserting one.
    fn find(&self, place: AssertionPlace) -> Result<usize, usize> {
        self.assertions
            .binary_search_by_key(&place, |decision| decision.place)
    }

    fn get(&self, place: AssertionPlace) -> Option<&RecordedDecision> {
        self.assertions.get(self.find(place).ok()?)
    }
}

impl<P: Policy> Policy for Remembering<P> {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        self.policy.judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let place = AssertionPlace::of(question);
        let mark = self.mark(question);
        if self.is_repeat
            && let Some(action) = self.again(place, mark)
        {
            return action;
        }
        let made = self.made.as_deref();
        let known = made.and_then(|made| made.get(place));
        let known = known.or_else(|| self.more.get(place));
        let made = made.map_or(0, |made| made.assertions.len());
        let is_full = made + self.more.assertions.len() >= MAX_DECISIONS;
        let is_known = known.is_some();
        match known {
            Some(decision) if decision.mark == mark => return decision.action.clone(),
            // The text is not a copy after all.
            Some(_) if self.is_repeat => return self.withhold(question),
            _ if self.is_repeat && is_full => return self.withhold(question),
            _ => {}
        }
        let action = self.policy.assertion(question);
        if is_full && !is_known {
            return self.forget(action);
        }
        let text = match &action {
            Action::Release => "",
            _ => question.assertion().text(),
        };
        let hash = self.hasher.hash_one(text);
        let known = self.made.as_deref();
        let is_known = known.is_some_and(|made| made.withheld.contains(&hash));
        let made = self.made_now();
        if action != Action::Release {
            made.has_withheld = true;
            if !matches!(action, Action::Mark(..)) {
                made.has_more |= !is_known;
                made.withheld.insert(hash);
            }
        }
        made.words += text.len();
        let decision = RecordedDecision {
            place,
            mark,
            action: action.clone(),
            words: (made.words <= MAX_WORDS).then(|| text.into()),
        };
        match made.find(place) {
            // The earlier decision was made before all annotations were read.
            Ok(index) => made.assertions[index] = decision,
            Err(index) => made.assertions.insert(index, decision),
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
    fn spacing(&self) -> Spacing {
        self.policy.spacing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ReleaseAll;

    impl Policy for ReleaseAll {
        fn assertion(&mut self, _: &Question<'_>) -> Action {
            Action::Release
        }
    }

    #[test]
    fn decisions_are_remembered_up_to_a_limit() {
        let mut policy = Remembering::new(ReleaseAll);
        for _ in 0..MAX_DECISIONS + 100 {
            policy.unannotated();
            policy.limit();
        }
        let made = policy.made.as_deref().into_iter().chain([&policy.more]);
        let (runs, limits) = made.fold((0, 0), |(runs, limits), made| {
            (runs + made.runs.len(), limits + made.limits.len())
        });
        assert_eq!((runs, limits), (MAX_DECISIONS, MAX_DECISIONS));
    }
}
