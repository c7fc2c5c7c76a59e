//! How often, how long and at what cost a controller may assess anew.

use core::fmt;
use std::time::Duration;

use crate::terms::{Action, terms};

/// What one looping action may use up in a session. All three parts hold at once, and zero allows no round at all.
///
/// Source: MARC-02 7.3, 9.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    count: u32,
    time: Duration,
    cost: u64,
}

impl Bound {
    /// At most `count` rounds; no further round once the rounds so far took `time`, or cost `cost` units, together.
    ///
    /// Units of cost are the deployment's.
    #[must_use]
    pub const fn new(count: u32, time: Duration, cost: u64) -> Self {
        Self { count, time, cost }
    }

    /// Most rounds.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The time after which no round begins.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.time
    }

    /// The cost after which no round begins, in units of the deployment.
    #[must_use]
    pub const fn cost(&self) -> u64 {
        self.cost
    }
}

/// Writes the bound as a deployment documents it: `3 rounds, 10s, cost 500`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, time, cost } = self;
        write!(f, "{count} rounds, {time:?}, cost {cost}")
    }
}

/// The bounds of a session, one for each action after which assessment is entered again. There is no session without.
///
/// Source: MARC-02 7.3, 8.9, 20.1; open points 60 and 93.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    retrieve: Bound,
    tool: Bound,
    deliberate: Bound,
}

impl Bounds {
    /// Bounds for [`Action::Retrieve`], [`Action::Tool`] and [`Action::Deliberate`].
    #[must_use]
    pub const fn new(retrieve: Bound, tool: Bound, deliberate: Bound) -> Self {
        Self {
            retrieve,
            tool,
            deliberate,
        }
    }

    /// The bound of an action; none for those that do not loop.
    #[must_use]
    pub const fn get(&self, action: Action) -> Option<&Bound> {
        match action {
            Action::Retrieve => Some(&self.retrieve),
            Action::Tool => Some(&self.tool),
            Action::Deliberate => Some(&self.deliberate),
            Action::Answer | Action::Clarify | Action::Abstain | Action::Escalate => None,
        }
    }

    /// Most rounds of all three together, 4,294,967,295 if there are more: the `max_iterations` of records. Source: MARC-02
    /// 9.1; open point 60.
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
        } = self;
        write!(
            f,
            "RETRIEVE {retrieve}; TOOL {tool}; DELIBERATE {deliberate}"
        )
    }
}

/// What a round took. By default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spent {
    time: Duration,
    cost: u64,
}

impl Spent {
    /// Time, and cost in units of the deployment.
    #[must_use]
    pub const fn new(time: Duration, cost: u64) -> Self {
        Self { time, cost }
    }

    /// The time.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.time
    }

    /// The cost, in units of the deployment.
    #[must_use]
    pub const fn cost(&self) -> u64 {
        self.cost
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

/// A bound that kept an action from being taken. If several parts are used up, it is the first of count, time and cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoundHit {
    action: Action,
    kind: BoundKind,
}

impl BoundHit {
    /// The action that was not taken.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// What is used up.
    #[must_use]
    pub const fn kind(&self) -> BoundKind {
        self.kind
    }
}

/// Says it in terms of the task: `all rounds of retrieval are used up`.
impl fmt::Display for BoundHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.action {
            Action::Retrieve => "retrieval",
            Action::Tool => "tool use",
            _ => "deliberation",
        };
        match self.kind {
            BoundKind::Count => write!(f, "all rounds of {what} are used up"),
            BoundKind::Time => write!(f, "the time for {what} is used up"),
            BoundKind::Cost => write!(f, "the budget for {what} is used up"),
        }
    }
}

/// What one looping action has used up.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    count: u32,
    time: Duration,
    cost: u64,
}

/// What a session has used up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    retrieve: Used,
    tool: Used,
    deliberate: Used,
}

impl Usage {
    fn get(&mut self, action: Action) -> Option<&mut Used> {
        match action {
            Action::Retrieve => Some(&mut self.retrieve),
            Action::Tool => Some(&mut self.tool),
            Action::Deliberate => Some(&mut self.deliberate),
            Action::Answer | Action::Clarify | Action::Abstain | Action::Escalate => None,
        }
    }

    /// The part of the bounds that keeps an action from another round.
    pub(super) fn hit(mut self, bounds: &Bounds, action: Action) -> Option<BoundHit> {
        let (used, bound) = (self.get(action)?, bounds.get(action)?);
        let kind = if used.count >= bound.count {
            BoundKind::Count
        } else if used.time >= bound.time {
            BoundKind::Time
        } else if used.cost >= bound.cost {
            BoundKind::Cost
        } else {
            return None;
        };
        Some(BoundHit { action, kind })
    }

    /// Counts a round that begins.
    pub(super) fn begin(&mut self, action: Action) {
        if let Some(used) = self.get(action) {
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
}
