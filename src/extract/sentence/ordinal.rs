//! Numbers with a full stop: markers of list items in running text, and German ordinals.

use super::abbreviation;
use super::class::{Class, char_at, char_before};
use super::scan::{space_before, word_at};
use super::words::WordSet;

static BEFORE: WordSet<128> = WordSet::new(include_str!("data/ordinal-before.txt"), false);
static AFTER: WordSet<128> = WordSet::new(include_str!("data/ordinal-after.txt"), false);

/// Most digits of a marker or ordinal; a longer number is a quantity or a year.
const MOST_DIGITS: usize = 3;

/// Longest Roman number taken for a marker.
const MOST_NUMERALS: usize = 5;

/// Whether the full stop at `dot`, behind a digit, makes a marker or an ordinal of its number, given what follows at `next`.
pub(super) fn stays_whole(text: &[u8], dot: usize, next: usize) -> bool {
    let digits = text[..dot]
        .iter()
        .rev()
        .take(MOST_DIGITS + 1)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let start = dot - digits;
    if digits > MOST_DIGITS
        || text[..start]
            .last()
            .is_some_and(|byte| matches!(byte, b'.' | b','))
    {
        return false;
    }
    if char_before(text, start).is_some_and(|found| found.class.is_letter()) {
        return false;
    }
    if opens_sentence(text, start, &text[start..dot] == b"1") {
        return true;
    }
    if word_at(text, next, AFTER.longest).is_some_and(|word| AFTER.contains(word)) {
        return true;
    }
    char_at(text, next).is_some_and(|found| found.class == Class::Upper)
        && abbreviation::start_of_sentence(text, next).is_none()
        && BEFORE.contains(word_before(text, start))
}

/// Whether a Roman number of two letters or more before `dot` is a marker that opens its sentence.
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

/// Whether a marker at `start` is the first thing of its sentence. Behind a colon only the `first` of a list is.
pub(super) fn opens_sentence(text: &[u8], start: usize, first: bool) -> bool {
    let before = space_before(text, start);
    let Some(found) = char_before(text, before.end) else {
        return true;
    };
    match text[before.end - 1] {
        b'(' | b'[' => !before.spaced,
        _ if !before.spaced => false,
        _ if before.line_start => true,
        b':' => first,
        b';' => true,
        b'.' => !abbreviation::precedes(text, before.end),
        _ => {
            found.class.ends()
                || found.class == Class::Close && is_closed_sentence(text, before.end)
        }
    }
}

/// Whether the closing punctuation that ends at `end` closes a sentence.
fn is_closed_sentence(text: &[u8], mut end: usize) -> bool {
    while let Some(found) = char_before(text, end) {
        if found.class != Class::Close {
            return found.class.ends();
        }
        end -= found.len;
    }
    false
}

/// The word before `at`, one white space between them; empty when there is none or it is too long for the list.
fn word_before(text: &[u8], at: usize) -> &[u8] {
    let end = match text[..at].last() {
        Some(b' ' | b'\n') => at - 1,
        _ => return &[],
    };
    let letters = text[..end]
        .iter()
        .rev()
        .take(BEFORE.longest + 1)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    &text[end - letters..end]
}
