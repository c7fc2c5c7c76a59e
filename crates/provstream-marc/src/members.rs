//! The members of both objects in both drafts: one table for validation, types and schemas.

use super::draft::Draft;
use super::terms::{Action, Band, Remediability, Source, Target};
use provstream::MarcKind;

/// Longest `recommended_next_step` in code points. Source: MARC-01 D.1; open point 50.
pub(crate) const MAX_NEXT_STEP: usize = 280;

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
    /// The requirement that defines the member in each draft; none where the draft does not.
    defined_by: [Option<&'static str>; 2],
    /// The requirement on its value in each draft.
    value_by: [&'static str; 2],
    /// What it says, in one sentence for a reader.
    pub(crate) meaning: &'static str,
}

impl Member {
    /// The requirement that defines the member; none if the draft does not have it.
    pub(crate) const fn defined_by(&self, draft: Draft) -> Option<&'static str> {
        self.defined_by[draft as usize]
    }

    /// The requirement that says which values it may have.
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
    member("marc_version", Form::Version, Required, ["M1-8", "M2-76"], ["M1-25", "M2-76"],
        "Version of the schema that the emitter understands, major and minor."),
    member("decision_id", Form::Text, Optional, ["", "M2-77"], ["", "M2-77"],
        "Identifies this decision point."),
    member("parent_decision_id", Form::Text, Nullable, ["", "M2-78"], ["", "M2-78"],
        "The decision point before, where that one was `RETRIEVE`, `TOOL` or `DELIBERATE`."),
    member("iteration", Form::Integer, Optional, ["", "M2-79"], ["", "M2-79"],
        "Counts repeated assessments."),
    member("max_iterations", Form::Integer, Optional, ["", "M2-80"], ["", "M2-80"],
        "Most repetitions of `RETRIEVE`, `TOOL` or `DELIBERATE` that are permitted."),
    member("calibration_profile", Form::Text, Optional, ["", "M2-81"], ["", "M2-81"],
        "Names the calibration that turns estimates into the band."),
    member("pre_capability", Form::Score, Required, ["M1-8", "M2-82"], ["M1-27", "M2-20"],
        "Whether the request can be handled reliably, estimated before any answer."),
    member("uncertainty", Form::Scores, Required, ["M1-8", "M2-83"], ["M1-28", "M2-102"],
        "How much each source of uncertainty matters; the scores need not sum to 1.0."),
    member("primary_source", SOURCE, Required, ["M1-8", "M2-84"], ["M1-29", "M2-96"],
        "The source that matters most for the action."),
    member("secondary_source", SOURCE, Nullable, ["M1-8", "M2-85"], ["M1-29", "M2-96"],
        "The source that comes second, if one does."),
    member("remediability", Form::Term(Remediability::NAMES), Required, ["M1-8", "M2-86"], ["M1-30", "M2-97"],
        "The best intervention that is available."),
    member("selected_action", ACTION, Required, ["M1-8", "M2-87"], ["M1-30", "M2-98"],
        "The one primary action that is selected."),
    member(WITH_ANSWER, Form::Score, Nullable, ["M1-8", "M2-88"], ["M1-31", "M2-35"],
        "How likely the answer is right; null without a candidate answer."),
    member("confidence_band", BAND, Required, ["M1-8", "M2-89"], ["M1-30", "M2-99"],
        "Coarse, calibrated confidence."),
    member("confidence_target", TARGET, Required, ["", "M2-90"], ["", "M2-100"],
        "What the band applies to."),
    member("recommended_next_step", NEXT_STEP, Required, ["M1-8", "M2-91"], ["M1-32", "M2-91"],
        "The next step, short, in line with the action."),
];

/// MARC-Disclosure, in the order of MARC-02 10.
#[rustfmt::skip]
static DISCLOSURE: [Member; 6] = [
    member("answer", Form::Content(None), Required, ["M1-11", "M2-117"], ["M1-34", "M2-117"],
        "What the user sees: an answer, a request for clarification, a refusal or a notice."),
    member("confidence_band", BAND, Required, ["M1-11", "M2-118"], ["M1-34", "M2-118"],
        "Coarse, calibrated confidence."),
    member("confidence_target", TARGET, Required, ["", "M2-119"], ["", "M2-119"],
        "What the band applies to."),
    member("uncertainty_source", SOURCE, Required, ["M1-11", "M2-120"], ["M1-34", "M2-120"],
        "The source of uncertainty that matters most."),
    member("recommended_next_step", NEXT_STEP, Required, ["M1-11", "M2-121"], ["M1-32", "M2-121"],
        "The next step, short, in line with the action."),
    member("selected_action", ACTION, Optional, ["M1-11", "M2-122"], ["M1-34", "M2-122"],
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
