//! The rules between members.

use super::reader::Reader;
use super::reading::Value;
use super::shown::{cut, pointer_to};
use crate::document::Document;
use crate::draft::Draft;
use crate::members::{MAX_MESSAGE, WITH_ANSWER};
use crate::terms::{Action, Remediability, Target};
use crate::violation::{Level, ViolationCode as Code};
use provstream::MarcKind;

impl Reader<'_> {
    /// The rules between members. Each looks only at valid members, so that one fault is reported once.
    pub(super) fn rules_between_members(&mut self, document: &Document) {
        if let Some(action) = self.reading.term("selected_action") {
            self.confidence(document, action);
            self.target(action);
            self.remediability(action);
            self.message(action);
        }
        self.bound();
    }

    /// What goes with an action other than `ANSWER` is brief.
    fn message(&mut self, action: Action) {
        let brief = matches!(action, Action::Clarify | Action::Abstain | Action::Escalate);
        let len = self
            .reading
            .text("answer")
            .map_or(0, |text| text.chars().count());
        if brief && len > MAX_MESSAGE {
            let message = format!(
                "`selected_action` is {action}, so `answer` should have at most {MAX_MESSAGE} characters; it has {len}"
            );
            let section = self.by("MARC-01 9.3", "MARC-02 10.3");
            self.violation(
                Code::TooLong,
                Level::Should,
                "/answer".into(),
                section,
                message,
            );
        }
    }

    /// The bound of a loop; a negative one is a fault of its own. Source: open point 59.
    fn bound(&mut self) {
        let iteration = self.reading.number("iteration");
        let max = self.reading.number("max_iterations");
        if let (Some(iteration), Some(max)) = (iteration, max)
            && max.integer().is_some_and(|max| max >= 0)
            && iteration.compare(max).is_gt()
        {
            let [iteration, max] = [iteration, max].map(|number| cut(number.as_str()));
            self.violation(
                Code::IterationAboveMaximum,
                Level::Should,
                "/iteration".into(),
                "MARC-02 9.1",
                format!("`iteration` is {iteration}, above `max_iterations`, which is {max}"),
            );
        }
    }

    fn confidence(&mut self, document: &Document, action: Action) {
        if self.kind != MarcKind::Core {
            return;
        }
        let name = WITH_ANSWER;
        let missing = match self.reading.value(name) {
            Some(value) => matches!(value, Value::Null),
            None => document.get(name).is_none(),
        };
        let known = self.reading.score(name).is_some();
        if action == Action::Answer && missing {
            self.violation(
                Code::AnswerWithoutConfidence,
                Level::Must,
                pointer_to(&[name]),
                self.by("MARC-01 8.3", "MARC-02 9.4"),
                format!("`selected_action` is ANSWER, so `{name}` must be a number"),
            );
        } else if action != Action::Answer && known {
            self.violation(
                Code::ConfidenceWithoutAnswer,
                Level::Should,
                pointer_to(&[name]),
                self.by("MARC-01 8.3", "MARC-02 9.3"),
                format!("`selected_action` is {action}, so there is no answer for `{name}` unless a policy defines one"),
            );
        }
    }

    fn target(&mut self, action: Action) {
        let Some(target) = self.reading.term::<Target>("confidence_target") else {
            return;
        };
        let (code, level, section) = match (action, target) {
            (Action::Answer, Target::Answer) => return,
            (Action::Answer, _) => (Code::AnswerTarget, Level::Must, "MARC-02 8.6"),
            (_, Target::Answer) => (Code::TargetWithoutAnswer, Level::Should, "MARC-02 8.6"),
            _ => return,
        };
        let wanted = Target::of(action);
        self.violation(
            code,
            level,
            "/confidence_target".into(),
            section,
            format!("`selected_action` is {action}, so `confidence_target` {level} be `{wanted}`; it is `{target}`"),
        );
    }

    fn remediability(&mut self, action: Action) {
        let given = self.reading.term::<Remediability>("remediability");
        let (Draft::Draft02, Some(given), Some(wanted)) =
            (self.draft(), given, action.remediability())
        else {
            return;
        };
        if action.fits(given) {
            return;
        }
        self.violation(
            Code::RemediabilityMismatch,
            Level::Should,
            "/remediability".into(),
            "MARC-02 9.4",
            format!("`selected_action` is {action}, so `remediability` should be `{wanted}`; it is `{given}`"),
        );
    }
}
