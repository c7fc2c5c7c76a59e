//! Errors in writing annotations and assertions.

use std::error::Error;
use std::fmt;

use super::TimestampError;

/// Reason for which an annotation or an assertion cannot be written so that it reads back equal.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteError {
    /// The annotation was malformed when it was read; the kind of fault is lost.
    Malformed,
    /// The declared identifier is not of the grammar's form.
    BadIdentifier,
    /// No vocabulary gives this class and reason to the declared identifier.
    OtherClass,
    /// A parser with no more than the memo's vocabulary could not distinguish it from ordinary text in brackets: the identifier is
    /// not in that vocabulary and does not begin with `substrate.`, and there is neither an observation id nor a time.
    OrdinaryText,
    /// The observation id is empty.
    EmptyObservationId,
    /// The observation id has a control character.
    ControlInObservationId {
        /// Offset in the observation id, in bytes.
        offset: usize,
    },
    /// The time is not a date-time of RFC 3339.
    BadTs(TimestampError),
    /// The bracketed form is longer than parsers read.
    TooLong {
        /// Length in bytes.
        length: usize,
        /// Greatest length in bytes.
        limit: usize,
    },
    /// A string of the JSON form is longer than parsers read (wire profile 6: `max_annotation`, for the text of an
    /// assertion `max_assertion`).
    MemberTooLong {
        /// Name of the member: `assertion`, `substrate_class`, `observation_id` or `ts`.
        member: &'static str,
        /// Length in bytes between the quotes, escapes included.
        length: usize,
        /// Greatest length in bytes.
        limit: usize,
    },
    /// The JSON form of the assertion goes beyond another limit of the parsers it is for (wire profile 6).
    BeyondLimit {
        /// Name of the limit: `max_annotations`, `max_pending`, `max_depth` or `max_pointer`.
        name: &'static str,
        /// Least value of the limit with which the form can be read.
        needed: usize,
        /// Value of the limit.
        limit: usize,
    },
    /// The assertion hit a limit when it was read, so that not all of it is known; the written form could not show that.
    LimitHit,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("a malformed annotation cannot be written"),
            Self::BadIdentifier => f.write_str("the identifier is not of the grammar's form"),
            Self::OtherClass => {
                f.write_str("the identifier does not stand for the annotation's class")
            }
            Self::OrdinaryText => {
                f.write_str("the annotation would read as ordinary text in brackets")
            }
            Self::EmptyObservationId => {
                f.write_str("expected an observation id, found an empty one")
            }
            Self::ControlInObservationId { offset } => {
                write!(
                    f,
                    "the observation id has a control character (at byte {offset})"
                )
            }
            Self::BadTs(error) => write!(f, "ts: {error}"),
            Self::TooLong { length, limit } => {
                write!(
                    f,
                    "expected an annotation of at most {limit} bytes, found one of {length}"
                )
            }
            Self::MemberTooLong {
                member,
                length,
                limit,
            } => {
                write!(
                    f,
                    "expected a {member} of at most {limit} bytes, found one of {length}"
                )
            }
            Self::BeyondLimit {
                name,
                needed,
                limit,
            } => {
                write!(f, "{name} is {limit}, {needed} would be needed")
            }
            Self::LimitHit => f.write_str("the assertion hit a limit when it was read"),
        }
    }
}

impl Error for WriteError {}
