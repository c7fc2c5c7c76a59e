//! What a controller found out before it selects an action.

use super::remedy::{Intervention, Remedies, Remedy};
use crate::score::{Score, Scores};
use crate::terms::{Remediability, Source, terms};

terms! {
    /// A judgement of the controller that the selection of an action rests on. None is derived from scores.
    ///
    /// Source: MARC-02 8.8; open point 86.
    #[non_exhaustive]
    Judgement, "judgement" {
        /// A safety, legal or policy constraint controls the selection.
        SafetyControls = "safety_controls",
        /// Ambiguity blocks a reliable answer.
        BlockingAmbiguity = "blocking_ambiguity",
        /// Relevant evidence is materially inconsistent.
        MaterialConflict = "material_conflict",
        /// Required evidence is absent, inaccessible, insufficient or stale.
        RequiredEvidenceMissing = "required_evidence_missing",
        /// A limit of competence is material to the task.
        MaterialCapabilityLimit = "material_capability_limit",
        /// Available evidence can resolve the ambiguity without the user.
        ResolvableFromEvidence = "resolvable_from_evidence",
        /// The answer is explicitly limited to what is in context.
        LimitedToContext = "limited_to_context",
    }
}

impl Judgement {
    /// The judgement that uncertainty of a source matters.
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

/// A set of judgements; by default none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Judgements(u8);

impl Judgements {
    /// The same with one more.
    #[must_use]
    pub const fn with(self, judgement: Judgement) -> Self {
        Self(self.0 | 1 << judgement as u8)
    }

    /// Whether a judgement is among them.
    #[must_use]
    pub const fn contains(self, judgement: Judgement) -> bool {
        self.0 & 1 << judgement as u8 != 0
    }

    /// Those of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All of them, in the order in which they are listed.
    pub fn iter(self) -> impl Iterator<Item = Judgement> {
        Judgement::ALL
            .iter()
            .copied()
            .filter(move |&judgement| self.contains(judgement))
    }
}

impl FromIterator<Judgement> for Judgements {
    fn from_iter<I: IntoIterator<Item = Judgement>>(judgements: I) -> Self {
        judgements.into_iter().fold(Self::default(), Self::with)
    }
}

terms! {
    /// How much harm a wrong answer can do. Source: MARC-02 14.
    #[non_exhaustive]
    RiskTier, "risk tier" {
        /// Ordinary requests.
        Standard = "standard",
        /// Health, legal, financial, safety or mental health matters, and what a deployment counts as such.
        High = "high",
    }
}

/// What a controller knows at a decision point: its estimates, its judgements, and the remedies at hand.
///
/// All of it is stated by the controller. A selection rests on judgements and remedies; the scores go into the record.
/// Source: MARC-02 7.2, 8; open point 86.
///
/// ```
/// use provstream_marc::{Intervention, Judgement, Remedy, Score, Scores, Situation, Source};
///
/// let scores = Scores::default().with(Source::Ambiguity, Score::new(0.81)?);
/// let situation = Situation::new(Score::new(0.44)?, scores, Source::Ambiguity)
///     .with_judgement(Judgement::BlockingAmbiguity)
///     .with_remedy(Intervention::User, Remedy::USABLE);
/// assert!(situation.remedies().is_usable(Intervention::User));
/// # Ok::<(), provstream_marc::ScoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Situation {
    pre_capability: Score,
    uncertainty: Scores,
    primary_source: Source,
    secondary_source: Option<Source>,
    judgements: Judgements,
    remedies: Remedies,
    risk_tier: RiskTier,
    remediability: Option<Remediability>,
    task_family: Option<String>,
}

impl Situation {
    /// A situation of the standard risk tier without judgements and without remedies.
    ///
    /// `pre_capability` estimates, before an answer is chosen, whether the request can be handled reliably with what is at
    /// hand. `primary_source` is the source that matters most for the action; one is named even if little uncertainty is left.
    /// Source: MARC-02 8.1, 8.2.
    #[must_use]
    pub const fn new(pre_capability: Score, uncertainty: Scores, primary_source: Source) -> Self {
        Self {
            pre_capability,
            uncertainty,
            primary_source,
            secondary_source: None,
            judgements: Judgements(0),
            remedies: Remedies::NONE,
            risk_tier: RiskTier::Standard,
            remediability: None,
            task_family: None,
        }
    }

    /// The same with a secondary source.
    #[must_use]
    pub const fn with_secondary_source(mut self, source: Source) -> Self {
        self.secondary_source = Some(source);
        self
    }

    /// The same with one more judgement.
    #[must_use]
    pub const fn with_judgement(mut self, judgement: Judgement) -> Self {
        self.judgements = self.judgements.with(judgement);
        self
    }

    /// The same with more judgements.
    #[must_use]
    pub const fn with_judgements(mut self, judgements: Judgements) -> Self {
        self.judgements = self.judgements.union(judgements);
        self
    }

    /// The same with another remedy for one intervention.
    #[must_use]
    pub const fn with_remedy(mut self, intervention: Intervention, remedy: Remedy) -> Self {
        self.remedies = self.remedies.with(intervention, remedy);
        self
    }

    /// The same with other remedies for all interventions.
    #[must_use]
    pub const fn with_remedies(mut self, remedies: Remedies) -> Self {
        self.remedies = remedies;
        self
    }

    /// The same in another risk tier.
    #[must_use]
    pub const fn with_risk_tier(mut self, tier: RiskTier) -> Self {
        self.risk_tier = tier;
        self
    }

    /// The same with the controller's own view of the best class of intervention. It decides between the actions of one
    /// step, and never against the action that is selected. Source: open points 87 to 89.
    #[must_use]
    pub const fn with_remediability(mut self, class: Remediability) -> Self {
        self.remediability = Some(class);
        self
    }

    /// The same for a task family, whose bands then apply.
    #[must_use]
    pub fn with_task_family(mut self, family: impl Into<String>) -> Self {
        self.task_family = Some(family.into());
        self
    }

    /// The estimate of capability, made before an answer is chosen.
    #[must_use]
    pub const fn pre_capability(&self) -> Score {
        self.pre_capability
    }

    /// The score of each source.
    #[must_use]
    pub const fn uncertainty(&self) -> &Scores {
        &self.uncertainty
    }

    /// The source that matters most for the action.
    #[must_use]
    pub const fn primary_source(&self) -> Source {
        self.primary_source
    }

    /// The source that comes next, if one was named.
    #[must_use]
    pub const fn secondary_source(&self) -> Option<Source> {
        self.secondary_source
    }

    /// The controller's judgements.
    #[must_use]
    pub const fn judgements(&self) -> Judgements {
        self.judgements
    }

    /// Whether a judgement was made.
    #[must_use]
    pub const fn is(&self, judgement: Judgement) -> bool {
        self.judgements.contains(judgement)
    }

    /// What is known of each intervention.
    #[must_use]
    pub const fn remedies(&self) -> &Remedies {
        &self.remedies
    }

    /// The risk tier.
    #[must_use]
    pub const fn risk_tier(&self) -> RiskTier {
        self.risk_tier
    }

    /// The class of intervention that the controller holds to be best, if it said so.
    #[must_use]
    pub const fn remediability(&self) -> Option<Remediability> {
        self.remediability
    }

    /// The task family, if one was named.
    #[must_use]
    pub fn task_family(&self) -> Option<&str> {
        self.task_family.as_deref()
    }
}
