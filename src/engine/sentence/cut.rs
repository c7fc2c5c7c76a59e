//! The last sentence of a passage whose beginning is missing.
//!
//! What keeps a full stop from ending a sentence comes before it, and may be missing. So near the cut such a full stop ends a
//! sentence, whatever comes before it. That way a sentence boundary never vanishes when more of the text before it is cut off:
//! the last sentence begins where it began before, or later.

use super::class::{BreakClass, char_at, char_before};
use super::markup::{self, ClosingMarkup, MarkupPiece};
use super::terminator::{self, Terminator};
use super::{boundary, trail::Letters};
use crate::steps;

/// The decision about a terminator looks at fewer letters and digits before it: two abbreviations and a number.
const NEAR: usize = 64;

/// A text in which sentences are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentenceText<'a> {
    pub(super) bytes: &'a [u8],
    /// Terminators before this place are near the cut; 0 if nothing is cut off.
    near: usize,
}

impl<'a> SentenceText<'a> {
    pub(super) const fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, near: 0 }
    }

    /// A text whose beginning was cut off.
    pub(super) fn cut(bytes: &'a [u8]) -> Self {
        let mut at = 0;
        let mut left = NEAR;
        while left > 0
            && let Some(found) = char_at(bytes, at)
        {
            left -= usize::from(is_counted(found.class));
            at += found.len;
        }
        steps::count(at);
        Self { bytes, near: at }
    }

    /// Returns `true` if what comes before a terminator may be missing.
    pub(super) const fn is_near_cut(&self, terminator: Terminator) -> bool {
        terminator.start < self.near
    }

    /// Returns the index at which the sentence before `terminator` ends, or `None` if the terminator ends none.
    #[inline]
    pub(super) fn boundary_after(&self, terminator: Terminator) -> Option<usize> {
        if self.is_near_cut(terminator) {
            boundary::after_unheld(self.bytes, terminator)
        } else {
            boundary::after(self.bytes, terminator)
        }
    }

    /// Returns the index at which the first sentence starts: at a cut, after what may close the sentence before.
    pub(super) fn start(&self) -> usize {
        if self.near == 0 {
            return 0;
        }
        let mut at = markup::rest_of_cut(self.bytes);
        // Markup comes before white space, or right after a French quotation mark.
        let mut may_be_markup = true;
        while let Some(found) = char_at(self.bytes, at) {
            if may_be_markup
                && markup::may_begin(&self.bytes[at..])
                && let MarkupPiece::Whole(end) =
                    ClosingMarkup::after(at, false).read(self.bytes, at)
            {
                at = end;
                continue;
            }
            let closes = found.class == BreakClass::Close
                || found.class.is_mark()
                || found.class.is_space()
                || self.bytes[at] == b'>';
            if !closes {
                steps::count(at);
                return at;
            }
            may_be_markup = match found.code {
                0xBB | 0x203A => true,
                _ => may_be_markup && !found.class.is_space(),
            };
            at += found.len;
        }
        0
    }
}

/// The last sentence of a passage whose beginning was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutSentence {
    /// Index at which the sentence starts.
    pub(crate) start: usize,
    /// No boundary was found before it.
    pub(crate) at_cut: bool,
}

/// Finds the last sentence of a passage that `max_assertion` truncated.
pub(crate) fn last_sentence_after_cut(passage: &[u8]) -> CutSentence {
    let text = SentenceText::cut(passage);
    let mut end = terminator::trimmed(passage);
    let mut letters = Letters::of(passage, false);
    while let Some(terminator) = terminator::last_before(passage, end) {
        end = terminator.start;
        if terminator.is_in_word(passage) {
            continue;
        }
        let next = text.boundary_after(terminator);
        if let Some(at) = letters.pass(passage, terminator, next) {
            let at_cut =
                text.is_near_cut(terminator) && boundary::after(passage, terminator).is_none();
            return CutSentence { start: at, at_cut };
        }
    }
    CutSentence {
        start: text.start(),
        at_cut: true,
    }
}

/// A place before `at` that can be cut without being near the boundary at `at`; 0 if the text has none, or begins less than
/// 128 bytes before. Not always the last such place, but found sooner than by [`not_near`], and the same however much more text
/// there is before it.
pub(crate) fn surely_not_near(text: &[u8], at: usize) -> usize {
    let Some(from) = at.checked_sub(2 * NEAR) else {
        return 0;
    };
    let letters = text[from..at].iter();
    let letters: u8 = letters
        .map(|byte| u8::from(byte.is_ascii_alphanumeric()))
        .sum();
    if usize::from(letters) >= NEAR {
        steps::count(at - from);
        return from;
    }
    not_near(text, at)
}

/// The last place before `at` that can be cut without being near the boundary at `at`; 0 without one.
pub(crate) fn not_near(text: &[u8], mut at: usize) -> usize {
    let from = at;
    let mut left = NEAR;
    while left > 0
        && let Some(found) = char_before(text, at)
    {
        left -= usize::from(is_counted(found.class));
        at -= found.len;
    }
    steps::count(from - at);
    at
}

/// Returns `true` if a character is a letter or a digit.
const fn is_counted(class: BreakClass) -> bool {
    class.is_letter() || matches!(class, BreakClass::Numeric)
}
