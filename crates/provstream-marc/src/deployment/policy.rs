//! `[policy]`: local rules.

use super::error::{DeploymentError, DeploymentErrorKind as Kind};
use super::read::{optional, set, term, text};
use crate::decide::{Policy, Suitability};
use crate::terms::Action;
use provstream::settings::Value;

/// A requirement that is departed from on purpose, and when. Source: MARC-02 9.4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Departure {
    pub(super) requirement: String,
    pub(super) condition: String,
}

/// What is said of local rules. Source: MARC-02 8.6, 9.4, 20.2.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PolicyPart {
    pub(super) abstain: Option<String>,
    pub(super) escalate: Option<String>,
    /// Actions whose band is about the action.
    pub(super) action_suitability: Vec<Action>,
    pub(super) departures: Option<Vec<Departure>>,
}

impl PolicyPart {
    /// `known` tells the requirements that can be departed from.
    pub(super) fn read(
        value: Value<'_>,
        known: impl Fn(&str) -> bool,
    ) -> Result<Self, DeploymentError> {
        let table = value.table(&["abstain", "escalate", "action_suitability", "deviation"])?;
        let departures = |value: Value<'_>| {
            let all = value.tables(&["requirement", "condition"])?;
            all.into_iter()
                .map(|table| {
                    let requirement = table.need("requirement")?;
                    let name = text(requirement)?;
                    if !known(&name) {
                        let detail = format!("{name:?}");
                        return Err(DeploymentError::of(
                            Kind::UnknownRequirement,
                            &requirement,
                            detail,
                        ));
                    }
                    Ok(Departure {
                        requirement: name,
                        condition: text(table.need("condition")?)?,
                    })
                })
                .collect()
        };
        Ok(Self {
            abstain: optional(&table, "abstain", text)?,
            escalate: optional(&table, "escalate", text)?,
            action_suitability: optional(&table, "action_suitability", |value| set(value, term))?
                .unwrap_or_default(),
            departures: optional(&table, "deviation", departures)?,
        })
    }
}

/// The policy of a controller that follows a description.
#[derive(Clone, Debug)]
pub(super) struct DescribedPolicy(pub(super) Vec<Action>);

impl Policy for DescribedPolicy {
    fn target(&self, action: Action) -> Suitability {
        if self.0.contains(&action) {
            Suitability::Action
        } else {
            Suitability::DirectAnswer
        }
    }
}
