//! Code in text: code spans and fenced blocks.

use memchr::{memchr, memchr2};

use super::scan::Scan;
use super::{Block, Context};
use crate::engine::markdown::code::{Fence, FenceLine, FenceStep};
use crate::engine::markdown::line::{Line, prefix};
#[cfg(feature = "dialects")]
use crate::engine::marker::Region;
#[cfg(not(feature = "dialects"))]
use crate::engine::no_markers::Region;
use crate::steps;

impl Scan<'_> {
    /// Reads the line up to `here`: `None` if anything but indentation, block quote and list markers is there, otherwise `true` if a
    /// block quote marker is among them.
    pub(super) fn line_prefix(&mut self, here: usize) -> Option<bool> {
        let before = &self.input.chunk[self.unstitched()..here];
        if let Some(at) = before.iter().rposition(|&byte| !may_be_prefix(byte)) {
            let line = &before[at + 1..];
            steps::count(line.len());
            return (before[at] == b'\n')
                .then(|| self.whole_prefix(line, here))
                .flatten();
        }
        self.stitch(here);
        let window = &self.engine.window;
        let raw = window.raw();
        let last = raw.iter().rposition(|&byte| !may_be_prefix(byte));
        steps::count(raw.len() - last.unwrap_or(0));
        match last {
            Some(at) if raw[at] == b'\n' => self.whole_prefix(&raw[at + 1..], here),
            None if !window.line().content => self
                .whole_prefix(raw, here)
                .map(|quoted| quoted || window.line().quote),
            _ => None,
        }
    }

    /// Returns `true` if `line`, the bytes between the start of the line and `here`, is a prefix that may come before a fence.
    fn whole_prefix(&self, line: &[u8], here: usize) -> Option<bool> {
        let found = prefix(line);
        let start = self.offset(here) - line.len() as u64;
        let whole = found.len == line.len() && !found.heading;
        (whole && start >= self.engine.untrusted_text_end).then_some(found.quote)
    }

    /// The run of backticks or tildes that may open a code span or a fenced block.
    pub(super) fn opening(&mut self, at: usize, mut fence: Fence, block: bool) -> usize {
        let is_marker = |byte: &&u8| **byte == fence.marker;
        let end = at + self.input.chunk[at..].iter().take_while(is_marker).count();
        fence.run += (end - at) as u64;
        self.engine.context = if end == self.input.chunk.len() {
            Context::Opening { fence, block }
        } else {
            Context::after_run(fence, block)
        };
        self.region_after_run(end);
        end
    }

    /// Notes what a run of backticks or tildes that ends before index `end` has opened.
    #[inline]
    fn region_after_run(&mut self, end: usize) {
        match self.engine.context {
            Context::Info(_) => self.region(end, OPENING_LINE),
            Context::CodeSpan { block: false, .. } => {
                self.region(
                    end,
                    Region::Code {
                        may_open_block: false,
                    },
                );
            }
            _ => {}
        }
    }

    pub(super) fn code_span(
        &mut self,
        mut at: usize,
        fence: Fence,
        mut closing: u64,
        mut block: bool,
    ) -> usize {
        let is_tick = |byte: &&u8| **byte == b'`';
        loop {
            let ticks = self.input.chunk[at..].iter().take_while(is_tick).count();
            at += ticks;
            closing += ticks as u64;
            if block && closing > 0 {
                // No backtick comes in the opening line of a block.
                block = false;
                self.region(
                    at - ticks,
                    Region::Code {
                        may_open_block: false,
                    },
                );
            }
            if at == self.input.chunk.len() {
                break;
            }
            if closing == fence.run {
                self.engine.context = Context::Text;
                self.region(at, Region::Prose);
                return at;
            }
            closing = 0;
            let found = memchr2(b'`', b'\n', &self.input.chunk[at..]);
            at = found.map_or(self.input.chunk.len(), |found| at + found);
            if self.input.chunk.get(at) == Some(&b'\n') {
                self.engine.context = Context::Text;
                if block {
                    self.open_block(at + 1, fence);
                } else {
                    self.end_open_code(at);
                    self.region(at + 1, Region::Prose);
                }
                return at + 1;
            }
        }
        self.engine.context = Context::CodeSpan {
            fence,
            closing,
            block,
        };
        at
    }

    pub(super) fn info(&mut self, at: usize, fence: Fence) -> usize {
        let Some(found) = memchr(b'\n', &self.input.chunk[at..]) else {
            return self.input.chunk.len();
        };
        self.open_block(at + found + 1, fence);
        at + found + 1
    }

    /// A fenced block whose content starts at `content`.
    fn open_block(&mut self, content: usize, fence: Fence) {
        let start = self.offset(content);
        let white = self.white_before(start);
        self.region(content, Region::Block);
        self.drop_target();
        self.engine.json.leading_white_end = start;
        self.engine.json.removed.clear();
        self.engine
            .window
            .restart(start, Line::new_block(fence.quoted), white);
        self.engine.context = Context::Block(Block {
            fence,
            line: FenceLine::Prefix { quote: false },
            line_start: start,
            cut: false,
        });
    }

    pub(super) fn block(&mut self, at: usize, mut block: Block) -> usize {
        let untrusted = self.engine.untrusted;
        let json = self.engine.json.on && !untrusted;
        let (fence, mut line) = (block.fence, block.line);
        let mut here = at;
        while let Some(&byte) = self.input.chunk.get(here) {
            let value = json
                && match byte {
                    b'{' => self.may_be_object(here),
                    // The first byte of a quoted block is a marker, or the block is left with it.
                    b'[' => !fence.quoted && self.begins_array(here),
                    _ => false,
                };
            // A bracket may still begin an array where only white space came before it.
            let leading = json && self.engine.json.leading_white_end >= self.offset(here);
            if line == FenceLine::Code && byte != b'\n' && !value && !leading {
                let rest = &self.input.chunk[here + 1..];
                let found = if json {
                    memchr2(b'\n', b'{', rest)
                } else {
                    memchr(b'\n', rest)
                };
                here = found.map_or(self.input.chunk.len(), |found| here + 1 + found);
                continue;
            }
            if untrusted {
                line = line.untrusted(byte);
                if byte != b'\n' {
                    here += 1;
                    continue;
                }
            }
            let step = fence.step(&mut line, byte);
            if value && step == FenceStep::Inside {
                block.line = line;
                self.engine.context = Context::Block(block);
                return self.start_json(here);
            }
            here += 1;
            match step {
                FenceStep::Inside => {}
                FenceStep::NextLine => block.line_start = self.offset(here),
                FenceStep::Closed { quote } => {
                    // The closing line is not content.
                    block.line = FenceLine::Tail { quote };
                    self.engine.context = Context::Block(block);
                    self.close_block(here, block.line_start, quote);
                    return here;
                }
                FenceStep::Left => {
                    self.leave_block(here - 1, block.line_start);
                    return here - 1;
                }
            }
        }
        block.line = line;
        self.engine.context = Context::Block(block);
        here
    }

    /// The block's closing line ends before `end` in the chunk and starts at `line_start`; it has a block quote marker or not.
    fn close_block(&mut self, end: usize, line_start: u64, quote: bool) {
        self.find_block(end, line_start);
        let engine = &mut *self.engine;
        if let Some(target) = &mut engine.target {
            target.removed = engine.json.removed_after(target.span.start());
        }
        let start = self.offset(end);
        let white = self.white_before(start);
        self.engine
            .window
            .restart(start, Line::new_block(quote), white);
        self.engine.context = Context::Text;
        self.end_block_region(end, Line::new_block(quote));
    }

    /// A quoted block ended before the line that starts at `line_start` and of which the bytes before `here` were read.
    fn leave_block(&mut self, here: usize, line_start: u64) {
        self.stitch(here);
        self.drop_target();
        self.engine.json.leading_white_end = 0;
        // Of a long indentation only the end may have been kept.
        let start = line_start.max(self.engine.window.base());
        self.engine
            .window
            .restart_within(start, Line::new_block(true));
        self.engine.context = Context::Text;
        let mut line = Line::new_block(true);
        line.advance(self.engine.window.raw());
        self.end_block_region(here, line);
    }
}

/// The opening line of a fenced block, after its tildes.
pub(super) const OPENING_LINE: Region = Region::Code {
    may_open_block: true,
};

/// Returns `true` if a byte may be in the prefix of a line.
const fn may_be_prefix(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9' | 0xE2 | 0x80 | 0xA2
    )
}
