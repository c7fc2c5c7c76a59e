//! Lookback window: the bytes of the stream that may still be needed, in one buffer.

use super::buffer::Buffer;
use super::bytes::ByteClasses;
use crate::engine::chars::{MOST_REMOVED, removable_tail, without_partial};
use crate::engine::markdown::line::Line;
use crate::steps;

/// Bytes of the window beyond those that the limits require: strippable whitespace, and an
/// incomplete marker or character.
const SLACK: usize = 96;

/// Text since the window's start, saved text of an assertion, and values of its annotations.
///
/// One buffer contains all three: `[saved | unused | raw | free | arena]`. The raw bytes are the
/// contiguous bytes of the stream from the window's start to the buffer's `end`. The arena grows from the
/// end of the storage. Invariants: `saved <= start <= end` of the buffer, `end + arena_len <=
/// bytes.len()`, and `line` is the state of the line before the window's start.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    buffer: Buffer,
    saved: usize,
    /// Length of the arena in bytes; the limits keep the window far below 4 GiB.
    arena_len: u32,
    line: Line,
    /// Number of bytes of strippable whitespace right before the window's start.
    white: u8,
    /// Maximum length of the storage, in bytes.
    most: usize,
}

impl Window {
    /// Creates an empty window at stream offset `base`, for at most `most` bytes and the slack.
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

    /// Clears everything but the memory; the window then starts at `base`.
    pub(crate) fn clear(&mut self, base: u64) {
        self.saved = 0;
        self.arena_len = 0;
        self.restart(base, Line::new_block(false), 0);
        self.buffer.end_run();
    }

    /// Returns the stream offset of the window's start, the first raw byte.
    pub(crate) const fn base(&self) -> u64 {
        self.buffer.base()
    }

    /// Returns the state of the line before the window's start.
    pub(crate) const fn line(&self) -> &Line {
        &self.line
    }

    /// Returns the buffer, to append bytes that continue a run.
    #[inline(always)]
    pub(crate) const fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Returns the class of bytes that can be appended without reading them; 0 if there is none.
    pub(crate) const fn plain_class(&self) -> ByteClasses {
        self.buffer.plain_class()
    }

    /// Returns `true` if what is appended without reading it is emitted.
    pub(crate) const fn emits_run(&self) -> bool {
        self.buffer.emits_run()
    }

    /// Allows at most `most` more bytes of a class to be appended without reading them. They are
    /// held if `held`, otherwise emitted.
    pub(crate) fn set_run(&mut self, classes: ByteClasses, most: usize, held: bool) {
        self.buffer.set_run(classes, most, self.room(), held);
    }

    /// Requires every byte to be read.
    pub(crate) fn end_run(&mut self) {
        self.buffer.end_run();
    }

    /// Returns the index at which the arena starts, up to which raw bytes can be appended.
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

    /// Returns `true` if strippable whitespace comes right before the window's start.
    pub(crate) const fn is_after_white(&self) -> bool {
        self.white > 0
    }

    /// Returns the stream offset after the last raw byte.
    pub(crate) const fn end(&self) -> u64 {
        self.buffer.position()
    }

    /// Returns the raw bytes.
    pub(crate) fn raw(&self) -> &[u8] {
        self.buffer.kept()
    }

    /// Returns the raw bytes from stream offset `from` on, which must be in the window.
    pub(crate) fn raw_from(&self, from: u64) -> &[u8] {
        self.buffer.kept_from(from)
    }

    /// Returns the saved text.
    pub(crate) fn saved(&self) -> &[u8] {
        &self.buffer.bytes[..self.saved]
    }

    /// Returns the arena, which ends at the end of the storage.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.buffer.bytes[self.room()..]
    }

    /// Returns the heap memory in bytes.
    pub(crate) fn heap(&self) -> usize {
        self.buffer.bytes.capacity()
    }

    /// Restarts the window at `base`, keeping saved text and arena. `line` is the state there,
    /// `white` the number of bytes of strippable whitespace before it, at most [`MOST_REMOVED`].
    pub(crate) fn restart(&mut self, base: u64, line: Line, white: usize) {
        self.buffer.restart(self.saved, base);
        self.line = line;
        self.white = white as u8;
    }

    /// Drops the raw bytes before `base`, which must be in the window; `line` is the state there.
    pub(crate) fn restart_within(&mut self, base: u64, line: Line) {
        let dropped = (base - self.base()) as usize;
        self.white = white_tail(&self.raw()[..dropped], self.white.into()) as u8;
        self.buffer.start += dropped;
        self.line = line;
    }

    /// Drops up to `len` raw bytes at the front and updates the state of the line.
    pub(crate) fn drop_front(&mut self, len: usize) {
        let mut line = self.line;
        let read = line.advance(&self.raw()[..len]);
        self.restart_within(self.base() + read as u64, line);
    }

    /// Drops the raw bytes from stream offset `end` on.
    pub(crate) fn truncate(&mut self, end: u64) {
        self.buffer.end = self.buffer.start + (end - self.base()) as usize;
    }

    /// Drops the saved text and the arena.
    pub(crate) fn forget(&mut self) {
        self.saved = 0;
        self.arena_len = 0;
    }

    /// Saves a range of the raw bytes as saved text, and drops the raw bytes before `keep`, which
    /// is at or after the end of the range.
    pub(crate) fn save_raw(&mut self, range: core::ops::Range<usize>, keep: usize) {
        let mut line = self.line;
        let read = line.advance(&self.raw()[..keep]);
        self.save_raw_and_restart(range, self.base() + read as u64, line);
    }

    /// Saves a range of the raw bytes as saved text and restarts the window at `base`, with state
    /// `line`. `base` is at or after the end of the range, except that an incomplete line marker is
    /// kept.
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

    /// Saves bytes from outside the window as saved text.
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

    /// Appends values to the arena, in order; `from_end` of the first value is the new length of
    /// the arena.
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

    /// Appends bytes if this needs neither memory nor moving; fastest for at most 64 bytes.
    #[inline]
    pub(crate) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        let room = self.room();
        self.buffer.append_in_place(bytes, room)
    }

    /// Skips all raw bytes and the first `len` of the bytes `more` after them, and restarts the
    /// window there. Returns how many of `more` were skipped: all but an incomplete marker.
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

    /// Makes room for `len` bytes between raw bytes and arena.
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
