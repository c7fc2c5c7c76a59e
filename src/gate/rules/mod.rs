//! Policies that are files.

mod discipline;
mod error;
mod read;
mod ready;
mod rule;
mod texts;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use self::error::{PolicyError, PolicyErrorKind};
pub use self::ready::{policy_file, ready_policy};
use self::rule::Rule;
use super::policy::{Action, AtLimit, Policy, Question, Unannotated};
use super::spacing::Spacing;
#[cfg(feature = "dialects")]
use crate::marker::{CitationReason, CitedId};
use crate::names::names;
use crate::provenance::{
    Assertion, Class, Counting, Discipline, ObservationCheck, ObservationLevel, ObservationOutcome,
    Timestamp, Verdict, VerdictReason,
};

/// Kind of an assertion for a policy file. The first kind that applies counts, in this order, except that
/// [`NoAssertion`](Self::NoAssertion) and [`Orphan`](Self::Orphan) precede [`Limit`](Self::Limit), the three about sources come after
/// [`Untrusted`](Self::Untrusted), the eight about observations after [`Unknown`](Self::Unknown) or, without a rule, before
/// [`BelowFloor`](Self::BelowFloor), and [`Admitted`](Self::Admitted) is the last.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Disposition {
    /// The assertion is admitted.
    Admitted,
    /// A limit cut the assertion or an annotation of it, so that not all of it is known.
    Limit,
    /// Nothing is asserted.
    NoAssertion,
    /// Nothing is asserted, since the annotation or citation comes first in the text after a [break](crate::Gate::push_break).
    Orphan,
    /// Some of its text is untrusted, and the file has a rule for that.
    Untrusted,
    /// The assertion has no annotation.
    Unannotated,
    /// One of its annotations is malformed, or its object repeats a member.
    Malformed,
    /// One of its annotations has a class that the vocabulary does not have, or not in the version that it names;
    /// or a bracket beside it may have been meant as an annotation.
    Unknown,
    /// One of its annotations is a terminal.
    Terminal,
    /// One of its annotations has a class that the file refuses.
    RefusedClass,
    /// Too few classes count, one of its annotations is older than its window allows, and the file has a rule for that; or one is,
    /// and the file sets `any_stale`.
    Stale,
    /// Too few classes count, one of its annotations has no time, and the file has a rule for that.
    NoTime,
    /// Too few classes count, the time of one of its annotations is in the future, and the file has a rule for that.
    Future,
    /// Fewer classes count than the floor asks for.
    BelowFloor,
    /// A class that the file requires does not count.
    MissingClass,
    /// A marker of a citation names a source that the complete list of sources does not have. Without a rule of its own, that of
    /// [`Terminal`](Self::Terminal) applies.
    UnknownSource,
    /// Too few classes count, and a source that is cited is listed without a class. Without a rule of its own, that of
    /// [`BelowFloor`](Self::BelowFloor) applies.
    ListedSource,
    /// There is no list of sources, or an incomplete one that does not have the sources that are cited. Without a rule of its own,
    /// the text is released.
    NoSourceList,
    /// One of its annotations cites an observation that was not made, and the file has a rule for that, or too few classes count. So
    /// are the next seven. Without rules of their own, that of [`BelowFloor`](Self::BelowFloor) applies.
    Unobserved,
    /// The observation is of another class than the annotation.
    ClassDiffers,
    /// The query of the observation was repeated, and has another result.
    Changed,
    /// The substrate has nothing there any more.
    Gone,
    /// The substrate or the ledger could not be asked.
    Unreachable,
    /// No substrate knows the query of the observation.
    NotRequeryable,
    /// The substrate has the words of the observation at another place. Such an annotation counts, so only a rule makes this a kind.
    Moved,
    /// The annotation cites no observation, or one that was not repeated, and its class needs a higher level.
    BelowLevel,
}

names! {
    Disposition, "disposition", "The name in audit logs, such as `below-floor`; policy files have an underscore for the hyphen.",
    Admitted => "admitted",
    Limit => "limit",
    NoAssertion => "no-assertion",
    Orphan => "orphan",
    Untrusted => "untrusted",
    Unannotated => "unannotated",
    Malformed => "malformed",
    Unknown => "unknown",
    Terminal => "terminal",
    RefusedClass => "refused-class",
    Stale => "stale",
    NoTime => "no-time",
    Future => "future",
    BelowFloor => "below-floor",
    MissingClass => "missing-class",
    UnknownSource => "unknown-source",
    ListedSource => "listed-source",
    NoSourceList => "no-source-list",
    Unobserved => "unobserved",
    ClassDiffers => "class-differs",
    Changed => "changed",
    Gone => "gone",
    Unreachable => "unreachable",
    NotRequeryable => "not-requeryable",
    Moved => "moved",
    BelowLevel => "below-level",
}

/// Number of dispositions.
const DISPOSITIONS: usize = 26;

/// The dispositions about observations, in the order in which they apply.
const OBSERVATIONS: [Disposition; 8] = [
    Disposition::Unobserved,
    Disposition::ClassDiffers,
    Disposition::Changed,
    Disposition::Gone,
    Disposition::Unreachable,
    Disposition::NotRequeryable,
    Disposition::Moved,
    Disposition::BelowLevel,
];

/// Returns the disposition of an outcome; `None` if there is none, such as for an observation that reaches its level. `stale` is that of
/// annotations that are too old.
const fn of_outcome(outcome: ObservationOutcome, counting: Counting) -> Option<Disposition> {
    match outcome {
        ObservationOutcome::Unobserved => Some(Disposition::Unobserved),
        ObservationOutcome::ClassDiffers => Some(Disposition::ClassDiffers),
        ObservationOutcome::Changed => Some(Disposition::Changed),
        ObservationOutcome::Gone => Some(Disposition::Gone),
        ObservationOutcome::Unreachable => Some(Disposition::Unreachable),
        ObservationOutcome::NotRequeryable => Some(Disposition::NotRequeryable),
        ObservationOutcome::Moved => Some(Disposition::Moved),
        ObservationOutcome::Stale => None,
        ObservationOutcome::Declared
        | ObservationOutcome::Observed
        | ObservationOutcome::Requeried => match counting {
            Counting::Observation { .. } => Some(Disposition::BelowLevel),
            _ => None,
        },
    }
}

/// The rules of a policy file: which assertions are admitted (`provenance memo 7`), and what is done with each.
///
/// | key | value |
/// |---|---|
/// | `preset` | `"own-state"`: a floor of 2, or `"external"`: a floor of 3; either this or `floor` |
/// | `floor` | how many distinct classes must count, at least 1 |
/// | `version` | names the policy in audit logs |
/// | `default_window` | how old an observation may be, such as `"1h30m"`, for classes without a window of their own; this, `windows` or both |
/// | `skew` | how far in the future an observation may be |
/// | `required` | classes of which each must count |
/// | `refused` | classes that no annotation may have |
/// | `any_stale` | `"withhold"`: an assertion with a stale annotation is not admitted, whatever else counts; `"ignore"`: it may be |
/// | `spacing` | `"join"`: the white space beside discarded text is joined, so that no gap is left; `"keep"`: it stays |
/// | `language` | the language of texts that are given in several |
/// | `windows` | a table: how old an observation of each class may be |
/// | `default_level` | the level that observations must reach for annotations to count: `"declared"` (the default), `"observed"` or `"requeried"`, for classes without a level of their own |
/// | `levels` | a table: the level of each class |
/// | `groups` | lists of classes that count once together |
/// | `inadmissible` | the rule for every disposition without one of its own; required |
/// | `admitted`, `below_floor`, `stale`, `no_time`, `future`, `terminal`, `unannotated`, `malformed`, `unknown`, `limit`, `no_assertion`, `orphan`, `untrusted`, `refused_class`, `missing_class`, `unknown_source`, `listed_source`, `no_source_list`, `unobserved`, `class_differs`, `changed`, `gone`, `unreachable`, `not_requeryable`, `moved`, `below_level` | the rule for a [`Disposition`] |
///
/// A rule is a table with an `action`: `release`, `mark` with a text `before`, `after` or both, `replace` with a `text`,
/// `discard`, `suspend`, or `refuse` with a `text`. A text is a string, or a table with a string for each language.
///
/// A file is wrong if no assertion can be admitted by it: if no class has a window, if the floor is above the number of classes
/// that can count, or if a required class has no window or is refused.
///
/// Without rules of their own, admitted assertions and text without annotation are released, and a JSON object with an
/// assertion but without annotation is inadmissible. A rule `unannotated` applies to such text and such objects. The rule
/// `limit` also applies to text that is too long to be held back, and to bytes that are not JSON in a stream of JSON values:
/// they are released if the action is `release` or `mark`, and otherwise the stream ends.
///
/// ```
/// use provstream::provenance::Vocabulary;
/// use provstream::{Gate, Parser, Rules};
///
/// let file = br#"
/// preset = "own-state"
/// default_window = "1h"
///
/// [inadmissible]
/// action = "replace"
/// text = "(withheld)"
/// "#;
/// let rules = Rules::from_toml(file, &Vocabulary::memo())?;
/// let now = "2026-05-28T12:00:00Z".parse()?;
/// let mut gate = Gate::new(Parser::new(), rules.policy(move || now));
/// let mut clean = Vec::new();
/// gate.push(b"It rained. [substrate.grep; ts=2026-05-28T11:40:00Z] So.", &mut clean);
/// gate.finish(&mut clean);
/// assert_eq!(clean, b"(withheld) So.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Rules are equal if they decide alike and have the same texts, however their files are written.
#[derive(Clone, Debug)]
pub struct Rules {
    source: Box<str>,
    version: Box<str>,
    language: Box<str>,
    languages: BTreeSet<Box<str>>,
    discipline: Discipline,
    required: Vec<Class>,
    refused: Vec<Class>,
    withholds_any_stale: bool,
    spacing: Spacing,
    inadmissible: Rule,
    /// In the order of the dispositions.
    own: [Option<Rule>; DISPOSITIONS],
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            source: _,
            version,
            language,
            languages,
            discipline,
            required,
            refused,
            withholds_any_stale,
            spacing,
            inadmissible,
            own,
        } = self;
        (version, language, languages) == (&other.version, &other.language, &other.languages)
            && (discipline, required, refused)
                == (&other.discipline, &other.required, &other.refused)
            && (withholds_any_stale, spacing) == (&other.withholds_any_stale, &other.spacing)
            && (inadmissible, own) == (&other.inadmissible, &other.own)
    }
}

impl Eq for Rules {}

impl Rules {
    /// The policy with a clock, which is asked for the time when an assertion is complete; `Timestamp::now` is one.
    pub fn policy<C: FnMut() -> Timestamp>(self, clock: C) -> RulePolicy<C> {
        RulePolicy::new(self, clock)
    }

    /// The TOML file that the rules were read from, whose digest audit logs have. For rules that are a table of a larger file, it
    /// is that whole file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The name of the policy in audit logs; may be empty.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The discipline that assertions are judged by.
    #[must_use]
    pub const fn discipline(&self) -> &Discipline {
        &self.discipline
    }

    /// The classes that must count for an assertion to be admitted.
    #[must_use]
    pub fn required(&self) -> &[Class] {
        &self.required
    }

    /// The classes that no annotation may have.
    #[must_use]
    pub fn refused(&self) -> &[Class] {
        &self.refused
    }

    /// Returns `true` if an assertion with a stale annotation is not admitted, whatever else counts.
    #[must_use]
    pub const fn withholds_any_stale(&self) -> bool {
        self.withholds_any_stale
    }

    /// Returns the treatment of white space beside text that is discarded.
    #[must_use]
    pub const fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// The languages that some text is given in.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.languages.iter().map(|language| &**language)
    }

    /// Has texts written in another language. A text that is not given in it is written as it would be without this.
    #[must_use]
    pub fn with_language(mut self, language: &str) -> Self {
        self.language = language.into();
        self
    }

    /// Returns the kind of an assertion under these rules.
    #[must_use]
    pub fn disposition(&self, question: &Question<'_>, verdict: &Verdict) -> Disposition {
        let has = |wanted| verdict.counting().contains(&wanted);
        let counting = || verdict.counting().iter();
        let has_rule = |disposition| self.rule(disposition).is_some();
        let is_stale = counting().any(|counting| matches!(counting, Counting::Stale { .. }))
            || verdict.outcomes().contains(&ObservationOutcome::Stale);
        let is_future = || counting().any(|counting| matches!(counting, Counting::Future { .. }));
        let missing = |class: &&Class| !verdict.classes().contains(class);
        let source = self.source_disposition(question, verdict);
        let observation = self.observation_rule(verdict);
        let refused = |class: &Class| self.refused.contains(class);
        match verdict.reason() {
            _ if question.assertion().is_repeated() => Disposition::Malformed,
            VerdictReason::NoAssertion if question.assertion().is_orphan() => source
                .filter(|_| !has_rule(Disposition::Orphan))
                .unwrap_or(Disposition::Orphan),
            VerdictReason::NoAssertion => Disposition::NoAssertion,
            // What a limit would let pass is still held against its sources.
            VerdictReason::Limit => source
                .filter(|_| self.at_limit() == AtLimit::Release)
                .unwrap_or(Disposition::Limit),
            _ if question.untrusted() && has_rule(Disposition::Untrusted) => Disposition::Untrusted,
            _ if source.is_some() => source.unwrap_or(Disposition::UnknownSource),
            VerdictReason::Unannotated => Disposition::Unannotated,
            _ if has(Counting::Malformed) => Disposition::Malformed,
            _ if has(Counting::UnknownClass) => Disposition::Unknown,
            VerdictReason::UnknownInSlot => Disposition::Unknown,
            _ if observation.is_some() => observation.unwrap_or(Disposition::Unobserved),
            VerdictReason::Terminal => Disposition::Terminal,
            _ if question.assertion().classes().any(refused) => Disposition::RefusedClass,
            _ if is_stale && self.withholds_any_stale => Disposition::Stale,
            VerdictReason::BelowFloor if is_stale && has_rule(Disposition::Stale) => {
                Disposition::Stale
            }
            VerdictReason::BelowFloor if has(Counting::NoTime) && has_rule(Disposition::NoTime) => {
                Disposition::NoTime
            }
            VerdictReason::BelowFloor if is_future() && has_rule(Disposition::Future) => {
                Disposition::Future
            }
            VerdictReason::BelowFloor => {
                Self::uncounted_observation(verdict).unwrap_or(Disposition::BelowFloor)
            }
            VerdictReason::Admitted if self.required.iter().any(|class| missing(&class)) => {
                Disposition::MissingClass
            }
            VerdictReason::Admitted => Disposition::Admitted,
        }
    }

    /// The disposition by a rule about the observations that are cited.
    fn observation_rule(&self, verdict: &Verdict) -> Option<Disposition> {
        OBSERVATIONS.into_iter().find(|disposition| {
            self.rule(*disposition).is_some()
                && verdict
                    .outcomes()
                    .iter()
                    .zip(verdict.counting())
                    .any(|(outcome, counting)| {
                        of_outcome(*outcome, *counting) == Some(*disposition)
                    })
        })
    }

    /// The disposition of an assertion that is below the floor because of an observation.
    fn uncounted_observation(verdict: &Verdict) -> Option<Disposition> {
        OBSERVATIONS.into_iter().find(|disposition| {
            verdict.counting().iter().any(|counting| match counting {
                Counting::Observation { outcome } => {
                    of_outcome(*outcome, *counting) == Some(*disposition)
                }
                _ => false,
            })
        })
    }

    /// The disposition of a citation that its sources decide.
    #[cfg(feature = "dialects")]
    fn source_disposition(
        &self,
        question: &Question<'_>,
        verdict: &Verdict,
    ) -> Option<Disposition> {
        let citation = question.citation()?;
        let has = |reason| citation.ids().any(|cited| cited.reason == Some(reason));
        let has_rule = |disposition| self.rule(disposition).is_some();
        let is_listed = |cited: CitedId<'_>| cited.reason.is_none() && cited.class.is_none();
        let is_listed = citation.ids().any(is_listed);
        match verdict.reason() {
            _ if has(CitationReason::UnknownSource) => Some(Disposition::UnknownSource),
            _ if has(CitationReason::NoSourceList) && has_rule(Disposition::NoSourceList) => {
                Some(Disposition::NoSourceList)
            }
            VerdictReason::Unannotated if is_listed => Some(Disposition::ListedSource),
            VerdictReason::Unannotated => Some(Disposition::NoSourceList),
            // Without a list, an orphan says no more than another citation.
            VerdictReason::NoAssertion
                if citation
                    .ids()
                    .all(|cited| cited.reason == Some(CitationReason::NoSourceList)) =>
            {
                Some(Disposition::NoSourceList)
            }
            VerdictReason::BelowFloor if is_listed && has_rule(Disposition::ListedSource) => {
                Some(Disposition::ListedSource)
            }
            _ => None,
        }
    }

    #[cfg(not(feature = "dialects"))]
    const fn source_disposition(&self, _: &Question<'_>, _: &Verdict) -> Option<Disposition> {
        None
    }

    /// Returns the action on assertions of a kind.
    #[must_use]
    pub fn action(&self, disposition: Disposition) -> Action {
        let own = self.rule(disposition);
        let rule = match disposition {
            Disposition::UnknownSource => own.or(self.rule(Disposition::Terminal)),
            Disposition::ListedSource => own.or(self.rule(Disposition::BelowFloor)),
            _ if OBSERVATIONS.contains(&disposition) => own.or(self.rule(Disposition::BelowFloor)),
            Disposition::NoSourceList if own.is_none() => return Action::Release,
            _ => own,
        };
        rule.unwrap_or(&self.inadmissible).action(&self.language)
    }

    /// Returns `true` if the file has a rule that needs a list of sources: `unknown_source` or `listed_source`. Without dialects and
    /// a list, such a rule never applies.
    #[must_use]
    pub fn needs_sources(&self) -> bool {
        let own = [Disposition::UnknownSource, Disposition::ListedSource];
        own.iter()
            .any(|disposition| self.rule(*disposition).is_some())
    }

    /// Returns `true` if the file has a rule or a level that needs [`ObservationCheck`]. Without them, such a rule never applies, and an
    /// annotation whose class needs a level above `declared` never counts.
    #[must_use]
    pub fn needs_observations(&self) -> bool {
        let mut own = OBSERVATIONS.iter();
        own.any(|disposition| self.rule(*disposition).is_some())
            || self.discipline.max_level() > ObservationLevel::Declared
    }

    /// Returns `true` if the file has a rule or a level that needs queries to be repeated: the level `requeried`, or a rule `changed`,
    /// `gone`, `moved` or `not_requeryable`.
    #[must_use]
    pub fn needs_requery(&self) -> bool {
        let own = [
            Disposition::Changed,
            Disposition::Gone,
            Disposition::Moved,
            Disposition::NotRequeryable,
        ];
        let mut own = own.iter();
        own.any(|disposition| self.rule(*disposition).is_some())
            || self.discipline.max_level() > ObservationLevel::Observed
    }

    /// The decision about text that is too long.
    fn at_limit(&self) -> AtLimit {
        let rule = self.rule(Disposition::Limit).unwrap_or(&self.inadmissible);
        rule.at_limit(&self.language)
    }

    /// The rule of its own that a disposition has.
    fn rule(&self, disposition: Disposition) -> Option<&Rule> {
        self.own[disposition as usize].as_ref()
    }
}

/// A policy that follows [`Rules`]; see [`Rules::policy`].
#[derive(Clone, Debug)]
pub struct RulePolicy<C> {
    rules: Arc<Rules>,
    clock: C,
    observations: Option<Arc<dyn ObservationCheck>>,
}

impl<C> RulePolicy<C> {
    /// The policy of rules that several policies may share, with a clock as [`Rules::policy`] takes it.
    pub fn new(rules: impl Into<Arc<Rules>>, clock: C) -> Self {
        Self {
            rules: rules.into(),
            clock,
            observations: None,
        }
    }

    /// Checks the observations that annotations cite.
    #[must_use]
    pub fn with_observations(mut self, observations: Arc<dyn ObservationCheck>) -> Self {
        self.observations = Some(observations);
        self
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl<C: FnMut() -> Timestamp> Policy for RulePolicy<C> {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        let (discipline, now) = (&self.rules.discipline, (self.clock)());
        Some(match &self.observations {
            Some(observations) => discipline.judge_observed(assertion, now, &**observations),
            None => discipline.judge(assertion, now),
        })
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.verdict() {
            Some(verdict) => self.rules.action(self.rules.disposition(question, verdict)),
            // A gate asks after it has judged.
            None => self.rules.inadmissible.action(&self.rules.language),
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        let rule = self.rules.rule(Disposition::Unannotated);
        rule.map_or(Unannotated::Release, |rule| {
            rule.unannotated(&self.rules.language)
        })
    }

    fn limit(&mut self) -> AtLimit {
        self.rules.at_limit()
    }

    fn spacing(&self) -> Spacing {
        self.rules.spacing
    }
}
