//! Rules of a deployment, as data for the selection.

use super::situation::{RiskTier, Situation};
use crate::declare::{errors, setters, values};
use crate::score::Score;
use crate::terms::{Action, Remediability, Source};

/// Thresholds of each source for each risk tier: a source is material from its threshold on. A
/// threshold of the high tier is never above the standard one. Source: MARC-02 8.8, 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thresholds([[Score; 5]; 2]);

impl Thresholds {
    /// Creates thresholds that are equal for all sources.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxThreshold`] if `high` is above `standard`.
    pub fn new(standard: Score, high: Score) -> Result<Self, PolicyError> {
        let mut all = Source::ALL.iter();
        all.try_fold(Self::default(), |all, &source| {
            all.with(source, standard, high)
        })
    }

    /// Sets the thresholds of one source.
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
        if high > standard {
            return Err(PolicyErrorKind::LaxThreshold(high, standard).into());
        }
        for (tier, threshold) in [(RiskTier::Standard, standard), (RiskTier::High, high)] {
            self.0[tier as usize][source as usize] = threshold;
        }
        Ok(self)
    }

    /// Returns the threshold of a source in a tier: the source is material from this score on.
    #[must_use]
    pub const fn get(&self, source: Source, tier: RiskTier) -> Score {
        self.0[tier as usize][source as usize]
    }
}

/// 0.5 in the standard tier, 0.3 in the high one.
impl Default for Thresholds {
    fn default() -> Self {
        Self([[Score::HALF; 5], [Score::THREE_TENTHS; 5]])
    }
}

values! {
    /// A local rule that deviates from a recommendation of the draft, with the condition that the
    /// deployment documents. Source: MARC-02 8.8, 9.4.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Deviation {
        /// The documented condition.
        text condition: String,
        own action: Action,
        /// Action that a deviation from the order of 8.8 replaces.
        own instead_of: Option<Action>,
        own source: Option<Source>,
        own tier: Option<RiskTier>,
        /// Class that a deviation from the pairs of 9.4 keeps.
        own remediability: Option<Remediability>,
    }

    /// The rules of a deployment. Source: MARC-02 8.6, 8.8, 9.4, 14.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Policy {
        /// The thresholds.
        borrow thresholds: Thresholds,
        /// The safety policy, in order of preference; never [`Action::Answer`].
        list safety: Action,
        /// `true` if worthwhile deliberation comes only right before an answer. Source: MARC-02 8.8
        /// step 7.
        copy deliberates_last: bool,
        /// `true` at the index of each action whose confidence target is `action_suitability`.
        own about_action: [bool; 7],
        /// The deviations.
        list deviations: Deviation,
    }
}

impl Deviation {
    /// Creates a deviation that selects `action` where the order of MARC-02 8.8 selects
    /// `instead_of`. It applies only if the action is possible in the situation, and never if
    /// safety controls the selection.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxDeviation`] if `action` is [`Action::Answer`]: a local order may only be stricter.
    /// [`PolicyErrorKind::NoCondition`] if `condition` is blank.
    pub fn from_order(
        condition: impl Into<String>,
        instead_of: Action,
        action: Action,
    ) -> Result<Self, PolicyError> {
        if action == Action::Answer {
            return Err(PolicyErrorKind::LaxDeviation(instead_of).into());
        }
        let mut deviation = Self::new(condition.into(), action)?;
        deviation.instead_of = Some(instead_of);
        Ok(deviation)
    }

    /// Creates a deviation that keeps a stated `remediability` with an action that it does not
    /// normally go with.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::NoCondition`] if `condition` is blank.
    pub fn from_pairing(
        condition: impl Into<String>,
        action: Action,
        remediability: Remediability,
    ) -> Result<Self, PolicyError> {
        let mut deviation = Self::new(condition.into(), action)?;
        deviation.remediability = Some(remediability);
        Ok(deviation)
    }

    fn new(condition: String, action: Action) -> Result<Self, PolicyError> {
        if condition.trim().is_empty() {
            return Err(PolicyErrorKind::NoCondition.into());
        }
        Ok(Self {
            condition,
            action,
            instead_of: None,
            source: None,
            tier: None,
            remediability: None,
        })
    }

    /// Returns the action that replaces the selected one, if the deviation applies.
    pub(super) fn replaces(&self, selected: Action, situation: &Situation) -> Option<Action> {
        let applies = self.instead_of == Some(selected)
            && self
                .source
                .is_none_or(|only| only == situation.primary_source())
            && self.tier.is_none_or(|only| only == situation.risk_tier());
        applies.then_some(self.action)
    }

    /// Returns `true` if this deviation permits the stated class of intervention with the selected
    /// action.
    pub(super) fn keeps(&self, selected: Action, stated: Remediability) -> bool {
        self.action == selected && self.remediability == Some(stated)
    }
}

setters! { Deviation {
    /// Limits the deviation to one primary source. Has no effect on a pairing.
    for_source(only: Source) source = Some(only);
    /// Limits the deviation to one risk tier. Has no effect on a pairing.
    for_tier(only: RiskTier) tier = Some(only);
} }

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

setters! { Policy {
    /// Sets the thresholds.
    with_thresholds(thresholds: Thresholds) thresholds = thresholds;
    /// Puts worthwhile deliberation after all externalization, right before an answer. MARC-02 8.8
    /// step 7 allows both orders.
    deliberating_last() deliberates_last = true;
} }

impl Policy {
    /// Sets the safety policy: the first possible one of `actions` is selected, or
    /// [`Action::Abstain`] if none is possible. Source: MARC-02 8.8 step 1.
    ///
    /// # Errors
    ///
    /// [`PolicyErrorKind::LaxSafety`] if [`Action::Answer`] is one of them.
    pub fn with_safety(mut self, actions: &[Action]) -> Result<Self, PolicyError> {
        if actions.contains(&Action::Answer) {
            return Err(PolicyErrorKind::LaxSafety.into());
        }
        self.safety = actions.to_vec();
        Ok(self)
    }

    /// Sets the confidence target of one action to `action_suitability`. Has no effect on
    /// [`Action::Answer`], whose band describes the answer, and under draft -01. Source: MARC-02
    /// 8.6.
    pub fn with_action_suitability(mut self, action: Action) -> Self {
        self.about_action[action as usize] = true;
        self
    }

    /// Adds a deviation.
    pub fn with_deviation(mut self, deviation: Deviation) -> Self {
        self.deviations.push(deviation);
        self
    }

    pub(super) const fn is_about_action(&self, action: Action) -> bool {
        self.about_action[action as usize]
    }
}

errors! {
    /// A rule that a policy cannot have.
    PolicyError: Copy,
    /// Reason why a rule is invalid.
    PolicyErrorKind {
        /// The threshold of the high tier, given first, is above that of the standard tier. Source: MARC-02 14.
        LaxThreshold(high: Score, standard: Score) =>
            "expected a threshold for high risk that is not above the standard one, found high tier {high}, standard tier {standard} (MARC-02 14)";
        /// A deviation leads to an answer where the draft selects this action. Source: MARC-02 8.8.
        LaxDeviation(instead_of: Action) => "expected a stricter rule than the draft's, found ANSWER instead of {instead_of} (MARC-02 8.8)";
        /// The safety policy allows an answer. Source: MARC-02 8.8.
        LaxSafety => "expected actions other than ANSWER where safety governs, such as ESCALATE, found ANSWER (MARC-02 8.8)";
        /// A deviation has no condition. Source: MARC-02 9.4.
        NoCondition => "expected the condition of a deviation, found a blank text";
    }
}
