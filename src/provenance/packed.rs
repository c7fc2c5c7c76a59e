//! Annotations that wait for their assertion, packed into an arena of their values.

use std::borrow::Cow;

use super::{Annotation, Reason, Vocabulary};
use crate::Span;

/// A value in the bytes of an annotation: its content, without quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) quoted: bool,
}

impl Value {
    pub(crate) const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(crate) const fn range(self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The content as it stands in the annotation's bytes.
    pub(crate) fn content(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.range()]
    }

    /// Start and length of the value as written, with its quotes.
    pub(crate) const fn as_written(self) -> (u64, u64) {
        let quote = self.quoted as u64;
        (self.start as u64 - quote, self.len() as u64 + 2 * quote)
    }
}

/// The content of a value with the escapes undone that quotes allow.
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

/// [`unquote`] as text, with U+FFFD for what is not UTF-8.
#[inline]
pub(crate) fn unquote_text(content: &[u8], quoted: bool) -> Cow<'_, str> {
    match unquote(content, quoted) {
        Cow::Borrowed(content) => lossy(content),
        Cow::Owned(content) => Cow::Owned(lossy(&content).into_owned()),
    }
}

/// `bytes` as text, with U+FFFD for what is not UTF-8; quick where all is well.
#[inline]
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match core::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// One annotation whose values stand in an arena that grows from its end towards its start.
///
/// They stand one behind the other (identifier, observation id, ts); `from_end` counts from the first of them to the
/// end of the arena, so it stays right when the arena's buffer grows in front. Of the values only length and quotes
/// matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) start: u64,
    pub(crate) len: u32,
    pub(crate) from_end: u32,
    pub(crate) identifier: Value,
    pub(crate) observation_id: Option<Value>,
    pub(crate) ts: Option<Value>,
    pub(crate) class: u16,
    pub(crate) reason: Option<Reason>,
}

/// The annotations of one assertion, read where they lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedAnnotations<'a> {
    records: &'a [Record],
    arena: &'a [u8],
    vocabulary: &'a Vocabulary,
}

impl<'a> PackedAnnotations<'a> {
    /// Annotations whose values end with the end of `arena`.
    pub(crate) const fn new(
        records: &'a [Record],
        arena: &'a [u8],
        vocabulary: &'a Vocabulary,
    ) -> Self {
        Self {
            records,
            arena,
            vocabulary,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Annotation<'a>> {
        let record = self.records.get(index)?;
        let mut at = self.arena.len() - record.from_end as usize;
        let mut take = |value: Value| {
            let content = &self.arena[at..at + value.len()];
            at += value.len();
            unquote_text(content, value.quoted)
        };
        Some(Annotation {
            class: self.vocabulary.class_at(record.class).clone(),
            declared: take(record.identifier),
            reason: record.reason,
            observation_id: record.observation_id.map(&mut take),
            ts: record.ts.map(take),
            span: Span::new(record.start, record.start + u64::from(record.len)),
        })
    }
}
