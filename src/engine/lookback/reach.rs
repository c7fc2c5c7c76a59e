//! Reach of later annotations back into the text.

use super::{Lines, PassageStart, SourceLine};
use crate::engine::AtCut;
use crate::engine::chars::next_boundary;
use crate::engine::markdown::line::{Line, skip_blank};
use crate::engine::sentence::{
    CutSentence, Settled, last_sentence, last_sentence_after_cut, not_near, settled_sentence,
};
use memchr::memchr_iter;

/// Distance that an annotation after a text can reach back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Beyond the start of the text, which has neither text nor a block boundary.
    Blank,
    /// Not into the text, which ends with a block boundary.
    Nothing,
    From(AssertionStart),
}

/// Start of the text that a later annotation can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AssertionStart {
    pub(crate) start: usize,
    /// Truncation by `max_assertion` that makes the text start there.
    pub(crate) cut: AtCut,
    /// Index at which the block begins; `None` if it begins before the text.
    pub(crate) block: Option<usize>,
    /// Bytes without a terminator, in the same line, change nothing unless they cut off more of the text.
    pub(crate) is_steady: bool,
}

impl AssertionStart {
    /// Returns the length of `text`, in which this start was found, up to which bytes without a terminator, in the same line,
    /// change nothing; `None` if they may.
    #[inline]
    pub(crate) fn steady_len(&self, text: &[u8], max_assertion: usize) -> Option<usize> {
        // Until then nothing is cut off, or only what is not near the last boundary.
        (self.is_steady && self.cut == AtCut::No)
            .then(|| self.block.unwrap_or(0).max(not_near(text, self.start)) + max_assertion)
    }
}

/// Determines how far back an annotation somewhere after `text` can reach, whatever is between.
///
/// `text` starts in a line whose state is `start_line`, and ends with a whole character. `open`
/// bytes follow, the first of a character that is not white space; 0 if no such byte follows, or if
/// the character may be white space. The result is that of [`look_back`](super::look_back) for an
/// annotation that has not come yet.
pub(crate) fn reach(text: &[u8], open: usize, start_line: &Line, max_assertion: usize) -> Reach {
    let start_line = Some(start_line);
    let lines = Lines { text, start_line };
    let Some((last, end)) = lines
        .ending_at(text.len())
        .and_then(|line| lines.last_with_text(line))
    else {
        return Reach::Blank;
    };
    let begins_text = open > 0;
    let Some(end) = end else {
        return if begins_text || last.new_block || !last.at_start {
            Reach::Nothing
        } else {
            Reach::Blank
        };
    };
    let closed = is_closed(text, &last, end);
    if closed && begins_text {
        return Reach::Nothing;
    }
    let in_content = last.end == text.len() && last.state.content;
    let Some(PassageStart { start, truncated }) = lines.passage_start(last, end, max_assertion)
    else {
        return Reach::Blank;
    };
    let first = skip_blank(text, start, end);
    let text_end = if begins_text { text.len() + open } else { end };
    let cut_at = text_end
        .checked_sub(max_assertion)
        .filter(|&cut| first < cut || (truncated && first == cut));
    let from = cut_at.map_or(first, |cut| {
        skip_blank(text, next_boundary(&text[..end], cut.min(end)), end)
    });
    let cut = truncated || cut_at.is_some();
    let sentence = |from, cut| LastSentenceSearch { from, end, closed }.sentence(text, cut);
    let block = (!truncated).then_some(first);
    if begins_text && from >= end {
        // What is left of the assertion begins with the open character.
        return Reach::From(AssertionStart {
            start: text.len(),
            cut: AtCut::Yes,
            block: None,
            is_steady: false,
        });
    }
    let found = sentence(from, cut);
    let start = match from + found.start {
        start if start < end => skip_blank(text, start, end),
        // Nothing is left but what may close a sentence. That is the assertion, unless more text comes.
        _ if begins_text => text.len(),
        _ => from,
    };
    Reach::From(AssertionStart {
        start,
        cut: found.at_cut,
        block,
        is_steady: found.calm && in_content,
    })
}

/// Text in which the last sentence is searched.
struct LastSentenceSearch {
    from: usize,
    end: usize,
    /// A block boundary follows the passage.
    closed: bool,
}

impl LastSentenceSearch {
    /// Finds the last sentence, whatever follows; `cut` if the beginning is truncated.
    fn sentence(&self, text: &[u8], cut: bool) -> Settled {
        if !self.closed {
            return settled_sentence(&text[self.from..], cut);
        }
        let passage = &text[self.from..self.end];
        let CutSentence { start, at_cut } = if cut {
            last_sentence_after_cut(passage)
        } else {
            CutSentence {
                start: last_sentence(passage),
                at_cut: false,
            }
        };
        Settled {
            start,
            calm: false,
            at_cut: at_cut.into(),
        }
    }
}

/// Returns `true` if a block boundary follows the last text, which ends at `end` in the line
/// `last`.
fn is_closed(text: &[u8], last: &SourceLine, end: usize) -> bool {
    let line_feeds = memchr_iter(b'\n', &text[last.end..]).take(2).count();
    line_feeds == 2
        || line_feeds == 1 && last.state.heading
        || last.state.row && text[end..last.end].contains(&b'|')
}
