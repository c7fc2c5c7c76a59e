//! Valid MARC-Disclosure objects.

use core::fmt;

use super::core::set_target;
use super::declare::values;
use super::document::{Document, DocumentError};
use super::draft::{Draft, Profile};
use super::members::disclosure_members;
use super::object::{Assembly, MemberValue, object};
use super::read_error::ReadError;
use super::terms::{Action, Band, Source, Target};
use super::validate;
use super::violation::Report;
use provstream::MarcKind;

disclosure_members! { object
    /// A MARC-Disclosure object without must-level violations: the minimum that a user or a
    /// downstream system sees. Show the band only with its target, which is `None` under -01.
    /// Source: MARC-02 8.6, 10.
    Disclosure,
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
    DisclosureBuilder: Disclosure
}

impl Disclosure {
    /// Converts a disclosure of draft -01 to draft -02. A disclosure without `confidence_target`
    /// gets `answer` for the action `ANSWER`, otherwise `direct_answer_suitability`. A disclosure
    /// of -02 is returned unchanged. `action` is a parameter because a disclosure of -01 need not
    /// name its action. Source: MARC-01 7.5; open point 44.
    ///
    /// # Errors
    ///
    /// Fails if the disclosure names another action with which the target is invalid, or if its
    /// `confidence_target` is invalid in -02.
    pub fn upgrade(self, action: Action) -> Result<Self, Report> {
        if self.draft == Draft::Draft02 {
            return Ok(self);
        }
        let mut document = self.document;
        set_target(&mut document, action);
        Self::new(document, Draft::Draft02.into())
    }
}

impl DisclosureBuilder {
    /// Builds the disclosure, with its members in the order of the draft.
    ///
    /// # Errors
    ///
    /// All violations, if one is must-level: a required value was not set, a text is empty, or target and action contradict
    /// each other.
    pub fn build(self) -> Result<Disclosure, Report> {
        let profile = self.0.draft.into();
        Disclosure::new(self.0.document(MarcKind::Disclosure, &[]), profile)
    }
}
