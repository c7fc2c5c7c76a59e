//! Last bytes of a JSON value, as far back as open objects and strings may need them.

use super::most;
use crate::Limits;
use crate::engine::Input;
use crate::engine::buffer::Buffer;
use crate::engine::json::lexer::Quoted;
use crate::steps;

/// Additional capacity in bytes, so that dropping bytes at the front does not move the others every
/// time.
const SLACK: usize = 4_096;

/// Buffer of the last bytes of a JSON value, without other data in its storage.
pub(super) type Tail = Buffer;

impl Tail {
    /// Returns the bytes between two stream offsets.
    pub(super) fn get(&self, start: u64, end: u64) -> &[u8] {
        &self.kept_from(start)[..(end - start) as usize]
    }

    /// Drops the bytes before stream offset `start`.
    pub(super) fn drop_before(&mut self, start: u64) {
        let start = start.min(self.position());
        self.start += start.saturating_sub(self.base()) as usize;
    }

    /// Returns the bytes between two stream offsets; the last of them may be in the chunk.
    #[inline]
    pub(super) fn bytes<'b>(&'b mut self, input: &Input<'b>, (start, end): (u64, u64)) -> &'b [u8] {
        if start >= input.base {
            &input.chunk[input.index(start)..input.index(end)]
        } else {
            self.straddling_bytes(input, start, end)
        }
    }

    #[inline(never)]
    fn straddling_bytes(&mut self, input: &Input<'_>, start: u64, end: u64) -> &[u8] {
        let known = self.position();
        if known < end {
            let more = &input.chunk[input.index(known)..input.index(end)];
            self.append(more, input.limits);
        }
        self.get(start, end)
    }

    /// Returns the content of a string that ends in the chunk.
    #[inline]
    pub(super) fn content<'b>(&'b mut self, input: &Input<'b>, string: &Quoted<'b>) -> &'b [u8] {
        match string.whole() {
            Some(whole) => whole,
            None => self.straddling_bytes(input, string.start, string.end),
        }
    }

    /// Keeps exactly the bytes from stream offset `start` on, at the end of a chunk.
    #[inline]
    pub(super) fn keep(&mut self, start: u64, input: &Input<'_>) {
        if start >= self.position() {
            self.restart(0, start);
        } else {
            self.drop_before(start);
        }
        // Some of the chunk may have been appended while it was read.
        let from = input.index(self.position());
        self.append(input.chunk.get(from..).unwrap_or_default(), input.limits);
    }

    /// Appends the next bytes; `limits` bound the number kept.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8], limits: &Limits) {
        if !self.append_in_place(bytes, usize::MAX) {
            self.append_with_room(bytes, most(limits));
        }
    }

    #[inline(never)]
    fn append_with_room(&mut self, bytes: &[u8], most: usize) {
        self.move_to(0);
        let needed = self.end + bytes.len();
        if needed > self.bytes.len() {
            let room = needed.next_power_of_two().max(256);
            let room = room.min(most + SLACK).max(needed);
            steps::count(room);
            self.bytes.reserve_exact(room - self.bytes.len());
            self.bytes.resize(room, 0);
        }
        steps::count(bytes.len());
        self.bytes[self.end..needed].copy_from_slice(bytes);
        self.end = needed;
    }
}
