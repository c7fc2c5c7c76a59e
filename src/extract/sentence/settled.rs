//! Which sentence boundaries hold whatever follows the text.
//!
//! A boundary needs a letter after it. Up to that letter everything that a decision looks at is there, but for the words
//! that follow: those that start a sentence, that follow an ordinal, or that name a speaker. So only a boundary whose
//! next words are not complete can change. After the next terminator none can.

use super::class::Class;
use super::terminator::{self, Terminator};
use super::{boundary, ordinal, scan, speech};

/// So many bytes after its next letter no terminator ends a sentence that it did not end before: two names, a verb.
const DECIDED: usize = 128;

/// The last sentence of a text, whatever follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Where it starts at the earliest.
    pub(crate) start: usize,
    /// Only another terminator can change that.
    pub(crate) calm: bool,
}

/// The last sentence of `text`, which ends with a whole character, whatever follows.
pub(crate) fn settled_sentence(text: &[u8]) -> Settled {
    let mut end = text.len();
    let mut bare = text.len(); // no letter in text[bare..]
    let mut calm = None;
    while let Some(terminator) = terminator::last_before(text, end) {
        let last = end == text.len();
        end = terminator.start;
        let known = *calm.get_or_insert_with(|| is_decided(text, terminator.end));
        let Some(at) = boundary::after(text, terminator) else {
            continue;
        };
        if scan::has_letter(text, at..bare) {
            let settled = is_settled(text, terminator, at);
            if !last || settled {
                let calm = known || last && settled;
                return Settled { start: at, calm };
            }
        } else {
            bare = at;
        }
    }
    let calm = calm.unwrap_or(true);
    Settled { start: 0, calm }
}

/// Whether nothing that follows changes what the last terminator is, which ends at `end`.
fn is_decided(text: &[u8], end: usize) -> bool {
    scan::next_decisive(text, end).is_some() && {
        let letter = (end..text.len()).find(|&at| scan::has_letter(text, at..at + 1));
        letter.is_some_and(|at| text.len() - at > DECIDED)
    }
}

/// Whether the boundary at `next` that the last terminator makes is one whatever follows; a letter comes after it.
fn is_settled(text: &[u8], terminator: Terminator, next: usize) -> bool {
    match terminator.class {
        Class::ATerm if terminator.code == u32::from(b'.') => {
            let open = text.len() - next == scan::word_len(text, next);
            !open || !may_stay_whole(text, terminator.start, next)
        }
        Class::ATerm | Class::Sep => true,
        _ => !boundary::closes_quotation(text, terminator) || !speech::may_follow(text, next),
    }
}

/// Whether the full stop at `dot` may turn out to end no sentence when the word at `next` goes on.
fn may_stay_whole(text: &[u8], dot: usize, next: usize) -> bool {
    if text[..dot].last().is_some_and(u8::is_ascii_digit) {
        ordinal::may_stay_whole(text, dot, next)
    } else {
        boundary::needs_start(text, dot)
    }
}
