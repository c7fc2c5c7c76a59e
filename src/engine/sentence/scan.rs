//! Walks over white space, marks and letters.

use core::ops::Range;

use super::class::{BreakClass, Char, char_at, char_before};
use crate::steps;

/// Returns the index after the characters from `from` on that UAX #29 SB5 ignores.
#[inline]
pub(super) fn marks_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = char_at(text, at)
        && found.class.is_mark()
    {
        at += found.len;
    }
    steps::count(at - from);
    at
}

/// Returns the index after the whitespace from `from` on: Sp, line breaks, and the markers of a block quote that continues after
/// one.
#[inline]
pub(super) fn space_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut line_start = false;
    while let Some(found) = char_at(text, at) {
        line_start = match found.class {
            BreakClass::Lf | BreakClass::Cr => true,
            BreakClass::Sp => line_start && matches!(text[at], b' ' | b'\t'),
            BreakClass::Other if line_start && text[at] == b'>' => true,
            class if class.is_mark() => line_start,
            _ => break,
        };
        at += found.len;
    }
    steps::count(at - from);
    at
}

/// Character before a position, whitespace skipped.
pub(super) struct PrecedingSpace {
    /// End of the character before the white space; 0 at the start of the text.
    pub(super) end: usize,
    /// `true` if the white space is there at all.
    pub(super) spaced: bool,
    /// `true` if it has a line break, followed only by indentation and block quote markers.
    pub(super) line_start: bool,
}

/// Skips white space backward from `at`: Sp and line breaks, and block quote markers that open a line.
pub(super) fn space_before(text: &[u8], at: usize) -> PrecedingSpace {
    let mut end = at;
    // Set after markers that are not yet known to be at a line's start: where they end.
    let mut markers = None;
    let mut line_start = false;
    while let Some(found) = char_before(text, end) {
        match found.class {
            BreakClass::Lf | BreakClass::Cr => {
                markers = None;
                line_start = true;
            }
            BreakClass::Sp | BreakClass::Extend | BreakClass::Format => {}
            _ if text[end - 1] == b'>' => markers = markers.or(Some(end)),
            _ => break,
        }
        end -= found.len;
    }
    steps::count(at - end);
    let end = markers.unwrap_or(end);
    PrecedingSpace {
        end,
        spaced: end < at,
        line_start,
    }
}

/// Returns `true` if a letter starts in `range`.
#[inline]
pub(super) fn has_letter(text: &[u8], range: Range<usize>) -> bool {
    let mut at = range.start;
    while at < range.end
        && let Some(found) = char_at(text, at)
    {
        if found.class.is_letter() {
            return true;
        }
        steps::count(found.len);
        at += found.len;
    }
    false
}

/// The first letter, separator or terminator from `at` on, which is what SB8 looks for.
#[inline]
pub(super) fn next_decisive(text: &[u8], mut at: usize) -> Option<Char> {
    while let Some(found) = char_at(text, at) {
        if found.class.is_letter() || found.class.ends() {
            return Some(found);
        }
        steps::count(found.len);
        at += found.len;
    }
    None
}

/// The word at `at`: letters and marks, at most `most` bytes of them; `None` if there is no word or it is longer.
pub(super) fn word_at(text: &[u8], at: usize, most: usize) -> Option<&[u8]> {
    let mut end = at;
    while let Some(found) = char_at(text, end)
        && (found.class.is_letter() || found.class.is_mark())
    {
        end += found.len;
        if end - at > most {
            return None;
        }
    }
    (end > at).then(|| &text[at..end])
}

/// Returns `true` if a character is an apostrophe.
pub(super) const fn is_apostrophe(code: u32) -> bool {
    matches!(code, 0x27 | 0x2019)
}

/// Length of the letters and marks at `at`.
pub(super) fn word_len(text: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(found) = char_at(text, end)
        && (found.class.is_letter() || found.class.is_mark())
    {
        end += found.len;
    }
    end - at
}
