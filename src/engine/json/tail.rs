//! The last bytes of a JSON value, as far as an object or a string that is still open may need them.

use super::most;
use crate::Limits;
use crate::engine::buffer::Buffer;
use crate::steps;

/// What is kept beyond what is needed, so that dropping the front does not move the rest each time.
const SLACK: usize = 4_096;

/// Bytes of the stream without a gap, the last of which were read last.
///
/// Those at `from..end` of the buffer are kept; `from <= end <= bytes.len()`.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    buffer: Buffer,
    from: usize,
}

impl Tail {
    /// An empty one, at a stream offset.
    pub(super) const fn new(base: u64) -> Self {
        Self {
            buffer: Buffer::new(base),
            from: 0,
        }
    }

    /// Forgets everything; the next bytes are those at `base`.
    pub(super) const fn restart(&mut self, base: u64) {
        self.from = 0;
        self.buffer.end = 0;
        self.buffer.place(0, base);
    }

    #[cfg(test)]
    pub(super) const fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The buffer, to append what continues a run.
    #[inline(always)]
    pub(super) const fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Stream offset of the first byte.
    pub(super) const fn base(&self) -> u64 {
        self.buffer.offset(self.from)
    }

    pub(super) const fn len(&self) -> usize {
        self.buffer.end - self.from
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer
            .bytes
            .get(self.from..self.buffer.end)
            .unwrap_or_default()
    }

    /// Stream offset after the last byte.
    pub(super) const fn end(&self) -> u64 {
        self.buffer.position()
    }

    /// The bytes from one stream offset to another.
    pub(super) fn get(&self, start: u64, end: u64) -> &[u8] {
        let from = (start - self.base()) as usize + self.from;
        &self.buffer.bytes[from..from + (end - start) as usize]
    }

    /// Drops what lies before stream offset `start`; all, if that is further on.
    pub(super) fn drop_before(&mut self, start: u64) {
        let start = start.min(self.end());
        self.from += start.saturating_sub(self.base()) as usize;
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
        let (base, len) = (self.base(), self.len());
        let buffer = &mut self.buffer;
        steps::count(len + bytes.len());
        buffer.bytes.copy_within(self.from..buffer.end, 0);
        self.from = 0;
        buffer.place(0, base);
        let needed = len + bytes.len();
        if needed > buffer.bytes.len() {
            let room = needed.next_power_of_two().max(256);
            let room = room.min(most + SLACK).max(needed);
            steps::count(room);
            buffer.bytes.reserve_exact(room - buffer.bytes.len());
            buffer.bytes.resize(room, 0);
        }
        buffer.bytes[len..needed].copy_from_slice(bytes);
        buffer.end = needed;
    }

    /// Appends bytes, best at most 16, if that needs neither memory nor moving.
    #[inline]
    pub(super) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        self.buffer.append_in_place(bytes, usize::MAX)
    }

    pub(super) const fn heap(&self) -> usize {
        self.buffer.bytes.capacity()
    }
}

impl Default for Tail {
    fn default() -> Self {
        Self::new(0)
    }
}
