//! Digits with a full stop: markers of list items in running text, and German ordinals.

use super::class::{BreakClass, char_at, char_before};
use super::marker::opens_sentence;
use super::scan::word_at;
use super::start::start_of_sentence;
use super::words::WordSet;

static BEFORE: WordSet<128> = WordSet::new(include_str!("data/ordinal-before.txt"), false);
static AFTER: WordSet<128> = WordSet::new(include_str!("data/ordinal-after.txt"), false);

/// Most digits of a marker or ordinal; a longer number is a quantity or a year.
const MOST_DIGITS: usize = 3;

/// Returns `true` if the full stop at `dot`, after a digit, makes a marker or an ordinal of its number, given what follows at
/// `next`.
pub(super) fn stays_whole(text: &[u8], dot: usize, next: usize) -> bool {
    let Some(start) = number_start(text, dot) else {
        return false;
    };
    if opens_sentence(text, start, &text[start..dot] == b"1") {
        return true;
    }
    if word_at(text, next, AFTER.longest).is_some_and(|word| AFTER.contains(word)) {
        return true;
    }
    char_at(text, next).is_some_and(|found| found.class == BreakClass::Upper)
        && start_of_sentence(text, next).is_none()
        && BEFORE.contains(word_before(text, start))
}

/// Returns `true` if [`stays_whole`], which is false, can become true when the word at `next`, with which the text ends, goes on.
pub(super) fn may_stay_whole(text: &[u8], dot: usize, next: usize) -> bool {
    number_start(text, dot).is_some_and(|start| {
        AFTER.has_prefix(&text[next..])
            || char_at(text, next).is_some_and(|found| found.class == BreakClass::Upper)
                && BEFORE.contains(word_before(text, start))
    })
}

/// Returns the index at which the number before `dot` starts, if the number is short enough for a marker or an ordinal and stands
/// alone.
fn number_start(text: &[u8], dot: usize) -> Option<usize> {
    let digits = text[..dot]
        .iter()
        .rev()
        .take(MOST_DIGITS + 1)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let start = dot - digits;
    let joined = text[..start]
        .last()
        .is_some_and(|byte| matches!(byte, b'.' | b','));
    let letter = || char_before(text, start).is_some_and(|found| found.class.is_letter());
    (digits <= MOST_DIGITS && !joined && !letter()).then_some(start)
}

/// The word before `at`, one white space between them; empty if there is no such word or it is too long for the list.
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
