//! The last bytes of a JSON value, as far as an object or a string that is still open may need them.

use super::most;
use crate::Limits;
use crate::engine::window::copy_short;
use crate::steps;

/// What is kept beyond what is needed, so that dropping the front does not move the rest each time.
const SLACK: usize = 4_096;

/// Bytes of the stream without a gap, the last of which were read last.
///
/// `buffer[from..to]` are those from stream offset `base` on; `from <= to <= buffer.len()`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    base: u64,
}

impl Tail {
    /// Forgets everything; the next bytes are those at `base`.
    pub(super) const fn restart(&mut self, base: u64) {
        self.from = 0;
        self.to = 0;
        self.base = base;
    }

    /// Stream offset of the first byte.
    pub(super) const fn base(&self) -> u64 {
        self.base
    }

    pub(super) const fn len(&self) -> usize {
        self.to - self.from
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.from..self.to).unwrap_or_default()
    }

    /// Stream offset after the last byte.
    pub(super) const fn end(&self) -> u64 {
        self.base + (self.to - self.from) as u64
    }

    /// The bytes from one stream offset to another.
    pub(super) fn get(&self, start: u64, end: u64) -> &[u8] {
        let from = (start - self.base) as usize + self.from;
        &self.buffer[from..from + (end - start) as usize]
    }

    /// Drops what lies before stream offset `start`; all, if that is further on.
    pub(super) fn drop_before(&mut self, start: u64) {
        let start = start.min(self.end());
        if start > self.base {
            self.from += (start - self.base) as usize;
            self.base = start;
        }
    }

    /// At the end of a chunk, whose first byte has stream offset `base`: keeps the bytes from `start` on, and nothing else.
    #[inline]
    pub(super) fn keep(&mut self, start: u64, chunk: &[u8], base: u64, limits: &Limits) {
        if start >= self.end() {
            self.restart(start);
        } else {
            self.drop_before(start);
        }
        // Some of the chunk may have been appended while it was read.
        let from = (self.end() - base) as usize;
        self.append(chunk.get(from..).unwrap_or_default(), limits);
    }

    /// Appends the bytes that follow; the limits bound how many there can be in all.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8], limits: &Limits) {
        if !self.append_in_place(bytes) {
            self.append_with_room(bytes, most(limits));
        }
    }

    #[inline(never)]
    fn append_with_room(&mut self, bytes: &[u8], most: usize) {
        steps::count(self.to - self.from + bytes.len());
        self.buffer.copy_within(self.from..self.to, 0);
        self.to -= self.from;
        self.from = 0;
        let needed = self.to + bytes.len();
        if needed > self.buffer.len() {
            let room = needed.next_power_of_two().max(256);
            let room = room.min(most + SLACK).max(needed);
            steps::count(room);
            self.buffer.reserve_exact(room - self.buffer.len());
            self.buffer.resize(room, 0);
        }
        self.buffer[self.to..needed].copy_from_slice(bytes);
        self.to = needed;
    }

    /// Appends bytes, best at most 16, if that needs neither memory nor moving.
    #[inline]
    pub(super) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        let Some(room) = self.buffer.get_mut(self.to..self.to + bytes.len()) else {
            return false;
        };
        steps::count(bytes.len());
        copy_short(room, bytes);
        self.to += bytes.len();
        true
    }

    pub(super) const fn heap(&self) -> usize {
        self.buffer.capacity()
    }
}
