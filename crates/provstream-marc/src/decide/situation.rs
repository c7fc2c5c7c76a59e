//! Situations: the controller's findings at a decision point.

use super::remedy::{Intervention, Remedy};
use crate::declare::{setters, values};
use crate::score::{Score, Scores};
use crate::terms::{Remediability, Source, terms};

terms! {
    /// A judgement by the caller. A judgement about a source replaces its score, except for safety.
    /// Source: MARC-02 8.8.
    #[non_exhaustive]
    Judgement, "judgement" {
        /// A safety, legal or policy constraint controls the selection. The judgement can only add
        /// this: a score that reaches its threshold controls the selection in any case.
        SafetyControls = "safety_controls",
        /// The ambiguity blocks an answer.
        BlockingAmbiguity = "blocking_ambiguity",
        /// Relevant evidence is materially inconsistent.
        MaterialConflict = "material_conflict",
        /// Required evidence is absent, inaccessible, insufficient or stale.
        RequiredEvidenceMissing = "required_evidence_missing",
        /// A limit of competence is material.
        MaterialCapabilityLimit = "material_capability_limit",
        /// Available evidence resolves the ambiguity without the user. Not set by any score.
        ResolvableFromEvidence = "resolvable_from_evidence",
        /// The answer is explicitly limited to what is in context, so missing evidence does not matter. Not set by any score.
        LimitedToContext = "limited_to_context",
    }
}

impl Judgement {
    /// Returns the judgement that replaces the score of a source.
    pub(super) const fn about(source: Source) -> Self {
        match source {
            Source::Ambiguity => Self::BlockingAmbiguity,
            Source::MissingEvidence => Self::RequiredEvidenceMissing,
            Source::CapabilityLimit => Self::MaterialCapabilityLimit,
            Source::EvidenceConflict => Self::MaterialConflict,
            Source::Safety => Self::SafetyControls,
        }
    }
}

terms! {
    /// Severity of the harm that a wrong answer can do. Source: MARC-02 14.
    #[non_exhaustive]
    RiskTier, "risk tier" {
        /// Ordinary requests.
        Standard = "standard",
        /// Health, legal, financial, safety and mental-health requests, and others that the
        /// deployment treats alike.
        High = "high",
    }
}

values! {
    /// Findings of a controller at a decision point: estimates, attribution, judgements and
    /// available remedies.
    ///
    /// Scores decide by the thresholds of a [`Policy`](super::Policy) which sources are material; a [`Judgement`]
    /// about a source replaces its score, except for safety. Source: MARC-02 7.2, 8.1 to 8.3, 8.8.
    ///
    /// ```
    /// use provstream_marc::{Action, Exhausted, Intervention, Policy, Remedy, Score, Scores, Selection, Situation, Source};
    ///
    /// let scores = Scores::all(Score::ZERO).with(Source::MissingEvidence, Score::new(0.84)?);
    /// let situation = Situation::new(Score::new(0.39)?, scores, Source::MissingEvidence)
    ///     .with_remedy(Intervention::Retrieval, Remedy::USABLE);
    /// let selection = Selection::of(&situation, &Policy::default(), &Exhausted::default());
    /// assert_eq!(selection.action(), Action::Retrieve);
    /// # Ok::<(), provstream_marc::ScoreError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    #[must_use]
    pub struct Situation {
        /// The estimate of capability, made before an answer is chosen.
        copy pre_capability: Score,
        /// The score of each source.
        borrow uncertainty: Scores,
        /// The source most relevant to the selection.
        copy primary_source: Source,
        /// The secondary source, if one was named.
        copy secondary_source: Option<Source>,
        own judgements: [Option<bool>; Judgement::ALL.len()],
        own remedies: [Option<Remedy>; Intervention::ALL.len()],
        /// The risk tier.
        copy risk_tier: RiskTier,
        /// The best available class of intervention, if it was stated.
        copy remediability: Option<Remediability>,
        /// The task family, if one was named.
        maybe_text task_family: Option<String>,
    }
}

impl Situation {
    /// Creates a situation of the standard risk tier without judgements and without remedies.
    ///
    /// `pre_capability` estimates, before an answer is chosen, whether the request can be handled reliably with what is at
    /// hand. `primary_source` is the source most relevant to the selection; one is named even if little uncertainty is left.
    /// Source: MARC-02 8.1, 8.2.
    pub const fn new(pre_capability: Score, uncertainty: Scores, primary_source: Source) -> Self {
        Self {
            pre_capability,
            uncertainty,
            primary_source,
            secondary_source: None,
            judgements: [None; Judgement::ALL.len()],
            remedies: [None; Intervention::ALL.len()],
            risk_tier: RiskTier::Standard,
            remediability: None,
            task_family: None,
        }
    }

    /// Sets a judgement. `holds` is `true` if the judged condition applies.
    pub const fn with_judgement(mut self, judgement: Judgement, holds: bool) -> Self {
        self.judgements[judgement as usize] = Some(holds);
        self
    }

    /// Sets the remedy of one intervention. An intervention without a remedy is usable only if
    /// `remediability` names it.
    pub const fn with_remedy(mut self, intervention: Intervention, remedy: Remedy) -> Self {
        self.remedies[intervention as usize] = Some(remedy);
        self
    }

    /// Returns `true` if the judged condition applies, or `None` if no judgement was set.
    #[must_use]
    pub const fn judgement(&self, judgement: Judgement) -> Option<bool> {
        self.judgements[judgement as usize]
    }

    /// Returns the remedy of an intervention, if one was set.
    #[must_use]
    pub const fn remedy(&self, intervention: Intervention) -> Option<Remedy> {
        self.remedies[intervention as usize]
    }
}

setters! { Situation {
    /// Sets the secondary source.
    with_secondary_source(source: Source) secondary_source = Some(source);
    /// Sets the risk tier.
    with_risk_tier(tier: RiskTier) risk_tier = tier;
    /// Sets the best available class of intervention. Selection prefers it where the draft allows
    /// several, and treats it as usable unless its remedy is not. With [`Remediability::None`] only
    /// remedies assessed as worthwhile remain. Source: MARC-02 8.3.
    with_remediability(class: Remediability) remediability = Some(class);
    /// Sets the task family, which determines the bands.
    with_task_family(family: impl Into<String>) task_family = Some(family.into());
} }
