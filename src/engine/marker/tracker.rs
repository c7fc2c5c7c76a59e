//! The text without markers, and the sentences that its markers belong to.

mod assertion;
mod settle;

use std::collections::VecDeque;

pub(super) use self::assertion::{cited, whole_prefix};

use self::assertion::MarkedAssertion;
use super::With;
use crate::engine::Sink;
use crate::engine::chars::next_boundary;
use crate::engine::lookback::{BlockPassage, Reach};
use crate::engine::markdown::line::Line;
use crate::marker_ids::IdText;
use crate::{Limits, Span, steps};

/// White space that may still be removed, in bytes.
const MOST_WHITE: usize = crate::engine::chars::MOST_REMOVED;

/// The last part of the clean text, as far as markers may need it, and the markers whose sentences
/// are not complete.
#[derive(Clone, Debug)]
pub(super) struct MarkerTracker {
    max: usize,
    max_ids: usize,
    /// Clean text from clean offset `base` on, without what is in `white`.
    text: Vec<u8>,
    base: u64,
    /// State of the text before `base`.
    anchor: Line,
    /// Text of the same block was dropped before `base`.
    cut: bool,
    /// The text begins within a line that was not blank.
    is_rest: bool,
    /// White space after `text`, kept apart because a marker or annotation that follows may remove
    /// it.
    white: Vec<u8>,
    /// Last byte before `white` that is part of the text as clients join it, which breaks do not part.
    last: Option<u8>,
    /// The text is that of a fenced block, which belongs to no sentence.
    paused: bool,
    /// Nothing is decided, since the text may turn out to be the opening line of a block, or is JSON.
    pub(super) suspended: bool,
    /// Places where bytes were removed since `base`, and how many up to there.
    removals: VecDeque<Removal>,
    /// Bytes removed up to `base`.
    removed_before: u64,
    removed: u64,
    /// Clean offset of the end, `white` included.
    end: u64,
    waiting: Vec<WaitingMarker>,
    ids: IdText,
    /// Text came since it was last looked at.
    is_new: bool,
    /// A marker came since then.
    is_marked: bool,
    scratch: Vec<BlockPassage>,
    /// The last [`Reach`], for texts for which it is known not to change.
    calm: Option<Calm>,
    /// Clean offset at which the sentence of the first marker that waits begins, once that is known.
    first_start: Option<u64>,
    /// Clean offset up to which only white space was found after a break; `None` if there was none, or other text came.
    blank_to: Option<u64>,
    /// Clean text between the terminator of the last sentence that was reported and the next one of its block, if there is one.
    gap: Option<Span>,
}

/// Reach of a later marker, which holds for more text without a terminator in the same line.
#[derive(Clone, Copy, Debug)]
struct Calm {
    found: Reach,
    /// Length of the text for which it holds.
    upto: usize,
}

#[derive(Clone, Copy, Debug)]
struct Removal {
    clean: u64,
    /// All bytes removed up to and with this.
    removed: u64,
}

/// A marker that waits for the end of its sentence.
#[derive(Clone, Copy, Debug)]
struct WaitingMarker {
    clean: u64,
    span: Span,
    dialect: usize,
    ids: usize,
}

impl MarkerTracker {
    pub(super) fn new(start: u64, limits: &Limits) -> Self {
        Self {
            max: limits.max_assertion(),
            max_ids: limits.max_annotations(),
            text: Vec::new(),
            base: start,
            anchor: Line::new_block(false),
            cut: false,
            is_rest: false,
            white: Vec::new(),
            last: None,
            paused: false,
            suspended: false,
            removals: VecDeque::new(),
            removed_before: 0,
            removed: 0,
            end: start,
            waiting: Vec::new(),
            ids: IdText::default(),
            is_new: false,
            is_marked: false,
            scratch: Vec::new(),
            calm: None,
            first_start: None,
            blank_to: None,
            gap: None,
        }
    }

    /// Resets to an empty text of a stream that starts at `start`.
    pub(super) fn reset(&mut self, start: u64) {
        self.removed = 0;
        self.end = start;
        self.begin();
        self.blank_to = None;
        self.last = None;
    }

    /// Begins a text of its own at the end of this one, after a break.
    pub(super) fn begin(&mut self) {
        self.blank_to = Some(self.end);
        self.waiting.clear();
        self.first_start = None;
        self.ids.clear();
        self.paused = false;
        self.suspended = false;
        self.restart(Line::new_block(false));
    }

    fn restart(&mut self, line: Line) {
        self.text.clear();
        self.calm = None;
        self.last = self.last_byte();
        self.white.clear();
        self.removals.clear();
        self.removed_before = self.removed;
        self.base = self.end;
        self.anchor = line;
        self.cut = false;
        self.is_rest = false;
        self.gap = None;
    }

    /// Returns `true` if no marker waits and text decides nothing.
    pub(super) const fn is_idle(&self) -> bool {
        self.waiting.is_empty() && !self.paused && !self.suspended
    }

    pub(super) const fn removed(&self) -> u64 {
        self.removed
    }

    pub(super) const fn max_ids(&self) -> usize {
        self.max_ids
    }

    pub(super) const fn max_assertion(&self) -> usize {
        self.max
    }

    pub(super) fn heap(&self) -> usize {
        self.text.capacity()
            + self.white.capacity()
            + self.removals.capacity() * size_of::<Removal>()
            + self.waiting.capacity() * size_of::<WaitingMarker>()
            + self.scratch.capacity() * size_of::<BlockPassage>()
            + self.ids.heap()
    }

    /// Returns the last byte of the clean text.
    pub(super) fn last_byte(&self) -> Option<u8> {
        self.white.last().copied().or(self.last)
    }

    /// Adds text that is not part of a marker or annotation.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        if self.paused {
            self.last = bytes.last().copied().or(self.last);
            return;
        }
        let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let text = bytes
            .iter()
            .rposition(|byte| !is_white(byte))
            .map_or(0, |last| last + 1);
        let (text, white) = bytes.split_at(text);
        if !text.is_empty() {
            self.flush_white();
            self.append(text);
            self.is_new = true;
        }
        self.white.extend_from_slice(white);
        if let Some(over @ 1..) = self.white.len().checked_sub(MOST_WHITE) {
            let white = core::mem::take(&mut self.white);
            self.append(&white[..over]);
            // Blanks decide where the markers of a line end.
            self.is_new = true;
            self.white = white;
            self.white.drain(..over);
        }
    }

    fn flush_white(&mut self) {
        let mut white = core::mem::take(&mut self.white);
        self.append(&white);
        white.clear();
        self.white = white;
    }

    fn append(&mut self, bytes: &[u8]) {
        let is_text = |byte: &u8| byte.is_ascii() && !char::from(*byte).is_whitespace();
        if self.blank_to.is_some() && bytes.iter().any(is_text) {
            self.blank_to = None;
        }
        self.last = bytes.last().copied().or(self.last);
        let bytes = self.skip_most(bytes);
        steps::count(bytes.len());
        self.text.extend_from_slice(bytes);
        if self.waiting.is_empty() && self.text.len() > 4 * self.max {
            self.keep_last();
        }
    }

    /// Drops the text and the beginning of `bytes`, which come next, if no marker reaches back to them; returns the rest of
    /// `bytes`.
    fn skip_most<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(over) = bytes.len().checked_sub(self.max) else {
            return bytes;
        };
        if !self.waiting.is_empty() || over < self.max || self.blank_to.is_some() {
            return bytes;
        }
        self.drop_front(self.text.len());
        if !self.text.is_empty() {
            return bytes;
        }
        let skipped = self.anchor.advance(&bytes[..next_boundary(bytes, over)]);
        self.dropped(skipped);
        &bytes[skipped..]
    }

    /// Drops all text but the last `max` bytes, which is as far as a marker that comes next reaches back.
    fn keep_last(&mut self) {
        let Some(over @ 1..) = self.text.len().checked_sub(self.max) else {
            return;
        };
        let cut = next_boundary(&self.text, over);
        self.drop_front(cut);
    }

    /// Drops all blocks before the last blank line, if there is text after it: a marker that comes next belongs to that text.
    fn drop_blocks(&mut self) {
        let mut end = self.text.len();
        while let Some(feed) = memchr::memrchr(b'\n', &self.text[..end]) {
            if feed > 0 && self.text[feed - 1] == b'\n' {
                steps::count(self.text.len() - feed);
                if self.text[feed..].iter().any(u8::is_ascii_alphanumeric) {
                    self.drop_front(feed + 1);
                }
                return;
            }
            end = feed;
        }
    }

    /// Drops the first `len` bytes of the text, less what may be an incomplete marker of a line.
    fn drop_front(&mut self, len: usize) {
        let read = self.anchor.advance(&self.text[..len]);
        self.is_blank_to(read);
        self.text.drain(..read);
        self.dropped(read);
    }

    /// The first `len` bytes of the text are no longer kept, and the anchor is after them.
    fn dropped(&mut self, len: usize) {
        self.calm = None;
        self.base += len as u64;
        self.cut = self.anchor.is_open();
        self.is_rest &= len == 0;
        while let Some(first) = self.removals.front()
            && first.clean <= self.base
        {
            self.removed_before = first.removed;
            self.removals.pop_front();
        }
    }

    /// Returns how many bytes can come before a marker that waits has to be reported.
    pub(super) fn room(&self) -> usize {
        match self.waiting.first() {
            Some(first) if !self.paused => {
                (first.clean + self.max as u64).saturating_sub(self.end) as usize
            }
            _ => usize::MAX,
        }
    }

    /// Reports all markers that wait, since the first one waits for too long. What comes next belongs to other sentences.
    pub(super) fn cut_off(&mut self, with: With<'_>, sink: &mut Sink<'_>) {
        self.report(self.whole(), with, sink);
        self.drop_front(self.text.len());
    }

    /// Bytes of a marker or an annotation that are not part of the text, and the `white` bytes before them.
    /// `has_line_end` if the white space has the end of a line.
    pub(super) fn remove(&mut self, white: usize, len: u64, has_line_end: bool) {
        let removed = white as u64 + len;
        self.end -= white as u64;
        self.removed += removed;
        // An annotation right after a fenced block removes the block's last line feed, too.
        if self.end < self.base && has_line_end && !self.paused {
            // Then the text goes on in the block's closing line, in which no line prefix can come.
            self.is_rest = true;
            self.anchor.content = true;
            self.anchor.quote |= self.anchor.quote_before;
        }
        self.base = self.base.min(self.end);
        if self.paused {
            return;
        }
        self.white.truncate(self.white.len().saturating_sub(white));
        self.flush_white();
        match self.removals.back_mut() {
            Some(last) if last.clean == self.end => last.removed = self.removed,
            _ => self.removals.push_back(Removal {
                clean: self.end,
                removed: self.removed,
            }),
        }
    }

    /// Returns `true` if only white space comes between a break and the end of the first `len` bytes of the text.
    fn is_blank_to(&mut self, len: usize) -> bool {
        let Some(seen) = self.blank_to else {
            return false;
        };
        let from = seen.saturating_sub(self.base) as usize;
        let new = self.text.get(from..len).unwrap_or_default();
        steps::count(new.len());
        let is_blank =
            core::str::from_utf8(new).is_ok_and(|new| new.chars().all(char::is_whitespace));
        self.blank_to = is_blank.then_some(seen.max(self.base + len as u64));
        is_blank
    }

    /// A marker was removed here.
    pub(super) fn mark(
        &mut self,
        span: Span,
        (dialect, ids): (usize, &IdText),
        with: With<'_>,
        sink: &mut Sink<'_>,
    ) {
        if self.waiting.is_empty() {
            self.keep_last();
            self.drop_blocks();
        }
        self.waiting.push(WaitingMarker {
            clean: self.end,
            span,
            dialect,
            ids: ids.len(),
        });
        ids.iter().for_each(|id| self.ids.push(id));
        if self.is_blank_to(self.text.len()) {
            // Nothing waits before it: all markers before it in this text come first after the break, too.
            self.emit(&MarkedAssertion::Orphan, 0..1, with, sink);
            self.waiting.clear();
            self.ids.clear();
            return;
        }
        self.is_new = true;
        self.is_marked = true;
    }

    /// The line so far opens a fenced block, so it is no part of the text before it.
    pub(super) fn drop_opening_line(&mut self) {
        let line = memchr::memrchr(b'\n', self.text.strip_suffix(b"\n").unwrap_or(&self.text));
        self.text.truncate(line.map_or(0, |feed| feed + 1));
        self.calm = None;
        self.white.clear();
    }

    /// Drops the text so far; no later marker belongs to it.
    pub(super) fn skip_all(&mut self) {
        self.restart(Line::new_block(false));
    }

    /// A fenced block begins.
    pub(super) fn pause(&mut self) {
        self.restart(Line::new_block(false));
        self.paused = true;
    }

    /// A fenced block has ended.
    pub(super) fn resume(&mut self, line: Line) {
        self.paused = false;
        self.restart(line);
    }

    /// Returns the offset in the stream of a clean offset in the text.
    pub(super) fn stream_offset(&self, clean: u64) -> u64 {
        self.stream_span(Span::new(clean, clean + 1)).start()
    }

    /// Returns the clean offset of the end.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// The span in the stream of a span of the clean text.
    fn stream_span(&self, clean: Span) -> Span {
        let removed = |counts: &dyn Fn(u64) -> bool| {
            let last = self.removals.iter().rev().find(|one| counts(one.clean));
            last.map_or(self.removed_before, |one| one.removed)
        };
        let (start, end) = (clean.start(), clean.end());
        Span::new(
            start + removed(&|at| at <= start),
            end + removed(&|at| at < end),
        )
    }
}
