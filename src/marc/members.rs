//! The members of both objects in both drafts: one table for validation, types and schemas.

use super::draft::Draft;
use super::object::Kind;
use super::terms::{Action, Band, Remediability, Source, Target};

/// Longest `recommended_next_step` in code points. Source: MARC-01 D.1; open point 50.
pub(crate) const MAX_NEXT_STEP: usize = 280;

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
    member("marc_version", Form::Version, Required, ["M1-8", "M2-76"], ["M1-25", "M2-76"]),
    member("decision_id", Form::Text, Optional, ["", "M2-77"], ["", "M2-77"]),
    member("parent_decision_id", Form::Text, Nullable, ["", "M2-78"], ["", "M2-78"]),
    member("iteration", Form::Integer, Optional, ["", "M2-79"], ["", "M2-79"]),
    member("max_iterations", Form::Integer, Optional, ["", "M2-80"], ["", "M2-80"]),
    member("calibration_profile", Form::Text, Optional, ["", "M2-81"], ["", "M2-81"]),
    member("pre_capability", Form::Score, Required, ["M1-8", "M2-82"], ["M1-27", "M2-20"]),
    member("uncertainty", Form::Scores, Required, ["M1-8", "M2-83"], ["M1-28", "M2-102"]),
    member("primary_source", SOURCE, Required, ["M1-8", "M2-84"], ["M1-29", "M2-96"]),
    member("secondary_source", SOURCE, Nullable, ["M1-8", "M2-85"], ["M1-29", "M2-96"]),
    member("remediability", Form::Term(Remediability::NAMES), Required, ["M1-8", "M2-86"], ["M1-30", "M2-97"]),
    member("selected_action", ACTION, Required, ["M1-8", "M2-87"], ["M1-30", "M2-98"]),
    member("post_answer_confidence", Form::Score, Nullable, ["M1-8", "M2-88"], ["M1-31", "M2-35"]),
    member("confidence_band", BAND, Required, ["M1-8", "M2-89"], ["M1-30", "M2-99"]),
    member("confidence_target", TARGET, Required, ["", "M2-90"], ["", "M2-100"]),
    member("recommended_next_step", NEXT_STEP, Required, ["M1-8", "M2-91"], ["M1-32", "M2-91"]),
];

/// MARC-Disclosure, in the order of MARC-02 10.
#[rustfmt::skip]
static DISCLOSURE: [Member; 6] = [
    member("answer", Form::Content(None), Required, ["M1-11", "M2-117"], ["M1-34", "M2-117"]),
    member("confidence_band", BAND, Required, ["M1-11", "M2-118"], ["M1-34", "M2-118"]),
    member("confidence_target", TARGET, Required, ["", "M2-119"], ["", "M2-119"]),
    member("uncertainty_source", SOURCE, Required, ["M1-11", "M2-120"], ["M1-34", "M2-120"]),
    member("recommended_next_step", NEXT_STEP, Required, ["M1-11", "M2-121"], ["M1-32", "M2-121"]),
    member("selected_action", ACTION, Optional, ["M1-11", "M2-122"], ["M1-34", "M2-122"]),
];

/// The members that a draft defines for an object, in its order.
pub(crate) fn members(kind: Kind, draft: Draft) -> impl Iterator<Item = &'static Member> {
    let all: &[Member] = match kind {
        Kind::Core => &CORE,
        Kind::Disclosure => &DISCLOSURE,
    };
    all.iter()
        .filter(move |member| member.defined_by(draft).is_some())
}
