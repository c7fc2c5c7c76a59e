//! The least for free text.

use std::hint::black_box;

use memchr::{memchr, memchr3, memrchr};
use provstream::provenance::Vocabulary;
use wide::u8x16;

use super::records::Record;
use super::sixteen::{any, control, eq};
use super::window::Window;

/// A stream whose annotations are known.
pub(crate) struct Text<'a> {
    stream: &'a [u8],
    records: &'a [Record],
    vocabulary: Vocabulary,
}

impl<'a> Text<'a> {
    /// The stream with what is in it.
    #[must_use]
    pub(crate) fn new(stream: &'a [u8], records: &'a [Record]) -> Self {
        Self {
            stream,
            records,
            vocabulary: Vocabulary::memo(),
        }
    }

    /// Reads the stream in one piece, where `opener` looks for the next byte that may open something; gives the number of
    /// assertions.
    pub(crate) fn whole(&self, opener: impl Fn(&[u8]) -> Option<usize>) -> usize {
        let (mut from, mut told) = (0, 0);
        for record in self.records {
            let Some(text) = opener(&self.stream[from..]) else {
                break;
            };
            black_box(&self.stream[from..from + text]);
            let opened = from + text == record.annotation.start;
            told += usize::from(opened) & self.annotation(record, from);
            from = record.annotation.end;
        }
        black_box(opener(&self.stream[from..]));
        told
    }

    /// Reads the stream in chunks of `N` bytes, where a brace may open something or not; gives the number of assertions.
    pub(crate) fn chunks<const N: usize, const BRACE: bool>(&self, window: &mut Window) -> usize {
        let (mut at, mut from, mut told) = (0, 0, 0);
        let mut records = self.records.iter();
        let mut next = records.next();
        let mut opened = false;
        for chunk in self.stream.chunks(N) {
            let start = at;
            at += chunk.len();
            // The last one may be shorter, and has no annotation.
            let Ok(bytes) = <&[u8; N]>::try_from(chunk) else {
                black_box(chunk);
                break;
            };
            window.append(bytes);
            let open = next.map_or(usize::MAX, |record| record.annotation.start);
            let opens = start <= open && has_opener::<BRACE>(bytes);
            if at <= open && !opens {
                black_box(chunk);
                continue;
            }
            let Some(record) = next else {
                black_box(chunk);
                continue;
            };
            opened |= opens;
            if open > start {
                black_box(&chunk[..open.min(at) - start]);
            }
            let close = record.annotation.end;
            if close <= at {
                told += usize::from(opened) & self.annotation(record, from);
                from = close;
                next = records.next();
                black_box(&chunk[close - start..]);
                opened = has_opener::<BRACE>(bytes);
            }
        }
        black_box(window);
        told
    }

    /// Does the work for one annotation after text that may reach back to `from`: reads its bytes,
    /// those before it in its line, and its values.
    #[inline]
    fn annotation(&self, record: &Record, from: usize) -> usize {
        let annotation = record.annotation.clone();
        let raw = black_box(&self.stream[annotation.clone()]);
        let delimited = delimiters(raw) != 0;
        black_box(memrchr(b'\n', &self.stream[from..annotation.start]));
        usize::from(delimited) & record.tell(self.stream, &self.vocabulary)
    }
}

/// The next byte that may open something in free text.
pub(crate) fn opener(text: &[u8]) -> Option<usize> {
    memchr3(b'[', b'`', b'~', text)
}

/// Finds the first opening byte, with `{` as one of them.
pub(crate) fn opener_or_brace(text: &[u8]) -> Option<usize> {
    let opener = opener(text);
    memchr(b'{', &text[..opener.unwrap_or(text.len())]).or(opener)
}

/// Returns `true` if a chunk has an opening byte.
#[inline(always)]
fn has_opener<const BRACE: bool>(chunk: &[u8]) -> bool {
    any(chunk, |block| {
        let opens = eq(block, b'[') | eq(block, b'`') | eq(block, b'~');
        if BRACE {
            opens | eq(block, b'{')
        } else {
            opens
        }
    }) != 0
}

/// Finds the bytes of an annotation that are not printable ASCII of a value.
#[inline]
fn delimiters(annotation: &[u8]) -> u32 {
    any(annotation, |block| {
        let beyond = block.max(u8x16::splat(0x7F)).simd_eq(block);
        control(block) | beyond | eq(block, b'[') | eq(block, b']') | eq(block, b';')
    })
}
