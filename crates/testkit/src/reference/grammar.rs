//! Grammar of a candidate annotation, matched on a slice that starts with the opening bracket.

use super::RefVocabulary;
use std::ops::Range;

/// Names of the known parameters; the first two are spellings of one parameter.
const KNOWN: [&str; 3] = ["observation-id", "observation_id", "ts"];

/// Result of matching the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A closing bracket was reached; length of the candidate with the bracket, in bytes.
    Complete(usize),
    /// The byte at this offset matches no rule.
    Stuck(usize),
    /// The slice ended before the candidate.
    Short,
}

/// Result of checking the start condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The condition is met with the byte at this offset.
    At(usize),
    /// The byte at this offset rules the candidate out.
    Never(usize),
    /// The slice ended before a decision.
    Open,
}

/// A parameter of a candidate annotation, as ranges in the slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub name: Range<usize>,
    /// Value with its quotes, `None` if the parameter has none.
    pub value: Option<Range<usize>>,
}

/// Parts of a candidate annotation, as ranges in the slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Identifier with its anchor.
    pub identifier: Range<usize>,
    /// Parameter after each semicolon, `None` where nothing follows the semicolon.
    pub parameters: Vec<Option<Parameter>>,
}

impl Shape {
    /// Returns `true` if a complete candidate is a well-formed annotation.
    pub(super) fn is_well_formed(&self, attempt: &[u8]) -> bool {
        // One last semicolon may have nothing after it.
        let trailing = usize::from(matches!(self.parameters.last(), Some(None)));
        let parameters = &self.parameters[..self.parameters.len() - trailing];
        let all_have_values = parameters.iter().all(|parameter| {
            let value = parameter.as_ref().and_then(|some| some.value.clone());
            value.is_some_and(|value| &attempt[value] != b"\"\"")
        });
        let repeated = self.values(attempt, &KNOWN[..2]).len() > 1
            || self.values(attempt, &KNOWN[2..]).len() > 1;
        all_have_values && parameters.len() <= 16 && !repeated
    }

    /// Collects the values of all parameters with one of the `names`, `None` for a parameter
    /// without a value.
    pub(super) fn values(&self, attempt: &[u8], names: &[&str]) -> Vec<Option<Range<usize>>> {
        let parameters = self.parameters.iter().flatten();
        parameters
            .filter(|parameter| {
                let name = &attempt[parameter.name.clone()];
                names.iter().any(|known| known.as_bytes() == name)
            })
            .map(|parameter| parameter.value.clone())
            .collect()
    }
}

/// Matches a whole candidate annotation, without regard to the start condition, which [`start`]
/// checks.
pub(super) fn attempt(slice: &[u8]) -> (Shape, End) {
    let mut shape = Shape::default();
    let mut cursor = Cursor { slice, at: 0 };
    let end = match cursor.attempt(&mut shape) {
        Ok(()) => End::Complete(cursor.at),
        Err(end) => end,
    };
    (shape, end)
}

/// Checks whether the bracket at the start of the slice meets the start condition.
pub(super) fn start(slice: &[u8], vocabulary: &RefVocabulary) -> Start {
    let mut cursor = Cursor { slice, at: 0 };
    match cursor.start(vocabulary) {
        Ok(at) => Start::At(at),
        Err(End::Stuck(at)) => Start::Never(at),
        Err(_) => Start::Open,
    }
}

/// Returns `true` if `bytes` are exactly one identifier, with or without an anchor.
pub(super) fn is_identifier(bytes: &[u8]) -> bool {
    let mut cursor = Cursor {
        slice: bytes,
        at: 0,
    };
    cursor.identifier() == Ok(0..bytes.len())
}

/// Removes the anchor of an identifier.
pub(super) fn without_anchor(identifier: &[u8]) -> &[u8] {
    // A label starts with a letter, an anchor has digits and full stops only.
    let label = identifier.iter().position(u8::is_ascii_alphabetic);
    &identifier[label.unwrap_or(identifier.len())..]
}

/// Position in the slice. Each method matches one rule of the grammar or returns the reason for the
/// mismatch.
struct Cursor<'a> {
    slice: &'a [u8],
    /// Number of matched bytes.
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.slice.get(self.at).copied()
    }

    /// Returns the reason for a mismatch at the current position: an unexpected byte, or the end of
    /// the slice.
    fn refuse<T>(&self) -> Result<T, End> {
        Err(match self.peek() {
            Some(_) => End::Stuck(self.at),
            None => End::Short,
        })
    }

    /// Matches one byte of a kind.
    fn one(&mut self, kind: impl Fn(u8) -> bool) -> Result<u8, End> {
        match self.peek() {
            Some(byte) if kind(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.refuse(),
        }
    }

    /// Matches all following bytes of a kind.
    fn many(&mut self, kind: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&kind) {
            self.at += 1;
        }
    }

    /// Matches white space with at most one line feed.
    fn white_space(&mut self) -> Result<(), End> {
        self.many(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if self.peek() == Some(b'\n') {
            self.at += 1;
            self.many(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
            if self.peek() == Some(b'\n') {
                return self.refuse();
            }
        }
        Ok(())
    }

    /// Matches spaces and tabs.
    fn blanks(&mut self) {
        self.many(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Matches a label, a part of an identifier.
    fn label(&mut self) -> Result<(), End> {
        self.one(|byte| byte.is_ascii_alphabetic())?;
        self.many(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        Ok(())
    }

    /// Matches an identifier, with or without an anchor.
    fn identifier(&mut self) -> Result<Range<usize>, End> {
        let from = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            for _ in ["major", "minor"] {
                self.one(|byte| byte.is_ascii_digit())?;
                self.many(|byte| byte.is_ascii_digit());
                self.one(|byte| byte == b'.')?;
            }
        }
        self.label()?;
        while self.peek() == Some(b'.') {
            self.at += 1;
            self.label()?;
        }
        Ok(from..self.at)
    }

    /// Matches a value: a quoted one, possibly empty, or a bare one without the blanks at its end.
    fn value(&mut self) -> Result<Option<Range<usize>>, End> {
        let from = self.at;
        let is_text = |byte: u8| byte == b'\t' || !byte.is_ascii_control();
        if self.peek() == Some(b'"') {
            self.at += 1;
            loop {
                match self.one(is_text)? {
                    b'"' => return Ok(Some(from..self.at)),
                    b'\\' => {
                        self.one(|byte| matches!(byte, b'"' | b'\\'))?;
                    }
                    _ => {}
                }
            }
        }
        self.many(|byte| is_text(byte) && !matches!(byte, b'[' | b']' | b';'));
        let mut end = self.at;
        while end > from && matches!(self.slice[end - 1], b' ' | b'\t') {
            end -= 1;
        }
        Ok((from < end).then_some(from..end))
    }

    /// Matches a parameter after a semicolon, or nothing.
    fn parameter(&mut self) -> Result<Option<Parameter>, End> {
        let before = self.at;
        self.white_space()?;
        let from = self.at;
        if !self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            // This white space is that before the next semicolon or bracket, which counts its line feeds.
            self.at = before;
            return Ok(None);
        }
        self.many(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
        let name = from..self.at;
        self.blanks();
        let mut value = None;
        if self.peek() == Some(b'=') {
            self.at += 1;
            self.blanks();
            value = self.value()?;
        }
        Ok(Some(Parameter { name, value }))
    }

    /// Matches a whole candidate annotation and records its parts in `shape`.
    fn attempt(&mut self, shape: &mut Shape) -> Result<(), End> {
        self.one(|byte| byte == b'[')?;
        self.white_space()?;
        shape.identifier = self.identifier()?;
        loop {
            self.white_space()?;
            if self.one(|byte| matches!(byte, b';' | b']'))? == b']' {
                return Ok(());
            }
            let parameter = self.parameter()?;
            shape.parameters.push(parameter);
        }
    }

    /// Matches a candidate as far as the start condition needs; returns the offset of the byte that
    /// meets it.
    fn start(&mut self, vocabulary: &RefVocabulary) -> Result<usize, End> {
        self.one(|byte| byte == b'[')?;
        self.white_space()?;
        let identifier = self.identifier()?;
        self.white_space()?;
        let here = self.at;
        let delimiter = self.one(|byte| matches!(byte, b';' | b']'))?;
        if announces(&self.slice[identifier], vocabulary) {
            return Ok(here);
        }
        if delimiter == b']' {
            return Err(End::Stuck(here));
        }
        // Any other identifier needs a known parameter right behind it.
        self.white_space()?;
        let from = self.at;
        loop {
            let read = &self.slice[from..self.at];
            if KNOWN.iter().any(|known| known.as_bytes() == read) {
                break;
            }
            self.one(|next| {
                let longer = [read, &[next]].concat();
                KNOWN
                    .iter()
                    .any(|known| known.as_bytes().starts_with(&longer))
            })?;
        }
        self.blanks();
        let here = self.at;
        self.one(|byte| byte == b'=')?;
        Ok(here)
    }
}

/// Returns `true` if the identifier alone meets the start condition: it is in the namespace
/// `substrate.`, or equals, in any letter case, an identifier of the vocabulary or a terminal.
fn announces(identifier: &[u8], vocabulary: &RefVocabulary) -> bool {
    let bare = without_anchor(identifier);
    let terminals = ["unverified-inference", "decayed-to-uncertainty"];
    let ids = vocabulary.classes.iter().map(|(id, _)| id.as_str());
    bare.starts_with(b"substrate.")
        || ids
            .chain(terminals)
            .any(|id| id.as_bytes().eq_ignore_ascii_case(bare))
}
