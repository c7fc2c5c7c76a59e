//! Building disclosures.

use super::assemble::{Extensions, Members};
use super::disclosure::Disclosure;
use super::document::DocumentError;
use super::draft::{Draft, Profile};
use super::terms::{Action, Band, Source, Target};
use super::violation::Report;

/// Builds a [`Disclosure`] from typed values. Source: MARC-02 10.
///
/// ```
/// use provstream_marc::{Band, Disclosure, Source, Target};
///
/// let disclosure = Disclosure::builder()
///     .answer("Which jurisdiction and tax year should I use?")
///     .confidence_band(Band::Low)
///     .confidence_target(Target::DirectAnswerSuitability)
///     .uncertainty_source(Source::Ambiguity)
///     .recommended_next_step("provide the jurisdiction and tax year")
///     .build()?;
/// assert_eq!(disclosure.selected_action(), None);
/// # Ok::<(), provstream_marc::Report>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct DisclosureBuilder {
    draft: Draft,
    answer: Option<String>,
    confidence_band: Option<Band>,
    confidence_target: Option<Target>,
    uncertainty_source: Option<Source>,
    recommended_next_step: Option<String>,
    selected_action: Option<Action>,
    extensions: Extensions,
}

impl Disclosure {
    /// Begins a disclosure of draft -02.
    pub fn builder() -> DisclosureBuilder {
        DisclosureBuilder::default()
    }
}

impl DisclosureBuilder {
    /// The draft to build for. In -01 there is no target: it is left out.
    pub const fn draft(mut self, draft: Draft) -> Self {
        self.draft = draft;
        self
    }

    /// Sets `answer`, which is required and not empty.
    pub fn answer(mut self, text: impl Into<String>) -> Self {
        self.answer = Some(text.into());
        self
    }

    /// Sets `confidence_band`, which is required.
    pub const fn confidence_band(mut self, band: Band) -> Self {
        self.confidence_band = Some(band);
        self
    }

    /// Sets `confidence_target`, which -02 requires.
    pub const fn confidence_target(mut self, target: Target) -> Self {
        self.confidence_target = Some(target);
        self
    }

    /// Sets `uncertainty_source`, which is required.
    pub const fn uncertainty_source(mut self, source: Source) -> Self {
        self.uncertainty_source = Some(source);
        self
    }

    /// Sets `recommended_next_step`, which is required, and should have at most 280 code points.
    pub fn recommended_next_step(mut self, text: impl Into<String>) -> Self {
        self.recommended_next_step = Some(text.into());
        self
    }

    /// Sets `selected_action`.
    pub const fn selected_action(mut self, action: Action) -> Self {
        self.selected_action = Some(action);
        self
    }

    /// Adds a private member, as [`CoreBuilder::extension`](super::CoreBuilder::extension) does.
    ///
    /// # Errors
    ///
    /// If the value is not JSON.
    pub fn extension(mut self, name: &str, json: &str) -> Result<Self, DocumentError> {
        self.extensions.add(name, json)?;
        Ok(self)
    }

    /// The disclosure, its members in the order of the draft.
    ///
    /// # Errors
    ///
    /// All violations, if one is must-level: a required value was not set, a text is empty, or target and action contradict
    /// each other.
    pub fn build(self) -> Result<Disclosure, Report> {
        let mut members = Members::default();
        members.text("answer", self.answer.as_deref());
        members.text("confidence_band", self.confidence_band.map(Band::as_str));
        if self.draft == Draft::Draft02 {
            members.text(
                "confidence_target",
                self.confidence_target.map(Target::as_str),
            );
        }
        members.text(
            "uncertainty_source",
            self.uncertainty_source.map(Source::as_str),
        );
        members.text(
            "recommended_next_step",
            self.recommended_next_step.as_deref(),
        );
        members.text("selected_action", self.selected_action.map(Action::as_str));
        Disclosure::new(members.with(self.extensions), Profile::new(self.draft))
    }
}
