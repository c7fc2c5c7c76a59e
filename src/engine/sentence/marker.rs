//! Markers of list items in running text: `1.`, `IV.`, `A.` at the start of a sentence.

use super::abbreviation;
use super::class::{BreakClass, char_before};
use super::markup::emphasis_before;
use super::scan::space_before;
use super::trail::before_markup;

/// Longest Roman number that is a marker.
const MOST_NUMERALS: usize = 5;

/// Returns `true` if the single letter in `start..dot` is a marker that opens its sentence (`A. The first`).
pub(super) fn is_lettered_marker(text: &[u8], start: usize, dot: usize) -> bool {
    char_before(text, dot).is_some_and(|found| found.len == dot - start)
        && opens_sentence(text, start, matches!(text[start], b'a' | b'A'))
}

/// Returns `true` if a Roman number of two letters or more before `dot` is a marker that opens its sentence.
pub(super) fn is_roman_marker(text: &[u8], dot: usize) -> bool {
    if !matches!(
        text[..dot].last(),
        Some(b'I' | b'V' | b'X' | b'i' | b'v' | b'x')
    ) {
        return false;
    }
    let numeral = |set: &'static [u8]| {
        text[..dot]
            .iter()
            .rev()
            .take(MOST_NUMERALS + 1)
            .take_while(|byte| set.contains(byte))
            .count()
    };
    let length = numeral(b"IVX").max(numeral(b"ivx"));
    (2..=MOST_NUMERALS).contains(&length) && opens_sentence(text, dot - length, false)
}

/// Returns `true` if a marker at `start` is the first thing of its sentence, or of emphasis (`**1.** It runs.`). After a colon only the
/// `first` of a list is.
pub(super) fn opens_sentence(text: &[u8], start: usize, first: bool) -> bool {
    let before = space_before(text, start - emphasis_before(text, start));
    let end = match before.spaced {
        true => before_markup(text, before.end),
        false => before.end,
    };
    let Some(found) = char_before(text, end) else {
        return true;
    };
    match text[end - 1] {
        b'(' | b'[' => !before.spaced,
        _ if !before.spaced => false,
        _ if before.line_start => true,
        b':' => first,
        b';' => true,
        b'.' => !abbreviation::precedes(text, end),
        _ => {
            found.class.ends() || found.class == BreakClass::Close && is_closed_sentence(text, end)
        }
    }
}

/// Returns `true` if the closing punctuation that ends at `end` closes a sentence.
fn is_closed_sentence(text: &[u8], mut end: usize) -> bool {
    while let Some(found) = char_before(text, end) {
        if found.class != BreakClass::Close {
            return found.class.ends();
        }
        end = before_markup(text, end - found.len);
    }
    false
}
