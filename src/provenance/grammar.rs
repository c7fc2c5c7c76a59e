//! The grammar of one whole bracketed annotation, and what it was parsed into.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use nom::branch::alt;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, digit1, one_of, satisfy};
use nom::combinator::{cut, map, map_res, opt, recognize};
use nom::multi::many0_count;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Offset, Parser};
use smallvec::SmallVec;

use super::{Annotation, Class, Reason, Timestamp, Vocabulary};
use crate::Span;

/// Most parameters a well-formed annotation can have.
pub(crate) const MAX_PARAMETERS: usize = 16;

/// Parses one whole annotation in the bracketed encoding, from its `[` to its `]`.
///
/// Takes what the wire profile (section 1) calls an `attempt`: what is well-formed, and what is malformed but has the
/// outline of an annotation. Whether the bracket would be looked at as an annotation in a stream, rather than as a link
/// or a reference, is not judged: `[x]` is well-formed here. Takes time linear in the input, and memory only for more than
/// four parameters.
///
/// ```
/// use provstream::provenance::parse_annotation;
///
/// let parsed = parse_annotation(b"[substrate.code.read; observation-id=\"a;b\"]")?;
/// assert_eq!(parsed.identifier(), "substrate.code.read");
/// assert_eq!(parsed.observation_id().as_deref(), Some(&b"a;b"[..]));
/// # Ok::<(), provstream::provenance::GrammarError>(())
/// ```
///
/// # Errors
///
/// The first byte with which no annotation, well-formed or not, can continue.
pub fn parse_annotation(bytes: &[u8]) -> Result<Bracketed<'_>, GrammarError> {
    match attempt(bytes) {
        Ok(([], parsed)) => Ok(parsed),
        Ok((rest, _)) => Err(GrammarError::before(rest, bytes)),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => {
            Err(GrammarError::before(error.input, bytes))
        }
        Err(nom::Err::Incomplete(_)) => Err(GrammarError::before(b"", bytes)),
    }
}

/// A parsed annotation of the bracketed encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracketed<'a> {
    identifier: &'a str,
    parameters: SmallVec<[Parameter<'a>; 4]>,
    malformation: Option<Malformation>,
}

/// A parsed parameter of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter<'a> {
    name: &'a str,
    /// Raw value, empty if none is written.
    raw: &'a [u8],
    /// Offset of the value, or of its place if none is written, in bytes from the start of the
    /// annotation.
    offset: usize,
}

/// Fault of a malformed annotation; of several, the first in the order of the text.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Malformation {
    /// A parameter's name without `=`.
    NoEqualsSign,
    /// A parameter without a value, or with an empty pair of quotes for one.
    NoValue,
    /// Nothing between two semicolons, or two semicolons at the end.
    EmptyParameter,
    /// A second `observation-id` (or `observation_id`, which is the same) or `ts`.
    RepeatedParameter,
    /// More than 16 parameters.
    TooManyParameters,
}

impl Malformation {
    /// Returns a short description of the fault.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoEqualsSign => "a parameter without `=`",
            Self::NoValue => "a parameter without a value",
            Self::EmptyParameter => "an empty parameter",
            Self::RepeatedParameter => "a repeated parameter",
            Self::TooManyParameters => "more than 16 parameters",
        }
    }
}

impl fmt::Display for Malformation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Bytes are not one whole annotation of the bracketed encoding, not even a malformed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GrammarError {
    offset: usize,
    incomplete: bool,
}

impl GrammarError {
    fn before(rest: &[u8], whole: &[u8]) -> Self {
        Self {
            offset: whole.len() - rest.len(),
            incomplete: rest.is_empty(),
        }
    }

    /// Returns the offset of the first byte with which no annotation can continue; the length of
    /// the input if there is no such byte.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset
    }

    /// Returns `true` if the bytes are the beginning of an annotation.
    #[must_use]
    pub const fn is_incomplete(self) -> bool {
        self.incomplete
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.incomplete {
            "the annotation is cut short"
        } else {
            "no annotation continues like this"
        };
        write!(f, "{what} (at byte {})", self.offset)
    }
}

impl Error for GrammarError {}

impl<'a> Parameter<'a> {
    /// Returns the name of the parameter.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the value as written, quotes and escapes included; `None` if there is no value.
    #[must_use]
    pub fn raw(&self) -> Option<&'a [u8]> {
        (!self.raw.is_empty()).then_some(self.raw)
    }

    /// Returns the range of [`Parameter::raw`], in bytes from the `[` of the annotation; empty if there is no value.
    #[must_use]
    pub const fn raw_range(&self) -> Range<usize> {
        self.offset..self.offset + self.raw.len()
    }

    /// Returns the value without its quotes and escapes; `None` if there is no value. The value is
    /// empty only in a malformed annotation.
    #[must_use]
    pub fn value(&self) -> Option<Cow<'a, [u8]>> {
        let [b'"', inner @ .., b'"'] = self.raw else {
            return self.raw().map(Cow::Borrowed);
        };
        if !inner.contains(&b'\\') {
            return Some(Cow::Borrowed(inner));
        }
        let mut value = Vec::with_capacity(inner.len());
        let mut bytes = inner.iter();
        while let Some(&byte) = bytes.next() {
            match byte {
                b'\\' => value.extend(bytes.next()),
                _ => value.push(byte),
            }
        }
        Some(Cow::Owned(value))
    }

    fn known(&self) -> Option<TupleParameter> {
        match self.name {
            "observation-id" | "observation_id" => Some(TupleParameter::ObservationId),
            "ts" => Some(TupleParameter::Ts),
            _ => None,
        }
    }
}

/// The parameters that carry the memo's tuple. They cannot be repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TupleParameter {
    ObservationId,
    Ts,
}

impl<'a> Bracketed<'a> {
    /// Returns the identifier, anchor included.
    #[must_use]
    pub const fn identifier(&self) -> &'a str {
        self.identifier
    }

    /// Returns the parameters in the order they are written, unknown ones included.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter<'a>] {
        &self.parameters
    }

    /// Returns the fault of a malformed annotation, `None` if it is well-formed.
    #[must_use]
    pub const fn malformation(&self) -> Option<Malformation> {
        self.malformation
    }

    /// Returns the value of `observation-id` or `observation_id`, which are the same parameter; in
    /// a malformed annotation, the first value.
    #[must_use]
    pub fn observation_id(&self) -> Option<Cow<'a, [u8]>> {
        self.value_of(TupleParameter::ObservationId)
    }

    /// Returns the value of `ts`, which need not be a date-time; in a malformed annotation, the
    /// first value.
    #[must_use]
    pub fn ts(&self) -> Option<Cow<'a, [u8]>> {
        self.value_of(TupleParameter::Ts)
    }

    fn value_of(&self, known: TupleParameter) -> Option<Cow<'a, [u8]>> {
        self.parameters
            .iter()
            .find(|parameter| parameter.known() == Some(known))?
            .value()
    }

    /// Resolves the annotation against a vocabulary; `span` is its span in the stream (`provenance
    /// memo 4, 6`; wire profile 2).
    ///
    /// A malformed one is taken for `unverified-inference` and keeps nothing but the identifier it declares. A `ts` that is
    /// not a date-time of RFC 3339 is left out. Bytes of an observation id that are not UTF-8 become U+FFFD.
    #[must_use]
    pub fn resolve(&self, vocabulary: &Vocabulary, span: Span) -> Annotation<'a> {
        if self.malformation.is_some() {
            return Annotation::new(Class::UNVERIFIED_INFERENCE, self.identifier)
                .with_reason(Reason::Malformed)
                .with_span(span);
        }
        let resolution = vocabulary.resolve(self.identifier.as_bytes());
        let mut annotation =
            Annotation::new(resolution.class().clone(), self.identifier).with_span(span);
        if let Some(reason) = resolution.reason() {
            annotation = annotation.with_reason(reason);
        }
        if let Some(id) = self.observation_id() {
            annotation = annotation.with_observation_id(lossy(id));
        }
        match self.ts() {
            Some(ts) if Timestamp::parse(&ts).is_ok() => annotation.with_ts(lossy(ts)),
            _ => annotation,
        }
    }
}

fn lossy(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Parameter or fault after one semicolon.
enum ParameterPiece<'a> {
    Empty,
    NoEqualsSign(&'a str),
    /// Name and value; the value is empty if it is missing.
    Pair(&'a str, &'a [u8]),
}

/// Parameters that were read so far.
#[derive(Default)]
struct ParsedParameters<'a> {
    parameters: SmallVec<[Parameter<'a>; 4]>,
    malformation: Option<Malformation>,
    /// The last one was empty, which is allowed only at the end.
    empty: bool,
    seen: [bool; 2],
}

impl<'a> ParsedParameters<'a> {
    fn add(&mut self, piece: ParameterPiece<'a>, whole: &'a [u8]) {
        let before = self.empty.then_some(Malformation::EmptyParameter);
        self.empty = matches!(piece, ParameterPiece::Empty);
        let fault = before.or_else(|| match piece {
            ParameterPiece::Empty => None,
            ParameterPiece::NoEqualsSign(name) => {
                let end = &name.as_bytes()[name.len()..];
                self.parameter(name, end, whole)
                    .or(Some(Malformation::NoEqualsSign))
            }
            ParameterPiece::Pair(name, raw) => self
                .parameter(name, raw, whole)
                .or_else(|| matches!(raw, b"" | b"\"\"").then_some(Malformation::NoValue)),
        });
        self.malformation = self.malformation.or(fault);
    }

    fn parameter(&mut self, name: &'a str, raw: &'a [u8], whole: &'a [u8]) -> Option<Malformation> {
        let parameter = Parameter {
            name,
            raw,
            offset: whole.offset(raw),
        };
        self.parameters.push(parameter);
        let repeated = parameter
            .known()
            .is_some_and(|known| std::mem::replace(&mut self.seen[known as usize], true));
        if repeated {
            Some(Malformation::RepeatedParameter)
        } else {
            (self.parameters.len() > MAX_PARAMETERS).then_some(Malformation::TooManyParameters)
        }
    }
}

// The first byte decides every choice below, and `cut` prevents backtracking. So the offset of an error is that of the
// first byte that cannot continue an annotation.

fn attempt(whole: &[u8]) -> IResult<&[u8], Bracketed<'_>> {
    let (mut rest, identifier) =
        delimited((char('['), whitespace), identifier, whitespace).parse(whole)?;
    let mut pieces = ParsedParameters::default();
    while let Some(after) = rest.strip_prefix(b";") {
        let piece;
        (rest, piece) = terminated(piece_of, whitespace).parse(after)?;
        pieces.add(piece, whole);
    }
    let (rest, _) = char(']').parse(rest)?;
    let bracketed = Bracketed {
        identifier,
        parameters: pieces.parameters,
        malformation: pieces.malformation,
    };
    Ok((rest, bracketed))
}

fn identifier(input: &[u8]) -> IResult<&[u8], &str> {
    let anchor = opt((digit1, cut((char('.'), digit1, char('.')))));
    let labels = (label, many0_count(preceded(char('.'), cut(label))));
    map_res(recognize((anchor, labels)), str::from_utf8).parse(input)
}

fn label(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let rest = take_while(|byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    recognize((satisfy(|first| first.is_ascii_alphabetic()), rest)).parse(input)
}

fn piece_of(input: &[u8]) -> IResult<&[u8], ParameterPiece<'_>> {
    let equals = terminated(char('='), spaces);
    let nothing = take_while(|_| false);
    let assigned = preceded(equals, alt((quoted, bare, nothing)));
    let named = (preceded(whitespace, name), preceded(spaces, opt(assigned)));
    // White space without a name after it is not consumed here: at most one line feed may be in it and in the
    // white space before the next semicolon together.
    map(opt(named), |named| match named {
        None => ParameterPiece::Empty,
        Some((name, None)) => ParameterPiece::NoEqualsSign(name),
        Some((name, Some(value))) => ParameterPiece::Pair(name, value),
    })
    .parse(input)
}

fn name(input: &[u8]) -> IResult<&[u8], &str> {
    let rest =
        take_while(|byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let name = recognize((satisfy(|first| first.is_ascii_alphabetic()), rest));
    map_res(name, str::from_utf8).parse(input)
}

fn quoted(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let text = take_while1(|byte| !matches!(byte, b'"' | b'\\') && !is_control(byte));
    let escape = recognize(preceded(char('\\'), cut(one_of("\"\\"))));
    let inside = many0_count(alt((text, escape)));
    recognize((char('"'), cut((inside, char('"'))))).parse(input)
}

/// Matches a value without quotes. White space may follow the value, so trailing white space can be
/// trimmed without returning it to the input.
fn bare(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let value = take_while1(|byte| !matches!(byte, b'[' | b']' | b';') && !is_control(byte));
    map(value, |value: &[u8]| {
        let kept = value.iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
        &value[..kept.map_or(0, |last| last + 1)]
    })
    .parse(input)
}

/// Spaces, tabs, carriage returns and at most one line feed.
fn whitespace(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let blank = |input| take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).parse(input);
    recognize((blank, opt((char('\n'), blank)))).parse(input)
}

fn spaces(input: &[u8]) -> IResult<&[u8], &[u8]> {
    take_while(|byte| matches!(byte, b' ' | b'\t')).parse(input)
}

const fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_point_into_the_annotation() {
        let text = b"[a; ts = \" x\\\"y \" ; b=c d ;e= ; f]";
        let parsed = parse_annotation(text).unwrap();
        let raw: Vec<_> = parsed
            .parameters()
            .iter()
            .map(|parameter| {
                (
                    parameter.name(),
                    parameter.raw(),
                    &text[parameter.raw_range()],
                )
            })
            .collect();
        assert_eq!(
            raw,
            [
                ("ts", Some(&b"\" x\\\"y \""[..]), &b"\" x\\\"y \""[..]),
                ("b", Some(b"c d"), b"c d"),
                ("e", None, b""),
                ("f", None, b""),
            ]
        );
        assert_eq!(parsed.ts().as_deref(), Some(&b" x\"y "[..]));
        assert_eq!(parsed.malformation(), Some(Malformation::NoValue));
        assert_eq!(parsed.identifier(), "a");
    }

    #[test]
    fn malformed_annotations_keep_only_their_identifier() {
        // Wire profile 2, last row
        let text = b"[substrate.grep; observation-id=x; ts=2026-05-28T11:40:00Z; ts=y]";
        let parsed = parse_annotation(text).unwrap();
        let annotation = parsed.resolve(&Vocabulary::memo(), Span::new(3, 4));
        assert_eq!(annotation.class(), &Class::UNVERIFIED_INFERENCE);
        assert_eq!(annotation.declared(), "substrate.grep");
        assert_eq!(annotation.reason(), Some(Reason::Malformed));
        assert_eq!((annotation.observation_id(), annotation.ts()), (None, None));
        assert_eq!(annotation.span(), Span::new(3, 4));
    }

    #[test]
    fn resolving_keeps_what_is_valid() {
        let resolve = |text: &'static [u8]| {
            parse_annotation(text)
                .unwrap()
                .resolve(&Vocabulary::memo(), Span::default())
        };
        // TV-PA-2
        let annotation = resolve(
            b"[substrate.code.read; observation-id=sha256:e3b0c4...;\n ts=2026-05-28T11:40:00Z]",
        );
        assert_eq!(annotation.class(), &Class::CODE_READ);
        assert_eq!(annotation.observation_id(), Some("sha256:e3b0c4..."));
        assert_eq!(annotation.ts(), Some("2026-05-28T11:40:00Z"));
        assert_eq!(annotation.reason(), None);

        let annotation = resolve(b"[substrate.new; observation_id=\"\xff\\\\\"; ts=yesterday]");
        assert_eq!(annotation.class(), &Class::UNVERIFIED_INFERENCE);
        assert_eq!(annotation.reason(), Some(Reason::UnknownIdentifier));
        assert_eq!(annotation.observation_id(), Some("\u{fffd}\\"));
        assert_eq!(annotation.ts(), None);
    }
}
