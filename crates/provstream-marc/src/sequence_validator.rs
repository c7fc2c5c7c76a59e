//! Checks across the records of one stream.

use super::decision_memory::{Decision, Decisions};
use super::document::Document;
use super::draft::{Draft, Profile};
use super::number::Number;
use super::terms::Action;
use super::validate::{Reading, Value, cut, read, shown};
use super::violation::{Level, Report, Violation, ViolationCode as Code};
use provstream::MarcKind;

/// Checks what must hold between the MARC-Core records of one stream, in their order: decision identifiers are unique, parents
/// are known, a decision after `RETRIEVE`, `TOOL` or `DELIBERATE` names its parent, and `iteration` grows and stays
/// within the maximum that a loop began with.
///
/// All of it is should-level. Each check adds to [the report](Document::validate) on the record alone. A record belongs to
/// the loop of the decision before it, if that asked for a new assessment: of its parent if that is known, or of the
/// record before if it names none. Within a loop a maximum goes on to each decision that has none of its own, and one
/// that is raised is told once. Behind any other action another loop begins, with counters of its own.
///
/// Records may be faulty otherwise: only members that are as they must be are looked at, and a negative number says
/// nothing. Disclosures are passed over, as are all records under -01, which has no identifiers.
///
/// Memory is bounded: the last 1,024 decisions are remembered, with 64 KiB of identifiers in all. When the first is
/// forgotten, [`limit-session`](Code::LimitSession) says so once; since then a parent that is not known may be one that was
/// forgotten, so it is no longer told.
///
/// Source: MARC-02 7.3, 9.1; open points 57 to 59.
///
/// ```
/// use provstream_marc::{Document, Profile, SequenceValidator, ViolationCode};
///
/// let mut check = SequenceValidator::new(Profile::default());
/// let record = |json: &str| json.parse::<Document>();
/// let first = record(r#"{"marc_version": "1.0", "decision_id": "d-1", "selected_action": "RETRIEVE"}"#)?;
/// assert!(check.check(&first).is_clean());
/// let second = record(r#"{"marc_version": "1.0", "decision_id": "d-2", "selected_action": "ANSWER"}"#)?;
/// assert_eq!(check.check(&second).violations()[0].code(), ViolationCode::MissingParent);
/// # Ok::<(), provstream_marc::DocumentError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceValidator {
    profile: Profile,
    decisions: Decisions,
    /// The record before.
    before: Option<Decision>,
    /// Some decision of the stream is not remembered.
    incomplete: bool,
    /// It was told that decisions are forgotten.
    told: bool,
}

/// What a record says about its parent.
enum Parent<'a> {
    /// It is null or not there.
    NotNamed,
    Named(&'a str),
    /// It is not as it must be.
    Unclear,
}

impl SequenceValidator {
    /// A check of a stream that begins.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            ..Self::default()
        }
    }

    /// Holds the next object of the stream against those before. The report has only what is wrong between records.
    pub fn check(&mut self, document: &Document) -> Report {
        let mut report = Report::default();
        let draft = self.profile.draft();
        if draft == Draft::Draft01 || document.kind() != Some(MarcKind::Core) {
            return report;
        }
        let reading = read(document, MarcKind::Core, self.profile);
        let id = reading.text("decision_id");
        if let Some(id) = id.filter(|id| self.decisions.get(id).is_some()) {
            let message = format!(
                "an earlier record has the same `decision_id`, {}",
                shown(id)
            );
            note(
                &mut report,
                Code::RepeatedDecisionId,
                "/decision_id",
                "M2-18",
                message,
            );
        }
        let before = self.before(&parent(document, &reading), &mut report);
        // Behind an action that ends a loop another one begins.
        let before = before.filter(|before| before.loops.is_some());
        let decision = loop_rules(&reading, before.unwrap_or_default(), &mut report);
        if id.is_some_and(|id| self.decisions.remember(id, decision)) {
            self.forgot(&mut report);
        }
        self.before = Some(decision);
        report
    }

    /// Says that a record stands here that could not be read, such as one longer than
    /// [`Limits::max_record`](crate::Limits::max_record). From here on a parent may be that record, so an unknown one is no
    /// longer told.
    pub fn skip(&mut self) {
        self.before = None;
        self.incomplete = true;
    }

    /// The decision before this one, if it is known.
    fn before(&self, parent: &Parent<'_>, report: &mut Report) -> Option<Decision> {
        let pointer = "/parent_decision_id";
        match parent {
            Parent::Unclear => None,
            Parent::Named(id) => {
                let known = self.decisions.get(id);
                if known.is_none() && !self.incomplete {
                    let message = format!("no earlier record has the `decision_id` {}", shown(id));
                    note(report, Code::UnknownParent, pointer, "M2-78", message);
                }
                known
            }
            Parent::NotNamed => {
                let before = self.before?;
                let action = before.loops?;
                let message = format!(
                    "the record before selected {action}, so `parent_decision_id` should name a parent"
                );
                note(report, Code::MissingParent, pointer, "M2-93", message);
                Some(before)
            }
        }
    }

    fn forgot(&mut self, report: &mut Report) {
        self.incomplete = true;
        if !self.told {
            self.told = true;
            let message = "the stream has more decisions than are remembered; from here on an unknown parent is not told";
            note(report, Code::LimitSession, "", "M2-18", message.into());
        }
    }
}

fn parent<'a>(document: &Document, reading: &'a Reading<'_>) -> Parent<'a> {
    let name = "parent_decision_id";
    match reading.value(name) {
        Some(Value::Text(id)) => Parent::Named(id),
        Some(Value::Null) => Parent::NotNamed,
        None if document.get(name).is_none() => Parent::NotNamed,
        _ => Parent::Unclear,
    }
}

/// Holds the counters of a record against the decision before in its loop, and gives those that the next is held against.
fn loop_rules(reading: &Reading<'_>, before: Decision, report: &mut Report) -> Decision {
    let counter = |name| reading.integer(name).filter(|&count| count >= 0);
    let written = |name| cut(reading.number(name).map_or("", Number::as_str));
    let (iteration, own_max) = (counter("iteration"), counter("max_iterations"));
    if let (Some(iteration), Some(earlier)) = (iteration, before.iteration)
        && iteration <= earlier
        // Two that are beyond the type may differ all the same.
        && iteration < i64::MAX
    {
        let message = format!(
            "`iteration` is {}, and that of the decision before is {}: it should grow",
            written("iteration"),
            remembered(earlier)
        );
        note(
            report,
            Code::IterationNotGrowing,
            "/iteration",
            "M2-79",
            message,
        );
    }
    match (own_max, iteration, before.max_iterations) {
        (Some(own), _, Some(max)) if own > max => {
            let message = format!(
                "`max_iterations` is {}, and that of the decision before is {max}: it should not be raised",
                written("max_iterations")
            );
            note(
                report,
                Code::IterationAboveMaximum,
                "/max_iterations",
                "M2-80",
                message,
            );
        }
        (None, Some(iteration), Some(max)) if iteration > max => {
            let message = format!(
                "`iteration` is {}, above the `max_iterations` of the decision before, which is {max}",
                written("iteration")
            );
            note(
                report,
                Code::IterationAboveMaximum,
                "/iteration",
                "M2-80",
                message,
            );
        }
        _ => {}
    }
    let action = reading.term::<Action>("selected_action");
    Decision {
        iteration,
        max_iterations: own_max.or(before.max_iterations),
        loops: action.filter(|action| action.loops()),
    }
}

/// A counter of an earlier decision in a message: of one beyond the type no more is remembered.
fn remembered(count: i64) -> String {
    if count == i64::MAX {
        format!("{count} or more")
    } else {
        count.to_string()
    }
}

fn note(
    report: &mut Report,
    code: Code,
    pointer: &str,
    requirement: &'static str,
    message: String,
) {
    let pointer = pointer.into();
    report.push(Violation::new(
        code,
        Level::Should,
        pointer,
        requirement,
        message,
    ));
}
