//! Annotations in the bracketed encoding, for those who emit them.

use std::error::Error;
use std::fmt::{self, Write as _};

use super::class::{built_in_index, built_in_index_folded};
use super::vocabulary::{is_identifier, without_anchor};
use super::{Annotation, Reason, Timestamp, TimestampError};

/// The longest annotation a parser reads by default, in bytes.
const MAX_ANNOTATION: usize = 1_024;

/// An annotation in the bracketed encoding (`provenance memo 6`; wire profile 1), to be displayed.
///
/// What is displayed reads back with the same declared identifier, observation id and time, and under the same vocabulary
/// with the same class and reason. A parser sees it as an annotation where it stands in free text: not after an odd number
/// of backslashes, not in a fenced code block, an inline code span or a JSON value.
///
/// ```
/// use provstream::provenance::{Annotation, BracketedForm, Class};
///
/// let annotation = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/[a].rs:7");
/// let form = BracketedForm::new(&annotation)?;
/// assert_eq!(form.to_string(), r#"[substrate.grep; observation-id="src/[a].rs:7"]"#);
/// # Ok::<(), provstream::provenance::WriteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BracketedForm<'a> {
    declared: &'a str,
    observation_id: Option<&'a str>,
    ts: Option<&'a str>,
}

impl<'a> BracketedForm<'a> {
    /// The bracketed form of an annotation, which may be 1,024 bytes long.
    ///
    /// # Errors
    ///
    /// What of the annotation would not read back.
    pub fn new(annotation: &'a Annotation<'_>) -> Result<Self, WriteError> {
        Self::within(annotation, MAX_ANNOTATION)
    }

    /// The bracketed form of an annotation for parsers that read annotations of up to `limit` bytes.
    ///
    /// # Errors
    ///
    /// What of the annotation would not read back.
    pub fn within(annotation: &'a Annotation<'_>, limit: usize) -> Result<Self, WriteError> {
        let form = Self {
            declared: annotation.declared(),
            observation_id: annotation.observation_id(),
            ts: annotation.ts(),
        };
        check_identifier(annotation)?;
        match form.observation_id.map(str::as_bytes) {
            Some([]) => return Err(WriteError::EmptyObservationId),
            Some(id) => {
                if let Some(offset) = id.iter().position(|&byte| is_control(byte)) {
                    return Err(WriteError::ControlInObservationId { offset });
                }
            }
            None => {}
        }
        if let Some(ts) = form.ts {
            Timestamp::parse(ts).map_err(WriteError::BadTs)?;
        }
        let length = form.byte_length();
        if length > limit {
            return Err(WriteError::TooLong { length, limit });
        }
        Ok(form)
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        struct Length(usize);
        impl fmt::Write for Length {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0 += text.len();
                Ok(())
            }
        }
        let mut length = Length(0);
        match write!(length, "{self}") {
            Ok(()) | Err(fmt::Error) => length.0,
        }
    }
}

impl fmt::Display for BracketedForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.declared)?;
        if let Some(id) = self.observation_id {
            f.write_str("; observation-id=")?;
            write_value(f, id)?;
        }
        if let Some(ts) = self.ts {
            write!(f, "; ts={ts}")?;
        }
        f.write_char(']')
    }
}

/// An annotation in the bracketed encoding, at most 1,024 bytes long; see [`BracketedForm`].
///
/// # Errors
///
/// What of the annotation would not read back.
pub fn write_bracketed(annotation: &Annotation<'_>) -> Result<String, WriteError> {
    BracketedForm::new(annotation).map(|form| form.to_string())
}

/// Why an annotation cannot be written so that it reads back the same.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteError {
    /// It was malformed when it was read; what was wrong with it is lost.
    Malformed,
    /// The declared identifier is not of the grammar's form.
    BadIdentifier,
    /// The declared identifier stands for another class than the annotation has.
    OtherClass,
    /// A parser with no more than the memo's vocabulary could not tell it from ordinary text in brackets: the identifier is
    /// not in that vocabulary and does not begin with `substrate.`, and there is neither an observation id nor a time.
    OrdinaryText,
    /// The observation id is empty.
    EmptyObservationId,
    /// The observation id has a control character.
    ControlInObservationId {
        /// Offset of its byte in the observation id.
        offset: usize,
    },
    /// The time is not a date-time of RFC 3339.
    BadTs(TimestampError),
    /// It is longer than parsers read.
    TooLong {
        /// How many bytes it would take.
        length: usize,
        /// How many it may.
        limit: usize,
    },
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
            Self::EmptyObservationId => f.write_str("the observation id is empty"),
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
                    "the annotation takes {length} bytes, {limit} are allowed"
                )
            }
        }
    }
}

impl Error for WriteError {}

fn check_identifier(annotation: &Annotation<'_>) -> Result<(), WriteError> {
    let name = without_anchor(annotation.declared().as_bytes());
    if annotation.reason() == Some(Reason::Malformed) {
        return Err(WriteError::Malformed);
    }
    if !is_identifier(name) {
        return Err(WriteError::BadIdentifier);
    }
    let expected = match annotation.reason() {
        None => name,
        Some(_) => b"unverified-inference",
    };
    // What stands in the vocabulary would be read as itself.
    let known = annotation.reason() == Some(Reason::UnknownIdentifier)
        && built_in_index(annotation.declared().as_bytes()).is_some();
    if known || annotation.class().as_str().as_bytes() != expected {
        return Err(WriteError::OtherClass);
    }
    // One that was taken at its word is in the vocabulary, which makes it an annotation by itself.
    let recognised = annotation.reason().is_none()
        || name.starts_with(b"substrate.")
        || built_in_index_folded(name).is_some()
        || annotation.observation_id().is_some()
        || annotation.ts().is_some();
    if recognised {
        Ok(())
    } else {
        Err(WriteError::OrdinaryText)
    }
}

/// Writes a value, in quotes only if it could not be read without.
fn write_value(f: &mut fmt::Formatter<'_>, value: &str) -> fmt::Result {
    let plain = !value.starts_with(['"', ' ', '\t'])
        && !value.ends_with([' ', '\t'])
        && !value.contains(['[', ']', ';']);
    if plain {
        return f.write_str(value);
    }
    f.write_char('"')?;
    for piece in value.split_inclusive(['"', '\\']) {
        match piece.as_bytes() {
            [text @ .., last @ (b'"' | b'\\')] => {
                f.write_str(&piece[..text.len()])?;
                f.write_char('\\')?;
                f.write_char(char::from(*last))?;
            }
            _ => f.write_str(piece)?,
        }
    }
    f.write_char('"')
}

const fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Class;

    fn grep() -> Annotation<'static> {
        Annotation::new(Class::GREP, "substrate.grep")
    }

    #[test]
    fn quotes_only_where_needed() {
        for (id, written) in [
            ("sha256:e3b0", "sha256:e3b0"),
            ("a\"b\\c", "a\"b\\c"),
            ("a b\tc", "a b\tc"),
            ("\"a", "\"\\\"a\""),
            (" a", "\" a\""),
            ("a\t", "\"a\t\""),
            ("a;b", "\"a;b\""),
            ("[a]\\", "\"[a]\\\\\""),
            ("é]", "\"é]\""),
        ] {
            let annotation = grep().with_observation_id(id);
            let form = BracketedForm::new(&annotation).unwrap();
            let expected = format!("[substrate.grep; observation-id={written}]");
            assert_eq!(form.to_string(), expected);
            assert_eq!(form.byte_length(), expected.len());
        }
        let annotation = grep().with_ts("2026-05-28T11:40:00Z");
        assert_eq!(
            write_bracketed(&annotation).unwrap(),
            "[substrate.grep; ts=2026-05-28T11:40:00Z]"
        );
    }

    #[test]
    fn refuses_what_would_not_read_back() {
        let mapped = |declared: &'static str, reason| {
            Annotation::new(Class::UNVERIFIED_INFERENCE, declared).with_reason(reason)
        };
        let unknown = |declared| mapped(declared, Reason::UnknownIdentifier);
        for (annotation, error) in [
            (
                mapped("substrate.grep", Reason::Malformed),
                WriteError::Malformed,
            ),
            (unknown("a b"), WriteError::BadIdentifier),
            (unknown("1.0."), WriteError::BadIdentifier),
            (unknown(""), WriteError::BadIdentifier),
            (
                Annotation::new(Class::GREP, "substrate.git.log"),
                WriteError::OtherClass,
            ),
            (
                grep().with_reason(Reason::UnknownIdentifier),
                WriteError::OtherClass,
            ),
            (unknown("note"), WriteError::OrdinaryText),
            (
                mapped("2.0.note", Reason::VocabularyVersion),
                WriteError::OrdinaryText,
            ),
            (
                grep().with_observation_id(""),
                WriteError::EmptyObservationId,
            ),
            (
                grep().with_observation_id("é\n"),
                WriteError::ControlInObservationId { offset: 2 },
            ),
            (
                grep().with_observation_id("\u{7f}"),
                WriteError::ControlInObservationId { offset: 0 },
            ),
            (
                grep().with_ts("2026"),
                WriteError::BadTs(Timestamp::parse("2026").unwrap_err()),
            ),
            (
                grep().with_observation_id("x".repeat(1_000)),
                WriteError::TooLong {
                    length: 1_033,
                    limit: 1_024,
                },
            ),
        ] {
            assert_eq!(write_bracketed(&annotation), Err(error), "{annotation:?}");
            assert!(!error.to_string().is_empty());
        }
        for annotation in [
            unknown("substrate.new"),
            unknown("UNVERIFIED-INFERENCE"),
            unknown("note").with_observation_id("x"),
            mapped("9.9.substrate.grep", Reason::VocabularyVersion),
        ] {
            assert!(write_bracketed(&annotation).is_ok(), "{annotation:?}");
        }
    }

    #[test]
    fn the_limit_allows_itself() {
        let annotation = grep();
        assert!(BracketedForm::within(&annotation, 16).is_ok());
        assert!(BracketedForm::within(&annotation, 15).is_err());
    }
}
