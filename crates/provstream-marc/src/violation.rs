//! Violations and the reports that list them.

use core::fmt;

use super::declare::{setters, values};
use super::draft::Draft;
use super::terms::terms;

terms! {
    /// Level of a requirement that an object violates. Source: RFC 2119.
    #[non_exhaustive]
    Level, "level" {
        /// SHOULD: the object is valid nevertheless.
        Should = "should",
        /// MUST: the object is not valid.
        Must = "must",
    }
}

/// Section of this project's wire profile, for requirements that no draft has.
pub(crate) const PROFILE: &str = "wire profile 5";

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal, $level:ident, $sections:expr;)+) => {
        terms! {
            /// Kind of violation. The names on the wire do not change.
            #[non_exhaustive]
            ViolationCode, "violation" {
                $($(#[$doc])* $code = $text,)+
            }
        }

        impl ViolationCode {
            /// Returns the level of the violation in lenient validation.
            pub(crate) const fn level(self) -> Level {
                match self {
                    $(Self::$code => Level::$level,)+
                }
            }

            /// Returns the section of a draft that has the requirement; empty if it depends on the
            /// member.
            pub(crate) const fn section(self, draft: Draft) -> &'static str {
                match self {
                    $(Self::$code => $sections[draft as usize],)+
                }
            }
        }
    };
}

codes! {
    /// The object is longer than `max_record` and was not read.
    LimitRecord = "limit-record", Must, [PROFILE; 2];
    /// Some of the object is not UTF-8. Source: RFC 8259 8.1.
    InvalidUtf8 = "invalid-utf8", Must, ["RFC 8259 8.1"; 2];
    /// A member appears more than once.
    DuplicateMember = "duplicate-member", Must, ["RFC 8259 4"; 2];
    /// A required member is missing.
    MissingMember = "missing-member", Must, [""; 2];
    /// A member is of another type, null included where it is not allowed.
    WrongType = "wrong-type", Must, [""; 2];
    /// A string is not one of the defined values.
    UnknownValue = "unknown-value", Must, [""; 2];
    /// A string equals a defined value except for letter case.
    WrongCase = "wrong-case", Must, ["MARC-01 8.2", "MARC-02 9.2"];
    /// A score is below 0.0 or above 1.0.
    OutOfRange = "out-of-range", Must, [""; 2];
    /// A number is not integral.
    NotIntegral = "not-integral", Must, [""; 2];
    /// `marc_version` is not two decimal numbers and a full stop.
    BadVersion = "bad-version", Must, [""; 2];
    /// `marc_version` has another major version than 1.
    OtherMajor = "other-major", Must, ["MARC-01 D.1", PROFILE];
    /// `marc_version` has another minor version than 0.
    OtherMinor = "other-minor", Should, ["MARC-01 D.1", "MARC-02 11"];
    /// A required text has no content: it is empty or has nothing visible.
    Empty = "empty", Must, [""; 2];
    /// A next step of more than 280 code points, or a message of more than 600 with an action other than `ANSWER`.
    TooLong = "too-long", Should, ["MARC-01 D.1", "MARC-02 9.3"];
    /// A member is neither defined by the draft nor private by its prefix.
    UnknownMember = "unknown-member", Should, ["MARC-01 D.1", "MARC-02 11"];
    /// A disclosure has a score that belongs to the record.
    ExposedScore = "exposed-score", Should, ["MARC-01 9.2", "MARC-02 10.2"];
    /// `ANSWER` without a `post_answer_confidence`.
    AnswerWithoutConfidence = "answer-without-confidence", Must, ["MARC-01 8.3", "MARC-02 9.4"];
    /// `post_answer_confidence` with another action than `ANSWER`.
    ConfidenceWithoutAnswer = "confidence-without-answer", Should, ["MARC-01 8.3", "MARC-02 9.3"];
    /// `ANSWER` with another `confidence_target` than `answer`.
    AnswerTarget = "answer-target", Must, ["MARC-02 8.6"; 2];
    /// `confidence_target` is `answer` with another action than `ANSWER`.
    TargetWithoutAnswer = "target-without-answer", Should, ["MARC-02 8.6"; 2];
    /// `remediability` does not go with the action.
    RemediabilityMismatch = "remediability-mismatch", Should, ["MARC-02 9.4"; 2];
    /// `iteration` or `max_iterations` is negative.
    Negative = "negative", Should, [""; 2];
    /// `iteration`, or the number of rounds counted by parents, is above `max_iterations`, or a
    /// record raises the maximum of its loop.
    IterationAboveMaximum = "iteration-above-maximum", Should, ["MARC-02 9.1"; 2];
    /// There are more violations than are listed.
    LimitViolations = "limit-violations", Should, [PROFILE; 2];
    /// An object whose members do not show which kind it is.
    UnknownKind = "unknown-kind", Must, [PROFILE; 2];
    /// The input has nothing to validate.
    Nothing = "nothing", Must, [PROFILE; 2];
    /// The input is not JSON.
    Syntax = "json-syntax", Must, ["RFC 8259 2"; 2];
    /// An earlier record of the stream has the same `decision_id`.
    RepeatedDecisionId = "repeated-decision-id", Should, ["MARC-02 7.3"; 2];
    /// No earlier record of the stream has the `decision_id` that is named as parent.
    UnknownParent = "unknown-parent", Should, ["MARC-02 9.1"; 2];
    /// A record that follows another assessment names no parent.
    MissingParent = "missing-parent", Should, ["MARC-02 9.1"; 2];
    /// A record that asked for a new assessment is not followed by one.
    OpenLoop = "open-loop", Should, ["MARC-02 9.1"; 2];
    /// `iteration` is not greater than that of the decision before.
    IterationNotGrowing = "iteration-not-growing", Should, ["MARC-02 9.1"; 2];
    /// The stream has more records than are retained. Some checks end here.
    LimitSession = "limit-session", Should, [PROFILE; 2];
}

values! {
    /// A requirement that an object does not meet.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[must_use]
    pub struct Violation {
        /// Kind of violation.
        copy code: ViolationCode,
        /// Level of the violated requirement. A should-level violation leaves the object valid.
        copy pub(crate) level: Level,
        /// JSON Pointer (RFC 6901) from the object to the member, present or missing; empty for the
        /// object itself.
        text pointer: String,
        /// Section with the requirement, such as `MARC-02 9.2`, `RFC 8259 4` or, if no draft has
        /// it, `wire profile 5`.
        copy section: &'static str,
        /// Description of the violation for a reader.
        text message: String,
    }
}

impl Violation {
    /// Creates a violation by the object as a whole, with the code's level and its section in -02.
    /// For callers that read objects themselves.
    pub fn new(code: ViolationCode, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level(),
            pointer: String::new(),
            section: code.section(Draft::Draft02),
            message: message.into(),
        }
    }
}

setters! { Violation {
    /// Sets the JSON Pointer of the member.
    at(pointer: impl Into<String>) pointer = pointer.into();
    /// Sets the section.
    by(section: &'static str) section = section;
} }

/// `must MARC-02 9.2 /confidence_band: …`, and `must RFC 8259 8.1: …` for the object.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            level,
            section,
            pointer,
            message,
            ..
        } = self;
        let before = if pointer.is_empty() { "" } else { " " };
        write!(f, "{level} {section}{before}{pointer}: {message}")
    }
}

/// Maximum number of violations that a report lists; one more reports that there were further ones.
const MAX_LISTED: usize = 256;

values! {
    /// Violations of one object: first in the order of members, then missing members, then rules
    /// between members.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    #[must_use]
    pub struct Report {
        /// The violations, at most 256. A further one reports that there were more.
        list violations: Violation,
        own invalid: bool,
    }
}

impl Report {
    /// Returns `true` if no must-level requirement is violated. Does not judge whether the object's
    /// statements are true. Source: MARC-02 15; open point 64.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        !self.invalid
    }

    /// Returns `true` if there are no violations.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// Adds a violation.
    pub fn push(&mut self, violation: Violation) {
        self.invalid |= violation.level == Level::Must;
        match self.violations.len() {
            ..MAX_LISTED => self.violations.push(violation),
            MAX_LISTED => {
                let message = format!("only the first {MAX_LISTED} violations are listed");
                let more = Violation::new(ViolationCode::LimitViolations, message);
                self.violations.push(more);
            }
            _ => {}
        }
    }

    /// Appends the violations of another check of the object.
    pub fn extend(&mut self, other: Self) {
        self.invalid |= other.invalid;
        for violation in other.violations {
            self.push(violation);
        }
    }
}

/// All violations on one line, those of level `must` first.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted: Vec<_> = self.violations.iter().collect();
        sorted.sort_by_key(|violation| core::cmp::Reverse(violation.level));
        for (index, violation) in sorted.into_iter().enumerate() {
            let before = if index == 0 { "" } else { "; " };
            write!(f, "{before}{violation}")?;
        }
        Ok(())
    }
}

/// Error for an object that violates a must-level requirement.
impl std::error::Error for Report {}
