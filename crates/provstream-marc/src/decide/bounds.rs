//! How often, how long and at what cost a controller may assess anew.

use crate::declare::values;
use core::fmt;
use std::time::Duration;

use super::remedy::Intervention;
use crate::terms::{Action, terms};

values! {
    /// What one looping action may use up in a session. All three parts hold at once, and zero allows no round at all.
    ///
    /// Source: MARC-02 7.3, 9.4.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Bound {
        /// Most rounds.
        copy count: u32,
        /// The time after which no round begins.
        copy time: Duration,
        /// The cost after which no round begins, in units of the deployment.
        copy cost: u64,
    }
}

impl Bound {
    /// At most `count` rounds; no further round once the rounds so far took `time`, or cost `cost` units, together.
    ///
    /// Units of cost are the deployment's.
    #[must_use]
    pub const fn new(count: u32, time: Duration, cost: u64) -> Self {
        Self { count, time, cost }
    }
}

/// Writes the bound as a deployment documents it: `3 rounds, 10s, cost 500`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, time, cost } = self;
        write!(f, "{count} rounds, {time:?}, cost {cost}")
    }
}

/// The clarifications that a session asks for at most, unless its bounds say otherwise.
const CLARIFICATIONS: u32 = 3;

values! {
    /// The bounds of a session: one for each action after which assessment is entered again, and how often the user is
    /// asked. Every session has them. Source: MARC-02 7.3, 8.9, 20.1.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Bounds {
        own retrieve: Bound,
        own tool: Bound,
        own deliberate: Bound,
        /// Most clarifications in a session.
        copy clarifications: u32,
    }
}

impl Bounds {
    /// Bounds for [`Action::Retrieve`], [`Action::Tool`] and [`Action::Deliberate`], and at most 3 clarifications.
    #[must_use]
    pub const fn new(retrieve: Bound, tool: Bound, deliberate: Bound) -> Self {
        Self {
            retrieve,
            tool,
            deliberate,
            clarifications: CLARIFICATIONS,
        }
    }

    /// The same with at most so many clarifications in a session.
    #[must_use]
    pub const fn with_clarifications(self, clarifications: u32) -> Self {
        Self {
            clarifications,
            ..self
        }
    }

    /// The bound of an action; `None` for those after which no assessment follows by itself.
    #[must_use]
    pub const fn get(&self, action: Action) -> Option<&Bound> {
        match action {
            Action::Retrieve => Some(&self.retrieve),
            Action::Tool => Some(&self.tool),
            Action::Deliberate => Some(&self.deliberate),
            Action::Answer | Action::Clarify | Action::Abstain | Action::Escalate => None,
        }
    }

    /// Most rounds of the three looping actions together, capped at `u32::MAX`: the `max_iterations` of records. Source:
    /// MARC-02 9.1.
    #[must_use]
    pub const fn max_iterations(&self) -> u32 {
        self.retrieve
            .count
            .saturating_add(self.tool.count)
            .saturating_add(self.deliberate.count)
    }
}

/// Writes the bounds as a deployment documents them.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            retrieve,
            tool,
            deliberate,
            clarifications,
        } = self;
        write!(
            f,
            "RETRIEVE {retrieve}; TOOL {tool}; DELIBERATE {deliberate}; CLARIFY {clarifications} times"
        )
    }
}

values! {
    /// What a round took. By default nothing.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Spent {
        /// The time.
        copy time: Duration,
        /// The cost, in units of the deployment.
        copy cost: u64,
    }
}

impl Spent {
    /// Time, and cost in units of the deployment.
    #[must_use]
    pub const fn new(time: Duration, cost: u64) -> Self {
        Self { time, cost }
    }
}

terms! {
    /// A part of a bound that can be used up.
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

values! {
    /// A bound that keeps an intervention from being taken again. If several parts are used up, it is the first of
    /// count, time and cost.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct BoundHit {
        /// The intervention that is not taken.
        copy intervention: Intervention,
        /// What is used up.
        copy kind: BoundKind,
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
    /// The same with one more. Of no effect for [`Intervention::Human`], which ends a session and needs no bound.
    #[must_use]
    pub const fn with(mut self, intervention: Intervention, kind: BoundKind) -> Self {
        if !matches!(intervention, Intervention::Human) {
            self.0[intervention as usize] = Some(kind);
        }
        self
    }

    /// The bound of an intervention, if it is reached.
    #[must_use]
    pub fn get(&self, intervention: Intervention) -> Option<BoundHit> {
        let kind = self.0[intervention as usize]?;
        Some(BoundHit { intervention, kind })
    }
}

/// What one looping action has used up.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    count: u32,
    time: Duration,
    cost: u64,
}

/// What a session has used up: by retrieval, tool use and deliberation, and the clarifications.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    loops: [Used; 3],
    clarifications: u32,
}

const LOOPS: [Intervention; 3] = [
    Intervention::Retrieval,
    Intervention::Tool,
    Intervention::Deliberation,
];

impl Usage {
    fn get(&mut self, action: Action) -> Option<&mut Used> {
        let place = LOOPS.iter().position(|one| one.action() == action)?;
        self.loops.get_mut(place)
    }

    /// What is used up.
    pub(super) fn exhausted(&self, bounds: &Bounds) -> Exhausted {
        let mut exhausted = Exhausted::default();
        for (intervention, used) in LOOPS.into_iter().zip(&self.loops) {
            let Some(bound) = bounds.get(intervention.action()) else {
                continue;
            };
            let kind = if used.count >= bound.count {
                BoundKind::Count
            } else if used.time >= bound.time {
                BoundKind::Time
            } else if used.cost >= bound.cost {
                BoundKind::Cost
            } else {
                continue;
            };
            exhausted = exhausted.with(intervention, kind);
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
        } else if let Some(used) = self.get(action) {
            used.count = used.count.saturating_add(1);
        }
    }

    /// Adds what a round took.
    pub(super) fn add(&mut self, action: Action, spent: Spent) {
        if let Some(used) = self.get(action) {
            used.time = used.time.saturating_add(spent.time);
            used.cost = used.cost.saturating_add(spent.cost);
        }
    }

    /// The rounds that began.
    pub(super) fn rounds(&self) -> u32 {
        self.loops
            .iter()
            .fold(0, |sum: u32, used| sum.saturating_add(used.count))
    }
}
