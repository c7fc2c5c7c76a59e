//! Valid MARC-Core records.

use core::fmt;

use super::declare::values;
use super::document::{Document, DocumentError};
use super::draft::{Draft, Profile};
use super::members::{WITH_ANSWER, core_members};
use super::object::{Assembly, MemberValue, object};
use super::read_error::ReadError;
use super::score::{Score, Scores};
use super::terms::{Action, Band, Remediability, Source, Target};
use super::validate;
use super::violation::Report;
use provstream::MarcKind;

core_members! { object
    /// A MARC-Core record without any must-level violation: every required member is there, with a value that is defined.
    ///
    /// It keeps all of the document it was read from. A member that is optional reads as `None` where it is missing or null,
    /// and an integer beyond the type as the nearest. What a record says is a claim about one decision, and being valid proves
    /// nothing of it; before a record of somebody else is used to decide, it has to be placed in a context of trust. Source:
    /// MARC-02 9, 15.
    ///
    /// ```
    /// use provstream_marc::{Action, Core, Draft, Profile};
    ///
    /// let json = br#"{"marc_version": "1.0", "pre_capability": 0.41, "uncertainty": {"ambiguity": 0.78,
    ///     "missing_evidence": 0.22, "capability_limit": 0.18, "evidence_conflict": 0.05, "safety": 0.00},
    ///     "primary_source": "ambiguity", "remediability": "user_clarification", "selected_action": "CLARIFY",
    ///     "confidence_band": "low", "recommended_next_step": "ask one clarifying question"}"#;
    /// let record = Core::read(json, Profile::new(Draft::Draft01))?;
    /// assert_eq!(record.selected_action(), Action::Clarify);
    /// assert!(Core::read(json, Profile::new(Draft::Draft02)).is_err()); // has no `confidence_target`
    /// # Ok::<(), provstream_marc::ReadError>(())
    /// ```
    Core,
    /// Builds a [`Core`] record from typed values. Source: MARC-02 9.
    ///
    /// `post_answer_confidence` is null and `confidence_target` follows [from the action](Target::of) unless they are set. A
    /// record that would not be valid is not built.
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
    CoreBuilder: Core
}

impl Core {
    /// Converts a record of draft -01 to draft -02. A record without `confidence_target` gets
    /// `answer` for the action `ANSWER`, otherwise `direct_answer_suitability`, as -01 implies. A
    /// record of -02 is returned unchanged. Source: MARC-01 7.5; open point 44.
    ///
    /// # Errors
    ///
    /// Fails if a member that -01 does not define, such as `confidence_target`, has a value that
    /// -02 forbids.
    pub fn upgrade(self) -> Result<Self, Report> {
        if self.draft == Draft::Draft02 {
            return Ok(self);
        }
        let mut document = self.document;
        set_target(&mut document, self.selected_action);
        Self::new(document, Draft::Draft02.into())
    }
}

impl CoreBuilder {
    /// Adds private members, as [`extension`](Self::extension) does.
    pub(crate) fn extensions(mut self, extensions: Document) -> Self {
        self.0.extensions = extensions;
        self
    }

    /// Builds the record, with its members in the order of the draft.
    ///
    /// # Errors
    ///
    /// All violations, if one is must-level: a required value was not set, the next step is empty, or the values contradict
    /// each other.
    pub fn build(self) -> Result<Core, Report> {
        let profile = self.0.draft.into();
        let defaults = [("marc_version", "\"1.0\""), (WITH_ANSWER, "null")];
        let mut document = self.0.document(MarcKind::Core, &defaults);
        if let Some(Ok(action)) = document.get_str("selected_action").map(|name| name.parse())
            && profile == Draft::Draft02.into()
        {
            set_target(&mut document, action);
        }
        Core::new(document, profile)
    }
}

/// Adds the target that the action implies, unless the document has a member of that name, valid or
/// not.
pub(crate) fn set_target(document: &mut Document, action: Action) {
    if document.get("confidence_target").is_none() {
        let target = Target::of(action).as_str();
        document.set_str_after("confidence_band", "confidence_target", target);
    }
}
