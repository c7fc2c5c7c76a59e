//! The state machine from a request to the end of its handling.

use core::fmt;
use std::error::Error;

use super::bounds::{Spent, Usage};
use super::choice::Choice;
use super::controller::Controller;
use super::decision::{DecideError, Decision};
use super::details::Details;
use super::selection::Selection;
use super::situation::Situation;
use crate::core::Core;
use crate::draft::Draft;
use crate::terms::Action;
use crate::trust::ContextualRecord;
use crate::violation::Report;

/// Where a session stands. Source: MARC-02 7.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// A situation is awaited: before the first decision, and after each round of a looping action.
    Assess,
    /// A looping action is running.
    Running(Action),
    /// This action ended the session.
    Over(Action),
}

/// One request on its way through assessment, attribution and selection, with a record for each decision point.
///
/// After [`Action::Retrieve`], [`Action::Tool`] and [`Action::Deliberate`] a new assessment follows, within the
/// controller's bounds; all other actions end the session. What a user replies is a new request, with a session of its own.
/// A session does nothing itself and keeps no records. A clone is for trying what would be decided: of two that both go
/// on, records have the same identifiers. Source: MARC-02 7.2, 7.3; open points 94 to 96.
///
/// ```
/// use provstream_marc::{
///     Action, Bands, Bound, Bounds, Calibration, Controller, Details, Intervention, Judgement, Remedy, Score, Scores,
///     Session, Situation, Source, Spent,
/// };
/// use std::time::Duration;
///
/// let bands = Bands::new(Score::new(0.5)?, Score::new(0.8)?)?;
/// let bound = Bound::new(1, Duration::from_secs(10), 500);
/// let controller = Controller::new(Calibration::new("gateway-2026-05", bands)?, Bounds::new(bound, bound, bound));
/// let mut session = Session::new(&controller, "request-7")?;
///
/// let scores = Scores::default().with(Source::MissingEvidence, Score::new(0.84)?);
/// let missing = Situation::new(Score::new(0.39)?, scores, Source::MissingEvidence)
///     .with_judgement(Judgement::RequiredEvidenceMissing)
///     .with_remedy(Intervention::Retrieval, Remedy::USABLE);
/// let decision = session.decide(&missing, &Details::new("retrieve authoritative current sources"))?;
/// assert_eq!(decision.action(), Action::Retrieve);
/// session.completed(Spent::new(Duration::from_secs(2), 40))?;
///
/// // Nothing was found, and only one round is allowed.
/// let decision = session.decide(&missing, &Details::new("retrieve authoritative current sources"))?;
/// assert_eq!(decision.action(), Action::Abstain);
/// assert_eq!(decision.record().parent_decision_id(), Some("request-7-1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    controller: Controller,
    /// Has content.
    prefix: String,
    state: SessionState,
    /// How many decisions were taken.
    decided: u64,
    /// What the first record names as its parent.
    handed_over: Option<String>,
    usage: Usage,
}

impl Session {
    /// A session whose records have the identifiers `PREFIX-1`, `PREFIX-2` and so on. Each session needs a prefix of its own.
    /// Records of -01 have no identifiers.
    ///
    /// # Errors
    ///
    /// If the prefix has no content.
    pub fn new(controller: &Controller, prefix: impl Into<String>) -> Result<Self, SessionError> {
        let prefix = prefix.into();
        if prefix.trim().is_empty() {
            return Err(SessionError::NoPrefix);
        }
        Ok(Self {
            controller: controller.clone(),
            prefix,
            state: SessionState::Assess,
            decided: 0,
            handed_over: None,
            usage: Usage::default(),
        })
    }

    /// The same, for a task that somebody else handed over with a record: the first record names that one as its parent.
    /// Nothing else is taken from it; rounds and bounds are counted anew. Records of -01 name no parents. Source: MARC-02
    /// 6.5, 9.1.
    ///
    /// # Errors
    ///
    /// If the prefix has no content; but for -01 also if the record has no `decision_id`, or one that begins with this prefix
    /// and goes on as the identifiers of this session do.
    pub fn following(
        controller: &Controller,
        prefix: impl Into<String>,
        record: &ContextualRecord,
    ) -> Result<Self, SessionError> {
        let mut session = Self::new(controller, prefix)?;
        if controller.draft() == Draft::Draft01 {
            return Ok(session);
        }
        let parent = record.record().decision_id().filter(|id| !id.is_empty());
        let parent = parent.ok_or(SessionError::NoParent)?;
        if session.could_give(parent) {
            return Err(SessionError::PrefixTaken);
        }
        session.handed_over = Some(parent.into());
        Ok(session)
    }

    /// Where it stands.
    #[must_use]
    pub const fn state(&self) -> SessionState {
        self.state
    }

    /// What would be selected in a situation, whatever the bounds. Nothing changes.
    pub fn select(&self, situation: &Situation) -> Selection {
        Selection::of(situation, self.controller.policy())
    }

    /// Decides on one action, and writes the record of it.
    ///
    /// Where a looping action is selected whose bound is reached, it is [`Action::Escalate`] if a human is usable, else
    /// [`Action::Abstain`]. The next step then says which bound it was, in place of that of `details`, whose sub-action is
    /// dropped. Source: MARC-02 7.2; open point 92.
    ///
    /// In the record, `iteration` is the number of rounds before it, so the first has 0, and `max_iterations` is how many
    /// rounds the bounds allow in sum. The band comes from the confidence in the answer for [`Action::Answer`], else
    /// from `pre_capability`, or from the confidence in the action where the policy says so. Source: open points 59, 60, 69.
    /// A record of -01 has [less](Controller::with_draft).
    ///
    /// # Errors
    ///
    /// If the session does not await a situation, if `details` lack a score, name a sub-action that does not fit, or have a
    /// next step that no record may have. The session stays as it is.
    pub fn decide(
        &mut self,
        situation: &Situation,
        details: &Details,
    ) -> Result<Decision, DecideError> {
        match self.state {
            SessionState::Assess => {}
            SessionState::Running(action) => return Err(DecideError::Running(action)),
            SessionState::Over(action) => return Err(DecideError::Over(action)),
        }
        let selection = self.select(situation);
        self.check_sub_action(details, selection.action())?;
        let bound = self.usage.hit(self.controller.bounds(), selection.action());
        let choice = match bound {
            None => Choice::of(situation, details, &selection, &self.controller)?,
            Some(hit) => Choice::at_bound(situation, details, hit),
        };
        let record = self.record(situation, choice)?;
        let action = record.selected_action();
        self.decided = self.decided.saturating_add(1);
        self.usage.begin(action);
        self.state = if action.loops() {
            SessionState::Running(action)
        } else {
            SessionState::Over(action)
        };
        Ok(Decision {
            record,
            selection,
            bound,
        })
    }

    /// Tells that the running action is done, whatever came of it, and what it took. A new situation is then awaited.
    ///
    /// # Errors
    ///
    /// If no action is running. The session stays as it is.
    pub fn completed(&mut self, spent: Spent) -> Result<(), NotRunning> {
        let SessionState::Running(action) = self.state else {
            return Err(NotRunning);
        };
        self.usage.add(action, spent);
        self.state = SessionState::Assess;
        Ok(())
    }

    fn check_sub_action(&self, details: &Details, selected: Action) -> Result<(), DecideError> {
        let Some(name) = &details.sub_action else {
            return Ok(());
        };
        match self.controller.sub_actions().get(name) {
            None => Err(DecideError::UnknownSubAction(name.clone())),
            Some(action) if action == selected => Ok(()),
            Some(kind_of) => Err(DecideError::OtherSubAction {
                name: name.clone(),
                kind_of,
                selected,
            }),
        }
    }

    /// The record of the next decision point.
    fn record(&self, situation: &Situation, choice: Choice<'_>) -> Result<Core, Report> {
        let calibration = self.controller.calibration();
        let band = calibration.band(situation.task_family(), choice.score);
        let mut record = Core::builder()
            .draft(self.controller.draft())
            .decision_id(self.id(self.decided.saturating_add(1)))
            .iteration(u32::try_from(self.decided).unwrap_or(u32::MAX))
            .max_iterations(self.controller.bounds().max_iterations())
            .calibration_profile(calibration.profile())
            .pre_capability(situation.pre_capability())
            .uncertainty(*situation.uncertainty())
            .primary_source(situation.primary_source())
            .remediability(choice.remediability)
            .selected_action(choice.action)
            .confidence_band(band)
            .confidence_target(choice.target)
            .recommended_next_step(choice.next_step)
            .extensions(choice.extensions);
        if let Some(parent) = self.parent() {
            record = record.parent_decision_id(parent);
        }
        if let Some(source) = situation.secondary_source() {
            record = record.secondary_source(source);
        }
        if choice.action == Action::Answer {
            record = record.post_answer_confidence(choice.score);
        }
        record.build()
    }

    /// A session goes on after looping actions only, so the decision before is always the parent.
    fn parent(&self) -> Option<String> {
        match self.decided {
            0 => self.handed_over.clone(),
            last => Some(self.id(last)),
        }
    }

    fn id(&self, number: u64) -> String {
        format!("{}-{number}", self.prefix)
    }

    /// Whether an identifier is one of this session's, whichever of its numbers it has.
    fn could_give(&self, id: &str) -> bool {
        let number = id.rsplit('-').next().and_then(|number| number.parse().ok());
        number.is_some_and(|number: u64| number > 0 && id == self.id(number))
    }
}

/// A session that cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// The prefix of its identifiers has no content.
    NoPrefix,
    /// The record that was handed over has no `decision_id`.
    NoParent,
    /// The record that was handed over has an identifier with the same prefix.
    PrefixTaken,
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPrefix => "a session needs a prefix for its identifiers",
            Self::NoParent => "the record that was handed over has no identifier to follow",
            Self::PrefixTaken => "the record that was handed over has an identifier of this prefix",
        })
    }
}

impl Error for SessionError {}

/// No action is running that could be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRunning;

impl fmt::Display for NotRunning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no action is running")
    }
}

impl Error for NotRunning {}
