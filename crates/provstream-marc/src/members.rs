//! The members of both objects in both drafts: one table for reading, validation, types, builders and schemas.

use super::draft::Draft;
use super::terms::{Action, Band, Remediability, Source, Target};
use provstream::MarcKind;

/// Longest `recommended_next_step` in code points. Source: MARC-01 D.1; open point 50.
pub(crate) const MAX_NEXT_STEP: usize = 280;

/// Longest request for clarification, refusal or escalation message in code points. Source: MARC-02 10.1 ("brief"), 10.3
/// ("short").
pub(crate) const MAX_MESSAGE: usize = 600;

/// Member of a record that is required with `ANSWER` only. Source: MARC-01 8.3; MARC-02 9.4.
pub(crate) const WITH_ANSWER: &str = "post_answer_confidence";

/// Type and syntax of a member's value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemberForm {
    /// `major.minor`.
    Version,
    /// Any string.
    Text,
    /// A string that is not blank, with at most this number of code points, if any.
    Content(Option<usize>),
    /// An integral number.
    Integer,
    /// A number in [0.0, 1.0].
    Score,
    /// An object with a score for each source.
    Scores,
    /// One of a fixed set of strings.
    Term(&'static [&'static str]),
}

/// Presence of a member in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    /// Optional; null means the same as leaving the member out.
    Nullable,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct MemberSpec {
    pub(crate) name: &'static str,
    pub(crate) form: MemberForm,
    pub(crate) presence: Presence,
    /// The sections that define the members of the object.
    defined_by: [&'static str; 2],
    /// The section on the member's value in each draft; empty if the draft does not define the
    /// member.
    value_by: [&'static str; 2],
    /// Meaning of the member, in one sentence. Schemas have it as `description`.
    meaning: &'static str,
}

impl MemberSpec {
    /// Returns the section that defines the member. `draft` must define the member.
    pub(crate) const fn defined_by(&self, draft: Draft) -> &'static str {
        self.defined_by[draft as usize]
    }

    /// Returns the section on the permitted values.
    pub(crate) const fn value_by(&self, draft: Draft) -> &'static str {
        self.value_by[draft as usize]
    }

    pub(crate) fn meaning(&self) -> &'static str {
        self.meaning.trim_start()
    }

    pub(crate) fn is_required(&self) -> bool {
        self.presence == Presence::Required
    }
}

const SOURCE: MemberForm = MemberForm::Term(Source::NAMES);
const ACTION: MemberForm = MemberForm::Term(Action::NAMES);
const BAND: MemberForm = MemberForm::Term(Band::NAMES);
const TARGET: MemberForm = MemberForm::Term(Target::NAMES);
const NEXT_STEP: MemberForm = MemberForm::Content(Some(MAX_NEXT_STEP));

/// MARC-Core, in the order of MARC-02 9.1. The first word says what the type has of it, as [`object`](super::object) reads it.
macro_rules! core_members {
    ($then:ident $($head:tt)*) => { $then! { { $($head)* }
        /// Version of the schema that the emitter understands, major and minor.
        version marc_version: String, MemberForm::Version, Required, ["MARC-01 D.1", "MARC-02 9.1"];
        /// Identifies this decision point.
        maybe_text decision_id: String, MemberForm::Text, Optional, ["", "MARC-02 9.1"];
        /// The decision point before, where that one was `RETRIEVE`, `TOOL` or `DELIBERATE`.
        maybe_text parent_decision_id: String, MemberForm::Text, Nullable, ["", "MARC-02 9.1"];
        /// Counts repeated assessments.
        count iteration: i64, MemberForm::Integer, Optional, ["", "MARC-02 9.1"];
        /// Most repetitions of `RETRIEVE`, `TOOL` or `DELIBERATE` that are permitted.
        count max_iterations: i64, MemberForm::Integer, Optional, ["", "MARC-02 9.1"];
        /// Name of the calibration that maps estimates to the band.
        maybe_text calibration_profile: String, MemberForm::Text, Optional, ["", "MARC-02 9.1"];
        /// Confidence that the request can be handled reliably, estimated before any answer.
        copy pre_capability: Score, MemberForm::Score, Required, ["MARC-01 D.1", "MARC-02 8.1"];
        /// Importance of each source of uncertainty; the scores need not sum to 1.0.
        copy uncertainty: Scores, MemberForm::Scores, Required, ["MARC-01 D.1", "MARC-02 9.3"];
        /// The source that matters most for the action.
        copy primary_source: Source, SOURCE, Required, ["MARC-01 D.1", "MARC-02 9.2"];
        /// The second most important source, if there is one.
        maybe secondary_source: Source, SOURCE, Nullable, ["MARC-01 D.1", "MARC-02 9.2"];
        /// The best intervention that is available.
        copy remediability: Remediability, MemberForm::Term(Remediability::NAMES), Required, ["MARC-01 D.1", "MARC-02 9.2"];
        /// The one primary action that is selected.
        copy selected_action: Action, ACTION, Required, ["MARC-01 D.1", "MARC-02 9.2"];
        /// Confidence that the answer is right; null without a candidate answer.
        maybe post_answer_confidence: Score, MemberForm::Score, Nullable, ["MARC-01 D.1", "MARC-02 8.4"];
        /// Coarse, calibrated confidence.
        copy confidence_band: Band, BAND, Required, ["MARC-01 D.1", "MARC-02 9.2"];
        /// The subject of the band.
        maybe confidence_target: Target, TARGET, Required, ["", "MARC-02 9.2"];
        /// The next step, short, in line with the action.
        text recommended_next_step: String, NEXT_STEP, Required, ["MARC-01 D.1", "MARC-02 9.1"];
    } };
}

/// MARC-Disclosure, in the order of MARC-02 10.
macro_rules! disclosure_members {
    ($then:ident $($head:tt)*) => { $then! { { $($head)* }
        /// Text for the user: an answer, a request for clarification, a refusal or a notice.
        text answer: String, MemberForm::Content(None), Required, ["MARC-01 D.2", "MARC-02 10"];
        /// Coarse, calibrated confidence.
        copy confidence_band: Band, BAND, Required, ["MARC-01 D.2", "MARC-02 10"];
        /// The subject of the band.
        maybe confidence_target: Target, TARGET, Required, ["", "MARC-02 10"];
        /// The source of uncertainty that matters most.
        copy uncertainty_source: Source, SOURCE, Required, ["MARC-01 D.2", "MARC-02 10"];
        /// The next step, short, in line with the action.
        text recommended_next_step: String, NEXT_STEP, Required, ["MARC-01 D.2", "MARC-02 10"];
        /// The primary action, for interfaces that show it.
        maybe selected_action: Action, ACTION, Optional, ["MARC-01 D.2", "MARC-02 10"];
    } };
}

pub(crate) use {core_members, disclosure_members};

macro_rules! table {
    ({ $defined_by:expr } $(#[doc = $meaning:literal] $how:ident $name:ident: $type:ty, $form:expr, $presence:ident, $value_by:expr;)+) => {
        &[$(MemberSpec {
            name: stringify!($name),
            form: $form,
            presence: Presence::$presence,
            defined_by: $defined_by,
            value_by: $value_by,
            meaning: $meaning,
        },)+]
    };
}

/// Returns `true` if a member is private by its name: the name begins with `x_`, or with a prefix
/// of no defined member, such as `acme_` or `com.example/`. Source: MARC-02 11.
pub(crate) fn is_private(name: &str) -> bool {
    if name.starts_with("x_") {
        return true;
    }
    let is_end = |character: char| matches!(character, '_' | '.' | ':' | '/');
    let Some((prefix, rest)) = name.split_once(is_end) else {
        return false;
    };
    let is_defined = |member: &MemberSpec| {
        let first = member.name.split('_').next();
        first.is_some_and(|first| first.eq_ignore_ascii_case(prefix))
    };
    let is_distinct = !prefix.is_empty() && !prefix.eq_ignore_ascii_case("x");
    is_distinct && !rest.is_empty() && !CORE.iter().chain(DISCLOSURE).any(is_defined)
}

/// Returns `true` if a text has at least one visible character: not white space, a control
/// character or an invisible format character.
pub(crate) fn has_content(text: &str) -> bool {
    text.chars().any(|character| {
        !character.is_whitespace()
            && !character.is_control()
            && !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    })
}

/// A regular expression for [`has_content`].
pub(crate) const HAS_CONTENT: &str =
    r"[^\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]";

static CORE: &[MemberSpec] = core_members! { table ["MARC-01 8.1", "MARC-02 9.1"] };
static DISCLOSURE: &[MemberSpec] = disclosure_members! { table ["MARC-01 9", "MARC-02 10"] };

/// Iterates over the members that a draft defines for an object, in its order.
pub(crate) fn members(kind: MarcKind, draft: Draft) -> impl Iterator<Item = &'static MemberSpec> {
    let all = match kind {
        MarcKind::Core => CORE,
        MarcKind::Disclosure => DISCLOSURE,
    };
    all.iter()
        .filter(move |member| !member.value_by(draft).is_empty())
}
