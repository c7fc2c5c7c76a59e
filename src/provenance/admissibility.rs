//! The cardinality-thresholded admissibility discipline of a relying party.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use super::counting::{Counting, between};
use super::{
    Annotation, Assertion, Class, LabelKind, ObservationCheck, ObservationLevel,
    ObservationOutcome, Reason, Timestamp,
};
use crate::names::names;

/// Requirements of a relying party on an assertion before it acts on it (`provenance memo 7`; wire profile 7).
///
/// At least `floor` distinct substrate classes must be declared by annotations whose time lies within the class's window:
/// in [now − window, now + skew], both ends included. An annotation without a valid time never counts, nor does one of a class
/// for which neither a window of its own nor a default one is set. A terminal, declared or mapped, makes the assertion
/// inadmissible whatever else it carries.
///
/// A verdict is about what the emitter declared. It is never evidence that an observation took place, and must not be
/// treated as such (`provenance memo 11.1`).
///
/// ```
/// use std::time::Duration;
/// use provstream::provenance::{Class, Discipline};
///
/// let discipline = Discipline::own_state()
///     .default_window(Duration::from_secs(300))
///     .window(Class::GIT_LOG, Duration::from_secs(86_400))
///     .group([Class::GREP, Class::CODE_READ, Class::FS_MTIME])
///     .build()?;
/// assert_eq!(discipline.floor(), 2);
/// # Ok::<(), provstream::provenance::DisciplineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discipline {
    floor: NonZeroUsize,
    default_window: Option<Duration>,
    windows: BTreeMap<Class, Duration>,
    skew: Duration,
    /// Number of the group of each class that belongs to one.
    groups: BTreeMap<Class, usize>,
    default_level: ObservationLevel,
    levels: BTreeMap<Class, ObservationLevel>,
}

impl Discipline {
    /// Starts a discipline that asks for `floor` distinct classes, `k` in the memo; at least 1.
    pub fn builder(floor: usize) -> DisciplineBuilder {
        DisciplineBuilder {
            discipline: Self {
                floor: NonZeroUsize::new(floor).unwrap_or(NonZeroUsize::MIN),
                default_window: None,
                windows: BTreeMap::new(),
                skew: Duration::ZERO,
                groups: BTreeMap::new(),
                default_level: ObservationLevel::Declared,
                levels: BTreeMap::new(),
            },
            next_group: 0,
            error: (floor == 0).then_some(DisciplineError::ZeroFloor),
        }
    }

    /// The memo's reference for effects that stay within the relying party's own state: a floor of 2. `provenance memo 7`
    pub fn own_state() -> DisciplineBuilder {
        Self::builder(2)
    }

    /// The memo's reference for effects on state outside the relying party: a floor of 3. `provenance memo 7`
    pub fn external_effect() -> DisciplineBuilder {
        Self::builder(3)
    }

    /// Returns the number of distinct classes that must be declared; at least 1.
    #[must_use]
    pub const fn floor(&self) -> usize {
        self.floor.get()
    }

    /// Returns the greatest age of an observation of a class; `None` if the class never counts.
    #[must_use]
    pub fn window(&self, class: &Class) -> Option<Duration> {
        if class.is_terminal() {
            return None;
        }
        self.windows.get(class).copied().or(self.default_window)
    }

    /// Returns the greatest time by which an observation may lie in the future.
    #[must_use]
    pub const fn skew(&self) -> Duration {
        self.skew
    }

    /// Returns the level that the observations of a class must reach for its annotations to count.
    #[must_use]
    pub fn level(&self, class: &Class) -> ObservationLevel {
        self.levels
            .get(class)
            .copied()
            .unwrap_or(self.default_level)
    }

    /// Returns the highest level of any class.
    #[must_use]
    pub fn max_level(&self) -> ObservationLevel {
        let levels = self.levels.values().copied();
        levels.max().unwrap_or_default().max(self.default_level)
    }

    /// Judges what an assertion's annotations declare, at the time `now`. Nothing is checked, so an annotation counts only if the
    /// [`level`](Self::level) of its class is `declared`.
    pub fn judge(&self, assertion: &Assertion<'_>, now: Timestamp) -> Verdict {
        self.judge_by(assertion, now, |_| None)
    }

    /// Judges what an assertion's annotations declare, at the time `now`, and checks the observations that they cite. An annotation
    /// counts only if the outcome reaches the [`level`](Self::level) of its class.
    pub fn judge_observed(
        &self,
        assertion: &Assertion<'_>,
        now: Timestamp,
        observations: &dyn ObservationCheck,
    ) -> Verdict {
        self.judge_by(assertion, now, |annotation| {
            let window = self.window(annotation.class());
            Some(observations.check(annotation, window, now))
        })
    }

    fn judge_by(
        &self,
        assertion: &Assertion<'_>,
        now: Timestamp,
        check: impl Fn(&Annotation<'_>) -> Option<ObservationOutcome>,
    ) -> Verdict {
        let mut unannotated = true;
        let unknown_in_slot = assertion.has_unknown_in_slot();
        let mut terminal = false;
        let mut classes = Vec::new();
        let mut counting = Vec::new();
        let mut outcomes = Vec::new();
        for annotation in assertion.annotations() {
            unannotated = false;
            terminal |= annotation.label_kind() != LabelKind::Corroborated;
            let outcome = check(&annotation);
            outcomes.extend(outcome);
            let found = self.examine_outcome(&annotation, outcome, now);
            if found.counts() {
                classes.push(annotation.class().clone());
            }
            counting.push(found);
        }
        classes.sort_unstable();
        classes.dedup();
        let count = self.independent(&classes);
        let reason = if assertion.extent().is_empty() {
            VerdictReason::NoAssertion
        } else if assertion.limit_hit() {
            VerdictReason::Limit
        } else if unknown_in_slot {
            VerdictReason::UnknownInSlot
        } else if unannotated {
            VerdictReason::Unannotated
        } else if terminal {
            VerdictReason::Terminal
        } else if count < self.floor() {
            VerdictReason::BelowFloor
        } else {
            VerdictReason::Admitted
        };
        Verdict {
            reason,
            classes,
            count,
            floor: self.floor(),
            counting,
            outcomes,
            judged_at: now,
        }
    }

    /// Returns whether an annotation counts at the time `now` and, if not, why, without checking an observation.
    #[must_use]
    pub fn examine(&self, annotation: &Annotation<'_>, now: Timestamp) -> Counting {
        self.examine_outcome(annotation, None, now)
    }

    fn examine_outcome(
        &self,
        annotation: &Annotation<'_>,
        outcome: Option<ObservationOutcome>,
        now: Timestamp,
    ) -> Counting {
        match annotation.reason() {
            Some(Reason::Malformed) => return Counting::Malformed,
            Some(Reason::UnknownSource) => return Counting::Terminal,
            Some(_) => return Counting::UnknownClass,
            None => {}
        }
        if annotation.class().is_terminal() {
            return Counting::Terminal;
        }
        let Some(window) = self.window(annotation.class()) else {
            return Counting::NoWindow;
        };
        let Some(ts) = annotation.timestamp() else {
            return Counting::NoTime;
        };
        let (first, last) = (now.saturating_sub(window), now.saturating_add(self.skew()));
        let outcome = outcome.unwrap_or(ObservationOutcome::Declared);
        let reaches = |level| level >= self.level(annotation.class());
        if ts < first {
            Counting::Stale {
                by: between(ts, first),
            }
        } else if ts > last {
            Counting::Future {
                by: between(last, ts),
            }
        } else if !outcome.level().is_some_and(reaches) {
            Counting::Observation { outcome }
        } else {
            Counting::Counts
        }
    }

    /// The greatest count that an assertion with annotations of these classes can have: classes without a window never count, and
    /// those of one group count once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use provstream::provenance::{Class, Discipline};
    ///
    /// let hour = Duration::from_secs(3600);
    /// let discipline = Discipline::own_state().window(Class::GREP, hour).build()?;
    /// assert_eq!(discipline.max_count([Class::GREP, Class::GIT_LOG]), 1);
    /// # Ok::<(), provstream::provenance::DisciplineError>(())
    /// ```
    pub fn max_count(&self, classes: impl IntoIterator<Item = Class>) -> usize {
        let classes = classes.into_iter();
        let mut classes: Vec<_> = classes
            .filter(|class| self.window(class).is_some())
            .collect();
        classes.sort_unstable();
        classes.dedup();
        self.independent(&classes)
    }

    /// Returns the number of distinct classes, those of one group counted once.
    fn independent(&self, classes: &[Class]) -> usize {
        let mut groups: Vec<usize> = classes
            .iter()
            .filter_map(|class| self.groups.get(class).copied())
            .collect();
        let grouped = groups.len();
        groups.sort_unstable();
        groups.dedup();
        classes.len() - grouped + groups.len()
    }
}

/// Sets up a [`Discipline`]; see [`Discipline::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct DisciplineBuilder {
    discipline: Discipline,
    next_group: usize,
    error: Option<DisciplineError>,
}

impl DisciplineBuilder {
    /// Sets the greatest age of observations of every class without a window of its own. Without this, only classes with a
    /// window of their own count.
    pub fn default_window(mut self, window: Duration) -> Self {
        self.discipline.default_window = Some(window);
        self
    }

    /// Sets the greatest age of observations of one class; the last value given for a class holds.
    pub fn window(mut self, class: Class, window: Duration) -> Self {
        if class.is_terminal() {
            return self.fail(DisciplineError::TerminalWindow(class));
        }
        self.discipline.windows.insert(class, window);
        self
    }

    /// Sets the greatest time by which an observation may lie in the future, for clocks that disagree. Zero unless set.
    pub fn skew(mut self, skew: Duration) -> Self {
        self.discipline.skew = skew;
        self
    }

    /// Adds a group of classes that depend on each other, such as those that read the same file system. A group counts
    /// once. `provenance memo 11.3` leaves that choice to the relying party.
    pub fn group(mut self, classes: impl IntoIterator<Item = Class>) -> Self {
        let group = self.next_group;
        self.next_group += 1;
        for class in classes {
            if class.is_terminal() {
                return self.fail(DisciplineError::TerminalInGroup(class));
            }
            let groups = &mut self.discipline.groups;
            if *groups.entry(class.clone()).or_insert(group) != group {
                return self.fail(DisciplineError::ClassInTwoGroups(class));
            }
        }
        self
    }

    /// Sets the level that the observations of every class without a level of its own must reach; `declared` unless set.
    pub fn default_level(mut self, level: ObservationLevel) -> Self {
        self.discipline.default_level = level;
        self
    }

    /// Sets the level that the observations of one class must reach; the last level given for a class holds. A terminal has none.
    pub fn level(mut self, class: Class, level: ObservationLevel) -> Self {
        self.discipline.levels.insert(class, level);
        self
    }

    /// Builds the discipline.
    ///
    /// # Errors
    ///
    /// The first thing that was wrong: a floor of 0, a window for a terminal, or a group with a terminal or with a class of
    /// another group.
    pub fn build(self) -> Result<Discipline, DisciplineError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.discipline),
        }
    }

    fn fail(mut self, error: DisciplineError) -> Self {
        self.error.get_or_insert(error);
        self
    }
}

/// Why a [`Discipline`] cannot be set up.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DisciplineError {
    /// The floor is 0, which would admit what nothing corroborates.
    ZeroFloor,
    /// A window for a terminal, which never counts.
    TerminalWindow(Class),
    /// A terminal in a group.
    TerminalInGroup(Class),
    /// A class in two groups.
    ClassInTwoGroups(Class),
}

impl fmt::Display for DisciplineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroFloor => f.write_str("the floor is at least 1"),
            Self::TerminalWindow(class) => {
                write!(
                    f,
                    "{class} is terminal and never counts, so it has no window; leave it out"
                )
            }
            Self::TerminalInGroup(class) => {
                write!(
                    f,
                    "{class} is terminal and never counts, so it is in no group; leave it out"
                )
            }
            Self::ClassInTwoGroups(class) => {
                write!(f, "{class} is in two groups, expected at most one")
            }
        }
    }
}

impl Error for DisciplineError {}

/// Result of judging an assertion: admitted or not, and why. It is about what was declared, and never evidence that an
/// observation took place (`provenance memo 11.1`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Verdict {
    reason: VerdictReason,
    classes: Vec<Class>,
    count: usize,
    floor: usize,
    counting: Vec<Counting>,
    outcomes: Vec<ObservationOutcome>,
    judged_at: Timestamp,
}

impl Verdict {
    /// Returns `true` if the relying party's discipline is met.
    #[must_use]
    pub const fn admitted(&self) -> bool {
        matches!(self.reason, VerdictReason::Admitted)
    }

    /// Returns the reason: the first that applies, in the order of [`VerdictReason`].
    #[must_use]
    pub const fn reason(&self) -> VerdictReason {
        self.reason
    }

    /// Returns the distinct classes declared within their windows, sorted by identifier, even if the assertion is not admitted.
    /// Classes of one group are listed separately.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Returns the number that is compared with the floor: that of [`Verdict::classes`], those of one group counted once.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// For each annotation, in order, whether it counts, and if not, why.
    #[must_use]
    pub fn counting(&self) -> &[Counting] {
        &self.counting
    }

    /// For each annotation, in order, the outcome of checking its observation; empty if nothing was checked.
    #[must_use]
    pub fn outcomes(&self) -> &[ObservationOutcome] {
        &self.outcomes
    }

    /// Returns the time from which ages were measured.
    #[must_use]
    pub const fn judged_at(&self) -> Timestamp {
        self.judged_at
    }

    /// The floor that was applied.
    #[must_use]
    pub const fn floor(&self) -> usize {
        self.floor
    }
}

/// Writes whether the assertion is admitted, why, and what counted: `not admitted (below-floor): 1 of 2 classes:
/// substrate.grep`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.admitted() {
            f.write_str("admitted")?;
        } else {
            write!(f, "not admitted ({})", self.reason)?;
        }
        write!(f, ": {} of {} classes", self.count, self.floor)?;
        for (at, class) in self.classes.iter().enumerate() {
            write!(f, "{} {class}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// Why an assertion is admitted or not. `provenance memo 7`; wire profile 7
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VerdictReason {
    /// Nothing is asserted, or only the empty string: the [extent](Assertion::extent) is empty.
    NoAssertion,
    /// The assertion, or what annotates it, hit a limit, so that not all of it is known.
    Limit,
    /// A bracket beside it may have been meant as an annotation, so the assertion counts as one with the terminal
    /// `unverified-inference`. Source: wire profile, unknown in the slot.
    UnknownInSlot,
    /// There is no annotation. That is a state of its own, not a terminal one.
    Unannotated,
    /// An annotation is terminal, declared so or mapped.
    Terminal,
    /// Fewer classes than the floor asks for are declared within their windows.
    BelowFloor,
    /// Enough classes are declared within their windows.
    Admitted,
}

names! {
    VerdictReason, "verdict reason", "The name used on the wire, such as `below-floor`.",
    NoAssertion => "no-assertion",
    Limit => "limit",
    UnknownInSlot => "unknown-in-slot",
    Unannotated => "unannotated",
    Terminal => "terminal",
    BelowFloor => "below-floor",
    Admitted => "admitted",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_makes_no_sense() {
        let set_up = || Discipline::builder(1);
        for (builder, error) in [
            (Discipline::builder(0), DisciplineError::ZeroFloor),
            (
                set_up().window(Class::UNVERIFIED_INFERENCE, Duration::ZERO),
                DisciplineError::TerminalWindow(Class::UNVERIFIED_INFERENCE),
            ),
            (
                set_up().group([Class::GREP, Class::DECAYED_TO_UNCERTAINTY]),
                DisciplineError::TerminalInGroup(Class::DECAYED_TO_UNCERTAINTY),
            ),
            (
                set_up()
                    .group([Class::GREP])
                    .group([Class::GIT_LOG, Class::GREP]),
                DisciplineError::ClassInTwoGroups(Class::GREP),
            ),
        ] {
            assert!(!error.to_string().is_empty());
            assert_eq!(builder.build(), Err(error));
        }
        assert!(set_up().group([Class::GREP, Class::GREP]).build().is_ok());
    }

    #[test]
    fn presets_are_the_memo_references() {
        // PA-43, PA-44
        assert_eq!(Discipline::own_state().build().unwrap().floor(), 2);
        assert_eq!(Discipline::external_effect().build().unwrap().floor(), 3);
    }

    #[test]
    fn windows_fall_back_to_the_default() {
        let minute = Duration::from_secs(60);
        let own = Discipline::builder(1)
            .window(Class::GREP, minute)
            .build()
            .unwrap();
        assert_eq!(own.window(&Class::GREP), Some(minute));
        assert_eq!(own.window(&Class::GIT_LOG), None);
        let default = Discipline::builder(1)
            .default_window(minute)
            .build()
            .unwrap();
        assert_eq!(default.window(&Class::GIT_LOG), Some(minute));
        assert_eq!(default.window(&Class::UNVERIFIED_INFERENCE), None);
    }
}
