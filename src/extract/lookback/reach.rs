//! How far back an annotation may still reach.

use super::{Candidate, Lines, SourceLine};
use crate::extract::sentence::{Settled, last_sentence, settled_sentence};
use crate::lex::chars::next_boundary;
use crate::lex::line::{Line, skip_blank};
use memchr::memchr_iter;

/// How far back an annotation may reach that comes somewhere after a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Before the text: it has neither text nor a block boundary.
    Blank,
    /// Not into the text: it ends with a block boundary.
    Nothing,
    /// To `start`; `calm` if no letter, digit, space or comma that follows changes that.
    From { start: usize, calm: bool },
}

/// How far back an annotation may reach that comes after `text`, whatever else does.
///
/// `text` starts at the anchor, for which `anchor` holds, and ends with a whole character. This is [`look_back`](super::look_back) for an annotation that is not there yet.
pub(crate) fn reach(text: &[u8], anchor: &Line, max_assertion: usize) -> Reach {
    let anchor = Some(anchor);
    let lines = Lines { text, anchor };
    let Some((last, end)) = lines
        .ending_at(text.len())
        .and_then(|line| lines.last_with_text(line))
    else {
        return Reach::Blank;
    };
    let Some(end) = end else {
        return if last.new_block || !last.at_anchor {
            Reach::Nothing
        } else {
            Reach::Blank
        };
    };
    let closed = is_closed(text, &last, end);
    let in_content = last.end == text.len() && last.state.content;
    let Some(Candidate { start, .. }) = lines.candidate(last, end, max_assertion) else {
        return Reach::Blank;
    };
    let start = skip_blank(text, start, end);
    let start = match end.checked_sub(max_assertion) {
        Some(cut) if start < cut => skip_blank(text, next_boundary(&text[..end], cut), end),
        _ => start,
    };
    let sentence = if closed {
        Settled {
            start: last_sentence(&text[start..end]),
            calm: false,
        }
    } else {
        settled_sentence(&text[start..])
    };
    Reach::From {
        start: skip_blank(text, start + sentence.start, end),
        calm: sentence.calm && in_content,
    }
}

/// Whether a block boundary separates what follows the text from its last text, which ends at `end` in the line `last`.
fn is_closed(text: &[u8], last: &SourceLine, end: usize) -> bool {
    let line_feeds = memchr_iter(b'\n', &text[last.end..]).take(2).count();
    line_feeds == 2
        || line_feeds == 1 && last.state.heading
        || last.state.row && text[end..last.end].contains(&b'|')
}
