//! From a record to what may be shown of it.

use core::fmt;
use std::error::Error;

use super::calibrated::CalibratedScores;
use super::core::Core;
use super::disclosure::Disclosure;
use super::terms::Action;
use super::violation::Report;
use super::wording::{Wording, WordingFinding, check_wording};

/// Makes the MARC-Disclosure object of a MARC-Core record.
///
/// | disclosure | record |
/// |---|---|
/// | `answer` | the content that goes with the action: the caller's text, or the wording's message |
/// | `confidence_band` | `confidence_band` |
/// | `confidence_target` | `confidence_target` (-02 only) |
/// | `uncertainty_source` | `primary_source` |
/// | `recommended_next_step` | `recommended_next_step`, or the caller's text |
/// | `selected_action` | `selected_action`, unless it is hidden |
///
/// Nothing else of a record is disclosed: no score unless [calibration is stated](Self::with_scores), no private member, no
/// identifier. The disclosure is of the record's draft.
///
/// Source: MARC-02 10.1, 10.2; MARC-01 9.2.
///
/// ```
/// use provstream_marc::{Content, Core, Profile, Projected, Projection};
///
/// # let json = br#"{"marc_version": "1.0", "decision_id": "example-tax-001", "pre_capability": 0.33, "uncertainty":
/// #     {"ambiguity": 0.86, "missing_evidence": 0.63, "capability_limit": 0.19, "evidence_conflict": 0.07, "safety": 0.03},
/// #     "primary_source": "ambiguity", "secondary_source": "missing_evidence", "remediability": "user_clarification",
/// #     "selected_action": "CLARIFY", "post_answer_confidence": null, "confidence_band": "low",
/// #     "confidence_target": "direct_answer_suitability", "recommended_next_step": "ask for jurisdiction and tax year"}"#;
/// let record = Core::read(json, Profile::default())?; // the example of MARC-02, appendix A
/// let content = Content::new()
///     .answer("Which jurisdiction and tax year should I use?")
///     .next_step("provide the jurisdiction and tax year");
/// let Projected::Disclosed(disclosure) = Projection::new().project(&record, content)? else {
///     panic!("only RETRIEVE, TOOL and DELIBERATE are deferred");
/// };
/// assert_eq!(
///     disclosure.to_json(),
///     r#"{"answer":"Which jurisdiction and tax year should I use?","confidence_band":"low","confidence_target":"direct_answer_suitability","uncertainty_source":"ambiguity","recommended_next_step":"provide the jurisdiction and tax year","selected_action":"CLARIFY"}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Projection {
    wording: Wording,
    hides_action: bool,
    interim: bool,
    scores: Option<CalibratedScores>,
}

impl Projection {
    /// The projection with the [default wording](Wording::default), the action shown, looping actions deferred, and no
    /// scores.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another wording.
    pub fn with_wording(self, wording: Wording) -> Self {
        Self { wording, ..self }
    }

    /// The same without `selected_action`, which is optional. Source: MARC-02 10.
    pub fn without_action(self) -> Self {
        Self {
            hides_action: true,
            ..self
        }
    }

    /// The same with a disclosure for `RETRIEVE`, `TOOL` and `DELIBERATE` too, which says what is being done. Source:
    /// MARC-02 10.1; open point 83.
    pub fn with_interim(self) -> Self {
        Self {
            interim: true,
            ..self
        }
    }

    /// The same with the two estimates of a record, as the private members `x_pre_capability` and
    /// `x_post_answer_confidence`. It is then for records of the stated family of tasks. Source: MARC-02 10.2, 11.
    pub fn with_scores(self, statement: CalibratedScores) -> Self {
        Self {
            scores: Some(statement),
            ..self
        }
    }

    /// The wording.
    #[must_use]
    pub const fn wording(&self) -> &Wording {
        &self.wording
    }

    /// Projects a record.
    ///
    /// # Errors
    ///
    /// If an `ANSWER` has no answer's text; if the disclosure would not be valid: a text of the caller has no content, or the
    /// next step, the caller's or the record's, has more than 280 code points.
    pub fn project(&self, record: &Core, content: Content<'_>) -> Result<Projected, ProjectError> {
        let action = record.selected_action();
        if action.loops() && !self.interim {
            return Ok(Projected::Deferred(action));
        }
        let source = record.primary_source();
        let next_step = content
            .next_step
            .unwrap_or_else(|| record.recommended_next_step());
        let answer = match content.answer {
            Some(text) => text.to_owned(),
            None => self
                .wording
                .message(action, source, next_step)
                .ok_or(ProjectError::MissingAnswer)?,
        };
        let mut disclosure = Disclosure::builder()
            .draft(record.draft())
            .answer(answer)
            .confidence_band(record.confidence_band())
            .uncertainty_source(source)
            .recommended_next_step(next_step);
        if let Some(target) = record.confidence_target() {
            disclosure = disclosure.confidence_target(target);
        }
        if !self.hides_action {
            disclosure = disclosure.selected_action(action);
        }
        if self.scores.is_some() {
            disclosure = disclosure.private_score("x_pre_capability", record.pre_capability());
            if let Some(score) = record.post_answer_confidence() {
                disclosure = disclosure.private_score("x_post_answer_confidence", score);
            }
        }
        let disclosure = disclosure.build().map_err(ProjectError::Invalid)?;
        Ok(Projected::Disclosed(disclosure))
    }
}

/// The texts that the caller has for a disclosure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Content<'a> {
    answer: Option<&'a str>,
    next_step: Option<&'a str>,
}

impl<'a> Content<'a> {
    /// No text: the wording's message, and the record's next step.
    pub const fn new() -> Self {
        Self {
            answer: None,
            next_step: None,
        }
    }

    /// With the content that goes with the action: the answer itself, the request for clarification, a brief refusal or
    /// referral, or what is being done. Source: MARC-02 10.1.
    pub const fn answer(self, text: &'a str) -> Self {
        Self {
            answer: Some(text),
            ..self
        }
    }

    /// With a next step that speaks to the user, where the record's speaks to the system. Source: MARC-02 A; open point 72.
    pub const fn next_step(self, text: &'a str) -> Self {
        Self {
            next_step: Some(text),
            ..self
        }
    }
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projected {
    /// It is disclosed.
    Disclosed(Disclosure),
    /// Nothing is shown before the action, `RETRIEVE`, `TOOL` or `DELIBERATE`, has led to another one. Source: MARC-02 10.1.
    Deferred(Action),
}

impl Projected {
    /// The disclosure; none if it is deferred.
    #[must_use]
    pub fn disclosure(self) -> Option<Disclosure> {
        match self {
            Self::Disclosed(disclosure) => Some(disclosure),
            Self::Deferred(_) => None,
        }
    }
}

/// A record cannot be disclosed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProjectError {
    /// The action is `ANSWER`, and the caller gave no answer.
    MissingAnswer,
    /// What would be disclosed is not what it must be; the error's source says why.
    Invalid(Report),
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingAnswer => f.write_str("an ANSWER is disclosed with its answer"),
            Self::Invalid(_) => f.write_str("the disclosure would not be valid"),
        }
    }
}

impl Error for ProjectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::MissingAnswer => None,
            Self::Invalid(report) => Some(report),
        }
    }
}

impl Disclosure {
    /// What [`check_wording`] finds in its texts, by the name of the member. The answer of an `ANSWER` is not looked at, as it
    /// is about the matter; a disclosure need not name its action, so the caller does. Source: MARC-02 10.3, 18.
    #[must_use]
    pub fn check_wording(&self, action: Action) -> Vec<(&'static str, WordingFinding)> {
        let message = Some(("answer", self.answer())).filter(|_| action != Action::Answer);
        let next_step = ("recommended_next_step", self.recommended_next_step());
        message
            .into_iter()
            .chain([next_step])
            .flat_map(|(name, text)| {
                check_wording(text)
                    .into_iter()
                    .map(move |finding| (name, finding))
            })
            .collect()
    }
}
