//! Passages of a text in order: what each block has between its boundaries.

use super::Lines;
use crate::engine::chars::is_escaped;
use crate::engine::chars::trimmed_len;
use crate::engine::markdown::line::{Line, skip_blank, trimmed_content};
use memchr::memchr;

/// A block of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPassage {
    /// Index from which on what comes belongs to the block: the start of its first line, or after a `|`.
    pub(crate) from: usize,
    /// Its text without white space at either end; empty if it has none.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Table row in which it begins.
    pub(crate) row: Option<TableRow>,
    /// The markers of a line begin it.
    pub(crate) after_markers: bool,
}

/// Extent of a table row, without its line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableRow {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl BlockPassage {
    pub(crate) const fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

impl TableRow {
    pub(crate) fn contains(&self, at: usize) -> bool {
        (self.start..=self.end).contains(&at)
    }
}

/// Appends the passages of `text`, which starts in a line whose state is `start_line`, to `out`. If its first line is the rest of one, it is not blank.
///
/// Source: wire profile, block boundaries.
pub(crate) fn passages(text: &[u8], start_line: &Line, is_rest: bool, out: &mut Vec<BlockPassage>) {
    let lines = Lines {
        text,
        start_line: Some(start_line),
    };
    let mut open = OpenPassage {
        text,
        from: 0,
        content: 0,
        end: 0,
        row: None,
        after_markers: false,
    };
    // The block in which the text starts goes on.
    let mut after_blank = false;
    let mut after_heading = false;
    let mut line_start = 0;
    loop {
        let line_end = memchr(b'\n', &text[line_start..]).map_or(text.len(), |at| line_start + at);
        let Some(line) = lines.ending_at(line_end) else {
            break;
        };
        let row = line.state.row.then_some(TableRow {
            start: line_start,
            end: line_end,
        });
        if line_start == 0 {
            // The markers of a quote that goes on are no text.
            open.content = line.content;
            open.end = line.content;
            // A row that goes on begins with the rest of a cell.
            open.row = row.filter(|_| !line.new_block);
        }
        let odd = line.at_start && line.state.odd_backslashes;
        let content = &text[line.content..line.end];
        let has_text = trimmed_len(content) > 0;
        let after_end = has_text && line_start > 0 && (after_blank || after_heading);
        if line.new_block || after_end {
            // What is right before the markers of a line belongs to the block before.
            let has_prefix = line.new_block && line.content > line.start;
            open.close(line.start + usize::from(has_prefix), line.content, row, out);
            open.after_markers = has_prefix;
        }
        if line.state.row {
            let mut at = line.content;
            while let Some(found) = memchr(b'|', &text[at..line.end]) {
                let pipe = at + found;
                at = pipe + 1;
                if !is_escaped(&text[line.content..], pipe - line.content, odd) {
                    open.end_at(pipe);
                    open.close(pipe + 1, pipe + 1, row, out);
                }
            }
            open.end_at(line.content + trimmed_content(content, false, odd));
        } else if has_text {
            open.end_at(line.content + trimmed_len(content));
        }
        let is_blank = !has_text && !line.state.text && !line.new_block;
        after_blank = is_blank && !(is_rest && line_start == 0);
        after_heading = line.state.heading;
        if line_end == text.len() {
            break;
        }
        line_start = line_end + 1;
    }
    open.close(text.len(), text.len(), None, out);
}

/// Block that is not complete.
struct OpenPassage<'a> {
    text: &'a [u8],
    from: usize,
    content: usize,
    end: usize,
    row: Option<TableRow>,
    after_markers: bool,
}

impl OpenPassage<'_> {
    /// Its text reaches at least up to `end`.
    fn end_at(&mut self, end: usize) {
        let end = self.content + trimmed_len(&self.text[self.content..end.max(self.content)]);
        self.end = self.end.max(end);
    }

    /// Ends the block; the next one begins at `from`, in `row`, and its text at `content`.
    fn close(
        &mut self,
        from: usize,
        content: usize,
        row: Option<TableRow>,
        out: &mut Vec<BlockPassage>,
    ) {
        let (start, end) = match self.end > self.content {
            true => (skip_blank(self.text, self.content, self.end), self.end),
            false => (self.content, self.content),
        };
        out.push(BlockPassage {
            from: self.from,
            start: start.min(end),
            end,
            row: self.row,
            after_markers: self.after_markers,
        });
        self.after_markers = false;
        self.row = row;
        self.from = from;
        self.content = content;
        self.end = content;
    }
}
