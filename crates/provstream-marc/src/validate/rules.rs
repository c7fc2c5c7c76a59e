//! Validation rules between members.

use super::reader::ObjectChecker;
use super::reading::CheckedValue;
use super::shown::cut;
use crate::document::Document;
use crate::draft::Draft;
use crate::members::{MAX_MESSAGE, WITH_ANSWER};
use crate::terms::{Action, Remediability, Target};
use crate::violation::ViolationCode as Code;
use provstream::MarcKind;

impl ObjectChecker<'_> {
    /// Applies the rules between members. Each rule reads valid members only, so that one fault is
    /// reported once.
    pub(super) fn rules_between_members(&mut self, document: &Document) {
        if let Some(action) = self.reading.term("selected_action") {
            self.confidence(document, action);
            self.target(action);
            self.remediability(action);
            self.message(action);
        }
        self.bound();
    }

    fn confidence(&mut self, document: &Document, action: Action) {
        if self.kind != MarcKind::Core {
            return;
        }
        let name = WITH_ANSWER;
        let value = self.reading.value(name);
        let missing = match value {
            Some(value) => matches!(value, CheckedValue::Null),
            None => document.get(name).is_none(),
        };
        let (code, message) = match (action, value) {
            (Action::Answer, _) if missing => (
                Code::AnswerWithoutConfidence,
                format!("`selected_action` is ANSWER, so `{name}` must be a number"),
            ),
            (Action::Answer, _) => return,
            (_, Some(CheckedValue::Score(_))) => (
                Code::ConfidenceWithoutAnswer,
                format!(
                    "`selected_action` is {action}, so there is no answer for `{name}` unless a policy defines one"
                ),
            ),
            _ => return,
        };
        self.fault(code, format!("/{name}"), message);
    }

    fn target(&mut self, action: Action) {
        let code = match (action, self.reading.term("confidence_target")) {
            (Action::Answer, Some(Target::Answer)) | (_, None) => return,
            (Action::Answer, _) => Code::AnswerTarget,
            (_, Some(Target::Answer)) => Code::TargetWithoutAnswer,
            _ => return,
        };
        let (level, wanted) = (code.level(), Target::of(action));
        let given = self.reading.text("confidence_target").unwrap_or_default();
        let message = format!(
            "`selected_action` is {action}, so `confidence_target` {level} be `{wanted}`; it is `{given}`"
        );
        self.fault(code, "/confidence_target", message);
    }

    fn remediability(&mut self, action: Action) {
        let given = self.reading.term::<Remediability>("remediability");
        if let (Draft::Draft02, Some(given), Some(wanted)) =
            (self.draft(), given, action.remediability())
            && !action.fits(given)
        {
            let message = format!(
                "`selected_action` is {action}, so `remediability` should be `{wanted}`; it is `{given}`"
            );
            self.fault(Code::RemediabilityMismatch, "/remediability", message);
        }
    }

    /// Checks that `answer` is brief for an action other than `ANSWER`.
    fn message(&mut self, action: Action) {
        let brief = matches!(action, Action::Clarify | Action::Abstain | Action::Escalate);
        let text = self.reading.text("answer").unwrap_or_default();
        let len = text.chars().count();
        if brief && len > MAX_MESSAGE {
            let message = format!(
                "`selected_action` is {action}, so `answer` should have at most {MAX_MESSAGE} characters; it has {len}"
            );
            let section = ["MARC-01 9.3", "MARC-02 10.3"][self.draft() as usize];
            self.fault_by(section, Code::TooLong, "/answer", message);
        }
    }

    /// Checks that `iteration` is at most `max_iterations`, unless the latter is negative, which is
    /// a violation of its own. Source: open point 59.
    fn bound(&mut self) {
        let numbers = ["iteration", "max_iterations"].map(|name| self.reading.number(name));
        if let [Some(iteration), Some(max)] = numbers
            && max.integer() >= Some(0)
            && iteration.integer() > max.integer()
        {
            let [iteration, max] = [iteration, max].map(|number| cut(number.as_str()));
            let message =
                format!("`iteration` is {iteration}, above `max_iterations`, which is {max}");
            self.fault(Code::IterationAboveMaximum, "/iteration", message);
        }
    }
}
