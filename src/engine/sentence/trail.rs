//! The trail of a terminator: closing punctuation and markup after it, and white space after that.

use super::class::{BreakClass, char_at};
use super::markup::{ClosingMarkup, LONGEST, MarkupPiece, is_opener, may_begin, may_end};
use super::scan::{has_letter, marks_end, space_end};
use super::terminator::{self, Terminator};

/// Closing punctuation and markup after a terminator, and the white space after that.
pub(super) struct Trail {
    /// Index at which the closing punctuation and markup end.
    pub(super) closed: usize,
    /// Index at which the whitespace ends; equal to `closed` if there is none.
    pub(super) next: usize,
    /// `true` if there is closing punctuation.
    pub(super) has_closer: bool,
    /// `true` if some of it is a quotation mark.
    pub(super) has_quote: bool,
    /// `true` if there is closing markup, provided that it [closes](Self::closes) the sentence.
    has_markup: bool,
    /// `true` if the text ends in what may become closing markup.
    pub(super) is_open: bool,
    /// Start of the pieces of markup that end at the index that was asked about.
    asked: Option<usize>,
}

impl Trail {
    /// Returns the trail of a terminator.
    #[inline(never)]
    pub(super) fn of(text: &[u8], terminator: Terminator) -> Self {
        Self::read(text, terminator, usize::MAX)
    }

    /// Reads the trail. Close has opening marks too; where no white space need follow they open what comes next, elsewhere only an
    /// attached one can be met here, and there is no break in either case.
    fn read(text: &[u8], terminator: Terminator, asked: usize) -> Self {
        let wide_stop = is_wide_stop(terminator.code);
        let mut markup = ClosingMarkup::after(terminator.end, wide_stop);
        let mut trail = Self {
            closed: marks_end(text, terminator.end),
            next: 0,
            has_closer: false,
            has_quote: false,
            has_markup: false,
            is_open: false,
            asked: None,
        };
        // Start of the pieces of markup that end at an index.
        let mut pieces = (0, usize::MAX);
        loop {
            while let Some(found) = char_at(text, trail.closed) {
                if may_begin(&text[trail.closed..]) {
                    match markup.read(text, trail.closed) {
                        MarkupPiece::None => {}
                        MarkupPiece::Open { .. } => trail.is_open = true,
                        MarkupPiece::Whole(end) => {
                            trail.has_markup = true;
                            if pieces.1 != trail.closed {
                                pieces.0 = trail.closed;
                            }
                            pieces.1 = end;
                            if end == asked {
                                trail.asked = Some(pieces.0);
                            }
                            trail.closed = marks_end(text, end);
                            continue;
                        }
                    }
                }
                if found.class != BreakClass::Close || wide_stop && is_opener(found.code) {
                    break;
                }
                trail.has_closer = true;
                trail.has_quote |= is_quote(found.code);
                trail.closed = marks_end(text, trail.closed + found.len);
            }
            trail.next = space_end(text, trail.closed);
            if trail.next == trail.closed || !trail.continues(text, wide_stop) {
                return trail;
            }
            trail.closed = trail.next;
        }
    }

    /// Returns `true` if a `»` or `›` is after the white space, with nothing attached to it that it could open (French: `Non !
    /// »`).
    fn continues(&mut self, text: &[u8], wide_stop: bool) -> bool {
        let Some(found) = char_at(text, self.next) else {
            return false;
        };
        if !matches!(found.code, 0xBB | 0x203A) {
            return false;
        }
        let after = self.next + found.len;
        let mut at = after;
        let mut markup = ClosingMarkup::after(after, wide_stop);
        loop {
            match markup.read(text, at) {
                MarkupPiece::Whole(end) => at = marks_end(text, end),
                MarkupPiece::Open { .. } => {
                    self.is_open = true;
                    break;
                }
                MarkupPiece::None => break,
            }
        }
        char_at(text, at).is_none_or(|next| {
            next.class.is_space()
                || at == after
                    && (next.class.ends()
                        || matches!(next.class, BreakClass::SContinue | BreakClass::Close))
        })
    }

    /// Returns `true` if closing markup is followed by white space, or the end of the text, or need not be.
    fn closes(&self, text: &[u8], terminator: Terminator) -> bool {
        is_wide_stop(terminator.code) || self.next > self.closed || self.closed == text.len()
    }
}

/// Returns `false` if the byte after `terminator` shows that there is no closing markup.
#[inline]
fn may_have_markup(text: &[u8], terminator: Terminator) -> bool {
    terminator.class != BreakClass::Sep
        && text.get(terminator.end).is_some_and(|&byte| match byte {
            b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}' => true,
            _ => may_begin(&[byte]) || byte >= 0x80,
        })
}

/// Returns the index at which the closing markup after `terminator` ends with its closing punctuation; `None` without any. Markup that
/// the text ends in counts if it is `settled` that it may be some.
#[inline(never)]
pub(super) fn markup_end(text: &[u8], terminator: Terminator, settled: bool) -> Option<usize> {
    if !may_have_markup(text, terminator) {
        return None;
    }
    let trail = Trail::of(text, terminator);
    if settled && trail.is_open {
        return Some(text.len());
    }
    (trail.has_markup && trail.closes(text, terminator)).then_some(trail.closed)
}

/// Returns the index before the closing markup that ends at `end`; `end` without any.
#[inline]
pub(super) fn before_markup(text: &[u8], end: usize) -> usize {
    match text[..end].last() {
        Some(&byte) if may_end(byte) => before_any_markup(text, end),
        _ => end,
    }
}

#[cold]
fn before_any_markup(text: &[u8], end: usize) -> usize {
    let least = end.saturating_sub(LONGEST + 4);
    let Some(terminator) = terminator::last_within(text, least, end) else {
        return end;
    };
    let trail = Trail::read(text, terminator, end);
    match trail.asked {
        Some(start) if trail.closes(text, terminator) => start,
        _ => end,
    }
}

pub(super) const fn is_wide_stop(code: u32) -> bool {
    matches!(code, 0x3002 | 0xFF01 | 0xFF1F)
}

const fn is_quote(code: u32) -> bool {
    matches!(
        code,
        0x22 | 0x27 | 0xAB | 0xBB | 0x2018..=0x201F | 0x2039 | 0x203A | 0x300C..=0x300F
    )
}

/// Search from the end of a text for letters outside of closing markup.
pub(super) struct Letters {
    /// No such letter is from this index on, unless one was found.
    bare: usize,
    found: bool,
    /// The end of the text counts as the closing markup that it may become.
    settled: bool,
}

impl Letters {
    pub(super) const fn of(text: &[u8], settled: bool) -> Self {
        Self {
            bare: text.len(),
            found: false,
            settled,
        }
    }

    /// Takes the next terminator with the index at which the sentence after it starts, if it ends one, and returns that if a letter
    /// follows.
    #[inline(always)] // Most terminators end a sentence that a letter follows, or are within a word.
    pub(super) fn pass(
        &mut self,
        text: &[u8],
        terminator: Terminator,
        next: Option<usize>,
    ) -> Option<usize> {
        let start = match next {
            Some(next) => next,
            None if self.found || !may_have_markup(text, terminator) => return None,
            None => markup_end(text, terminator, self.settled)?,
        };
        self.found = self.found || has_letter(text, start..self.bare);
        if self.found {
            return next;
        }
        self.bare = terminator.end;
        None
    }
}
