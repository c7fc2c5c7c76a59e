//! The decision about one terminator.

use super::abbreviation::{Hold, hold};
use super::class::{BreakClass, char_at};
use super::scan::{next_decisive, space_before};
use super::start::{Start, start_of_sentence};
use super::terminator::Terminator;
use super::trail::{Trail, before_markup, is_wide_stop};
use super::{marker, ordinal, speech};
use crate::steps;

/// Returns the index at which the sentence before `terminator` ends, or `None` if the terminator ends none.
#[inline]
pub(super) fn after(text: &[u8], terminator: Terminator) -> Option<usize> {
    if let [b' ', first, ..] = text[terminator.end..]
        && first.is_ascii_uppercase()
        && terminator.class != BreakClass::Sep
    {
        // One space and a capital: no closing punctuation, and SB8 is decided.
        let next = terminator.end + 1;
        let whole = terminator.code == u32::from(b'.') && stays_whole(text, terminator.start, next);
        return (!whole).then_some(next);
    }
    if terminator.is_in_word(text) {
        return None;
    }
    after_any::<true>(text, terminator)
}

/// [`after`] where what comes before `terminator` does not count: wherever that gives a place, this gives the same.
pub(super) fn after_unheld(text: &[u8], terminator: Terminator) -> Option<usize> {
    after_any::<false>(text, terminator)
}

#[inline(never)]
fn after_any<const HELD: bool>(text: &[u8], terminator: Terminator) -> Option<usize> {
    if terminator.class == BreakClass::Sep {
        return (terminator.end < text.len()).then_some(terminator.end); // SB4
    }
    let wide_stop = is_wide_stop(terminator.code);
    let trail = Trail::of(text, terminator);
    if trail.next == trail.closed && !wide_stop {
        return None;
    }
    let follow = char_at(text, trail.next)?;
    if follow.class == BreakClass::SContinue || follow.class.ends() {
        return None; // SB8a; after a Sep it is for the Sep to break
    }
    let goes_on = match terminator.class {
        BreakClass::ATerm => {
            next_decisive(text, trail.next).is_some_and(|next| next.class == BreakClass::Lower) // SB8
                || HELD
                    && terminator.code == u32::from(b'.')
                    && stays_whole(text, terminator.start, trail.next)
        }
        _ => {
            trail.has_closer && follow.class == BreakClass::Lower
                || trail.has_quote && speech::follows(text, trail.next)
        }
    };
    (!goes_on).then_some(trail.next)
}

/// Returns `true` if a quotation mark follows `terminator` directly.
pub(super) fn closes_quotation(text: &[u8], terminator: Terminator) -> bool {
    Trail::of(text, terminator).has_quote
}

/// Returns `true` if the text ends in what may become closing markup of `terminator`.
#[inline]
pub(super) fn opens_markup(text: &[u8], terminator: Terminator) -> bool {
    // Nothing but a French quotation mark closes a sentence after white space.
    let is_over = matches!(text[terminator.end..], [b' ' | b'\n', 0..0x80, ..]);
    !is_over && terminator.class != BreakClass::Sep && Trail::of(text, terminator).is_open
}

/// Returns `true` if the full stop at `dot` is part of what is before it or belongs to what follows at `next`.
fn stays_whole(text: &[u8], dot: usize, next: usize) -> bool {
    match text[..dot].last() {
        None => true,
        Some(b'.') => in_mid_sentence(text, dot, next),
        Some(byte) if byte.is_ascii_digit() => ordinal::stays_whole(text, dot, next),
        Some(b' ' | b'\t' | b'\r' | b'\n') => in_mid_sentence(text, dot, next),
        Some(_) => word_stays_whole(text, dot, next),
    }
}

/// Returns `true` if the full stop at `dot` ends an ellipsis that opens the text, or that white space or an opening bracket sets
/// apart from what precedes while the next word need not start a sentence.
fn in_mid_sentence(text: &[u8], dot: usize, next: usize) -> bool {
    ellipsis(text, dot).is_none_or(|apart| apart && start_of_sentence(text, next).is_none())
}

/// Returns whether white space or an opening bracket sets the ellipsis that ends at `dot` apart from what precedes; `None` if
/// nothing precedes.
fn ellipsis(text: &[u8], dot: usize) -> Option<bool> {
    let dots = text[..dot]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'.')
        .count();
    steps::count(dots);
    let start = dot - dots;
    let before = space_before(text, start);
    let end = match before.spaced {
        true => before_markup(text, before.end),
        false => before.end,
    };
    let byte = text[..end].last()?;
    let bracket = before.spaced || matches!(byte, b'[' | b'(');
    Some(dots > 0 && bracket || before.spaced && *byte == b'.')
}

/// Returns `true` if the full stop at `dot`, after no digit, ends a sentence only if the next word starts one.
pub(super) fn needs_start(text: &[u8], dot: usize) -> bool {
    match text[..dot].last() {
        None => false,
        Some(b'.' | b' ' | b'\t' | b'\r' | b'\n') => ellipsis(text, dot) == Some(true),
        Some(_) => matches!(hold(text, dot), Some((_, Hold::Listed | Hold::Name))),
    }
}

/// Returns `true` if the full stop at `dot` belongs to an abbreviation, an initial or a marker, given what follows at `next`.
fn word_stays_whole(text: &[u8], dot: usize, next: usize) -> bool {
    let Some((start, hold)) = hold(text, dot) else {
        return marker::is_roman_marker(text, dot);
    };
    match hold {
        Hold::Word => is_number(text, next),
        Hold::Listed => {
            start_of_sentence(text, next).is_none() || marker::is_lettered_marker(text, start, dot)
        }
        Hold::Name => {
            start_of_sentence(text, next) != Some(Start::Only)
                || marker::is_lettered_marker(text, start, dot)
        }
        Hold::Always => true,
    }
}

/// Returns `true` if a number is at `at`, in brackets or not.
fn is_number(text: &[u8], at: usize) -> bool {
    let at = at + usize::from(matches!(text.get(at), Some(b'(' | b'[')));
    char_at(text, at).is_some_and(|found| found.class == BreakClass::Numeric)
}
