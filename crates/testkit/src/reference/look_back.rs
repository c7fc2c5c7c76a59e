//! Assertion text of an annotation, found by looking back from its opening bracket over everything
//! before it.

use super::RefLimits;
use super::Splitter;
use super::lines::{Fence, Layout, Line};
use super::scan::{self, Outcome, Scan};
use super::slot::Gap;
use super::stream::{self, Stream};
use crate::sentence::last_sentence_after_cut;
use std::ops::Range;

/// Location of an assertion.
pub(super) struct Found {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    /// The assertion was truncated by `max_assertion`.
    pub cut: bool,
}

/// Number of stream bytes that make certain that no further annotation joins the assertion, given
/// the gap after its last one.
pub(super) fn ruled_out(stream: &Stream, scan: &Scan, gap: &Gap) -> usize {
    let at = gap.end;
    if let Some(attempt) = scan.attempts.iter().find(|attempt| attempt.at == at) {
        return match attempt.outcome {
            Outcome::Abandoned { known, .. } | Outcome::Ordinary { known } => known.max(gap.known),
            Outcome::Annotation { end, .. } => end,
        };
    }
    // The first bytes of a character may leave open whether it is one that may stand there.
    let rest = &stream.bytes[at..];
    let may_go_on = |length: usize| {
        let mut joining = stream::CLOSING.chars().chain(stream::WHITE.chars());
        joining.any(|char| {
            let encoded = char.to_string().into_bytes();
            encoded.len() > length && encoded.starts_with(&rest[..length])
        })
    };
    let decided = (1..=rest.len()).find(|&length| !may_go_on(length));
    decided.map_or(scan::end_of_stream(stream), |length| at + length)
}

/// Finds the assertion of a group of annotations. The first one is at `at`, unknowns in the slot
/// before it begin at `slot`, and the annotation before the group ends at `previous_end`; an empty
/// assertion gets the offset `place`.
#[expect(
    clippy::too_many_arguments,
    reason = "the whole analysis of a stream, passed on as it stands"
)]
pub(super) fn assertion(
    stream: &Stream,
    layout: &Layout,
    fences: &[Fence],
    values: &[Range<usize>],
    previous_end: Option<usize>,
    (slot, at, place): (usize, usize, usize),
    limits: &RefLimits,
    splitter: Splitter<'_>,
) -> Found {
    if let Some(block) = fenced_block(stream, layout, fences, slot) {
        return whole(stream, layout, block, place, limits);
    }
    let candidate = candidate(stream, layout, fences, values, previous_end, slot);
    last_sentence(
        stream,
        layout,
        candidate,
        (slot, at, place),
        limits,
        splitter,
    )
}

/// Finds the content of the fenced code block from whose closing line only white space separates
/// `at`.
fn fenced_block(
    stream: &Stream,
    layout: &Layout,
    fences: &[Fence],
    at: usize,
) -> Option<Range<usize>> {
    let fence = fences.iter().rfind(|fence| fence.end <= at)?;
    let follows = fence.closed && layout.is_white(stream, fence.end..at);
    follows.then(|| fence.content.clone())
}

/// Builds the assertion of a whole block without white space around it; a block that is too long
/// loses its beginning.
fn whole(
    stream: &Stream,
    layout: &Layout,
    block: Range<usize>,
    at: usize,
    limits: &RefLimits,
) -> Found {
    let block = layout.trim(stream, block);
    let start = cut(stream, &block, limits.max_assertion);
    let is_cut = start > block.start;
    finish(layout.trim(stream, start..block.end), at, is_cut)
}

/// Builds the assertion of the last sentence of a passage.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
fn last_sentence(
    stream: &Stream,
    layout: &Layout,
    candidate: Range<usize>,
    (slot, at, place): (usize, usize, usize),
    limits: &RefLimits,
    splitter: Splitter<'_>,
) -> Found {
    let trimmed = layout.trim(stream, candidate);
    if trimmed.is_empty() {
        return finish(trimmed, place, false);
    }
    // White space before the text is no part of a sentence, whether the candidate starts with it or the window.
    // What is cut off is counted from the annotation; something is left only if every character fits.
    let skipped = if slot < at {
        layout.trim(stream, 0..at).end - trimmed.end
    } else {
        0
    };
    let max = limits.max_assertion.saturating_sub(skipped);
    if max < 4 {
        return finish(at..at, place, false);
    }
    let window = cut(stream, &trimmed, max)..trimmed.end;
    let window = layout.trim(stream, window);
    let too_long = trimmed.len() > max;
    let text = &stream.bytes[window.clone()];
    let (offset, is_cut) = if too_long {
        last_sentence_after_cut(text)
    } else {
        (splitter(text), false)
    };
    let sentence = layout.trim(stream, window.start + offset..window.end);
    finish(sentence, place, is_cut)
}

/// Builds an assertion; an empty range becomes an empty span at `at`.
fn finish(found: Range<usize>, at: usize, cut: bool) -> Found {
    let found = if found.is_empty() { at..at } else { found };
    Found {
        start: found.start,
        end: found.end,
        cut,
    }
}

/// Start of the last `max` bytes of a range, moved forward to the start of a character.
fn cut(stream: &Stream, range: &Range<usize>, max: usize) -> usize {
    if range.len() <= max {
        return range.start;
    }
    let from = range.end - max;
    // Inside a character is where some bytes around are one character that starts before and ends behind.
    for len in 2..=4 {
        for back in 1..len {
            let Some(start) = from.checked_sub(back) else {
                continue;
            };
            let bytes = stream.bytes.get(start..start + len);
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            if text.is_some_and(|text| text.chars().count() == 1) {
                return start + len;
            }
        }
    }
    from
}

/// Finds the passage before an annotation, whose last sentence is the assertion.
#[expect(
    clippy::too_many_arguments,
    reason = "the naive reference passes on what it knows instead of keeping it"
)]
fn candidate(
    stream: &Stream,
    layout: &Layout,
    fences: &[Fence],
    values: &[Range<usize>],
    previous_end: Option<usize>,
    at: usize,
) -> Range<usize> {
    let value_ends = values.iter().map(|value| value.end);
    let value_end = value_ends.take_while(|&end| end <= at).last();
    let floor = previous_end.map_or(0, |end| past_closing(stream, end, at));
    let floor = floor.max(value_end.unwrap_or(0));
    let text_end = layout.trim(stream, 0..at).end;
    let fence = fences.iter().rfind(|fence| fence.end <= at);
    let fence_end = fence.map_or(0, |fence| fence.end);
    let before = layout.lines.iter().filter(|line| line.start < at);
    let boundary = before
        .rev()
        .find_map(|line| last_boundary(stream, line, text_end, at))
        .filter(|boundary| boundary.at > fence_end);

    let start = boundary.as_ref().map_or(fence_end, |boundary| boundary.at);
    let row = boundary.and_then(|boundary| boundary.row);
    match row {
        Some(row) if start > floor && layout.is_white(stream, start..at) => {
            nonempty_cell(stream, layout, row, floor, start).unwrap_or(at..at)
        }
        _ => start.max(floor)..at,
    }
}

/// Skips the closing punctuation after an annotation that ends at `end`.
fn past_closing(stream: &Stream, end: usize, at: usize) -> usize {
    let mut next = end;
    while let Some((char, length)) = stream.char_at(next, at) {
        if !stream::is_closing(char) {
            break;
        }
        next += length;
    }
    next
}

/// A block boundary, before which no assertion starts.
struct Boundary<'a> {
    /// Offset at which text starts after the boundary.
    at: usize,
    /// Row of a table if the boundary is one of its pipes.
    row: Option<&'a Line>,
}

/// Finds the last block boundary of a line before `at`; `text_end` is the end of the text before
/// `at`, without white space.
fn last_boundary<'a>(
    stream: &Stream,
    line: &'a Line,
    text_end: usize,
    at: usize,
) -> Option<Boundary<'a>> {
    let prefix = &line.prefix;
    // A blank line and the end of a heading separate only what follows them; where nothing does, they are white space.
    if (line.blank || prefix.heading.is_some()) && line.end < text_end {
        return Some(Boundary {
            at: line.end,
            row: None,
        });
    }
    if let Some(&pipe) = pipes(stream, line, at).last() {
        return Some(Boundary {
            at: pipe + 1,
            row: Some(line),
        });
    }
    let opens = prefix.list || prefix.heading.is_some() || line.opens_quote;
    opens.then(|| Boundary {
        at: prefix.heading.unwrap_or(prefix.end),
        row: None,
    })
}

/// Offsets of the cell separators of a row before `at`; empty for a line that is not a row.
fn pipes(stream: &Stream, line: &Line, at: usize) -> Vec<usize> {
    if !line.row {
        return Vec::new();
    }
    let bytes = line.prefix.end..line.end.min(at);
    let is_pipe = |&at: &usize| stream.bytes[at] == b'|' && !stream.is_escaped(at);
    bytes.filter(is_pipe).collect()
}

/// Finds the nearest cell with text before the pipe that ends at `until`, cut off at `floor`.
fn nonempty_cell(
    stream: &Stream,
    layout: &Layout,
    row: &Line,
    floor: usize,
    until: usize,
) -> Option<Range<usize>> {
    let pipes = pipes(stream, row, until);
    let cells = pipes.windows(2).rev();
    cells
        .map(|pair| (pair[0] + 1).max(floor)..pair[1])
        .take_while(|cell| cell.end > floor)
        .find(|cell| !layout.is_white(stream, cell.clone()))
}
