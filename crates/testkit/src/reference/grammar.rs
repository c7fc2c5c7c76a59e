//! The grammar of an attempt, matched on a slice that starts with its opening bracket.

use super::RefVocabulary;
use std::ops::Range;

/// The parameters that have an effect, the two spellings of the first counting as one.
const KNOWN: [&str; 3] = ["observation-id", "observation_id", "ts"];

/// How matching ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a closing bracket; the length with it.
    Complete(usize),
    /// At a byte, given by its offset, with which nothing can continue.
    Stuck(usize),
    /// The slice ended first.
    Short,
}

/// Whether an attempt starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// It does, with the byte at this offset.
    At(usize),
    /// The byte at this offset rules it out.
    Never(usize),
    /// The slice ends before that is decided.
    Open,
}

/// A parameter, as offsets into the slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// Its name.
    pub name: Range<usize>,
    /// Its value, quotes included, if there is one.
    pub value: Option<Range<usize>>,
}

/// What an attempt holds, as offsets into the slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The identifier with its anchor.
    pub identifier: Range<usize>,
    /// What follows each semicolon; nothing where it is empty.
    pub parameters: Vec<Option<Parameter>>,
}

impl Shape {
    /// Whether a complete attempt is a well-formed annotation.
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

    /// The values of all parameters with one of these names, nothing where it has none.
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

/// Matches a whole attempt; whether it starts at all is for [`start`] to say.
pub(super) fn attempt(slice: &[u8]) -> (Shape, End) {
    let mut shape = Shape::default();
    let mut cursor = Cursor { slice, at: 0 };
    let end = match cursor.attempt(&mut shape) {
        Ok(()) => End::Complete(cursor.at),
        Err(end) => end,
    };
    (shape, end)
}

/// Whether the bracket at the start of the slice starts an attempt.
pub(super) fn start(slice: &[u8], vocabulary: &RefVocabulary) -> Start {
    let mut cursor = Cursor { slice, at: 0 };
    match cursor.start(vocabulary) {
        Ok(at) => Start::At(at),
        Err(End::Stuck(at)) => Start::Never(at),
        Err(_) => Start::Open,
    }
}

/// Whether `bytes` are an identifier, with or without an anchor, and nothing else.
pub(super) fn is_identifier(bytes: &[u8]) -> bool {
    let mut cursor = Cursor {
        slice: bytes,
        at: 0,
    };
    cursor.identifier() == Ok(0..bytes.len())
}

/// The identifier without its anchor.
pub(super) fn without_anchor(identifier: &[u8]) -> &[u8] {
    // A label starts with a letter, an anchor has digits and full stops only.
    let label = identifier.iter().position(u8::is_ascii_alphabetic);
    &identifier[label.unwrap_or(identifier.len())..]
}

/// A place in the slice; each method consumes one production or says why it cannot.
struct Cursor<'a> {
    /// The bytes to match.
    slice: &'a [u8],
    /// How many of them are matched.
    at: usize,
}

impl Cursor<'_> {
    /// The next byte.
    fn peek(&self) -> Option<u8> {
        self.slice.get(self.at).copied()
    }

    /// Why the next byte does not do: it is another one, or there is none.
    fn refuse<T>(&self) -> Result<T, End> {
        Err(match self.peek() {
            Some(_) => End::Stuck(self.at),
            None => End::Short,
        })
    }

    /// Consumes one byte that must be of a kind.
    fn one(&mut self, kind: impl Fn(u8) -> bool) -> Result<u8, End> {
        match self.peek() {
            Some(byte) if kind(byte) => {
                self.at += 1;
                Ok(byte)
            }
            _ => self.refuse(),
        }
    }

    /// Consumes all bytes of a kind.
    fn many(&mut self, kind: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&kind) {
            self.at += 1;
        }
    }

    /// White space with at most one line feed.
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

    /// White space within a line.
    fn blanks(&mut self) {
        self.many(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// A part of an identifier.
    fn label(&mut self) -> Result<(), End> {
        self.one(|byte| byte.is_ascii_alphabetic())?;
        self.many(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        Ok(())
    }

    /// An identifier, with or without an anchor.
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

    /// A quoted value, possibly empty, or a bare one without the blanks at its end.
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

    /// What follows a semicolon: a parameter, or nothing.
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

    /// A whole attempt.
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

    /// As much of an attempt as it takes to start one; the offset of the byte that does.
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

/// Whether an identifier alone starts an attempt: it is in the substrate name space, or in any letter case one of the
/// vocabulary's or a terminal.
fn announces(identifier: &[u8], vocabulary: &RefVocabulary) -> bool {
    let bare = without_anchor(identifier);
    let terminals = ["unverified-inference", "decayed-to-uncertainty"];
    let ids = vocabulary.classes.iter().map(|(id, _)| id.as_str());
    bare.starts_with(b"substrate.")
        || ids
            .chain(terminals)
            .any(|id| id.as_bytes().eq_ignore_ascii_case(bare))
}
