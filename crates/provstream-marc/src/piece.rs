//! Pieces of JSON text that know where they were not UTF-8.

use std::borrow::Cow;

/// What bytes that are not UTF-8 are read as.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// JSON text without white space outside of strings.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Piece {
    json: Box<str>,
    /// Which U+FFFD of the text stand for what was not UTF-8: their numbers among all U+FFFD, from 0, growing.
    replaced: Box<[usize]>,
}

impl Piece {
    /// What is known to be JSON, all of it UTF-8.
    pub(super) fn new(json: &str) -> Self {
        Self::with_replaced(json, Vec::new())
    }

    /// What is known to be JSON, with the numbers of those U+FFFD that stand for what was not UTF-8.
    pub(super) fn with_replaced(json: &str, replaced: Vec<usize>) -> Self {
        Self {
            // Each U+FFFD is in a string, and so stays.
            json: without_white_space(json),
            replaced: replaced.into(),
        }
    }

    pub(super) fn json(&self) -> &str {
        &self.json
    }

    pub(super) fn replaced(&self) -> &[usize] {
        &self.replaced
    }

    /// Whether some of it was not UTF-8.
    pub(super) fn is_ill_formed(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// The array that it is, with one more element, which is known to be JSON; none if it is no array.
    pub(super) fn with_element(&self, json: &str) -> Option<Self> {
        let array = self.json.strip_suffix(']')?;
        let comma = if array == "[" { "" } else { "," };
        Some(Self {
            json: format!("{array}{comma}{json}]").into(),
            replaced: self.replaced.clone(),
        })
    }

    fn replacements(&self) -> usize {
        self.json.matches(REPLACEMENT).count()
    }
}

/// Bytes as text, what is not UTF-8 as U+FFFD, and the numbers of these among all U+FFFD of the text.
pub(super) fn lossy(bytes: &[u8]) -> (Cow<'_, str>, Vec<usize>) {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return (text.into(), Vec::new());
    }
    let (mut text, mut replaced, mut count) = (String::new(), Vec::new(), 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        count += chunk.valid().matches(REPLACEMENT).count();
        if !chunk.invalid().is_empty() {
            text.push(REPLACEMENT);
            replaced.push(count);
            count += 1;
        }
    }
    (text.into(), replaced)
}

/// Tells pieces, all that have a U+FFFD of one text in its order, which of these stand for what was not UTF-8.
pub(super) fn divide<'a>(replaced: &[usize], pieces: impl Iterator<Item = &'a mut Piece>) {
    if replaced.is_empty() {
        return;
    }
    let (mut rest, mut before) = (replaced, 0);
    for piece in pieces {
        let after = before + piece.replacements();
        let own = rest.partition_point(|&number| number < after);
        let (own, others) = rest.split_at(own);
        piece.replaced = own.iter().map(|number| number - before).collect();
        (rest, before) = (others, after);
    }
}

/// The same for the text that the pieces make up, in their order: the inverse of [`divide`].
pub(super) fn join<'a>(pieces: impl Iterator<Item = &'a Piece> + Clone) -> Vec<usize> {
    let mut replaced = Vec::new();
    if !pieces.clone().any(Piece::is_ill_formed) {
        return replaced;
    }
    let mut before = 0;
    for piece in pieces {
        replaced.extend(piece.replaced.iter().map(|number| number + before));
        before += piece.replacements();
    }
    replaced
}

/// JSON text without white space outside of its strings.
fn without_white_space(json: &str) -> Box<str> {
    if !json.contains([' ', '\t', '\r', '\n']) {
        return json.into();
    }
    let (mut in_string, mut escaped) = (false, false);
    json.chars()
        .filter(|&character| {
            let kept = in_string || !matches!(character, ' ' | '\t' | '\r' | '\n');
            in_string ^= character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            kept
        })
        .collect()
}
