//! Annotations and asserted objects in the JSON encoding, for those who emit them.

use crate::json::JsonString;
use std::fmt::{self, Write as _};

use super::write::{check_class, displayed_length};
use super::{Annotation, Assertion, Timestamp, WriteError};
use crate::Limits;

/// The JSON Pointer of the text of an asserted object that stands alone.
const POINTER: &str = "/assertion";

/// An annotation or an assertion in the JSON encoding (`provenance memo 6`; wire profile 4.1), to be displayed.
///
/// What is displayed is one JSON object (`RFC 8259`) without whitespace around its parts, so it never has a line feed
/// and can be a line of NDJSON. Strings are written as they are, but for quotes, backslashes and the controls U+0000 to
/// U+001F, which are escaped.
///
/// An asserted object that stands alone reads back with the same text, and with the same declared identifier, observation
/// id and time of each annotation; under the same vocabulary also with the same class and reason. Spans and the pointer
/// are not written. When the object is read, they come from its place in the new stream. Which encoding the assertion
/// came in makes no difference.
///
/// Parsers see the object in [`Mode::Json`](crate::Mode::Json) and [`Mode::Ndjson`](crate::Mode::Ndjson), and in
/// [`Mode::Auto`](crate::Mode::Auto) in free text outside of inline code spans and brackets. In
/// [`Mode::Text`](crate::Mode::Text) it is text, and an annotation in brackets within its strings is one.
///
/// ```
/// use provstream::Span;
/// use provstream::provenance::{Annotation, Assertion, Class, Encoding, JsonForm};
///
/// let found = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("src/a.rs:7");
/// let assertion = Assertion::new(Encoding::Bracket, "It says \"so\".", Span::new(0, 13))
///     .with_annotations(vec![found]);
/// assert_eq!(
///     JsonForm::assertion(&assertion)?.to_string(),
///     r#"{"assertion":"It says \"so\".","provenance":{"substrate_class":"substrate.grep","observation_id":"src/a.rs:7"}}"#
/// );
/// # Ok::<(), provstream::provenance::WriteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonForm<'a>(Content<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content<'a> {
    Annotation(&'a Annotation<'a>),
    Assertion(&'a Assertion<'a>),
}

impl<'a> JsonForm<'a> {
    /// Creates the object of an annotation, for a member `provenance`, within the default
    /// [`Limits`].
    ///
    /// ```
    /// use provstream::provenance::{Annotation, Class, JsonForm};
    ///
    /// let annotation = Annotation::new(Class::GREP, "substrate.grep").with_ts("2026-05-28T11:40:00Z");
    /// let form = JsonForm::annotation(&annotation)?;
    /// assert_eq!(form.to_string(), r#"{"substrate_class":"substrate.grep","ts":"2026-05-28T11:40:00Z"}"#);
    /// # Ok::<(), provstream::provenance::WriteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a part of the annotation would not be the same after reading it back.
    pub fn annotation(annotation: &'a Annotation<'_>) -> Result<Self, WriteError> {
        Self::annotation_within(annotation, &Limits::default())
    }

    /// Creates the object of an annotation for parsers with these limits. Only
    /// [`max_annotation`](Limits::max_annotation) applies, to each string; the other limits concern
    /// the asserted object around it.
    ///
    /// ```
    /// use provstream::Limits;
    /// use provstream::provenance::{Annotation, Class, JsonForm, WriteError};
    ///
    /// let annotation = Annotation::new(Class::GREP, "substrate.grep");
    /// let limits = Limits::default().with_max_annotation(13)?;
    /// assert_eq!(
    ///     JsonForm::annotation_within(&annotation, &limits),
    ///     Err(WriteError::MemberTooLong { member: "substrate_class", length: 14, limit: 13 })
    /// );
    /// # Ok::<(), provstream::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WriteError`] if a part of the annotation would not be the same after reading it back.
    pub fn annotation_within(
        annotation: &'a Annotation<'_>,
        limits: &Limits,
    ) -> Result<Self, WriteError> {
        check_annotation(annotation, limits)?;
        Ok(Self(Content::Annotation(annotation)))
    }

    /// Creates the asserted object of an assertion with its annotations, within the default
    /// [`Limits`].
    ///
    /// One annotation is written as an object, several as an array. Without any there is no member `provenance`.
    ///
    /// ```
    /// use provstream::Span;
    /// use provstream::provenance::{Assertion, Encoding, JsonForm};
    ///
    /// let assertion = Assertion::new(Encoding::Json, "It rains.", Span::default());
    /// assert_eq!(JsonForm::assertion(&assertion)?.to_string(), r#"{"assertion":"It rains."}"#);
    /// # Ok::<(), provstream::provenance::WriteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What of the assertion or of one of its annotations would not read back.
    pub fn assertion(assertion: &'a Assertion<'_>) -> Result<Self, WriteError> {
        Self::assertion_within(assertion, &Limits::default())
    }

    /// Creates the asserted object of an assertion for parsers with these limits.
    ///
    /// It is judged as an object that stands alone. Inside of another value it lies deeper, its pointer is longer, and it
    /// shares [`max_pending_json`](Limits::max_pending_json) with the objects around it.
    ///
    /// ```
    /// use provstream::provenance::{Assertion, Encoding, JsonForm, WriteError};
    /// use provstream::{Limits, Span};
    ///
    /// let assertion = Assertion::new(Encoding::Json, "a\nb", Span::default());
    /// let limits = Limits::default().with_max_assertion(4)?;
    /// assert!(JsonForm::assertion_within(&assertion, &limits).is_ok());
    ///
    /// let assertion = Assertion::new(Encoding::Json, "a\n\nb", Span::default());
    /// assert_eq!(
    ///     JsonForm::assertion_within(&assertion, &limits),
    ///     Err(WriteError::MemberTooLong { member: "assertion", length: 6, limit: 4 })
    /// );
    /// # Ok::<(), provstream::LimitError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What of the assertion or of one of its annotations would not read back.
    pub fn assertion_within(
        assertion: &'a Assertion<'_>,
        limits: &Limits,
    ) -> Result<Self, WriteError> {
        if assertion.limit_hit() {
            return Err(WriteError::LimitHit);
        }
        let length = raw_length(assertion.text());
        check_member("assertion", length, limits.max_assertion())?;
        let count = assertion.annotations().len();
        check_limit("max_annotations", count, limits.max_annotations())?;
        // The object, the array around several annotations, and their objects.
        check_limit("max_depth", 1 + count.min(2), limits.max_depth())?;
        check_limit("max_pointer", POINTER.len(), limits.max_pointer())?;
        let mut pending = length;
        for annotation in assertion.annotations() {
            pending += check_annotation(&annotation, limits)?;
        }
        check_limit("max_pending", pending, limits.max_pending_json())?;
        Ok(Self(Content::Assertion(assertion)))
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn byte_length(&self) -> usize {
        displayed_length(self)
    }
}

impl fmt::Display for JsonForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Content::Annotation(annotation) => write_annotation(f, annotation),
            Content::Assertion(assertion) => write_assertion(f, assertion),
        }
    }
}

/// Writes the JSON object of an annotation, within the default [`Limits`]; see
/// [`JsonForm::annotation`].
///
/// ```
/// use provstream::provenance::{Annotation, Class, write_json_annotation};
///
/// let annotation = Annotation::new(Class::UNVERIFIED_INFERENCE, "unverified-inference");
/// assert_eq!(write_json_annotation(&annotation)?, r#"{"substrate_class":"unverified-inference"}"#);
/// # Ok::<(), provstream::provenance::WriteError>(())
/// ```
///
/// # Errors
///
/// [`WriteError`] if a part of the annotation would not be the same after reading it back.
pub fn write_json_annotation(annotation: &Annotation<'_>) -> Result<String, WriteError> {
    JsonForm::annotation(annotation).map(|form| form.to_string())
}

/// Writes the asserted object of an assertion with its annotations, within the default [`Limits`];
/// see [`JsonForm::assertion`].
///
/// ```
/// use provstream::Span;
/// use provstream::provenance::{Annotation, Assertion, Class, Encoding, write_json_assertion};
///
/// let assertion = Assertion::new(Encoding::Bracket, "It runs.", Span::new(0, 8)).with_annotations(vec![
///     Annotation::new(Class::GREP, "substrate.grep"),
///     Annotation::new(Class::GIT_LOG, "1.0.substrate.git.log"),
/// ]);
/// assert_eq!(
///     write_json_assertion(&assertion)?,
/// r#"{"assertion":"It runs.","provenance":[{"substrate_class":"substrate.grep"},{"substrate_class":"1.0.substrate.git.log"}]}"#
/// );
/// # Ok::<(), provstream::provenance::WriteError>(())
/// ```
///
/// # Errors
///
/// What of the assertion or of one of its annotations would not read back.
pub fn write_json_assertion(assertion: &Assertion<'_>) -> Result<String, WriteError> {
    JsonForm::assertion(assertion).map(|form| form.to_string())
}

/// Checks that an annotation can be written, and returns the total length of its strings as written.
fn check_annotation(annotation: &Annotation<'_>, limits: &Limits) -> Result<usize, WriteError> {
    check_class(annotation)?;
    if let Some(ts) = annotation.ts() {
        Timestamp::parse(ts).map_err(WriteError::BadTs)?;
    }
    members(annotation).try_fold(0, |sum, (member, value)| {
        let length = raw_length(value);
        check_member(member, length, limits.max_annotation())?;
        Ok(sum + length)
    })
}

fn check_member(member: &'static str, length: usize, limit: usize) -> Result<(), WriteError> {
    if length > limit {
        return Err(WriteError::MemberTooLong {
            member,
            length,
            limit,
        });
    }
    Ok(())
}

fn check_limit(name: &'static str, needed: usize, limit: usize) -> Result<(), WriteError> {
    if needed > limit {
        return Err(WriteError::BeyondLimit {
            name,
            needed,
            limit,
        });
    }
    Ok(())
}

/// Iterates over the members of an annotation's object, in the order in which they are written.
fn members<'a>(annotation: &'a Annotation<'_>) -> impl Iterator<Item = (&'static str, &'a str)> {
    [
        ("substrate_class", Some(annotation.declared())),
        ("observation_id", annotation.observation_id()),
        ("ts", annotation.ts()),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
}

fn write_assertion(f: &mut fmt::Formatter<'_>, assertion: &Assertion<'_>) -> fmt::Result {
    write!(f, "{{\"assertion\":{}", JsonString(assertion.text()))?;
    let mut annotations = assertion.annotations();
    let several = annotations.len() > 1;
    if let Some(first) = annotations.next() {
        f.write_str(",\"provenance\":")?;
        if several {
            f.write_char('[')?;
        }
        write_annotation(f, &first)?;
        for annotation in annotations {
            f.write_char(',')?;
            write_annotation(f, &annotation)?;
        }
        if several {
            f.write_char(']')?;
        }
    }
    f.write_char('}')
}

fn write_annotation(f: &mut fmt::Formatter<'_>, annotation: &Annotation<'_>) -> fmt::Result {
    f.write_char('{')?;
    for (number, (name, value)) in members(annotation).enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(f, "{comma}\"{name}\":{}", JsonString(value))?;
    }
    f.write_char('}')
}

/// Returns the length in bytes of a string as written, without its quotes. Limits apply to this
/// length.
fn raw_length(text: &str) -> usize {
    displayed_length(&JsonString(text)) - 2
}
