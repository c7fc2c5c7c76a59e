//! What validation finds.

use crate::declare::values;
use core::fmt;

/// How a requirement that is not met is worded. Source: RFC 2119.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// It SHOULD be met: the object is valid all the same.
    Should,
    /// It MUST be met: the object is not valid.
    Must,
}

impl Level {
    /// The name used on the wire: `should` or `must`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Should => "should",
            Self::Must => "must",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal,)+) => {
        /// What kind of violation it is. The names on the wire do not change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ViolationCode {
            $($(#[$doc])* $code,)+
        }

        impl ViolationCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$code,)+];

            /// The name used on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)+
                }
            }
        }
    };
}

codes! {
    /// The object is longer than `max_record` and was not looked at.
    LimitRecord = "limit-record",
    /// Some of the object is not UTF-8. Source: RFC 8259 8.1.
    InvalidUtf8 = "invalid-utf8",
    /// A member appears more than once.
    DuplicateMember = "duplicate-member",
    /// A required member is missing.
    MissingMember = "missing-member",
    /// A member is of another type, null included where it is not allowed.
    WrongType = "wrong-type",
    /// A string is not one of the values that are defined.
    UnknownValue = "unknown-value",
    /// A string is one of the values but for its letter case.
    WrongCase = "wrong-case",
    /// A score is below 0.0 or above 1.0.
    OutOfRange = "out-of-range",
    /// A number is not integral.
    NotIntegral = "not-integral",
    /// `marc_version` is not two decimal numbers and a full stop.
    BadVersion = "bad-version",
    /// `marc_version` has another major version than 1.
    OtherMajor = "other-major",
    /// `marc_version` has another minor version than 0.
    OtherMinor = "other-minor",
    /// A text that is required has no content.
    Empty = "empty",
    /// A next step of more than 280 code points, or a message of more than 600 with an action other than `ANSWER`.
    TooLong = "too-long",
    /// A member is neither defined by the draft nor private (`x_`).
    UnknownMember = "unknown-member",
    /// A disclosure has a score that belongs to the record.
    ExposedScore = "exposed-score",
    /// `ANSWER` without a `post_answer_confidence`.
    AnswerWithoutConfidence = "answer-without-confidence",
    /// `post_answer_confidence` with another action than `ANSWER`.
    ConfidenceWithoutAnswer = "confidence-without-answer",
    /// `ANSWER` with another `confidence_target` than `answer`.
    AnswerTarget = "answer-target",
    /// `confidence_target` is `answer` with another action than `ANSWER`.
    TargetWithoutAnswer = "target-without-answer",
    /// `remediability` does not go with the action.
    RemediabilityMismatch = "remediability-mismatch",
    /// `iteration` or `max_iterations` is negative.
    Negative = "negative",
    /// `iteration`, or the number of rounds by their parents, is above `max_iterations`, or a record raises that of its loop.
    IterationAboveMaximum = "iteration-above-maximum",
    /// There are more violations than are listed.
    LimitViolations = "limit-violations",
    /// An object that could be either kind, or neither. Source: MARC-02 12.
    UnknownKind = "unknown-kind",
    /// There was nothing to validate.
    Nothing = "nothing",
    /// What is read is not JSON.
    Syntax = "json-syntax",
    /// An earlier record of the stream has the same `decision_id`.
    RepeatedDecisionId = "repeated-decision-id",
    /// No earlier record of the stream has the `decision_id` that is named as parent.
    UnknownParent = "unknown-parent",
    /// A record that follows another assessment names no parent.
    MissingParent = "missing-parent",
    /// A record that asked for a new assessment is not followed by one.
    OpenLoop = "open-loop",
    /// `iteration` is not greater than that of the decision before.
    IterationNotGrowing = "iteration-not-growing",
    /// The stream has more records than are remembered: some checks end here.
    LimitSession = "limit-session",
}

impl fmt::Display for ViolationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

values! {
    /// A requirement that an object does not meet.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Violation {
        /// What kind it is.
        copy code: ViolationCode,
        /// Whether the object is valid in spite of it.
        copy level: Level,
        /// The JSON Pointer (RFC 6901) from the object to the member it is about, there or missing; empty for the
        /// object.
        text pointer: String,
        /// The section that says so, such as `MARC-02 9.2` or `RFC 8259 4`.
        copy section: &'static str,
        /// What is wrong, for a reader.
        text message: String,
    }
}

impl Violation {
    /// A violation; for callers that read objects themselves.
    #[must_use]
    pub const fn new(
        code: ViolationCode,
        level: Level,
        pointer: String,
        section: &'static str,
        message: String,
    ) -> Self {
        Self {
            code,
            level,
            pointer,
            section,
            message,
        }
    }
}

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

/// Most violations that one report lists; one more says that there were further ones.
const MAX_LISTED: usize = 256;

/// All violations of one object, in the order in which its members stand, then those about missing members, then those
/// between members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Report {
    violations: Vec<Violation>,
    invalid: bool,
}

impl Report {
    /// Whether no must-level requirement is violated. It says nothing about the truth of the object. Source: MARC-02 15;
    /// open point 64.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        !self.invalid
    }

    /// Whether nothing at all is violated.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations.is_empty()
    }

    /// What is violated: at most 256, and one more that says so if there were more.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Adds a violation.
    pub fn push(&mut self, violation: Violation) {
        self.invalid |= violation.level == Level::Must;
        match self.violations.len() {
            ..MAX_LISTED => self.violations.push(violation),
            MAX_LISTED => self.violations.push(Violation::new(
                ViolationCode::LimitViolations,
                Level::Should,
                String::new(),
                "MARC-02 4.1",
                format!("only the first {MAX_LISTED} violations are listed"),
            )),
            _ => {}
        }
    }

    /// Adds what another check of the same object found.
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
        let of = |level| {
            let all = self.violations.iter();
            all.filter(move |violation| violation.level == level)
        };
        let violations = of(Level::Must).chain(of(Level::Should));
        for (index, violation) in violations.enumerate() {
            let before = if index == 0 { "" } else { "; " };
            write!(f, "{before}{violation}")?;
        }
        Ok(())
    }
}

/// An object does not meet what it must; the report says what.
impl std::error::Error for Report {}
