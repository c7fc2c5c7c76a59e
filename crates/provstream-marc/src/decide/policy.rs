//! The rules of a deployment: data, which selection executes.

use crate::declare::values;
use core::fmt;
use std::error::Error;

use super::situation::RiskTier;
use crate::score::Score;
use crate::terms::{Action, Remediability, Source};

/// The score from which on each source is material, for each risk tier. A threshold of the high tier is never above the
/// standard one. Source: MARC-02 8.8, 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thresholds {
    standard: [Score; 5],
    high: [Score; 5],
}

impl Thresholds {
    /// The same thresholds for all sources.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxThreshold`] if `high` is above `standard`.
    pub fn new(standard: Score, high: Score) -> Result<Self, PolicyError> {
        check(standard, high)?;
        Ok(Self {
            standard: [standard; 5],
            high: [high; 5],
        })
    }

    /// The same with thresholds of its own for one source.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with(
        mut self,
        source: Source,
        standard: Score,
        high: Score,
    ) -> Result<Self, PolicyError> {
        check(standard, high)?;
        self.standard[source as usize] = standard;
        self.high[source as usize] = high;
        Ok(self)
    }

    /// The score from which on a source is material in a tier.
    #[must_use]
    pub const fn get(&self, source: Source, tier: RiskTier) -> Score {
        match tier {
            RiskTier::Standard => self.standard[source as usize],
            RiskTier::High => self.high[source as usize],
        }
    }
}

fn check(standard: Score, high: Score) -> Result<(), PolicyError> {
    if high > standard {
        return Err(PolicyError {
            kind: PolicyErrorKind::LaxThreshold,
            detail: format!("high tier {high}, standard tier {standard}"),
        });
    }
    Ok(())
}

/// 0.5 in the standard tier, 0.3 in the high one.
impl Default for Thresholds {
    fn default() -> Self {
        Self {
            standard: [Score::HALF; 5],
            high: [Score::THREE_TENTHS; 5],
        }
    }
}

values! {
    /// A local rule that departs from what the draft recommends, with the condition that a deployment documents for it.
    /// Source: MARC-02 8.8, 9.4.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Deviation {
        /// The condition that a deployment documents.
        text condition: String,
        own rule: Rule,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Another action than the order of 8.8 selects.
    Order {
        instead_of: Action,
        action: Action,
        source: Option<Source>,
        tier: Option<RiskTier>,
    },
    /// A remediability that does not go with its action.
    Pairing {
        action: Action,
        remediability: Remediability,
    },
}

impl Deviation {
    /// `action` where the order of MARC-02 8.8 selects `instead_of`. It applies only where the action is possible in the
    /// situation, and never where safety governs.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxAction`] if `action` is [`Action::Answer`]: a local order may only be stricter.
    /// [`PolicyErrorKind::NoCondition`] if `condition` is blank.
    pub fn from_order(
        condition: impl Into<String>,
        instead_of: Action,
        action: Action,
    ) -> Result<Self, PolicyError> {
        if action == Action::Answer {
            return Err(PolicyError {
                kind: PolicyErrorKind::LaxAction,
                detail: format!("ANSWER instead of {instead_of}"),
            });
        }
        let rule = Rule::Order {
            instead_of,
            action,
            source: None,
            tier: None,
        };
        Self::new(condition, rule)
    }

    /// A stated `remediability` that is kept with an action it does not go with.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::NoCondition`] if `condition` is blank.
    pub fn from_pairing(
        condition: impl Into<String>,
        action: Action,
        remediability: Remediability,
    ) -> Result<Self, PolicyError> {
        Self::new(
            condition,
            Rule::Pairing {
                action,
                remediability,
            },
        )
    }

    fn new(condition: impl Into<String>, rule: Rule) -> Result<Self, PolicyError> {
        let condition = condition.into();
        if condition.trim().is_empty() {
            return Err(PolicyError {
                kind: PolicyErrorKind::NoCondition,
                detail: String::new(),
            });
        }
        Ok(Self { condition, rule })
    }

    /// The same for one primary source only. Of no effect on a pairing.
    #[must_use]
    pub fn for_source(mut self, only: Source) -> Self {
        if let Rule::Order { source, .. } = &mut self.rule {
            *source = Some(only);
        }
        self
    }

    /// The same for one risk tier only. Of no effect on a pairing.
    #[must_use]
    pub fn for_tier(mut self, only: RiskTier) -> Self {
        if let Rule::Order { tier, .. } = &mut self.rule {
            *tier = Some(only);
        }
        self
    }

    /// The section that is departed from: `MARC-02 8.8` or `MARC-02 9.4`.
    #[must_use]
    pub const fn section(&self) -> &'static str {
        match self.rule {
            Rule::Order { .. } => "MARC-02 8.8",
            Rule::Pairing { .. } => "MARC-02 9.4",
        }
    }

    /// The action that takes the place of the selected one.
    pub(super) fn replaces(
        &self,
        selected: Action,
        primary: Source,
        risk: RiskTier,
    ) -> Option<Action> {
        match self.rule {
            Rule::Order {
                instead_of,
                action,
                source,
                tier,
            } if instead_of == selected
                && source.is_none_or(|only| only == primary)
                && tier.is_none_or(|only| only == risk) =>
            {
                Some(action)
            }
            _ => None,
        }
    }

    /// Whether a stated class is kept with an action.
    pub(super) fn keeps(&self, selected: Action, stated: Remediability) -> bool {
        self.rule
            == Rule::Pairing {
                action: selected,
                remediability: stated,
            }
    }
}

values! {
    /// The rules of a deployment. Source: MARC-02 8.6, 8.8, 9.4, 14.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Policy {
        /// The thresholds.
        borrow thresholds: Thresholds,
        /// Never [`Action::Answer`].
        own safety: Vec<Action>,
        own deliberates_last: bool,
        /// By action.
        own about_action: [bool; 7],
        own deviations: Vec<Deviation>,
    }
}

/// Thresholds of 0.5 and, for high risk, 0.3; where safety governs, `ESCALATE` if a human is usable, else `ABSTAIN`;
/// worthwhile deliberation before externalization; no deviations.
impl Default for Policy {
    fn default() -> Self {
        Self {
            thresholds: Thresholds::default(),
            safety: vec![Action::Escalate, Action::Abstain],
            deliberates_last: false,
            about_action: [false; 7],
            deviations: Vec::new(),
        }
    }
}

impl Policy {
    /// The same with other thresholds.
    #[must_use]
    pub fn with_thresholds(self, thresholds: Thresholds) -> Self {
        Self { thresholds, ..self }
    }

    /// The same with another safety policy: the first of these actions that is possible, else [`Action::Abstain`]. Source:
    /// MARC-02 8.8 step 1.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxAction`] if [`Action::Answer`] is one of them.
    pub fn with_safety(mut self, actions: &[Action]) -> Result<Self, PolicyError> {
        if actions.contains(&Action::Answer) {
            return Err(PolicyError {
                kind: PolicyErrorKind::LaxAction,
                detail: "ANSWER where safety governs".into(),
            });
        }
        self.safety = actions.to_vec();
        Ok(self)
    }

    /// The same with worthwhile deliberation only after all externalization, right before an answer. Source: MARC-02 8.8
    /// step 7, which allows either.
    #[must_use]
    pub fn deliberating_last(self) -> Self {
        Self {
            deliberates_last: true,
            ..self
        }
    }

    /// The same with bands that describe confidence in the action for one action. Of no effect on [`Action::Answer`],
    /// whose band describes the answer, and under draft -01. Source: MARC-02 8.6.
    #[must_use]
    pub fn with_action_suitability(mut self, action: Action) -> Self {
        self.about_action[action as usize] = true;
        self
    }

    /// The same with one more deviation.
    #[must_use]
    pub fn with_deviation(mut self, deviation: Deviation) -> Self {
        self.deviations.push(deviation);
        self
    }

    /// The safety policy, in order of preference.
    #[must_use]
    pub fn safety(&self) -> &[Action] {
        &self.safety
    }

    /// The deviations.
    #[must_use]
    pub fn deviations(&self) -> &[Deviation] {
        &self.deviations
    }

    pub(super) const fn deliberates_last(&self) -> bool {
        self.deliberates_last
    }

    pub(super) const fn is_about_action(&self, action: Action) -> bool {
        self.about_action[action as usize]
    }
}

/// What is wrong with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyErrorKind {
    /// A threshold of the high tier is above that of the standard tier. Source: MARC-02 14.
    LaxThreshold,
    /// A local rule leads to an answer that the draft does not select. Source: MARC-02 8.8.
    LaxAction,
    /// A deviation has no condition. Source: MARC-02 9.4.
    NoCondition,
}

values! {
    /// A rule that a policy cannot have.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PolicyError {
        /// What is wrong.
        copy kind: PolicyErrorKind,
        own detail: String,
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = &self.detail;
        match self.kind {
            PolicyErrorKind::LaxThreshold => write!(
                f,
                "expected a threshold for high risk that is not above the standard one, found {detail} (MARC-02 14)"
            ),
            PolicyErrorKind::LaxAction => {
                write!(
                    f,
                    "expected a stricter rule than the draft's, found {detail} (MARC-02 8.8)"
                )
            }
            PolicyErrorKind::NoCondition => {
                f.write_str("expected the condition of a deviation, found a blank text")
            }
        }
    }
}

impl Error for PolicyError {}
