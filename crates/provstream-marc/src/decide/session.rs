//! Sessions: the state machine from a request to the end of its handling.

use super::bounds::{Spent, Usage};
use super::controller::Controller;
use super::decision::{DecideError, DecideErrorKind, Decision};
use super::details::Details;
use super::selection::{Selection, Step};
use super::situation::Situation;
use crate::core::Core;
use crate::declare::errors;
use crate::document::quoted;
use crate::draft::Draft;
use crate::terms::{Action, Band, Target};
use crate::trust::ContextualRecord;

/// The state of a session. Source: MARC-02 7.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// A situation is awaited: before the first decision, and after each round of a looping action.
    Assess,
    /// A looping action is running.
    Running(Action),
    /// The user was asked for a clarification.
    AwaitingReply,
    /// This action ended the session.
    Over(Action),
}

/// A session for one request: assessment, attribution and selection, with a record for each
/// decision point.
///
/// After [`Action::Retrieve`], [`Action::Tool`] and [`Action::Deliberate`] a new assessment follows, after
/// [`Action::Clarify`] the user's reply; the other actions end the session. What is used up stays used up until the end, so
/// a session has at most [`Bounds::max_iterations`](super::Bounds::max_iterations) rounds,
/// [`Bounds::clarifications`](super::Bounds::clarifications) questions and one more decision. A session does nothing
/// itself and keeps no records. Source: MARC-02 7.2, 7.3.
///
/// ```
/// use provstream_marc::{
///     Action, Bands, Bound, Bounds, Calibration, Controller, Details, Intervention, Remedy, Score, Scores, Session,
///     Situation, Source, Spent,
/// };
/// use std::time::Duration;
///
/// let bands = Bands::new(Score::new(0.5)?, Score::new(0.8)?)?;
/// let bound = Bound::new(1, Duration::from_secs(10), 500);
/// let controller = Controller::new(Calibration::new("gateway-2026-05", bands)?, Bounds::new(bound, bound, bound));
/// let mut session = Session::new(&controller, "request-7")?;
///
/// let scores = Scores::all(Score::ZERO).with(Source::EvidenceConflict, Score::new(0.84)?);
/// let conflict = Situation::new(Score::new(0.39)?, scores, Source::EvidenceConflict)
///     .with_remedy(Intervention::Retrieval, Remedy::USABLE)
///     .with_remedy(Intervention::Tool, Remedy::USABLE);
/// let decision = session.decide(&conflict, &Details::new())?;
/// assert_eq!(decision.action(), Action::Retrieve);
/// session.completed(Spent::new(Duration::from_secs(2), 40))?;
///
/// // Nothing was reconciled, and only one round of retrieval is allowed: the tool is next.
/// let decision = session.decide(&conflict, &Details::new())?;
/// assert_eq!(decision.action(), Action::Tool);
/// assert_eq!(decision.record().parent_decision_id(), Some("request-7-1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    controller: Controller,
    /// Prefix of the identifiers; not blank.
    prefix: String,
    state: SessionState,
    /// Number of decisions so far.
    decided: u64,
    /// `parent_decision_id` of the next record: the preceding record of this session, or a record
    /// of another component that transferred its task.
    parent: Option<String>,
    usage: Usage,
}

impl Session {
    /// Creates a session whose records have the identifiers `PREFIX-1`, `PREFIX-2` and so on. Each
    /// session needs a prefix of its own. Records of -01 have no identifiers.
    ///
    /// # Errors
    ///
    /// If the prefix has no content.
    pub fn new(controller: &Controller, prefix: impl Into<String>) -> Result<Self, SessionError> {
        let prefix = prefix.into();
        if prefix.trim().is_empty() {
            return Err(SessionErrorKind::NoPrefix.into());
        }
        Ok(Self {
            controller: controller.clone(),
            prefix,
            state: SessionState::Assess,
            decided: 0,
            parent: None,
            usage: Usage::default(),
        })
    }

    /// Creates the session of the `number`th request, from 1, with one name. Sessions that differ
    /// in name or number never have an identifier in common: the prefix of the first request is its
    /// name, that of any other is `NAME.NUMBER`, which is also used for the first if its name ends
    /// like that.
    ///
    /// # Errors
    ///
    /// If the name has no content.
    pub fn numbered(
        controller: &Controller,
        name: &str,
        number: u64,
    ) -> Result<Self, SessionError> {
        if name.trim().is_empty() {
            return Err(SessionErrorKind::NoPrefix.into());
        }
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        let is_like_number = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
        if number == 1 && !is_like_number {
            return Self::new(controller, name);
        }
        Self::new(controller, format!("{name}.{number}"))
    }

    /// Creates a session for a task that another component transferred with `record`. The first
    /// record names `record` as its parent. Rounds and bounds start from zero. Records of -01 name
    /// no parents. Source: MARC-02 6.5, 9.1.
    ///
    /// # Errors
    ///
    /// Fails if the prefix is blank. Under -02 also fails if `record` has no `decision_id`, or has
    /// one that this session could assign: the prefix, a hyphen and a number.
    pub fn following(
        controller: &Controller,
        prefix: impl Into<String>,
        record: &ContextualRecord,
    ) -> Result<Self, SessionError> {
        let mut session = Self::new(controller, prefix)?;
        if controller.draft() == Draft::Draft01 {
            return Ok(session);
        }
        let parent = record.record.decision_id().filter(|id| !id.is_empty());
        let parent = parent.ok_or(SessionErrorKind::NoParent)?;
        if session.could_give(parent) {
            return Err(SessionErrorKind::PrefixTaken.into());
        }
        session.parent = Some(parent.into());
        Ok(session)
    }

    /// Returns the state of the session.
    #[must_use]
    pub const fn state(&self) -> SessionState {
        self.state
    }

    /// Returns the action that the session would select in a situation. Does not change the
    /// session.
    pub fn select(&self, situation: &Situation) -> Selection {
        let exhausted = self.usage.exhausted(self.controller.bounds());
        Selection::of(situation, self.controller.policy(), &exhausted)
    }

    /// Selects an action and writes its record.
    ///
    /// In the record, `iteration` is the number of rounds before it, from 0, and `max_iterations` is how many rounds the
    /// bounds allow in total. The band comes from the confidence in the answer for [`Action::Answer`], else from
    /// `pre_capability` or, where the policy says so, from the confidence in the action. The suitability of a direct answer
    /// is at most medium where the controller decides against one, and low where safety governs. The band of an answer is at
    /// most medium where a bound kept a corrective action from being taken. Source: MARC-02 7.2, 7.3, 8.5.
    ///
    /// # Errors
    ///
    /// If the session does not await a situation, if `details` lack a score or name an unknown sub-action, if the task
    /// family has no bands, or if the record would not be valid. The session stays as it is.
    pub fn decide(
        &mut self,
        situation: &Situation,
        details: &Details,
    ) -> Result<Decision, DecideError> {
        match self.state {
            SessionState::Assess => {}
            SessionState::Running(action) => return Err(DecideErrorKind::Running(action).into()),
            SessionState::AwaitingReply => return Err(DecideErrorKind::AwaitingReply.into()),
            SessionState::Over(action) => return Err(DecideErrorKind::Over(action).into()),
        }
        let mut selection = self.select(situation);
        let sub_action = self.sub_action(details, &mut selection)?;
        let record = self.record(situation, details, &selection, sub_action)?;
        let action = selection.action();
        self.decided = self.decided.saturating_add(1);
        self.parent = Some(self.id(self.decided));
        self.usage.begin(action);
        self.state = match action {
            Action::Retrieve | Action::Tool | Action::Deliberate => SessionState::Running(action),
            Action::Clarify => SessionState::AwaitingReply,
            Action::Answer | Action::Abstain | Action::Escalate => SessionState::Over(action),
        };
        Ok(Decision { record, selection })
    }

    /// Reports that the running action is finished, successful or not, with its consumption. The
    /// session then expects a new situation.
    ///
    /// # Errors
    ///
    /// [`SessionErrorKind::NotRunning`] if no action is running. The session stays as it is.
    pub fn completed(&mut self, spent: Spent) -> Result<(), SessionError> {
        let SessionState::Running(action) = self.state else {
            return Err(SessionErrorKind::NotRunning.into());
        };
        self.usage.add(action, spent);
        self.state = SessionState::Assess;
        Ok(())
    }

    /// Reports that the user replied to a clarification. The session then expects a new situation;
    /// the bounds continue to apply.
    ///
    /// # Errors
    ///
    /// [`SessionErrorKind::NotAsked`] if the user was not asked. The session stays as it is.
    pub fn replied(&mut self) -> Result<(), SessionError> {
        if self.state != SessionState::AwaitingReply {
            return Err(SessionErrorKind::NotAsked.into());
        }
        self.state = SessionState::Assess;
        Ok(())
    }

    /// Returns the sub-action that the record names. A sub-action that is a kind of another action
    /// than the selected one is left out, which the selection records as a step.
    fn sub_action<'d>(
        &self,
        details: &'d Details,
        selection: &mut Selection,
    ) -> Result<Option<&'d str>, DecideError> {
        let Some(name) = details.sub_action.as_deref() else {
            return Ok(None);
        };
        let kind_of = self.controller.sub_actions().get(name).copied();
        let kind_of = kind_of.ok_or_else(|| DecideErrorKind::UnknownSubAction(name.into()))?;
        if kind_of == selection.action() {
            return Ok(Some(name));
        }
        let reason = format!("sub-action {name:?} is a kind of {kind_of} and is left out");
        selection.steps.push(Step::new("MARC-02 8.7", reason, None));
        Ok(None)
    }

    /// Builds the record of the next decision point.
    fn record(
        &self,
        situation: &Situation,
        details: &Details,
        selection: &Selection,
        sub_action: Option<&str>,
    ) -> Result<Core, DecideError> {
        let action = selection.action();
        let controller = &self.controller;
        let calibration = controller.calibration();
        let family = situation.task_family();
        let bands = calibration
            .bands(family)
            .ok_or_else(|| DecideErrorKind::UnknownFamily(family.unwrap_or_default().into()))?;
        let target = controller.target(action);
        // A direct answer that the controller decides against is not highly suitable, and one that safety forbids not at all.
        // An answer for lack of rounds is not as good as one that needs no correction.
        let is_cut_short = !selection.skipped().is_empty();
        let (score, most) = match target {
            Target::Answer => (
                details
                    .post_answer_confidence
                    .ok_or(DecideErrorKind::NoConfidence)?,
                if is_cut_short {
                    Band::Medium
                } else {
                    Band::High
                },
            ),
            Target::ActionSuitability => (
                details
                    .action_suitability
                    .ok_or(DecideErrorKind::NoSuitability(action))?,
                Band::High,
            ),
            Target::DirectAnswerSuitability if selection.is_governed() => {
                (situation.pre_capability(), Band::Low)
            }
            Target::DirectAnswerSuitability => (situation.pre_capability(), Band::Medium),
        };
        let next_step = match details.next_step(action) {
            Some(text) => text.to_owned(),
            None => controller.wording().next_step(action).to_owned(),
        };
        let mut extensions = details.extensions.clone();
        if let Some(name) = sub_action {
            // A quoted text is JSON.
            let _ = extensions.set_private("x_sub_action", &quoted(name));
        }
        let mut record = Core::builder()
            .draft(controller.draft())
            .decision_id(self.id(self.decided.saturating_add(1)))
            .iteration(self.usage.rounds())
            .max_iterations(controller.bounds().max_iterations())
            .calibration_profile(calibration.profile_of(family))
            .pre_capability(situation.pre_capability())
            .uncertainty(*situation.uncertainty())
            .primary_source(situation.primary_source())
            .remediability(selection.remediability())
            .selected_action(action)
            .confidence_band(bands.band(score).min(most))
            .confidence_target(target)
            .recommended_next_step(next_step)
            .extensions(extensions);
        if let Some(parent) = &self.parent {
            record = record.parent_decision_id(parent);
        }
        if let Some(source) = situation.secondary_source() {
            record = record.secondary_source(source);
        }
        if action == Action::Answer {
            record = record.post_answer_confidence(score);
        }
        Ok(record.build()?)
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.prefix)
    }

    /// Returns `true` if `id` is an identifier that this session assigns: the prefix, a hyphen and
    /// a number from 1.
    fn could_give(&self, id: &str) -> bool {
        let number = id.rsplit('-').next().and_then(|number| number.parse().ok());
        number.is_some_and(|number: u64| number > 0 && id == self.id(number))
    }
}

errors! {
    /// A session cannot begin, or does not expect the reported event.
    SessionError: Copy,
    /// Reason why a call to a session failed.
    SessionErrorKind {
        /// The prefix of the identifiers is blank.
        NoPrefix => "expected a prefix for the identifiers of the session, found a blank text";
        /// The record that was transferred has no `decision_id`.
        NoParent => "expected a `decision_id` in the transferred record, found none";
        /// The record that was transferred has an identifier with the same prefix.
        PrefixTaken => "the transferred record has an identifier of this session: expected another prefix";
        /// No action is running that could be completed.
        NotRunning => "expected the end of a running action, but no action is running";
        /// The user was not asked a question.
        NotAsked => "expected a reply to CLARIFY, but the user was not asked for a clarification";
    }
}
