//! Checks across the records of one stream.

use super::decision_memory::{Decisions, RememberedDecision};
use super::document::Document;
use super::draft::{Draft, Profile};
use super::number::JsonNumber;
use super::terms::Action;
use super::validate::{CheckedObject, CheckedValue, cut, read, shown};
use super::violation::{Report, Violation, ViolationCode as Code};
use provstream::MarcKind;

/// Validates the rules between the MARC-Core records of a stream: decision identifiers are unique,
/// parents are known, a decision after `RETRIEVE`, `TOOL` or `DELIBERATE` names its parent, and a
/// loop stays within its maximum.
///
/// Requests may interleave: a record belongs to the request of the parent that it names, and one without a parent begins a
/// request, which goes on after `CLARIFY`, too. All of it is should-level. Each check adds to [the report](Document::validate) on the record alone. Within a loop
/// a maximum applies to each later decision that has none of its own, and the rounds are counted by the parents, whether or
/// not records have an `iteration`. Records without identifiers form one request, in their order.
///
/// Records may have other faults: only valid members are looked at, and a negative number is ignored. Disclosures are passed
/// over, as are all records under -01, which has no identifiers.
///
/// Memory is bounded: the last 1,024 decisions are remembered, with 64 KiB of identifiers in all. When the first is
/// forgotten, [`limit-session`](Code::LimitSession) reports it once. Open loops and repeated identifiers of forgotten decisions
/// are not reported. From then on, neither is an unknown parent, which may be a forgotten one. Source: MARC-02 7.3, 9.1.
///
/// ```
/// use provstream_marc::{Document, Profile, SequenceValidator, ViolationCode};
///
/// let mut check = SequenceValidator::new(Profile::default());
/// let record = |json: &str| json.parse::<Document>();
/// let first = record(r#"{"marc_version": "1.0", "decision_id": "d-1", "iteration": 0, "selected_action": "RETRIEVE"}"#)?;
/// assert!(check.check(&first).is_clean());
/// let second = record(r#"{"marc_version": "1.0", "decision_id": "d-2", "iteration": 1, "selected_action": "ANSWER"}"#)?;
/// assert_eq!(check.check(&second).violations()[0].code(), ViolationCode::MissingParent);
/// assert_eq!(check.finish().violations()[0].code(), ViolationCode::OpenLoop);
/// # Ok::<(), provstream_marc::DocumentError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceValidator {
    profile: Profile,
    decisions: Decisions,
    /// The preceding record, if it has no identifier.
    anonymous: Option<RememberedDecision>,
    /// `true` if at least one decision of the stream is not retained.
    incomplete: bool,
    /// `true` after `limit-session` was reported.
    reported: bool,
}

/// `parent_decision_id` of a record.
enum Parent<'a> {
    /// Null or missing.
    NotNamed,
    Named(&'a str),
    /// Invalid; reported by the validation of the record.
    Unclear,
}

impl SequenceValidator {
    /// Creates a validator for a new stream.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            ..Self::default()
        }
    }

    /// Compares the next object of the stream with earlier ones. The report has only violations
    /// between records.
    pub fn check(&mut self, document: &Document) -> Report {
        let mut report = Report::default();
        let draft = self.profile.draft();
        if draft == Draft::Draft01 || document.kind() != Some(MarcKind::Core) {
            return report;
        }
        let reading = read(document, MarcKind::Core, self.profile);
        let id = reading.text("decision_id");
        if let Some(id) = id.filter(|id| self.decisions.has(id)) {
            let message = format!(
                "an earlier record has the same `decision_id`, {}",
                shown(id)
            );
            note(
                &mut report,
                Code::RepeatedDecisionId,
                "/decision_id",
                message,
            );
        }
        let before = self.before(&parent(document, &reading), &reading, &mut report);
        // After an action that ends a request another one begins.
        let before = before.filter(|before| before.loops.is_some() || before.asks);
        let decision = loop_rules(&reading, before, &mut report);
        self.anonymous = id.is_none().then_some(decision);
        if id.is_some_and(|id| self.decisions.remember(id, decision)) {
            self.forgot(&mut report);
        }
        report
    }

    /// Reports that a record could not be read, such as one longer than a limit. From here on a parent may be that record,
    /// so an unknown one is no longer reported.
    pub fn skip(&mut self) {
        self.anonymous = None;
        self.incomplete = true;
    }

    /// Ends the stream. The report has the loops that no later record follows.
    pub fn finish(&self) -> Report {
        let mut report = Report::default();
        for id in self.decisions.open() {
            let message = format!(
                "no later record names {} as its parent, which asked for a new assessment",
                shown(id)
            );
            note(&mut report, Code::OpenLoop, "/decision_id", message);
        }
        report
    }

    /// Returns the preceding decision in the same request, if known.
    fn before(
        &mut self,
        parent: &Parent<'_>,
        reading: &CheckedObject<'_>,
        report: &mut Report,
    ) -> Option<RememberedDecision> {
        let pointer = "/parent_decision_id";
        match parent {
            Parent::Unclear => None,
            Parent::Named(id) => {
                let known = self.decisions.follow(id);
                if known.is_none() && !self.incomplete {
                    let message = format!("no earlier record has the `decision_id` {}", shown(id));
                    note(report, Code::UnknownParent, pointer, message);
                }
                known
            }
            Parent::NotNamed => {
                let anonymous = self.anonymous.filter(|before| {
                    before.loops.is_some() && reading.text("decision_id").is_none()
                });
                let iteration = reading.integer("iteration").unwrap_or_default();
                let later = self.decisions.is_open_below(iteration);
                if anonymous.is_some() || later {
                    let message = "the record follows another assessment, so `parent_decision_id` should name a parent";
                    note(report, Code::MissingParent, pointer, message);
                }
                anonymous
            }
        }
    }

    fn forgot(&mut self, report: &mut Report) {
        self.incomplete = true;
        if !self.reported {
            self.reported = true;
            let message = "the stream has more decisions than are remembered; from here on an unknown parent is not reported";
            note(report, Code::LimitSession, "", message);
        }
    }
}

fn parent<'a>(document: &Document, reading: &'a CheckedObject<'_>) -> Parent<'a> {
    let name = "parent_decision_id";
    match reading.value(name) {
        Some(CheckedValue::Text(id)) => Parent::Named(id),
        Some(CheckedValue::Null) => Parent::NotNamed,
        None if document.get(name).is_none() => Parent::NotNamed,
        _ => Parent::Unclear,
    }
}

/// Compares the counters of a record with those of the preceding decision in its loop, and returns
/// the counters for the next comparison.
fn loop_rules(
    reading: &CheckedObject<'_>,
    parent: Option<RememberedDecision>,
    report: &mut Report,
) -> RememberedDecision {
    let before = parent.unwrap_or_default();
    let rounds = before
        .rounds
        .saturating_add(u32::from(before.loops.is_some()));
    let counter = |name| reading.integer(name).filter(|&count| count >= 0);
    let written = |name| cut(reading.number(name).map_or("", JsonNumber::as_str));
    let (iteration, own_max) = (counter("iteration"), counter("max_iterations"));
    // Two that are beyond the type may differ all the same.
    let beyond = |count| count == i64::MAX;
    if let (Some(iteration), Some(earlier)) = (iteration, before.iteration)
        && (iteration < earlier || iteration == earlier && before.loops.is_some())
        && !beyond(iteration)
    {
        let more = if beyond(earlier) { " or more" } else { "" };
        let wanted = if before.asks { "not shrink" } else { "grow" };
        let message = format!(
            "`iteration` is {}, and that of the decision before is {earlier}{more}: it should {wanted}",
            written("iteration")
        );
        note(report, Code::IterationNotGrowing, "/iteration", message);
    }
    let max = own_max.or(before.max_iterations);
    let above = match (own_max, iteration, before.max_iterations) {
        (Some(own), _, Some(max)) if own > max => {
            let own = written("max_iterations");
            let message = format!(
                "`max_iterations` is {own}, and that of the decision before is {max}: it should not be raised"
            );
            Some(("/max_iterations", message))
        }
        (None, Some(iteration), Some(max)) if iteration > max => {
            let iteration = written("iteration");
            let message = format!(
                "`iteration` is {iteration}, above the `max_iterations` of the decision before, which is {max}"
            );
            Some(("/iteration", message))
        }
        (_, None, _) => max.filter(|&max| i64::from(rounds) > max).map(|max| {
            let message = format!(
                "its parents make this round {rounds}, above `max_iterations`, which is {max}"
            );
            ("/parent_decision_id", message)
        }),
        _ => None,
    };
    if let Some((pointer, message)) = above {
        note(report, Code::IterationAboveMaximum, pointer, message);
    }
    let action = reading.term::<Action>("selected_action");
    RememberedDecision {
        iteration,
        max_iterations: max,
        loops: action.filter(|action| action.loops()),
        asks: action == Some(Action::Clarify),
        rounds,
        followed: false,
    }
}

fn note(report: &mut Report, code: Code, pointer: &str, message: impl Into<String>) {
    report.push(Violation::new(code, message).at(pointer));
}
