//! Building records.

use super::assemble::{Extensions, Members};
use super::core::Core;
use super::document::DocumentError;
use super::draft::{Draft, Profile};
use super::score::{Score, Scores};
use super::terms::{Action, Band, Remediability, Source, Target};
use super::violation::Report;

/// Builds a [`Core`] record from typed values. Source: MARC-02 9.
///
/// `confidence_target` follows from the action unless it is set. A record that would not be valid is not built.
///
/// ```
/// use provstream_marc::{Action, Band, Core, Remediability, Score, Scores, Source};
///
/// let record = Core::builder()
///     .decision_id("d-1")
///     .pre_capability(Score::new(0.41)?)
///     .uncertainty(Scores::all(Score::ZERO).with(Source::Ambiguity, Score::new(0.78)?))
///     .primary_source(Source::Ambiguity)
///     .remediability(Remediability::UserClarification)
///     .selected_action(Action::Clarify)
///     .confidence_band(Band::Low)
///     .recommended_next_step("ask one clarifying question")
///     .build()?;
/// assert_eq!(record.confidence_target().unwrap().as_str(), "direct_answer_suitability");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct CoreBuilder {
    draft: Draft,
    decision_id: Option<String>,
    parent_decision_id: Option<String>,
    iteration: Option<u32>,
    max_iterations: Option<u32>,
    calibration_profile: Option<String>,
    pre_capability: Option<Score>,
    uncertainty: Option<Scores>,
    primary_source: Option<Source>,
    secondary_source: Option<Source>,
    remediability: Option<Remediability>,
    selected_action: Option<Action>,
    post_answer_confidence: Option<Score>,
    confidence_band: Option<Band>,
    confidence_target: Option<Target>,
    recommended_next_step: Option<String>,
    extensions: Extensions,
}

impl Core {
    /// Begins a record of draft -02.
    pub fn builder() -> CoreBuilder {
        CoreBuilder::default()
    }
}

impl CoreBuilder {
    /// The draft to build for. -01 defines no target, identifiers, counters or calibration profile: they are left out.
    pub const fn draft(mut self, draft: Draft) -> Self {
        self.draft = draft;
        self
    }

    /// Sets `decision_id`.
    pub fn decision_id(mut self, id: impl Into<String>) -> Self {
        self.decision_id = Some(id.into());
        self
    }

    /// Sets `parent_decision_id`.
    pub fn parent_decision_id(mut self, id: impl Into<String>) -> Self {
        self.parent_decision_id = Some(id.into());
        self
    }

    /// Sets `iteration`.
    pub const fn iteration(mut self, iteration: u32) -> Self {
        self.iteration = Some(iteration);
        self
    }

    /// Sets `max_iterations`.
    pub const fn max_iterations(mut self, max: u32) -> Self {
        self.max_iterations = Some(max);
        self
    }

    /// Sets `calibration_profile`.
    pub fn calibration_profile(mut self, profile: impl Into<String>) -> Self {
        self.calibration_profile = Some(profile.into());
        self
    }

    /// Sets `pre_capability`, which is required.
    pub const fn pre_capability(mut self, score: Score) -> Self {
        self.pre_capability = Some(score);
        self
    }

    /// Sets `uncertainty`, which is required.
    pub const fn uncertainty(mut self, scores: Scores) -> Self {
        self.uncertainty = Some(scores);
        self
    }

    /// Sets `primary_source`, which is required.
    pub const fn primary_source(mut self, source: Source) -> Self {
        self.primary_source = Some(source);
        self
    }

    /// Sets `secondary_source`.
    pub const fn secondary_source(mut self, source: Source) -> Self {
        self.secondary_source = Some(source);
        self
    }

    /// Sets `remediability`, which is required.
    pub const fn remediability(mut self, remediability: Remediability) -> Self {
        self.remediability = Some(remediability);
        self
    }

    /// Sets `selected_action`, which is required.
    pub const fn selected_action(mut self, action: Action) -> Self {
        self.selected_action = Some(action);
        self
    }

    /// Sets `post_answer_confidence`, which `ANSWER` requires; it is null unless it is set.
    pub const fn post_answer_confidence(mut self, score: Score) -> Self {
        self.post_answer_confidence = Some(score);
        self
    }

    /// Sets `confidence_band`, which is required.
    pub const fn confidence_band(mut self, band: Band) -> Self {
        self.confidence_band = Some(band);
        self
    }

    /// Sets `confidence_target`; otherwise it is the one that [goes with the action](Target::of).
    pub const fn confidence_target(mut self, target: Target) -> Self {
        self.confidence_target = Some(target);
        self
    }

    /// Sets `recommended_next_step`, which is required, and should have at most 280 code points.
    pub fn recommended_next_step(mut self, text: impl Into<String>) -> Self {
        self.recommended_next_step = Some(text.into());
        self
    }

    /// Adds a private member: its name gets the prefix `x_` unless it has it, its value is any JSON. One that is there
    /// already gets the new value.
    ///
    /// # Errors
    ///
    /// If the value is not JSON.
    pub fn extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
        self.extensions.add(name, json)?;
        Ok(self)
    }

    /// Adds private members, as [`extension`](Self::extension) does.
    pub(crate) fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// The record, its members in the order of the draft.
    ///
    /// # Errors
    ///
    /// All violations, if one is must-level: a required value was not set, the next step is empty, or the values contradict
    /// each other.
    pub fn build(self) -> Result<Core, Report> {
        let mut members = Members::default();
        let newer = self.draft == Draft::Draft02;
        members.text("marc_version", Some("1.0"));
        if newer {
            members.text("decision_id", self.decision_id.as_deref());
            members.text("parent_decision_id", self.parent_decision_id.as_deref());
            members.json("iteration", self.iteration);
            members.json("max_iterations", self.max_iterations);
            members.text("calibration_profile", self.calibration_profile.as_deref());
        }
        members.json("pre_capability", self.pre_capability);
        members.json("uncertainty", self.uncertainty);
        members.text("primary_source", self.primary_source.map(Source::as_str));
        members.text(
            "secondary_source",
            self.secondary_source.map(Source::as_str),
        );
        members.text(
            "remediability",
            self.remediability.map(Remediability::as_str),
        );
        members.text("selected_action", self.selected_action.map(Action::as_str));
        match self.post_answer_confidence {
            Some(score) => members.json("post_answer_confidence", Some(score)),
            None => members.json("post_answer_confidence", Some("null")),
        }
        members.text("confidence_band", self.confidence_band.map(Band::as_str));
        if newer {
            let implied = self.selected_action.map(Target::of);
            let target = self.confidence_target.or(implied);
            members.text("confidence_target", target.map(Target::as_str));
        }
        members.text(
            "recommended_next_step",
            self.recommended_next_step.as_deref(),
        );
        Core::new(members.with(self.extensions), Profile::new(self.draft))
    }
}
