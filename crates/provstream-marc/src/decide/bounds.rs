//! Bounds on the rounds, time and cost of repeated assessment.

use core::fmt;
use std::time::Duration;

use super::remedy::Intervention;
use crate::declare::{setters, values};
use crate::terms::{Action, terms};

values! {
    /// Maximum rounds, time and cost of one looping action in a session. All three apply at once;
    /// zero allows no round. Source: MARC-02 7.3, 9.4.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Bound {
        /// The maximum number of rounds.
        copy count: u32,
        /// The time after which no round begins.
        copy time: Duration,
        /// The cost after which no round begins, in units of the deployment.
        copy cost: u64,
    }

    /// The bounds of a session: one for each action that is followed by a new assessment, and a
    /// maximum number of questions to the user. Every session has them. Source: MARC-02 7.3, 8.9,
    /// 20.1.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[must_use]
    pub struct Bounds {
        /// Bounds in the order of [`LOOPS`].
        own loops: [Bound; 3],
        /// The maximum number of clarifications in a session.
        copy clarifications: u32,
    }

    /// Time and cost of one round. Both are zero by default.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Spent {
        /// The time.
        copy time: Duration,
        /// The cost, in units of the deployment.
        copy cost: u64,
    }

    /// A reached bound, which excludes an intervention. If several parts are exhausted, it names
    /// the first of count, time and cost.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BoundHit {
        /// The excluded intervention.
        copy intervention: Intervention,
        /// Exhausted part of the bound.
        copy kind: BoundKind,
    }
}

terms! {
    /// A part of a bound that can be exhausted.
    #[non_exhaustive]
    BoundKind, "part of a bound" {
        /// The number of rounds.
        Count = "count",
        /// The time.
        Time = "time",
        /// The cost.
        Cost = "cost",
    }
}

/// The actions that have a bound.
const LOOPS: [(Action, Intervention); 3] = [
    (Action::Retrieve, Intervention::Retrieval),
    (Action::Tool, Intervention::Tool),
    (Action::Deliberate, Intervention::Deliberation),
];

fn place(action: Action) -> Option<usize> {
    LOOPS.iter().position(|(one, _)| *one == action)
}

impl Bound {
    /// Creates a bound of at most `count` rounds, without a further round once the rounds so far
    /// took `time`, or cost `cost` units, in total.
    #[must_use]
    pub const fn new(count: u32, time: Duration, cost: u64) -> Self {
        Self { count, time, cost }
    }
}

impl Bounds {
    /// Creates bounds for [`Action::Retrieve`], [`Action::Tool`] and [`Action::Deliberate`], and at
    /// most 3 clarifications.
    pub const fn new(retrieve: Bound, tool: Bound, deliberate: Bound) -> Self {
        Self {
            loops: [retrieve, tool, deliberate],
            clarifications: 3,
        }
    }

    /// Returns the bound of an action; `None` for actions that are not followed by another
    /// assessment.
    #[must_use]
    pub fn get(&self, action: Action) -> Option<&Bound> {
        Some(&self.loops[place(action)?])
    }

    /// Returns the maximum number of rounds of the three looping actions in total, capped at
    /// `u32::MAX`: the `max_iterations` of records. Source: MARC-02 9.1.
    #[must_use]
    pub fn max_iterations(&self) -> u32 {
        rounds(&self.loops)
    }
}

setters! { Bounds {
    /// Sets the most clarifications in a session.
    with_clarifications(clarifications: u32) clarifications = clarifications;
} }

fn rounds(loops: &[Bound; 3]) -> u32 {
    let counts = loops.iter().map(|one| one.count);
    counts.fold(0, u32::saturating_add)
}

impl Spent {
    /// Creates the consumption of a round: its time, and its cost in units of the deployment.
    #[must_use]
    pub const fn new(time: Duration, cost: u64) -> Self {
        Self { time, cost }
    }
}

/// `the count of retrieval is used up`
impl fmt::Display for BoundHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} of {} is used up", self.kind, self.intervention)
    }
}

/// The interventions whose bound is reached, none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exhausted([Option<BoundKind>; 5]);

impl Exhausted {
    /// Marks one more intervention as exhausted. Ignores [`Intervention::Human`], which ends a
    /// session and needs no bound.
    #[must_use]
    pub const fn with(mut self, intervention: Intervention, kind: BoundKind) -> Self {
        if !matches!(intervention, Intervention::Human) {
            self.0[intervention as usize] = Some(kind);
        }
        self
    }

    /// Returns the reached bound of an intervention, if one is reached.
    #[must_use]
    pub fn get(&self, intervention: Intervention) -> Option<BoundHit> {
        let kind = self.0[intervention as usize]?;
        Some(BoundHit { intervention, kind })
    }
}

/// Rounds, time and cost that each looping action of a session used, and the number of
/// clarifications.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    loops: [Bound; 3],
    clarifications: u32,
}

impl Usage {
    /// Returns the interventions that reached one of `bounds`.
    pub(super) fn exhausted(&self, bounds: &Bounds) -> Exhausted {
        let mut exhausted = Exhausted::default();
        for ((bound, used), (_, intervention)) in bounds.loops.iter().zip(&self.loops).zip(LOOPS) {
            let parts = [
                (used.count >= bound.count, BoundKind::Count),
                (used.time >= bound.time, BoundKind::Time),
                (used.cost >= bound.cost, BoundKind::Cost),
            ];
            if let Some((_, kind)) = parts.into_iter().find(|(is_used_up, _)| *is_used_up) {
                exhausted = exhausted.with(intervention, kind);
            }
        }
        if self.clarifications >= bounds.clarifications {
            exhausted = exhausted.with(Intervention::User, BoundKind::Count);
        }
        exhausted
    }

    /// Counts a round or a clarification that begins.
    pub(super) fn begin(&mut self, action: Action) {
        if action == Action::Clarify {
            self.clarifications = self.clarifications.saturating_add(1);
        } else if let Some(place) = place(action) {
            let used = &mut self.loops[place];
            used.count = used.count.saturating_add(1);
        }
    }

    /// Adds what a round took.
    pub(super) fn add(&mut self, action: Action, spent: Spent) {
        if let Some(place) = place(action) {
            let used = &mut self.loops[place];
            used.time = used.time.saturating_add(spent.time);
            used.cost = used.cost.saturating_add(spent.cost);
        }
    }

    /// Returns the number of rounds begun.
    pub(super) fn rounds(&self) -> u32 {
        rounds(&self.loops)
    }
}
