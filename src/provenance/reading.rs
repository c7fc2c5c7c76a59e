//! Parsed annotations: the fields as ranges of the bytes.

use std::borrow::Cow;

use super::{Annotation, Reason, Vocabulary};
use crate::Span;

/// A value in the bytes of an annotation: its content, without quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ValueRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) quoted: bool,
}

impl ValueRange {
    pub(crate) const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(crate) const fn range(self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the content as written in the annotation's bytes.
    pub(crate) fn content(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.range()]
    }

    /// Returns start and length of the value as written, with its quotes.
    pub(crate) const fn as_written(self) -> (u64, u64) {
        let quote = self.quoted as u64;
        (self.start as u64 - quote, self.len() as u64 + 2 * quote)
    }
}

/// Decodes the escapes of a quoted value; an unquoted one is unchanged.
#[inline]
pub(crate) fn unquote(content: &[u8], quoted: bool) -> Cow<'_, [u8]> {
    if quoted && content.contains(&b'\\') {
        Cow::Owned(without_escapes(content))
    } else {
        Cow::Borrowed(content)
    }
}

#[cold]
fn without_escapes(content: &[u8]) -> Vec<u8> {
    let mut escaped = false;
    let plain = content.iter().copied().filter(|&byte| {
        escaped = byte == b'\\' && !escaped;
        !escaped
    });
    plain.collect()
}

/// Decodes like [`unquote`], with U+FFFD for invalid UTF-8.
#[inline]
pub(crate) fn unquote_text(content: &[u8], quoted: bool) -> Cow<'_, str> {
    match unquote(content, quoted) {
        Cow::Borrowed(content) => lossy(content),
        Cow::Owned(content) => Cow::Owned(lossy(&content).into_owned()),
    }
}

/// Decodes `bytes` as UTF-8, with U+FFFD for invalid UTF-8; fast if all of it is valid.
#[inline]
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// An annotation that was resolved but not built: its values are places in bytes that are kept elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) class: u16,
    pub(crate) reason: Option<Reason>,
    pub(crate) identifier: ValueRange,
    pub(crate) observation_id: Option<ValueRange>,
    /// Only where it is a date-time.
    pub(crate) ts: Option<ValueRange>,
}

impl Reading {
    /// The annotation, whose values lie in `bytes`.
    // `inline(always)`: it has two callers, and called instead of inlined it costs 60 instructions more.
    #[inline(always)]
    pub(crate) fn annotation<'a>(
        &self,
        bytes: &'a [u8],
        vocabulary: &Vocabulary,
        span: Span,
    ) -> Annotation<'a> {
        let [identifier, id, ts] = self.values();
        let from = identifier.start as usize;
        let all = &bytes[from..(id.end.max(ts.end).max(identifier.end)) as usize];
        // One check of all values is quicker than one of each.
        let whole = core::str::from_utf8(all).ok();
        let text = |value: ValueRange| {
            let plain = value.start as usize - from..value.end as usize - from;
            match whole.and_then(|whole| whole.get(plain)) {
                Some(text) if !(value.quoted && text.contains('\\')) => Cow::Borrowed(text),
                _ => unquote_text(value.content(bytes), value.quoted),
            }
        };
        Annotation {
            class: vocabulary.class_at(self.class).clone(),
            declared: text(self.identifier),
            reason: self.reason,
            observation_id: self.observation_id.map(text),
            ts: self.ts.map(text),
            span,
        }
    }

    /// Returns the values; an absent one is empty.
    pub(crate) fn values(&self) -> [ValueRange; 3] {
        [
            self.identifier,
            self.observation_id.unwrap_or_default(),
            self.ts.unwrap_or_default(),
        ]
    }
}
