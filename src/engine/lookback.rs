//! Looks back from an annotation for the text it belongs to.

#[cfg(feature = "dialects")]
mod passages;
mod reach;

use memchr::memrchr;

#[cfg(feature = "dialects")]
pub(crate) use self::passages::{BlockPassage, TableRow, passages};
#[cfg(feature = "dialects")]
pub(crate) use self::reach::AssertionStart;
pub(crate) use self::reach::{Reach, reach};

use super::sentence::{CutSentence, last_sentence, last_sentence_after_cut};
use crate::engine::chars::{leading_white, next_boundary, trimmed_len};
use crate::engine::markdown::line::{Line, last_pipe, prefix, skip_blank, trimmed_content};
use crate::steps;

/// Text before an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookbackResult {
    /// Neither text nor a block boundary since the start of the text.
    Blank,
    /// No text since a block boundary.
    Nothing,
    /// An assertion, as a range of the text; `cut` if it begins where `max_assertion` truncated the
    /// passage.
    Found { start: usize, end: usize, cut: bool },
}

/// Finds the assertion of an annotation right after `text`.
///
/// `start_line` is the state of the line in which `text` starts; `None` if that is unknown. Then the
/// result may be unknown, too, which is `None`. Lines are read from the last one backwards, so
/// the cost depends on the block of the assertion, not on the text. Source: wire profile, assertion
/// span, rule 3.
///
/// Also returns the line in which `text` ends, as far as the text after an annotation there depends
/// on it: see [`Line::after_annotation`].
pub(crate) fn look_back(
    text: &[u8],
    start_line: Option<&Line>,
    max_assertion: usize,
) -> Option<(LookbackResult, Line)> {
    if let Some(found) = in_plain_line(text, start_line, max_assertion) {
        return Some(found);
    }
    let lines = Lines { text, start_line };
    let line = lines.ending_at(text.len())?;
    let state = line.state;
    Some((lines.before(line, max_assertion)?, state))
}

/// Looks back like [`look_back`] from index `end`. The text after it belongs to no assertion, but
/// counts towards `max_assertion`.
pub(crate) fn look_back_over(
    text: &[u8],
    end: usize,
    start_line: Option<&Line>,
    max_assertion: usize,
) -> Option<(LookbackResult, Line)> {
    let before = &text[..end];
    let (found, line) = look_back(before, start_line, max_assertion)?;
    let LookbackResult::Found { end, .. } = found else {
        return Some((found, line));
    };
    match max_assertion.checked_sub(trimmed_len(text) - end) {
        // Every character fits.
        Some(max @ 4..) => look_back(before, start_line, max),
        _ => Some((LookbackResult::Nothing, line)),
    }
}

/// Looks back like [`look_back`] on the fast path: if the last line is not a table row, its prefix
/// is known, and the passage does not begin before it, because it begins a paragraph after a blank
/// line or continues after the start of the text.
#[inline]
fn in_plain_line(
    text: &[u8],
    start_line: Option<&Line>,
    max_assertion: usize,
) -> Option<(LookbackResult, Line)> {
    let end = match text {
        [.., b'!'..=b'~'] => text.len(),
        [.., b'!'..=b'~', b' '] => text.len() - 1,
        _ => return None,
    };
    let (start, state) = match memrchr(b'\n', text) {
        None => (
            0,
            *start_line.filter(|line| line.content && !line.row && !line.is_open())?,
        ),
        Some(at) => match (&text[..at], &text[at + 1..]) {
            ([.., b'\n'], [b'A'..=b'Z' | b'a'..=b'z', ..]) => (at + 1, Line::PLAIN),
            _ => return None,
        },
    };
    steps::count(text.len() - start);
    if end - start >= max_assertion {
        return None;
    }
    let start = skip_blank(text, start, end);
    let sentence = last_sentence(&text[start..end]);
    let found = LookbackResult::Found {
        start: skip_blank(text, start + sentence, end),
        end,
        cut: false,
    };
    Some((found, state))
}

/// A line of the text.
struct SourceLine {
    start: usize,
    /// Index at which the content starts, after the prefix.
    content: usize,
    /// Index of the line feed, or of the end of the text.
    end: usize,
    /// State of the line at `content`.
    state: Line,
    /// The text starts within this line.
    at_start: bool,
    /// A block begins at `content`.
    new_block: bool,
}

/// Start of the passage between the last block boundary and the annotation; `truncated` if the passage begins before `start`.
struct PassageStart {
    start: usize,
    truncated: bool,
}

struct Lines<'a> {
    text: &'a [u8],
    start_line: Option<&'a Line>,
}

impl Lines<'_> {
    /// Finds the assertion before the end of the text; `line` is the last line of the text. `None` if the state of
    /// the first line would have to be known.
    #[inline]
    fn before(&self, line: SourceLine, max_assertion: usize) -> Option<LookbackResult> {
        let text = self.text;
        let (last, end) = self.last_with_text(line)?;
        let Some(end) = end else {
            return Some(if last.new_block || !last.at_start {
                LookbackResult::Nothing
            } else {
                LookbackResult::Blank
            });
        };
        let PassageStart { start, truncated } = self.passage_start(last, end, max_assertion)?;
        let start = skip_blank(text, start, end);
        let (from, truncated) = match end.checked_sub(max_assertion) {
            Some(cut) if start < cut || (truncated && start == cut) => {
                let cut = next_boundary(&text[..end], cut);
                (skip_blank(text, cut, end), true)
            }
            _ => (start, truncated),
        };
        let sentence = if truncated {
            last_sentence_after_cut(&text[from..end])
        } else {
            CutSentence {
                start: last_sentence(&text[from..end]),
                at_cut: false,
            }
        };
        Some(LookbackResult::Found {
            start: skip_blank(text, from + sentence.start, end),
            end,
            cut: sentence.at_cut,
        })
    }

    /// Reads the line that ends at `end`; `None` if its start is unknown.
    #[inline]
    fn ending_at(&self, end: usize) -> Option<SourceLine> {
        let start = self.start_of_line(end);
        // White space must follow a list marker, and that may be the line feed.
        let line = &self.text[start..(end + 1).min(self.text.len())];
        if start == 0 {
            let start_line = *self.start_line?;
            let (state, len) = start_line.with_prefix(line);
            return Some(SourceLine {
                start,
                content: len,
                end,
                state,
                at_start: true,
                new_block: (state.opens_block && !start_line.opens_block)
                    || (state.row && !start_line.row),
            });
        }
        let found = prefix(line);
        let quote_before =
            found.quote && !found.list && !found.heading && self.is_quote(start - 1)?;
        let (state, len) = Line::new_block(quote_before).with_known_prefix(&found, line);
        Some(SourceLine {
            start,
            content: start + len,
            end,
            state,
            at_start: false,
            new_block: state.opens_block || state.row,
        })
    }

    /// Returns whether the line that ends at `end` has a block quote marker; `None` if that is unknown.
    fn is_quote(&self, end: usize) -> Option<bool> {
        let start = self.start_of_line(end);
        let line = &self.text[start..=end];
        if start > 0 {
            return Some(prefix(line).quote);
        }
        Some(self.start_line?.with_prefix(line).0.quote)
    }

    fn start_of_line(&self, end: usize) -> usize {
        let start = memrchr(b'\n', &self.text[..end]).map_or(0, |at| at + 1);
        steps::count(end - start);
        start
    }

    /// Finds the last line with text, from `line` backwards, and the end of its text; no end if a
    /// block boundary or the start of the text comes first. `None` if unknown.
    #[inline]
    fn last_with_text(&self, mut line: SourceLine) -> Option<(SourceLine, Option<usize>)> {
        loop {
            let len = trimmed_content(
                &self.text[line.content..line.end],
                line.state.row,
                line.at_start && line.state.odd_backslashes,
            );
            if len > 0 {
                let end = line.content + len;
                return Some((line, Some(end)));
            }
            if line.new_block || line.at_start {
                return Some((line, None));
            }
            line = self.ending_at(line.start - 1)?;
        }
    }

    /// Returns the start of the passage that ends at `end` in `line`; exact only as far as
    /// `max_assertion` reaches. `None` if unknown.
    #[inline]
    fn passage_start(
        &self,
        mut line: SourceLine,
        end: usize,
        max_assertion: usize,
    ) -> Option<PassageStart> {
        let cut = end.saturating_sub(max_assertion);
        loop {
            if line.state.row {
                let odd = line.at_start && line.state.odd_backslashes;
                let cells = &self.text[line.content..end.min(line.end)];
                if let Some(pipe) = last_pipe(cells, odd) {
                    return Some(PassageStart {
                        start: line.content + pipe + 1,
                        truncated: false,
                    });
                }
            }
            if line.at_start || line.new_block {
                return Some(PassageStart {
                    start: line.content,
                    truncated: line.at_start && line.state.is_open(),
                });
            }
            let first = line.content + leading_white(&self.text[line.content..line.end]);
            if first < cut {
                return Some(PassageStart {
                    start: cut,
                    truncated: true,
                });
            }
            let before = self.ending_at(line.start - 1)?;
            let has_text = trimmed_len(&self.text[before.content..before.end]) > 0;
            let blank = !has_text && !before.state.text;
            if blank || before.state.heading {
                return Some(PassageStart {
                    start: line.content,
                    truncated: false,
                });
            }
            line = before;
        }
    }
}
