//! The bytes of the stream that may still be needed, in one buffer.

use super::buffer::Buffer;
use crate::engine::chars::{MOST_REMOVED, removable_tail, without_partial};
use crate::engine::markdown::line::Line;
use crate::steps;

/// Room beyond what the limits name: white space that stripping may remove, and a marker or a character cut in two.
const SLACK: usize = 96;

/// The text since an anchor, the text of an assertion found earlier, and the values of its annotations.
///
/// One buffer holds all three: `[saved | unused | raw | free | arena]`. The raw bytes are those of the stream from the
/// anchor on, without a gap; they end at the buffer's `end`. The arena grows from the end of the storage. Invariants:
/// `saved <= start <= end` of the buffer, `end + arena_len <= bytes.len()`, and `line` says what precedes the anchor.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    buffer: Buffer,
    saved: usize,
    /// Bytes of the arena; the limits keep the window far below 4 GiB.
    arena_len: u32,
    line: Line,
    /// Number of bytes of strippable whitespace right before the anchor.
    white: u8,
    /// The most bytes the buffer may have.
    most: usize,
}

impl Window {
    /// An empty window at `base` of at most `most` bytes and a little.
    pub(crate) fn new(most: usize, base: u64) -> Self {
        Self {
            buffer: Buffer::new(base),
            saved: 0,
            arena_len: 0,
            line: Line::new_block(false),
            white: 0,
            most: most + SLACK,
        }
    }

    /// Forgets everything but the buffer; the window then starts at `base`.
    pub(crate) fn clear(&mut self, base: u64) {
        self.saved = 0;
        self.arena_len = 0;
        self.restart(base, Line::new_block(false), 0);
        self.buffer.end_run();
    }

    /// Stream offset of the first raw byte, the anchor.
    pub(crate) const fn base(&self) -> u64 {
        self.buffer.base()
    }

    /// Returns the state of the text before the anchor.
    pub(crate) const fn line(&self) -> &Line {
        &self.line
    }

    /// The buffer, to append what continues a run.
    #[inline(always)]
    pub(crate) const fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// The kind of bytes that may be appended with nothing else to do; 0 without one.
    pub(crate) const fn run(&self) -> u8 {
        self.buffer.run()
    }

    /// At most `most` more bytes of one kind may be appended with nothing else to do; they are held back or emitted.
    pub(crate) fn set_run(&mut self, kinds: u8, most: usize, held: bool) {
        self.buffer.set_run(kinds, most, self.room(), held);
    }

    /// Every byte has to be looked at.
    pub(crate) fn end_run(&mut self) {
        self.buffer.end_run();
    }

    /// The index at which the arena starts, up to which raw bytes may be appended.
    const fn room(&self) -> usize {
        self.buffer.bytes.len() - self.arena_len()
    }

    /// Returns the number of bytes of strippable whitespace before stream offset `at`.
    #[inline]
    pub(crate) fn white_before(&self, at: u64) -> usize {
        white_tail(
            &self.raw()[..(at - self.base()) as usize],
            self.white.into(),
        )
    }

    /// Returns `true` if strippable whitespace comes right before the anchor.
    pub(crate) const fn is_after_white(&self) -> bool {
        self.white > 0
    }

    /// Stream offset after the last raw byte.
    pub(crate) const fn end(&self) -> u64 {
        self.buffer.position()
    }

    /// The raw bytes from `base` on.
    pub(crate) fn raw(&self) -> &[u8] {
        self.buffer.kept()
    }

    /// The raw bytes from stream offset `from` on; it must lie in the window.
    pub(crate) fn raw_from(&self, from: u64) -> &[u8] {
        self.buffer.kept_from(from)
    }

    /// The saved text.
    pub(crate) fn saved(&self) -> &[u8] {
        &self.buffer.bytes[..self.saved]
    }

    /// The arena, whose last byte is the buffer's last.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.buffer.bytes[self.room()..]
    }

    /// Bytes of heap the window owns.
    pub(crate) fn heap(&self) -> usize {
        self.buffer.bytes.capacity()
    }

    /// Starts the window anew at `base`, keeping saved text and arena. What precedes `base` is given: the `line` and
    /// how many bytes of `white` space, at most [`MOST_REMOVED`].
    pub(crate) fn restart(&mut self, base: u64, line: Line, white: usize) {
        self.buffer.restart(self.saved, base);
        self.line = line;
        self.white = white as u8;
    }

    /// Drops the raw bytes before `base`, which lies in the window; `line` holds there.
    pub(crate) fn restart_within(&mut self, base: u64, line: Line) {
        let dropped = (base - self.base()) as usize;
        self.white = white_tail(&self.raw()[..dropped], self.white.into()) as u8;
        self.buffer.start += dropped;
        self.line = line;
    }

    /// Drops the first raw bytes, up to `len` of them, and keeps the line's state right.
    pub(crate) fn drop_front(&mut self, len: usize) {
        let mut line = self.line;
        let read = line.advance(&self.raw()[..len]);
        self.restart_within(self.base() + read as u64, line);
    }

    /// Forgets the raw bytes from stream offset `end` on.
    pub(crate) fn truncate(&mut self, end: u64) {
        self.buffer.end = self.buffer.start + (end - self.base()) as usize;
    }

    /// Forgets the saved text and the arena.
    pub(crate) fn forget(&mut self) {
        self.saved = 0;
        self.arena_len = 0;
    }

    /// Saves a range of the raw bytes in the place of what was saved, and drops the raw bytes before `keep`, which does
    /// not lie before the end of the range.
    pub(crate) fn save_raw(&mut self, range: core::ops::Range<usize>, keep: usize) {
        let mut line = self.line;
        let read = line.advance(&self.raw()[..keep]);
        self.save_raw_and_restart(range, self.base() + read as u64, line);
    }

    /// Saves a range of the raw bytes in the place of what was saved; the window then starts at `base`, which lies
    /// after that range except for a marker that may be cut in two, with `line` there.
    pub(crate) fn save_raw_and_restart(
        &mut self,
        range: core::ops::Range<usize>,
        base: u64,
        line: Line,
    ) {
        let start = self.buffer.start + range.start;
        self.restart_within(base, line);
        steps::count(range.len());
        self.buffer.bytes.copy_within(start..start + range.len(), 0);
        self.saved = range.len();
    }

    /// Saves bytes that are not in the window in the place of what was saved.
    pub(crate) fn save(&mut self, bytes: &[u8]) {
        let start = self.buffer.start;
        if start < bytes.len() {
            self.make_room(bytes.len() - start);
            self.buffer.move_to(bytes.len());
        }
        steps::count(bytes.len());
        self.buffer.bytes[..bytes.len()].copy_from_slice(bytes);
        self.saved = bytes.len();
    }

    /// Puts values into the arena, in this order; `from_end` of the first is the arena's new length.
    pub(crate) fn push_arena(&mut self, values: [&[u8]; 3]) {
        let len = values.iter().map(|value| value.len()).sum::<usize>();
        self.make_room(len);
        steps::count(len);
        self.arena_len += len as u32;
        let mut at = self.room();
        for value in values {
            self.buffer.bytes[at..at + value.len()].copy_from_slice(value);
            at += value.len();
        }
    }

    /// Appends values to the arena, like [`push_arena`](Self::push_arena), that are ranges of the
    /// raw bytes.
    pub(crate) fn push_arena_raw(&mut self, values: [core::ops::Range<usize>; 3]) {
        let len = values.iter().map(ExactSizeIterator::len).sum::<usize>();
        self.make_room(len);
        steps::count(len);
        self.arena_len += len as u32;
        let mut at = self.room();
        for value in values {
            let start = self.buffer.start;
            let source = start + value.start..start + value.end;
            let len = source.len();
            self.buffer.bytes.copy_within(source, at);
            at += len;
        }
    }

    pub(crate) const fn arena_len(&self) -> usize {
        self.arena_len as usize
    }

    /// Returns the number of bytes that can be appended before others must be dropped.
    pub(crate) const fn free(&self) -> usize {
        self.most - self.saved - self.buffer.len() - self.arena_len()
    }

    /// Appends raw bytes, for which there must be room.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        if self.append_in_place(bytes) {
            return;
        }
        self.make_room(bytes.len());
        let end = self.buffer.end;
        steps::count(bytes.len());
        self.buffer.bytes[end..end + bytes.len()].copy_from_slice(bytes);
        self.buffer.end += bytes.len();
    }

    /// Appends bytes, best at most 64, if that needs neither memory nor moving.
    #[inline]
    pub(crate) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        let room = self.room();
        self.buffer.append_in_place(bytes, room)
    }

    /// Passes over all raw bytes and the first `len` of `more`, which follow them; the window then starts there.
    pub(crate) fn skip(&mut self, more: &[u8], len: usize) -> usize {
        let mut line = self.line;
        let after = self.end();
        let read = line.advance(self.raw());
        let mut left = [0; 16];
        let rest = &self.raw()[read..];
        let rest_len = rest.len();
        left[..rest_len].copy_from_slice(rest);
        let mut at = 0;
        if rest_len > 0 {
            // Half a marker: decide it with the bytes that follow.
            let taken = more.len().min(len).min(left.len() - rest_len);
            left[rest_len..rest_len + taken].copy_from_slice(&more[..taken]);
            let read = line.advance(without_partial(&left[..rest_len + taken]));
            at = read.saturating_sub(rest_len);
        }
        at += line.advance(&more[at..len]);
        let white = white_tail(&more[..at], white_tail(self.raw(), self.white.into()));
        self.restart(after + at as u64, line, white);
        at
    }

    /// Makes `len` bytes free between raw bytes and arena.
    fn make_room(&mut self, len: usize) {
        let used = self.saved + self.buffer.len() + self.arena_len() + len;
        debug_assert!(used <= self.most, "{used} > {}", self.most);
        if self.buffer.start > self.saved {
            self.buffer.move_to(self.saved);
        }
        let arena = self.arena_len();
        let bytes = &mut self.buffer.bytes;
        if used > bytes.len() {
            let old = bytes.len();
            // Memory of a stream matters more than a few moves while its window fills, so it does not double.
            let new = (used + used / 4).next_multiple_of(256);
            let new = new.min(self.most.max(used));
            steps::count(new);
            bytes.reserve_exact(new - old);
            bytes.resize(new, 0);
            bytes.copy_within(old - arena..old, new - arena);
        }
    }
}

/// Returns the number of bytes of strippable whitespace at the end of `bytes`, which `before` such bytes precede.
#[inline]
pub(crate) fn white_tail(bytes: &[u8], before: usize) -> usize {
    let here = removable_tail(bytes);
    if here == bytes.len() {
        (here + before).min(MOST_REMOVED)
    } else {
        here
    }
}
