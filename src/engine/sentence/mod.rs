//! Finds sentence boundaries in the text before an annotation, the *passage*.
//!
//! Boundaries are those of UAX #29 with the differences of the wire profile, assertion span:
//!
//! - LF, CR and CRLF are white space, and so is the `>` of a block quote that continues after one.
//! - No break after a *terminator* (a character that can end a sentence, such as a full stop) that is not followed by white
//!   space, except `。`, `！` and `？`. Closing quotes and parentheses between the two belong to the sentence that they close.
//!   So does a `»` after a space, if nothing follows it directly.
//! - Closing markup after a terminator (`**`, `</p>`, `[^1]`) belongs to the sentence that it closes, too. Boundaries are those of the
//!   text without it.
//! - No break after an abbreviation, an initial or a single letter and full stop, unless the next word can only start a
//!   sentence (`data/starts`). After an initial or a title, words that are also names (He, La) do not count as such starters.
//! - No break after a numbered marker, a German ordinal, an ellipsis in mid-sentence, a quotation followed by its verb.
//! - A last sentence without any letter joins the one before it. Only the last one does: in `One. 2. Three.` it stays.
//!
//! The decision about a terminator looks at a bounded number of bytes before it, at the white space and closing punctuation
//! around it and at what follows up to the next terminator or letter. Each byte is examined for at most a fixed number of
//! terminators, so the cost is linear for every text.

mod abbreviation;
mod boundary;
mod class;
mod class_table;
mod cut;
mod marker;
mod markup;
mod ordinal;
mod scan;
mod settled;
mod speech;
mod start;
mod terminator;
mod trail;
mod words;

use core::iter::FusedIterator;
use core::ops::Range;

pub(crate) use self::cut::{CutSentence, last_sentence_after_cut, not_near, surely_not_near};
pub(crate) use self::settled::{Settled, settled_sentence};

/// Version of the Unicode data that the boundaries come from (UAX #29, `Sentence_Break`): major, minor, update.
pub const UNICODE_VERSION: (u8, u8, u8) = (17, 0, 0);

/// Version of CLDR whose sentence break suppressions are used: major, minor.
pub const CLDR_VERSION: (u8, u8) = (46, 1);

/// Returns the index at which the last sentence of `passage` starts, in bytes: 0 when there is no break.
///
/// The passage ends where its last sentence ends; the caller trims white space there. The
/// offset is that of the break, after the white space that follows the sentence before, never inside a UTF-8 character.
/// A byte that is not part of one counts as a character that is neither letter nor punctuation. The cost depends on the
/// length of the last sentence, not of the passage.
///
/// Source: wire profile, assertion span; UAX #29 SB1 to SB998.
///
/// ```
/// use provstream::sentence::last_sentence;
///
/// assert_eq!(last_sentence(b"It rained. See p. 55 of CHANGELOG.md."), 11);
/// assert_eq!(last_sentence(b"Dr. Meier agreed"), 0);
/// ```
#[must_use]
pub fn last_sentence(passage: &[u8]) -> usize {
    let mut end = terminator::trimmed(passage);
    let mut letters = trail::Letters::of(passage, false);
    while let Some(terminator) = terminator::last_before(passage, end) {
        end = terminator.start;
        let next = boundary::after(passage, terminator);
        if let Some(at) = letters.pass(passage, terminator, next) {
            return at;
        }
    }
    0
}

/// The sentences of `passage` in order, as byte ranges that cover it without a gap, the white space after a sentence
/// included. An empty passage has none.
///
/// The last of them starts at [`last_sentence`], so trailing text without a letter belongs to it.
///
/// ```
/// use provstream::sentence::sentences;
///
/// let all: Vec<_> = sentences("Fertig. Z. B. so. 🎉".as_bytes()).collect();
/// assert_eq!(all, [0..8, 8..22]);
/// ```
#[must_use]
pub fn sentences(passage: &[u8]) -> Sentences<'_> {
    Sentences {
        passage,
        at: 0,
        searched: 0,
        last: last_sentence(passage),
    }
}

/// Iterator over the sentences of a passage, made by [`sentences`].
#[derive(Clone, Debug)]
pub struct Sentences<'a> {
    passage: &'a [u8],
    /// Start of the next sentence to hand out.
    at: usize,
    /// No terminator in `passage[..searched]` is still to be looked at.
    searched: usize,
    /// Start of the last sentence.
    last: usize,
}

#[cfg(feature = "dialects")]
impl Sentences<'_> {
    /// Bytes from the terminator of the sentence that came last to the start of the next one.
    pub(crate) const fn gap(&self) -> Range<usize> {
        self.searched..self.at
    }

    /// Skips the sentences up to a [`gap`](Self::gap) of the passage.
    pub(crate) fn after(mut self, gap: Range<usize>) -> Self {
        (self.searched, self.at) = (gap.start, gap.end);
        self
    }
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        while start < self.last {
            let Some(terminator) = terminator::first_from(self.passage, self.searched) else {
                break;
            };
            self.searched = terminator.end;
            if let Some(at) = boundary::after(self.passage, terminator) {
                self.at = at;
                return Some(start..at);
            }
        }
        self.at = self.passage.len();
        (start < self.at).then_some(start..self.at)
    }
}

impl FusedIterator for Sentences<'_> {}

#[cfg(test)]
mod tests;
