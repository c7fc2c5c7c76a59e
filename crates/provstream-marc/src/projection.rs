//! Projection: builds a disclosure from a record.

use super::core::Core;
use super::declare::{errors, setters, values};
use super::disclosure::Disclosure;
use super::members::{MAX_MESSAGE, has_content};
use super::speech::{Answering, Clarifying, Deferring, Refusing};
use super::terms::{Action, Target};
use super::violation::Report;
use super::wording::{Wording, WordingFinding, check_answer, check_wording};

values! {
    /// Writes the MARC-Disclosure object of a decision.
    ///
    /// | disclosure | record |
    /// |---|---|
    /// | `answer` | the text that goes with the action: the caller's, or a template of the wording |
    /// | `confidence_band` | `confidence_band` |
    /// | `confidence_target` | `confidence_target` (-02 only) |
    /// | `uncertainty_source` | `primary_source` |
    /// | `recommended_next_step` | `recommended_next_step`, or the caller's text for the action |
    /// | `selected_action` | `selected_action`, unless it is hidden |
    ///
    /// Nothing else of a record is disclosed: no score, no private member, no identifier. The disclosure is of the record's
    /// draft. Source: MARC-02 10.1, 10.2; MARC-01 9.2.
    ///
    /// ```
    /// use provstream_marc::{Action, Core, Domain, Profile, Projection, Speech, TrustContext, TrustPolicy};
    ///
    /// # let json = br#"{"marc_version": "1.0", "decision_id": "example-tax-001", "pre_capability": 0.33, "uncertainty":
    /// #     {"ambiguity": 0.86, "missing_evidence": 0.63, "capability_limit": 0.19, "evidence_conflict": 0.07, "safety": 0.03},
    /// #     "primary_source": "ambiguity", "secondary_source": "missing_evidence", "remediability": "user_clarification",
    /// #     "selected_action": "CLARIFY", "post_answer_confidence": null, "confidence_band": "low",
    /// #     "confidence_target": "direct_answer_suitability", "recommended_next_step": "ask for jurisdiction and tax year"}"#;
    /// let record = Core::read(json, Profile::default())?; // the example of MARC-02, appendix A
    /// let record = record.placed(TrustContext::new(Domain::Local));
    /// let Speech::Clarify(turn) = record.speech(&TrustPolicy::default())? else {
    ///     panic!("the action is CLARIFY");
    /// };
    /// let projection = Projection::new().with_next_step_for(Action::Clarify, "provide the jurisdiction and tax year");
    /// let disclosure = projection.clarify(turn, Some("Which jurisdiction and tax year should I use?"))?;
    /// assert_eq!(
    ///     disclosure.to_json(),
    ///     r#"{"answer":"Which jurisdiction and tax year should I use?","confidence_band":"low","confidence_target":"direct_answer_suitability","uncertainty_source":"ambiguity","recommended_next_step":"provide the jurisdiction and tax year","selected_action":"CLARIFY"}"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    #[must_use]
    pub struct Projection {
        /// The wording.
        borrow wording: Wording,
        own hides_action: bool,
        /// Next steps, indexed by action.
        own next_steps: [Option<String>; 7],
    }
}

setters! { Projection {
    /// Sets the wording.
    with_wording(wording: Wording) wording = wording;
    /// Leaves out `selected_action`, which is optional. Source: MARC-02 10.
    without_action() hides_action = true;
} }

impl Projection {
    /// Creates a projection with English wording that shows the action and the next step of the
    /// record.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the next step for one action, addressed to the user. Use this if the record's next step
    /// addresses the system. Disclosures of other actions do not have it. Source: MARC-02 A.
    pub fn with_next_step_for(mut self, action: Action, text: impl Into<String>) -> Self {
        self.next_steps[action as usize] = Some(text.into());
        self
    }

    /// Discloses an `ANSWER` with the answer itself.
    ///
    /// # Errors
    ///
    /// [`SpeechErrorKind::Empty`] if the answer is blank, [`SpeechErrorKind::Invalid`] if the next step is.
    pub fn answer(&self, turn: Answering, answer: &str) -> Result<Disclosure, SpeechError> {
        self.disclose(turn.record(), answer.to_owned())
    }

    /// Discloses a `CLARIFY` with the request for clarification, or with the wording's question for the source.
    ///
    /// # Errors
    ///
    /// [`SpeechErrorKind::Empty`] if the question is blank, [`SpeechErrorKind::TooLong`] above 600 code points,
    /// [`SpeechErrorKind::TargetWithoutAnswer`] if the record's band is about an answer, [`SpeechErrorKind::Invalid`] if the
    /// next step is blank.
    pub fn clarify(
        &self,
        turn: Clarifying,
        question: Option<&str>,
    ) -> Result<Disclosure, SpeechError> {
        self.message(turn.record(), question)
    }

    /// Discloses an `ABSTAIN` or `ESCALATE` with a brief message, or with that of the wording.
    ///
    /// # Errors
    ///
    /// As [`clarify`](Self::clarify).
    pub fn refuse(&self, turn: Refusing, message: Option<&str>) -> Result<Disclosure, SpeechError> {
        self.message(turn.record(), message)
    }

    /// Discloses a `RETRIEVE`, `TOOL` or `DELIBERATE` while it is running, which MARC-02 10.1 lets a system defer, with
    /// the wording's message.
    ///
    /// # Errors
    ///
    /// [`SpeechErrorKind::TargetWithoutAnswer`] if the record's band is about an answer, [`SpeechErrorKind::Invalid`] if the
    /// next step is blank.
    pub fn interim(&self, turn: Deferring) -> Result<Disclosure, SpeechError> {
        self.message(turn.record(), None)
    }

    fn message(&self, record: &Core, text: Option<&str>) -> Result<Disclosure, SpeechError> {
        let text = match text {
            Some(text) => {
                let len = text.chars().count();
                if len > MAX_MESSAGE {
                    return Err(SpeechErrorKind::TooLong(len).into());
                }
                text.to_owned()
            }
            None => {
                let (action, source) = (record.selected_action(), record.primary_source());
                self.wording.message(action, source, self.step(record))
            }
        };
        self.disclose(record, text)
    }

    fn step<'a>(&'a self, record: &'a Core) -> &'a str {
        self.next_steps[record.selected_action() as usize]
            .as_deref()
            .unwrap_or_else(|| record.recommended_next_step())
    }

    fn disclose(&self, record: &Core, answer: String) -> Result<Disclosure, SpeechError> {
        if !has_content(&answer) {
            return Err(SpeechErrorKind::Empty.into());
        }
        let action = record.selected_action();
        if action != Action::Answer && record.confidence_target() == Some(Target::Answer) {
            return Err(SpeechErrorKind::TargetWithoutAnswer(action).into());
        }
        let mut disclosure = Disclosure::builder()
            .draft(record.draft())
            .answer(answer)
            .confidence_band(record.confidence_band())
            .uncertainty_source(record.primary_source())
            .recommended_next_step(self.step(record));
        if let Some(target) = record.confidence_target() {
            disclosure = disclosure.confidence_target(target);
        }
        if !self.hides_action {
            disclosure = disclosure.selected_action(record.selected_action());
        }
        disclosure
            .build()
            .map_err(|report| SpeechErrorKind::Invalid(report).into())
    }
}

errors! {
    /// A text cannot be disclosed.
    SpeechError,
    /// Reason why a text cannot be disclosed.
    SpeechErrorKind {
        /// The text is blank.
        Empty => "expected a text to disclose, found a blank one (MARC-02 10.1)";
        /// A request for clarification or a message has this number of code points, more than 600.
        TooLong(len: usize) => "expected a brief message of at most {MAX_MESSAGE} characters, found {len} (MARC-02 10.1)";
        /// The record has this action, and its band is about an answer, but the action has none.
        /// Source: MARC-02 8.6.
        TargetWithoutAnswer(action: Action) => "`selected_action` is {action}: expected another `confidence_target` than `answer`, as no answer is disclosed (MARC-02 8.6)";
        /// The disclosure would not be valid.
        Invalid(report: Report) => "the disclosure would not be valid: {report}";
    }
}

impl Disclosure {
    /// Checks the wording of a disclosure, and returns the findings with the name of the member.
    /// For `ANSWER`, the answer is about the subject, so only what it says about its own confidence
    /// is checked. The caller provides the action, as a disclosure need not name it. Source:
    /// MARC-02 10.3, 14, 18.
    #[must_use]
    pub fn check_wording(&self, action: Action) -> Vec<(&'static str, WordingFinding)> {
        let answer = match action {
            Action::Answer => check_answer(self.answer()),
            _ => check_wording(self.answer()),
        };
        let answer = answer.into_iter().map(|finding| ("answer", finding));
        let next_step = check_wording(self.recommended_next_step());
        let next_step = next_step
            .into_iter()
            .map(|finding| ("recommended_next_step", finding));
        answer.chain(next_step).collect()
    }
}
