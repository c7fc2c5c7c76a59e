//! The last bytes of a JSON value, as far as an object or a string that is still open may need them.

/// What is kept beyond what is needed, so that dropping the front does not move the rest each time.
const SLACK: usize = 4_096;

/// Bytes of the stream without a gap, the last of which were read last.
///
/// `bytes[dropped..]` are those from stream offset `base` on.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    dropped: usize,
    base: u64,
}

impl Tail {
    /// Forgets everything; the next bytes are those at `base`.
    pub(super) fn restart(&mut self, base: u64) {
        self.bytes.clear();
        self.dropped = 0;
        self.base = base;
    }

    /// Stream offset behind the last byte.
    pub(super) const fn end(&self) -> u64 {
        self.base + (self.bytes.len() - self.dropped) as u64
    }

    /// The bytes from one stream offset to another.
    pub(super) fn get(&self, start: u64, end: u64) -> &[u8] {
        let from = (start - self.base) as usize + self.dropped;
        &self.bytes[from..from + (end - start) as usize]
    }

    /// Drops what lies before stream offset `start`.
    pub(super) fn drop_before(&mut self, start: u64) {
        if start > self.base {
            self.dropped += (start - self.base) as usize;
            self.base = start;
        }
    }

    /// Appends the bytes that follow; no more than `most` are ever needed.
    pub(super) fn append(&mut self, bytes: &[u8], most: usize) {
        if !self.append_in_place(bytes) {
            self.bytes.drain(..self.dropped);
            self.dropped = 0;
            let needed = self.bytes.len() + bytes.len();
            if needed > self.bytes.capacity() {
                let room = needed.next_power_of_two().max(256);
                let room = room.min(most + SLACK).max(needed);
                self.bytes.reserve_exact(room - self.bytes.len());
            }
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Appends bytes if that needs neither memory nor moving.
    #[inline]
    pub(super) fn append_in_place(&mut self, bytes: &[u8]) -> bool {
        let fits = self.bytes.len() + bytes.len() <= self.bytes.capacity();
        if fits {
            self.bytes.extend_from_slice(bytes);
        }
        fits
    }

    pub(super) const fn heap(&self) -> usize {
        self.bytes.capacity()
    }
}
