//! `[bounds]`: what ends a loop.

use core::time::Duration;

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::{count, duration, optional, text, unsigned};
use crate::decide::{Bound, Bounds};
use crate::terms::Action;
use provstream::settings::Value;

/// The actions after which assessment is entered again, with their keys.
pub(super) const LOOPS: [(Action, &str); 3] = [
    (Action::Retrieve, "retrieve"),
    (Action::Tool, "tool"),
    (Action::Deliberate, "deliberate"),
];

/// What is said of the bound of one action; something is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    count: Option<u32>,
    time: Option<Duration>,
    cost: Option<u64>,
    criterion: Option<String>,
}

impl Limit {
    fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let table = value.table(&["count", "time", "cost", "criterion"])?;
        let limit = Self {
            count: optional(&table, "count", count)?,
            time: optional(&table, "time", duration)?,
            cost: optional(&table, "cost", unsigned)?,
            criterion: optional(&table, "criterion", text)?,
        };
        if limit
            == (Self {
                count: None,
                time: None,
                cost: None,
                criterion: None,
            })
        {
            return Err(DeploymentError::of(Kind::Empty, &value, "no bound"));
        }
        Ok(limit)
    }

    /// What a session takes, or the key that is missing.
    pub(super) fn bound(&self) -> Result<Bound, &'static str> {
        Ok(Bound::new(
            self.count.ok_or("count")?,
            self.time.ok_or("time")?,
            self.cost.ok_or("cost")?,
        ))
    }
}

/// What is said of the bounds of all three. Source: MARC-02 7.3, 20.2.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Limits([Option<Limit>; 3]);

impl Limits {
    pub(super) fn read(value: Value<'_>) -> Result<Self, DeploymentError> {
        let [retrieve, tool, deliberate] = LOOPS.map(|(_, key)| key);
        let table = value.table(&[retrieve, tool, deliberate])?;
        Ok(Self([
            optional(&table, retrieve, Limit::read)?,
            optional(&table, tool, Limit::read)?,
            optional(&table, deliberate, Limit::read)?,
        ]))
    }

    /// The actions, their keys, and what is said of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Action, &'static str, Option<&Limit>)> {
        let limits = self.0.iter().map(Option::as_ref);
        LOOPS
            .into_iter()
            .zip(limits)
            .map(|((action, key), limit)| (action, key, limit))
    }

    /// What a session takes; none unless each has count, time and cost.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        let [retrieve, tool, deliberate] = &self.0;
        let bound = |limit: &Option<Limit>| limit.as_ref()?.bound().ok();
        Some(Bounds::new(
            bound(retrieve)?,
            bound(tool)?,
            bound(deliberate)?,
        ))
    }
}
