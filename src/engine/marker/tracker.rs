//! The text without markers, and the sentences that its markers belong to.

use core::ops::Range;
use std::collections::VecDeque;

use super::With;
use crate::engine::Sink;
use crate::engine::bytes::{MID_SENTENCE, all};
use crate::engine::chars::{next_boundary, trimmed_len, whole_characters};
use crate::engine::lookback::{AssertionStart, BlockPassage, Reach, TableRow, passages, reach};
use crate::engine::markdown::line::{Line, is_quote_prefix, prefix, skip_blank};
use crate::engine::sentence::{sentences, surely_not_near};
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::marker::{Citation, CitationParts, CitationReason, CitedId, CitedIds, IdList};
use crate::marker_ids::IdText;
use crate::provenance::reading::lossy;
use crate::{Limits, Span, steps};

/// White space that may still be removed, in bytes.
const MOST_WHITE: usize = crate::engine::chars::MOST_REMOVED;

/// The last part of the clean text, as far as markers may need it, and the markers whose sentences
/// are not complete.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
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

/// Beginning of the earliest sentence that may still get a marker, as clean offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenSentence {
    pub(super) start: u64,
    /// The sentence begins there because `max_assertion` cuts off what comes before.
    pub(super) cut: bool,
    /// Clean offset up to which `max_assertion` cuts nothing off.
    pub(super) uncut_until: u64,
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

/// Parts of the text that are certain, for one report.
#[derive(Clone, Copy)]
struct CertainExtent {
    /// Length of the text without a last line that may still begin a block.
    upto: usize,
    /// Index from which on no sentence is certain.
    until: usize,
    /// Length of the text without an incomplete character.
    len: usize,
    /// No text follows.
    ends: bool,
}

/// Assertion of a marker, as ranges of the text.
enum MarkedAssertion {
    Sentence {
        start: usize,
        end: usize,
        until: usize,
        /// Clean text between its terminator and the next sentence of the block, if there is one.
        gap: Option<Span>,
    },
    /// Nothing, whatever follows.
    Nothing,
    /// Nothing, since the marker comes first after a break.
    Orphan,
    /// Not certain yet.
    Later,
}

impl Tracker {
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

    /// Adds text that is not part of a marker or annotation.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        if self.paused {
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

    /// Reports what is certain.
    pub(super) fn settle(&mut self, with: With<'_>, sink: &mut Sink<'_>) {
        if self.waiting.is_empty() || !self.is_new || self.suspended {
            return;
        }
        self.is_new = false;
        let is_marked = core::mem::take(&mut self.is_marked);
        let len = self.known_len();
        let (found, is_same) = self.reached(len);
        if is_same && !is_marked {
            return;
        }
        let until = match found {
            Reach::Blank => return,
            Reach::Nothing => usize::MAX,
            Reach::From(from) => from.start,
        };
        if until <= self.before_first() {
            return;
        }
        let text = &self.text[..len];
        let upto = text.len() - self.open_prefix(text);
        let extent = CertainExtent {
            upto,
            until,
            len: text.len(),
            ends: false,
        };
        self.report(extent, with, sink);
    }

    /// Reach of a marker that comes after the first `len` bytes of the text, and whether it is as it was before them.
    fn reached(&mut self, len: usize) -> (Reach, bool) {
        if let Some(calm) = &mut self.calm
            && calm.upto <= len
            && all(&self.text[calm.upto..len], MID_SENTENCE)
        {
            steps::count(len - calm.upto);
            calm.upto = len;
            return (calm.found, true);
        }
        // Nothing is cut off but what was dropped.
        let found = reach(&self.text[..len], 0, &self.anchor, usize::MAX >> 1);
        let is_steady = matches!(found, Reach::From(AssertionStart { is_steady, .. }) if is_steady);
        self.calm = is_steady.then_some(Calm { found, upto: len });
        (found, false)
    }

    /// Index of the last character before the first marker that waits that is neither white space nor the end of a cell. A
    /// sentence that begins there or later cannot have been reported.
    fn before_first(&self) -> usize {
        let Some(first) = self.waiting.first() else {
            return 0;
        };
        let before = &self.text[..(first.clean - self.base) as usize];
        let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'|');
        before.iter().rposition(is_text).unwrap_or(0)
    }

    /// Finds where the earliest sentence begins that may still get a marker, or whose markers wait.
    pub(super) fn open_sentence(&mut self) -> OpenSentence {
        if self.paused {
            return OpenSentence {
                start: self.end,
                cut: false,
                uncut_until: self.end + self.max as u64,
            };
        }
        let len = self.known_len();
        let (found, _) = self.reached(len);
        let (from, is_block) = match found {
            Reach::Blank | Reach::Nothing => (None, true),
            Reach::From(from) => (Some(from.start), from.block == Some(from.start)),
        };
        let near = match from {
            None => self.base + len as u64,
            Some(from) if is_block => self.base + from as u64,
            Some(from) => match surely_not_near(&self.text, from) {
                // How much of the text is kept depends on the chunks.
                0 if self.cut => 0,
                near => self.base + near as u64,
            },
        };
        let lost = self.text.len().saturating_sub(self.max);
        let cut = self.waiting.is_empty() && self.base + lost as u64 > near;
        let start = match from {
            _ if cut => self.base + next_boundary(&self.text, lost) as u64,
            Some(from) => self.base + from as u64,
            None => self.end,
        };
        OpenSentence {
            start: start.min(self.first_sentence(start)),
            cut,
            uncut_until: near + self.max as u64,
        }
    }

    /// Returns the earliest clean offset at which the first waiting marker's sentence can begin. The result is remembered only
    /// if it is at or before `until`.
    fn first_sentence(&mut self, until: u64) -> u64 {
        let Some(first) = self.waiting.first() else {
            return u64::MAX;
        };
        if let Some(start) = self.first_start {
            return start;
        }
        let (clean, at) = (first.clean, (first.clean - self.base) as usize);
        let len = self.text.len();
        let (mut start, mut is_open) = self.sentence_of(at, len);
        // If the last line turns out to begin a block, its first bytes are no text.
        let upto = len - self.open_prefix(&self.text);
        if at >= upto {
            start = start.min(self.sentence_of(upto, upto).0);
            is_open = true;
        }
        let start = start.min(clean);
        if start <= until && !is_open {
            self.first_start = Some(start);
        }
        start
    }

    /// For a marker at index `at` in a text that ends after `len` bytes: returns the clean offset of its sentence's
    /// start (`u64::MAX` without a sentence), and `true` if more text may change that.
    fn sentence_of(&mut self, at: usize, len: usize) -> (u64, bool) {
        let mut blocks = core::mem::take(&mut self.scratch);
        blocks.clear();
        passages(&self.text[..len], &self.anchor, self.is_rest, &mut blocks);
        steps::count(len);
        let is_open = self.may_begin(&blocks, at, len);
        let start = self.owner(&blocks, at).map(|owner| {
            let block = Self::block_of(&blocks, owner);
            let own = self.sentence_in(block, owner).0;
            self.base + own.map_or(block.start, |range| block.start + range.start) as u64
        });
        self.scratch = blocks;
        (start.unwrap_or(u64::MAX), is_open)
    }

    /// Reports everything: the text ends here.
    pub(super) fn settle_all(&mut self, with: With<'_>, sink: &mut Sink<'_>) {
        self.flush_white();
        if !self.waiting.is_empty() {
            self.report(self.whole(), with, sink);
        }
    }

    const fn whole(&self) -> CertainExtent {
        CertainExtent {
            upto: self.text.len(),
            until: usize::MAX,
            len: self.text.len(),
            ends: true,
        }
    }

    /// Length of the text without an incomplete character and the white space before it, as if they had not come yet.
    fn known_len(&self) -> usize {
        let whole = whole_characters(&self.text);
        if whole.len() == self.text.len() {
            return whole.len();
        }
        let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let len = whole
            .iter()
            .rposition(|byte| !is_white(byte))
            .map_or(0, |last| last + 1);
        let last = self
            .waiting
            .last()
            .map_or(0, |last| (last.clean - self.base) as usize);
        len.max(last)
    }

    /// Length of the last line, if it may still turn out to begin a block.
    fn open_prefix(&self, text: &[u8]) -> usize {
        let start = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        if start == 0 && self.anchor.content {
            return 0;
        }
        match prefix(&text[start..]).done {
            true => 0,
            false => text.len() - start,
        }
    }

    /// Reports the citations of sentences that begin before `until`.
    fn report(&mut self, extent: CertainExtent, with: With<'_>, sink: &mut Sink<'_>) {
        let CertainExtent {
            upto, len, ends, ..
        } = extent;
        let mut blocks = core::mem::take(&mut self.scratch);
        blocks.clear();
        passages(&self.text[..upto], &self.anchor, self.is_rest, &mut blocks);
        steps::count(upto);
        // The last line may turn out to begin a block, to which what is in it belongs.
        let is_open = |at: usize| !ends && upto < len && at >= upto;
        let mut done = 0;
        while let Some(first) = self.waiting.get(done) {
            let at = (first.clean - self.base) as usize;
            let found = match is_open(at) {
                true => MarkedAssertion::Later,
                false => self.find(&blocks, at, &extent),
            };
            let mut next = done + 1;
            match found {
                MarkedAssertion::Later => break,
                MarkedAssertion::Nothing | MarkedAssertion::Orphan => {}
                MarkedAssertion::Sentence { until, .. } => {
                    while let Some(more) = self.waiting.get(next)
                        && let at = (more.clean - self.base) as usize
                        && !is_open(at)
                        && self.owner(&blocks, at).is_some_and(|owner| owner < until)
                    {
                        next += 1;
                    }
                }
            }
            if let MarkedAssertion::Sentence { end, .. } = found
                && !ends
            {
                // If only white space, `|` and `>` follow the sentence, a later marker, or a waiting
                // one, may still belong to it: report it later.
                let later = self
                    .waiting
                    .get(next)
                    .map(|more| (more.clean - self.base) as usize);
                let open = later.filter(|&at| is_open(at)).unwrap_or(len);
                if may_go_on(&self.text[end..open.max(end)]) {
                    break;
                }
            }
            self.emit(&found, done..next, with, sink);
            if let MarkedAssertion::Sentence { gap: Some(gap), .. } = found {
                self.gap = Some(gap);
            }
            done = next;
        }
        self.scratch = blocks;
        let ids: usize = self.waiting[..done].iter().map(|one| one.ids).sum();
        self.waiting.drain(..done);
        if done > 0 {
            self.first_start = None;
        }
        self.ids.drop_first(ids);
    }

    /// The byte by which a marker at `at` belongs to a sentence: the last one before it in its block, or else the first one
    /// after it. A marker in a row of a table belongs to a cell of that row. Another one in a block without text belongs to the
    /// last sentence before, if only white space and the end of a row are between, and the markers of a line begin no block.
    fn owner(&self, blocks: &[BlockPassage], at: usize) -> Option<usize> {
        let index = blocks.partition_point(|block| block.from <= at);
        let block = blocks[..index].last()?;
        if let Some(row) = row_of(blocks, at) {
            let in_row = |block: &&BlockPassage| block.row == Some(row);
            let has_text = |block: &&BlockPassage| !block.is_empty() && block.start <= row.end;
            if !in_row(&block) || !has_text(&block) {
                let before = blocks[..index].iter().rev().take_while(in_row);
                let after = blocks[index..].iter().take_while(in_row);
                return match before.clone().find(has_text) {
                    Some(cell) => Some(cell.end - 1),
                    None => after.clone().find(has_text).map(|cell| cell.start),
                };
            }
        } else if block.is_empty() {
            let mut before = blocks[..index].iter().rev();
            let before = before.find(|block| !block.is_empty() || block.after_markers)?;
            if before.is_empty() {
                return None;
            }
            return is_row_end(&self.text[before.end..at]).then(|| before.end - 1);
        }
        let before = at.clamp(block.start, block.end);
        let len = trimmed_len(&self.text[block.start..before]);
        Some(block.start + len.saturating_sub(1))
    }

    /// Returns `true` if text that comes after the first `len` bytes may be the first that a marker at `at` can belong to.
    fn may_begin(&self, blocks: &[BlockPassage], at: usize, len: usize) -> bool {
        let index = blocks.partition_point(|block| block.from <= at);
        let is_last = index == blocks.len() && blocks[index - 1].is_empty();
        match row_of(blocks, at) {
            Some(row) => row.end == len && (is_last || self.owner(blocks, at).is_none()),
            None => is_last,
        }
    }

    /// The block of a byte.
    fn block_of(blocks: &[BlockPassage], owner: usize) -> BlockPassage {
        let index = blocks.partition_point(|block| block.start <= owner);
        let block = blocks[..index].iter().rev().find(|block| !block.is_empty());
        block.copied().unwrap_or(blocks[0])
    }

    fn find(&self, blocks: &[BlockPassage], at: usize, extent: &CertainExtent) -> MarkedAssertion {
        let CertainExtent { until, ends, .. } = *extent;
        let owner = match self.owner(blocks, at) {
            _ if !ends && self.may_begin(blocks, at, extent.upto) => return MarkedAssertion::Later,
            Some(owner) => owner,
            None => return MarkedAssertion::Nothing,
        };
        if owner >= until {
            return MarkedAssertion::Later;
        }
        let block = Self::block_of(blocks, owner);
        let (Some(range), gap) = self.sentence_in(block, owner) else {
            return MarkedAssertion::Nothing;
        };
        let until_here = block.start + range.end;
        if until_here > until && !ends {
            return MarkedAssertion::Later;
        }
        let until = until_here;
        let start = skip_blank(&self.text, block.start + range.start, block.end);
        let end = start + sentence_len(&self.text[start..until.max(start)]);
        MarkedAssertion::Sentence {
            start,
            end,
            until,
            gap: (until < block.end).then_some(gap),
        }
    }

    /// The sentence of a block in which index `owner` is, as a range of the block, and the clean text between its terminator and the
    /// next sentence. Only sentences after the last reported one are looked at, if it is in the block.
    fn sentence_in(&self, block: BlockPassage, owner: usize) -> (Option<Range<usize>>, Span) {
        let start = self.base + block.start as u64;
        let mut all = sentences(&self.text[block.start..block.end]);
        if let Some(gap) = self.gap
            && start <= gap.start()
            && gap.end() <= self.base + owner as u64
        {
            let index = |clean: u64| (clean - start) as usize;
            all = all.after(index(gap.start())..index(gap.end()));
        }
        let own = all.find(|range| owner < block.start + range.end);
        let gap = all.gap();
        let clean = |index: usize| start + index as u64;
        (
            own,
            Span::new(clean(gap.start.min(gap.end)), clean(gap.end)),
        )
    }

    fn emit(
        &self,
        found: &MarkedAssertion,
        waiting: Range<usize>,
        with: With<'_>,
        sink: &mut Sink<'_>,
    ) {
        let first = self.waiting[waiting.start];
        let (text, clean, mut cut) = match *found {
            MarkedAssertion::Sentence { start, end, .. } => {
                let at = |index: usize| self.base + index as u64;
                let is_cut = self.cut && start == skip_blank(&self.text, 0, end);
                (
                    &self.text[start..end],
                    Span::new(at(start), at(end)),
                    is_cut,
                )
            }
            _ => (&[][..], Span::new(first.clean, first.clean), false),
        };
        let span = match clean.is_empty() {
            true => Span::new(first.span.start(), first.span.start()),
            false => self.stream_span(clean),
        };
        let (text, span, clean) = match text.len() > self.max {
            true => {
                cut = true;
                let len = whole_prefix(text, self.max);
                (&text[..len], span, clean)
            }
            false => (text, span, clean),
        };
        let mut skip: usize = self.waiting[..waiting.start]
            .iter()
            .map(|one| one.ids)
            .sum();
        let ids = self.waiting[waiting].iter().flat_map(|one| {
            let from = skip;
            skip += one.ids;
            (from..skip).map(|index| (one.dialect, self.ids.get(index), one.span))
        });
        let mut ids = cited(ids, with);
        let too_many = ids.len() > self.max_ids;
        let is_orphan = matches!(found, MarkedAssertion::Orphan);
        ids.truncate(self.max_ids);
        let text = lossy(text);
        let bad = matches!(text, std::borrow::Cow::Owned(_));
        let parts = CitationParts {
            text: &text,
            span,
            clean_span: clean,
            limit_hit: cut || too_many,
            is_orphan,
            ids: IdList::Borrowed(&ids),
        };
        sink(Event::Citation(Citation::borrowed(&parts)));
        for (holds, code) in [
            (is_orphan, DiagnosticCode::Orphan),
            (clean.is_empty() && !is_orphan, DiagnosticCode::NoAssertion),
            (cut, DiagnosticCode::LimitAssertion),
            (too_many, DiagnosticCode::LimitAnnotations),
            (bad, DiagnosticCode::InvalidUtf8),
        ] {
            if holds {
                sink(Event::Diagnostic(Diagnostic::new(code, span)));
            }
        }
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

/// Length of a sentence without the white space at its end; `>` at the start of the following quoted lines
/// counts as white space.
fn sentence_len(text: &[u8]) -> usize {
    let mut len = trimmed_len(text);
    while let Some(feed) = memchr::memrchr(b'\n', &text[..len])
        && text[feed + 1..len]
            .iter()
            .all(|&byte| is_quote_prefix(byte))
    {
        len = trimmed_len(&text[..feed]);
    }
    len
}

/// Returns `true` if text is only white space and the ends of cells, all in its first line: what comes after it belongs to the
/// last cell before.
fn is_row_end(text: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(text) else {
        return false;
    };
    let mut chars = text.chars();
    let mut in_line = chars.by_ref().take_while(|&char| char != '\n');
    let is_end = |char: char| char == '|' || char.is_whitespace();
    in_line.all(is_end) && chars.all(char::is_whitespace)
}

/// Returns `true` if a marker that comes after this text may belong to the sentence before it: it is the end of a row, or only
/// white space, with `>` in further lines of a quote.
fn may_go_on(text: &[u8]) -> bool {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let white = text.iter().take_while(|byte| is_blank(byte)).count();
    let quoted = text[..white].contains(&b'\n')
        && text[white..]
            .iter()
            .all(|&byte| byte == b'\n' || is_quote_prefix(byte));
    quoted || is_row_end(text)
}

/// Row of a table in which a marker at `at` is.
fn row_of(blocks: &[BlockPassage], at: usize) -> Option<TableRow> {
    let index = blocks.partition_point(|block| block.from <= at);
    let near = &blocks[index.saturating_sub(1)..blocks.len().min(index + 1)];
    near.iter()
        .filter_map(|block| block.row)
        .find(|row| row.contains(at))
}

/// The identifiers of a citation, held against the list of sources.
pub(super) fn cited<'a>(
    ids: impl Iterator<Item = (usize, &'a str, Span)>,
    with: With<'a>,
) -> CitedIds<'a> {
    let one = |(dialect, id, marker)| cited_id(dialect, id, marker, with);
    ids.map(one).collect()
}

/// An identifier of a citation, held against the list of sources.
fn cited_id<'a>(dialect: usize, id: &'a str, marker: Span, with: With<'a>) -> CitedId<'a> {
    let source = with.sources.and_then(|list| list.find(id));
    let reason = match (&source, with.sources) {
        (Some(_), _) => None,
        (None, Some(list)) if list.is_complete() => Some(CitationReason::UnknownSource),
        _ => Some(CitationReason::NoSourceList),
    };
    CitedId {
        dialect: with.set.dialect_name(dialect),
        id,
        marker,
        reason,
        class: source.as_ref().and_then(|source| source.class),
        ts: source.as_ref().and_then(|source| source.ts),
    }
}

/// Length of the beginning of `text` of at most `max` bytes that ends with a whole character.
pub(super) fn whole_prefix(text: &[u8], max: usize) -> usize {
    let cut = max.min(text.len());
    match (cut.saturating_sub(3)..cut).find(|&at| next_boundary(text, at + 1) > cut) {
        Some(at) => at,
        None => cut,
    }
}
