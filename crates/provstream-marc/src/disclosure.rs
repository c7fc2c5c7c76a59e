//! MARC-Disclosure objects that are valid.

use core::fmt;

use super::core::set_target;
use super::document::Document;
use super::draft::{Draft, Profile};
use super::read_error::ReadError;
use super::terms::{Action, Band, Source, Target};
use super::validate;
use super::violation::Report;
use provstream::MarcKind;

/// A MARC-Disclosure object without any must-level violation: the least that a user or a downstream system is shown.
/// Source: MARC-02 10.
#[derive(Clone, PartialEq, Eq)]
pub struct Disclosure {
    document: Document,
    draft: Draft,
    answer: String,
    confidence_band: Band,
    confidence_target: Option<Target>,
    uncertainty_source: Source,
    recommended_next_step: String,
    selected_action: Option<Action>,
}

impl Disclosure {
    /// Takes a document for a disclosure of a draft.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, if something must not be.
    pub fn new(document: Document, profile: Profile) -> Result<Self, Report> {
        let reading = validate::read(&document, MarcKind::Disclosure, profile);
        if !reading.report.is_valid() {
            return Err(reading.report);
        }
        let required = (|| {
            Some(Self {
                document: Document::new(),
                draft: profile.draft(),
                answer: reading.text("answer")?.to_owned(),
                confidence_band: reading.term("confidence_band")?,
                confidence_target: reading.term("confidence_target"),
                uncertainty_source: reading.term("uncertainty_source")?,
                recommended_next_step: reading.text("recommended_next_step")?.to_owned(),
                selected_action: reading.term("selected_action"),
            })
        })();
        // A report without a must-level violation has every required value.
        let report = reading.report;
        let disclosure = required.ok_or(report)?;
        Ok(Self {
            document,
            ..disclosure
        })
    }

    /// Reads a disclosure of a draft.
    ///
    /// # Errors
    ///
    /// If the bytes are no JSON object, or all that is wrong with it if something must not be.
    pub fn read(json: &[u8], profile: Profile) -> Result<Self, ReadError> {
        Ok(Self::new(Document::parse(json)?, profile)?)
    }

    /// The same under draft -02, when it is about this action: unless it has one, its target is `answer` for `ANSWER`, else
    /// `direct_answer_suitability`. One of -02 stays as it is. A disclosure of -01 need not name its action, so the caller
    /// does. Source: MARC-01 7.5; open point 44.
    ///
    /// # Errors
    ///
    /// If it names another action, to which that target must not belong, or has a `confidence_target` that it must not have in
    /// -02.
    pub fn upgrade(self, action: Action) -> Result<Self, Report> {
        if self.draft == Draft::Draft02 {
            return Ok(self);
        }
        let mut document = self.document;
        set_target(&mut document, action);
        Self::new(document, Draft::Draft02.into())
    }

    /// The draft it is valid under.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// `answer`: what the user sees, of whatever action. Source: MARC-02 10.1.
    #[must_use]
    pub fn answer(&self) -> &str {
        &self.answer
    }

    /// `confidence_band`; never to be shown without the target. Source: MARC-02 8.6, 10.
    #[must_use]
    pub const fn confidence_band(&self) -> Band {
        self.confidence_band
    }

    /// `confidence_target`: what the band applies to; none under -01. Source: MARC-02 8.6, 10.
    #[must_use]
    pub const fn confidence_target(&self) -> Option<Target> {
        self.confidence_target
    }

    /// `uncertainty_source`. Source: MARC-02 10.
    #[must_use]
    pub const fn uncertainty_source(&self) -> Source {
        self.uncertainty_source
    }

    /// `recommended_next_step`. Source: MARC-02 10.
    #[must_use]
    pub fn recommended_next_step(&self) -> &str {
        &self.recommended_next_step
    }

    /// `selected_action`, if it is exposed. Source: MARC-02 10.
    #[must_use]
    pub const fn selected_action(&self) -> Option<Action> {
        self.selected_action
    }

    /// Everything it was read from or built of, private and unknown members too.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// The document, without the disclosure.
    #[must_use]
    pub fn into_document(self) -> Document {
        self.document
    }

    /// The disclosure as JSON on one line, with all that was read.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.document.to_json()
    }
}

impl fmt::Debug for Disclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Disclosure(draft {}, {:?})", self.draft, self.document)
    }
}
