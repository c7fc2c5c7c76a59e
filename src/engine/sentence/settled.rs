//! Stable sentence boundaries: those that hold whatever follows the text.
//!
//! A boundary needs a letter after it. Up to that letter everything that a decision looks at is there, but for the words
//! that follow: those that start a sentence, that follow an ordinal, or that name a speaker. So only a boundary whose
//! next words are not complete can change. After the next terminator none can.

use super::class::BreakClass;
use super::cut::SentenceText;
use super::terminator::{self, Terminator};
use super::trail::Letters;
use super::{boundary, ordinal, scan, speech};
use crate::engine::AtCut;

/// Number of bytes after the next letter from which on the decision about a terminator is stable: two names, a verb.
const DECIDED: usize = 128;

/// The last sentence of a text, whatever follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Earliest index at which the sentence may start.
    pub(crate) start: usize,
    /// Only another terminator can change that.
    pub(crate) calm: bool,
    /// Truncation that makes the sentence start there.
    pub(crate) at_cut: AtCut,
}

/// The last sentence of `bytes`, which end with a whole character, whatever follows; the beginning may be `cut` off.
pub(crate) fn settled_sentence(bytes: &[u8], cut: bool) -> Settled {
    let text = if cut {
        SentenceText::cut(bytes)
    } else {
        SentenceText::whole(bytes)
    };
    let mut end = bytes.len();
    let mut letters = Letters::of(bytes, true);
    let mut calm = None;
    while let Some(terminator) = terminator::last_before(bytes, end) {
        let last = end == bytes.len();
        end = terminator.start;
        let known = *calm.get_or_insert_with(|| is_decided(bytes, terminator.end));
        let mut next = text.boundary_after(terminator);
        if next.is_none() && terminator.is_in_word(bytes) {
            continue;
        }
        if last && next.is_some() && boundary::opens_markup(bytes, terminator) {
            next = None;
        }
        let Some(at) = letters.pass(bytes, terminator, next) else {
            continue;
        };
        let near = text.is_near_cut(terminator);
        let settled = !last || is_settled(bytes, terminator, at);
        if settled || near && terminator.class == BreakClass::ATerm {
            return Settled {
                start: at,
                calm: known || last && settled,
                at_cut: match near {
                    false => AtCut::No,
                    true if !settled => AtCut::Maybe,
                    true => boundary::after(bytes, terminator).is_none().into(),
                },
            };
        }
    }
    Settled {
        start: text.start(),
        calm: calm.unwrap_or(true),
        at_cut: cut.into(),
    }
}

/// Returns `true` if nothing that follows changes what the last terminator is, which ends at `end`.
fn is_decided(text: &[u8], end: usize) -> bool {
    scan::next_decisive(text, end).is_some() && {
        let letter = (end..text.len()).find(|&at| scan::has_letter(text, at..at + 1));
        letter.is_some_and(|at| text.len() - at > DECIDED)
    }
}

/// Returns `true` if the boundary at `next` that the last terminator makes is one whatever follows; a letter comes after it. Near
/// the cut, it is one in any case.
fn is_settled(text: &[u8], terminator: Terminator, next: usize) -> bool {
    match terminator.class {
        BreakClass::ATerm if terminator.code == u32::from(b'.') => {
            let open = text.len() - next == scan::word_len(text, next);
            !open || !may_stay_whole(text, terminator.start, next)
        }
        BreakClass::ATerm | BreakClass::Sep => true,
        _ => !boundary::closes_quotation(text, terminator) || !speech::may_follow(text, next),
    }
}

/// Returns `true` if the full stop at `dot` may turn out to end no sentence when the word at `next` goes on.
fn may_stay_whole(text: &[u8], dot: usize, next: usize) -> bool {
    if text[..dot].last().is_some_and(u8::is_ascii_digit) {
        ordinal::may_stay_whole(text, dot, next)
    } else {
        boundary::needs_start(text, dot)
    }
}
