//! The members of both objects in both drafts: one table for validation, types and schemas.

use super::draft::Draft;
use super::terms::{Action, Band, Remediability, Source, Target};
use provstream::MarcKind;

/// Longest `recommended_next_step` in code points. Source: MARC-01 D.1; open point 50.
pub(crate) const MAX_NEXT_STEP: usize = 280;

/// Longest request for clarification, refusal or escalation message in code points. Source: MARC-02 10.1 ("brief"), 10.3
/// ("short").
pub(crate) const MAX_MESSAGE: usize = 600;

/// The member of a record that `ANSWER` needs, whatever else does without. Source: MARC-01 8.3; MARC-02 9.4.
pub(crate) const WITH_ANSWER: &str = "post_answer_confidence";

/// What the value of a member looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// `major.minor`.
    Version,
    /// Any string.
    Text,
    /// A string with content, in at most so many code points if there is a limit.
    Content(Option<usize>),
    /// An integral number.
    Integer,
    /// A number in [0.0, 1.0].
    Score,
    /// An object with a score for each source.
    Scores,
    /// One of these strings.
    Term(&'static [&'static str]),
}

/// Whether a member has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// Optional, and null says the same as leaving it out.
    Nullable,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) presence: Presence,
    /// The section that defines the member in each draft; none where the draft does not.
    defined_by: [Option<&'static str>; 2],
    /// The section on its value in each draft.
    value_by: [&'static str; 2],
    /// What it says, in one sentence for a reader.
    pub(crate) meaning: &'static str,
}

impl Member {
    /// The section that defines the member; none if the draft does not have it.
    pub(crate) const fn defined_by(&self, draft: Draft) -> Option<&'static str> {
        self.defined_by[draft as usize]
    }

    /// The section that says which values it may have.
    pub(crate) const fn value_by(&self, draft: Draft) -> &'static str {
        self.value_by[draft as usize]
    }
}

const fn member(
    name: &'static str,
    form: Form,
    presence: Presence,
    defined_by: [&'static str; 2],
    value_by: [&'static str; 2],
    meaning: &'static str,
) -> Member {
    let [first, second] = defined_by;
    Member {
        name,
        form,
        presence,
        defined_by: [
            if first.is_empty() { None } else { Some(first) },
            Some(second),
        ],
        value_by,
        meaning,
    }
}

const SOURCE: Form = Form::Term(Source::NAMES);
const ACTION: Form = Form::Term(Action::NAMES);
const BAND: Form = Form::Term(Band::NAMES);
const TARGET: Form = Form::Term(Target::NAMES);
const NEXT_STEP: Form = Form::Content(Some(MAX_NEXT_STEP));

use Presence::{Nullable, Optional, Required};

/// MARC-Core, in the order of MARC-02 9.1.
#[rustfmt::skip]
static CORE: [Member; 16] = [
    member("marc_version", Form::Version, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.1"],
        "Version of the schema that the emitter understands, major and minor."),
    member("decision_id", Form::Text, Optional, ["", "MARC-02 9.1"], ["", "MARC-02 9.1"],
        "Identifies this decision point."),
    member("parent_decision_id", Form::Text, Nullable, ["", "MARC-02 9.1"], ["", "MARC-02 9.1"],
        "The decision point before, where that one was `RETRIEVE`, `TOOL` or `DELIBERATE`."),
    member("iteration", Form::Integer, Optional, ["", "MARC-02 9.1"], ["", "MARC-02 9.1"],
        "Counts repeated assessments."),
    member("max_iterations", Form::Integer, Optional, ["", "MARC-02 9.1"], ["", "MARC-02 9.1"],
        "Most repetitions of `RETRIEVE`, `TOOL` or `DELIBERATE` that are permitted."),
    member("calibration_profile", Form::Text, Optional, ["", "MARC-02 9.1"], ["", "MARC-02 9.1"],
        "Names the calibration that turns estimates into the band."),
    member("pre_capability", Form::Score, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 8.1"],
        "Whether the request can be handled reliably, estimated before any answer."),
    member("uncertainty", Form::Scores, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.3"],
        "How much each source of uncertainty matters; the scores need not sum to 1.0."),
    member("primary_source", SOURCE, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.2"],
        "The source that matters most for the action."),
    member("secondary_source", SOURCE, Nullable, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.2"],
        "The source that comes second, if one does."),
    member("remediability", Form::Term(Remediability::NAMES), Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.2"],
        "The best intervention that is available."),
    member("selected_action", ACTION, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.2"],
        "The one primary action that is selected."),
    member(WITH_ANSWER, Form::Score, Nullable, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 8.4"],
        "How likely the answer is right; null without a candidate answer."),
    member("confidence_band", BAND, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.2"],
        "Coarse, calibrated confidence."),
    member("confidence_target", TARGET, Required, ["", "MARC-02 9.1"], ["", "MARC-02 9.2"],
        "What the band applies to."),
    member("recommended_next_step", NEXT_STEP, Required, ["MARC-01 8.1", "MARC-02 9.1"], ["MARC-01 D.1", "MARC-02 9.1"],
        "The next step, short, in line with the action."),
];

/// MARC-Disclosure, in the order of MARC-02 10.
#[rustfmt::skip]
static DISCLOSURE: [Member; 6] = [
    member("answer", Form::Content(None), Required, ["MARC-01 9", "MARC-02 10"], ["MARC-01 D.2", "MARC-02 10"],
        "What the user sees: an answer, a request for clarification, a refusal or a notice."),
    member("confidence_band", BAND, Required, ["MARC-01 9", "MARC-02 10"], ["MARC-01 D.2", "MARC-02 10"],
        "Coarse, calibrated confidence."),
    member("confidence_target", TARGET, Required, ["", "MARC-02 10"], ["", "MARC-02 10"],
        "What the band applies to."),
    member("uncertainty_source", SOURCE, Required, ["MARC-01 9", "MARC-02 10"], ["MARC-01 D.2", "MARC-02 10"],
        "The source of uncertainty that matters most."),
    member("recommended_next_step", NEXT_STEP, Required, ["MARC-01 9", "MARC-02 10"], ["MARC-01 D.1", "MARC-02 10"],
        "The next step, short, in line with the action."),
    member("selected_action", ACTION, Optional, ["MARC-01 9", "MARC-02 10"], ["MARC-01 D.2", "MARC-02 10"],
        "The primary action, where the interface is to know it."),
];

/// What a source of uncertainty means, for a reader. Source: MARC-02 8.2.
pub(crate) const fn meaning(source: Source) -> &'static str {
    match source {
        Source::Ambiguity => "The request is underspecified or unclear.",
        Source::MissingEvidence => "Evidence that is needed is absent, insufficient or stale.",
        Source::CapabilityLimit => "The competence for a reliable solution is lacking.",
        Source::EvidenceConflict => "Evidence that matters is inconsistent.",
        Source::Safety => "A policy, legal or safety constraint limits what may be done or said.",
    }
}

/// The members that a draft defines for an object, in its order.
pub(crate) fn members(kind: MarcKind, draft: Draft) -> impl Iterator<Item = &'static Member> {
    let all: &[Member] = match kind {
        MarcKind::Core => &CORE,
        MarcKind::Disclosure => &DISCLOSURE,
    };
    all.iter()
        .filter(move |member| member.defined_by(draft).is_some())
}
