//! Annotations in the bracketed encoding, for those who emit them.

use std::fmt::{self, Write as _};

use super::class::{TERMINALS, built_in_index, built_in_index_folded};
use super::version::VersionNumber;
use super::vocabulary::{is_identifier, split_anchor, without_anchor};
use super::{Annotation, Reason, Timestamp, WriteError};

/// The longest annotation a parser reads by default, in bytes.
const MAX_ANNOTATION: usize = 1_024;

/// An annotation in the bracketed encoding (`provenance memo 6`; wire profile 1), to be displayed.
///
/// What is displayed reads back with the same declared identifier, observation id and time, and under the same vocabulary
/// with the same class and reason. A parser sees it as an annotation in free text: not after an odd number
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
    /// Creates the bracketed form of an annotation, of at most 1,024 bytes.
    ///
    /// # Errors
    ///
    /// What of the annotation would not read back.
    pub fn new(annotation: &'a Annotation<'_>) -> Result<Self, WriteError> {
        Self::within(annotation, MAX_ANNOTATION)
    }

    /// Creates the bracketed form of an annotation for parsers that read annotations of up to
    /// `limit` bytes.
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

    /// Returns the length in bytes.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        displayed_length(self)
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

/// Writes an annotation in the bracketed encoding, in at most 1,024 bytes; see [`BracketedForm`].
///
/// # Errors
///
/// What of the annotation would not read back.
pub fn write_bracketed(annotation: &Annotation<'_>) -> Result<String, WriteError> {
    BracketedForm::new(annotation).map(|form| form.to_string())
}

fn check_identifier(annotation: &Annotation<'_>) -> Result<(), WriteError> {
    check_class(annotation)?;
    let name = without_anchor(annotation.declared().as_bytes());
    if !is_identifier(name) {
        return Err(WriteError::BadIdentifier);
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

/// Refuses a class and a reason that no vocabulary gives to the declared identifier.
pub(super) fn check_class(annotation: &Annotation<'_>) -> Result<(), WriteError> {
    let declared = annotation.declared().as_bytes();
    let (major, name) = match split_anchor(declared) {
        None => (Some(1), declared),
        Some((VersionNumber::Fits(major @ 1..), VersionNumber::Fits(_), name)) => {
            (Some(major), name)
        }
        // No vocabulary has that version.
        Some((_, _, name)) => (None, name),
    };
    let given = match annotation.reason() {
        Some(Reason::Malformed) => return Err(WriteError::Malformed),
        // No annotation that is written is read with this reason.
        Some(Reason::UnknownSource) => false,
        None => major.is_some() && name == annotation.class().as_str().as_bytes(),
        Some(Reason::VocabularyVersion) => name.len() < declared.len() && is_identifier(name),
        Some(Reason::UnknownIdentifier) => match (major, built_in_index(name)) {
            (None, _) => !is_identifier(name),
            (Some(_), None) => true,
            // Terminals are in every vocabulary, the memo's classes in all of its major version.
            (Some(major), Some(index)) => major != 1 && usize::from(index) >= TERMINALS,
        },
    };
    if given {
        Ok(())
    } else {
        Err(WriteError::OtherClass)
    }
}

/// Returns the length of the displayed value in bytes.
pub(super) fn displayed_length(value: &impl fmt::Display) -> usize {
    struct Length(usize);
    impl fmt::Write for Length {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut length = Length(0);
    match write!(length, "{value}") {
        Ok(()) | Err(fmt::Error) => length.0,
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
            (
                Annotation::new(Class::GREP, "01.0.substrate.grep"),
                WriteError::OtherClass,
            ),
            (
                Annotation::new(Class::GREP, "0.1.substrate.grep"),
                WriteError::OtherClass,
            ),
            (
                mapped("substrate.new", Reason::VocabularyVersion),
                WriteError::OtherClass,
            ),
            (unknown("1.7.substrate.grep"), WriteError::OtherClass),
            (unknown("2.0.unverified-inference"), WriteError::OtherClass),
            (unknown("0.1.substrate.new"), WriteError::OtherClass),
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
            mapped("0.1.substrate.grep", Reason::VocabularyVersion),
            unknown("1.0.substrate.new"),
            unknown("01.0.substrate.grep"),
            unknown("2.0.substrate.grep"),
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
