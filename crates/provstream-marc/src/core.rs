//! MARC-Core records that are valid.

use core::fmt;

use super::document::{Document, string};
use super::draft::{Draft, Profile};
use super::read_error::ReadError;
use super::score::{Score, Scores};
use super::terms::{Action, Band, Remediability, Source, Target};
use super::validate;
use super::violation::Report;
use provstream::MarcKind;

/// A MARC-Core record without any must-level violation: every required member is there, with a value that is defined.
///
/// It keeps all of the document it was read from. What it says is a claim about one decision, and being valid proves nothing
/// of it; before a record of somebody else is used to decide, it has to be placed in a context of trust. Source: MARC-02 9,
/// 15.
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
#[derive(Clone, PartialEq, Eq)]
pub struct Core {
    document: Document,
    draft: Draft,
    pre_capability: Score,
    uncertainty: Scores,
    primary_source: Source,
    secondary_source: Option<Source>,
    remediability: Remediability,
    selected_action: Action,
    post_answer_confidence: Option<Score>,
    confidence_band: Band,
    confidence_target: Option<Target>,
    recommended_next_step: String,
    decision_id: Option<String>,
    parent_decision_id: Option<String>,
    iteration: Option<i64>,
    max_iterations: Option<i64>,
    calibration_profile: Option<String>,
}

impl Core {
    /// Takes a document for a record of a draft.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, if something must not be.
    pub fn new(document: Document, profile: Profile) -> Result<Self, Report> {
        let reading = validate::read(&document, MarcKind::Core, profile);
        if !reading.report.is_valid() {
            return Err(reading.report);
        }
        let owned = |name| reading.text(name).map(str::to_owned);
        let required = (|| {
            Some(Self {
                document: Document::new(),
                draft: profile.draft(),
                pre_capability: reading.score("pre_capability")?,
                uncertainty: reading.scores("uncertainty")?,
                primary_source: reading.term("primary_source")?,
                secondary_source: reading.term("secondary_source"),
                remediability: reading.term("remediability")?,
                selected_action: reading.term("selected_action")?,
                post_answer_confidence: reading.score("post_answer_confidence"),
                confidence_band: reading.term("confidence_band")?,
                confidence_target: reading.term("confidence_target"),
                recommended_next_step: owned("recommended_next_step")?,
                decision_id: owned("decision_id"),
                parent_decision_id: owned("parent_decision_id"),
                iteration: reading.integer("iteration"),
                max_iterations: reading.integer("max_iterations"),
                calibration_profile: owned("calibration_profile"),
            })
        })();
        // A report without a must-level violation has every required value.
        let report = reading.report;
        let record = required.ok_or(report)?;
        Ok(Self { document, ..record })
    }

    /// Reads a record of a draft.
    ///
    /// # Errors
    ///
    /// If the bytes are no JSON object, or all that is wrong with it if something must not be.
    pub fn read(json: &[u8], profile: Profile) -> Result<Self, ReadError> {
        Ok(Self::new(Document::parse(json)?, profile)?)
    }

    /// The same record under draft -02: unless it has one, its `confidence_target` is `answer` for `ANSWER`, else
    /// `direct_answer_suitability`, as -01 implies. One of -02 stays as it is. Source: MARC-01 7.5; open point 44.
    ///
    /// # Errors
    ///
    /// If a member that -01 does not know, `confidence_target` too, has a value that it must not have in -02.
    pub fn upgrade(self) -> Result<Self, Report> {
        if self.draft == Draft::Draft02 {
            return Ok(self);
        }
        let mut document = self.document;
        set_target(&mut document, self.selected_action);
        Self::new(document, Draft::Draft02.into())
    }

    /// The draft it is valid under.
    #[must_use]
    pub const fn draft(&self) -> Draft {
        self.draft
    }

    /// `decision_id`: identifies this decision point. Source: MARC-02 9.1.
    #[must_use]
    pub fn decision_id(&self) -> Option<&str> {
        self.decision_id.as_deref()
    }

    /// `parent_decision_id`: the decision point before, if it asked for a new assessment. Source: MARC-02 9.1.
    #[must_use]
    pub fn parent_decision_id(&self) -> Option<&str> {
        self.parent_decision_id.as_deref()
    }

    /// `iteration`: counts repeated assessments; the nearest number of the type if it is beyond. Source: MARC-02 9.1.
    #[must_use]
    pub const fn iteration(&self) -> Option<i64> {
        self.iteration
    }

    /// `max_iterations`: most repeated assessments allowed; the nearest number of the type if it is beyond.
    /// Source: MARC-02 9.1.
    #[must_use]
    pub const fn max_iterations(&self) -> Option<i64> {
        self.max_iterations
    }

    /// `calibration_profile`: names the calibration of the band. Source: MARC-02 9.1.
    #[must_use]
    pub fn calibration_profile(&self) -> Option<&str> {
        self.calibration_profile.as_deref()
    }

    /// `pre_capability`: whether the request can be handled reliably, estimated before any answer. Source: MARC-02 8.1.
    #[must_use]
    pub const fn pre_capability(&self) -> Score {
        self.pre_capability
    }

    /// `uncertainty`: a score for each source. Source: MARC-02 8.2.
    #[must_use]
    pub const fn uncertainty(&self) -> Scores {
        self.uncertainty
    }

    /// `primary_source`: the source that matters most for the action. Source: MARC-02 8.2.
    #[must_use]
    pub const fn primary_source(&self) -> Source {
        self.primary_source
    }

    /// `secondary_source`; none if it is missing or null. Source: MARC-02 8.2.
    #[must_use]
    pub const fn secondary_source(&self) -> Option<Source> {
        self.secondary_source
    }

    /// `remediability`: the best available class of intervention. Source: MARC-02 8.3.
    #[must_use]
    pub const fn remediability(&self) -> Remediability {
        self.remediability
    }

    /// `selected_action`. Source: MARC-02 8.7.
    #[must_use]
    pub const fn selected_action(&self) -> Action {
        self.selected_action
    }

    /// `post_answer_confidence`: how likely the answer is right; none if it is missing or null. Source: MARC-02 8.4.
    #[must_use]
    pub const fn post_answer_confidence(&self) -> Option<Score> {
        self.post_answer_confidence
    }

    /// `confidence_band`. Its meaning depends on the target and on the emitter's calibration. Source: MARC-02 8.5.
    #[must_use]
    pub const fn confidence_band(&self) -> Band {
        self.confidence_band
    }

    /// `confidence_target`: what the band applies to; none in a record of -01. Source: MARC-02 8.6.
    #[must_use]
    pub const fn confidence_target(&self) -> Option<Target> {
        self.confidence_target
    }

    /// `recommended_next_step`. Source: MARC-02 9.1.
    #[must_use]
    pub fn recommended_next_step(&self) -> &str {
        &self.recommended_next_step
    }

    /// Everything it was read from or built of, private and unknown members too.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// The document, without the record.
    #[must_use]
    pub fn into_document(self) -> Document {
        self.document
    }

    /// The record as JSON on one line, with all that was read.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.document.to_json()
    }

    /// The record's `marc_version`, such as `1.0`.
    #[must_use]
    pub fn version(&self) -> String {
        let version = self.document.get("marc_version").and_then(string);
        version.unwrap_or_default().into_owned()
    }
}

/// Gives a document of -01 the target that its action implies, unless it has one, good or bad, as an unknown member.
pub(crate) fn set_target(document: &mut Document, action: Action) {
    if document.get("confidence_target").is_none() {
        let target = Target::of(action).as_str();
        document.set_str_after("confidence_band", "confidence_target", target);
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Core(draft {}, {:?})", self.draft, self.document)
    }
}
