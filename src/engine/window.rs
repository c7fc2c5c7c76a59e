//! The bytes of the stream that may still be needed, in one buffer.

use crate::engine::chars::{MOST_REMOVED, removable_tail, without_partial};
use crate::engine::markdown::line::Line;
use crate::steps;

/// Room beyond what the limits name: white space that stripping may remove, and a marker or a character cut in two.
const SLACK: usize = 96;

/// The text since an anchor, the text of an assertion found earlier, and the values of its annotations.
///
/// One buffer holds all three: `[saved | unused | raw | free | arena]`. The raw bytes are those of the stream from
/// `base` on, without a gap; the arena grows from the buffer's end. Invariants: `saved <= raw_start`,
/// `raw_start + raw_len + arena_len <= buffer.len()`, and `line` says what precedes `base`.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    buffer: Vec<u8>,
    saved: usize,
    raw_start: usize,
    raw_len: usize,
    arena_len: usize,
    base: u64,
    line: Line,
    /// How many bytes right before `base` are white space that stripping may remove.
    white: usize,
    /// The most bytes the buffer may have.
    most: usize,
}

impl Window {
    /// An empty window at `base` of at most `most` bytes and a little.
    pub(crate) fn new(most: usize, base: u64) -> Self {
        Self {
            buffer: Vec::new(),
            saved: 0,
            raw_start: 0,
            raw_len: 0,
            arena_len: 0,
            base,
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
    }

    /// Stream offset of the first raw byte, the anchor.
    pub(crate) const fn base(&self) -> u64 {
        self.base
    }

    /// What precedes the anchor.
    pub(crate) const fn line(&self) -> &Line {
        &self.line
    }

    /// How many bytes of white space, as stripping removes it, are before stream offset `at`.
    #[inline]
    pub(crate) fn white_before(&self, at: u64) -> usize {
        white_tail(&self.raw()[..(at - self.base) as usize], self.white)
    }

    /// Stream offset after the last raw byte.
    pub(crate) const fn end(&self) -> u64 {
        self.base + self.raw_len as u64
    }

    /// The raw bytes from `base` on.
    pub(crate) fn raw(&self) -> &[u8] {
        &self.buffer[self.raw_start..self.raw_start + self.raw_len]
    }

    /// The raw bytes from stream offset `from` on; it must lie in the window.
    pub(crate) fn raw_from(&self, from: u64) -> &[u8] {
        &self.raw()[(from - self.base) as usize..]
    }

    /// The saved text.
    pub(crate) fn saved(&self) -> &[u8] {
        &self.buffer[..self.saved]
    }

    /// The arena, whose last byte is the buffer's last.
    pub(crate) fn arena(&self) -> &[u8] {
        &self.buffer[self.buffer.len() - self.arena_len..]
    }

    /// Bytes of heap the window owns.
    pub(crate) fn heap(&self) -> usize {
        self.buffer.capacity()
    }

    /// Starts the window anew at `base`, keeping saved text and arena. What precedes `base` is given: the `line` and
    /// how many bytes of `white` space.
    pub(crate) fn restart(&mut self, base: u64, line: Line, white: usize) {
        self.raw_start = self.saved;
        self.raw_len = 0;
        self.base = base;
        self.line = line;
        self.white = white;
    }

    /// Drops the raw bytes before `base`, which lies in the window; `line` holds there.
    pub(crate) fn restart_within(&mut self, base: u64, line: Line) {
        let dropped = (base - self.base) as usize;
        self.white = white_tail(&self.raw()[..dropped], self.white);
        self.raw_start += dropped;
        self.raw_len -= dropped;
        self.base = base;
        self.line = line;
    }

    /// Drops the first raw bytes, up to `len` of them, and keeps the line's state right.
    pub(crate) fn drop_front(&mut self, len: usize) {
        let mut line = self.line;
        let read = line.advance(&self.raw()[..len]);
        self.restart_within(self.base + read as u64, line);
    }

    /// Forgets the raw bytes from stream offset `end` on.
    pub(crate) fn truncate(&mut self, end: u64) {
        self.raw_len = (end - self.base) as usize;
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
        self.save_raw_and_restart(range, self.base + read as u64, line);
    }

    /// Saves a range of the raw bytes in the place of what was saved; the window then starts at `base`, which lies
    /// after that range except for a marker that may be cut in two, with `line` there.
    pub(crate) fn save_raw_and_restart(
        &mut self,
        range: core::ops::Range<usize>,
        base: u64,
        line: Line,
    ) {
        let start = self.raw_start + range.start;
        self.restart_within(base, line);
        steps::count(range.len());
        self.buffer.copy_within(start..start + range.len(), 0);
        self.saved = range.len();
    }

    /// Saves bytes that are not in the window in the place of what was saved.
    pub(crate) fn save(&mut self, bytes: &[u8]) {
        if self.raw_start < bytes.len() {
            self.make_room(bytes.len() - self.raw_start);
            let raw = self.raw_start..self.raw_start + self.raw_len;
            steps::count(raw.len());
            self.buffer.copy_within(raw, bytes.len());
            self.raw_start = bytes.len();
        }
        steps::count(bytes.len());
        self.buffer[..bytes.len()].copy_from_slice(bytes);
        self.saved = bytes.len();
    }

    /// Puts values into the arena, in this order; `from_end` of the first is the arena's new length.
    pub(crate) fn push_arena(&mut self, values: [&[u8]; 3]) {
        let len = values.iter().map(|value| value.len()).sum::<usize>();
        self.make_room(len);
        steps::count(len);
        self.arena_len += len;
        let mut at = self.buffer.len() - self.arena_len;
        for value in values {
            self.buffer[at..at + value.len()].copy_from_slice(value);
            at += value.len();
        }
    }

    /// As [`push_arena`](Self::push_arena), of values that are raw bytes at these ranges.
    pub(crate) fn push_arena_raw(&mut self, values: [core::ops::Range<usize>; 3]) {
        let len = values.iter().map(ExactSizeIterator::len).sum::<usize>();
        self.make_room(len);
        steps::count(len);
        self.arena_len += len;
        let mut at = self.buffer.len() - self.arena_len;
        for value in values {
            let source = self.raw_start + value.start..self.raw_start + value.end;
            let len = source.len();
            self.buffer.copy_within(source, at);
            at += len;
        }
    }

    pub(crate) const fn arena_len(&self) -> usize {
        self.arena_len
    }

    /// How many bytes can be appended before something must be dropped.
    pub(crate) const fn free(&self) -> usize {
        self.most - self.saved - self.raw_len - self.arena_len
    }

    /// Appends raw bytes, for which there must be room.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let end = self.raw_start + self.raw_len;
        if end + bytes.len() + self.arena_len > self.buffer.len() {
            self.make_room(bytes.len());
        }
        let end = self.raw_start + self.raw_len;
        steps::count(bytes.len());
        self.buffer[end..end + bytes.len()].copy_from_slice(bytes);
        self.raw_len += bytes.len();
    }

    /// Appends bytes, best at most 64, if that needs neither memory nor moving.
    #[inline]
    pub(crate) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        let end = self.raw_start + self.raw_len;
        if end + bytes.len() + self.arena_len > self.buffer.len() {
            return false;
        }
        steps::count(bytes.len());
        copy_short(&mut self.buffer[end..end + bytes.len()], bytes);
        self.raw_len += bytes.len();
        true
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
        let white = white_tail(&more[..at], white_tail(self.raw(), self.white));
        self.restart(after + at as u64, line, white);
        at
    }

    /// Makes `len` bytes free between raw bytes and arena.
    fn make_room(&mut self, len: usize) {
        let used = self.saved + self.raw_len + self.arena_len + len;
        debug_assert!(used <= self.most, "{used} > {}", self.most);
        if self.raw_start > self.saved {
            let raw = self.raw_start..self.raw_start + self.raw_len;
            steps::count(raw.len());
            self.buffer.copy_within(raw, self.saved);
            self.raw_start = self.saved;
        }
        if used > self.buffer.len() {
            let old = self.buffer.len();
            let new = used.next_power_of_two().max(256).min(self.most.max(used));
            steps::count(new);
            self.buffer.reserve_exact(new - old);
            self.buffer.resize(new, 0);
            self.buffer
                .copy_within(old - self.arena_len..old, new - self.arena_len);
        }
    }
}

/// How many bytes of white space, as stripping removes it, are at the end of `bytes`, which `before` of them precede.
#[inline]
pub(crate) fn white_tail(bytes: &[u8], before: usize) -> usize {
    let here = removable_tail(bytes);
    if here == bytes.len() {
        (here + before).min(MOST_REMOVED)
    } else {
        here
    }
}

/// Copies between slices of one length; at most 64 bytes without calling a function that copies any number.
#[inline]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
    if copy_ends::<4>(to, from) {
        return;
    }
    if from.len() < 4 {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
    } else if !copy_ends::<8>(to, from) {
        copy_longer(to, from);
    }
}

// Out of line: where the shortest copies are compiled in, there is no room for all.
#[inline(never)]
fn copy_longer(to: &mut [u8], from: &[u8]) {
    if !copy_ends::<16>(to, from) && !copy_ends::<32>(to, from) {
        to.copy_from_slice(from);
    }
}

/// Copies `N` to twice `N` bytes as their first and their last `N`; `false` if there are fewer or more.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) -> bool {
    if from.len() > 2 * N {
        return false;
    }
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else {
        return false;
    };
    let len = to.len();
    to[..N].copy_from_slice(first);
    to[len - N..].copy_from_slice(last);
    true
}
