//! Carry-over buffer: contiguous bytes of the stream up to the one read last.

use super::bytes::{BYTE_CLASSES, ByteClasses, MARKER_FREE};
use super::run::{Run, all_of_four, covers, is_marker_free};
use crate::steps;

/// Contiguous bytes of the stream, ending at the byte read last.
///
/// The bytes are at `start..end` of the storage; the window uses the rest. Invariant: `start <= end
/// <= bytes.len()`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// Index of the first byte.
    pub(super) start: usize,
    /// Index after the byte read last.
    pub(super) end: usize,
    /// Stream offset of index 0, modulo 2^64; the byte there may have been dropped long ago.
    origin: u64,
    run: Run,
}

impl Buffer {
    /// Creates an empty buffer at a stream offset.
    pub(super) fn new(base: u64) -> Self {
        Self {
            origin: base,
            ..Self::default()
        }
    }

    /// Returns the stream offset of an index.
    pub(super) const fn offset(&self, index: usize) -> u64 {
        self.origin.wrapping_add(index as u64)
    }

    /// Returns the stream offset of the first byte.
    pub(super) const fn base(&self) -> u64 {
        self.offset(self.start)
    }

    /// Returns the stream offset of the next byte.
    pub(super) const fn position(&self) -> u64 {
        self.offset(self.end)
    }

    /// Returns the number of bytes.
    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns the bytes.
    pub(super) fn kept(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns the bytes from stream offset `from` on, which must be in the buffer.
    pub(super) fn kept_from(&self, from: u64) -> &[u8] {
        &self.kept()[(from - self.base()) as usize..]
    }

    /// Drops all bytes; the next byte is at stream offset `base` and gets the index `index`.
    pub(super) const fn restart(&mut self, index: usize, base: u64) {
        self.start = index;
        self.end = index;
        self.origin = base.wrapping_sub(index as u64);
    }

    /// Moves the bytes to index `index`; the storage must have room for them there.
    pub(super) fn move_to(&mut self, index: usize) {
        let (base, len) = (self.base(), self.len());
        steps::count(len);
        self.bytes.copy_within(self.start..self.end, index);
        self.restart(index, base);
        self.end += len;
    }

    /// Returns the class of bytes that can be appended without reading them; 0 if there is none.
    pub(crate) const fn plain_class(&self) -> ByteClasses {
        self.run.classes
    }

    /// Returns `true` if what is appended without reading it is emitted.
    pub(super) const fn emits_run(&self) -> bool {
        self.run.emit_until > 0
    }

    /// Allows at most `most` more bytes of a class to be appended without reading them, up to index
    /// `room`. They are held if `held`, otherwise emitted.
    pub(super) fn set_run(&mut self, classes: ByteClasses, most: usize, room: usize, held: bool) {
        let until = self.end.saturating_add(most).min(room);
        self.run = Run {
            classes: 0,
            emit_until: 0,
            hold_until: u32::try_from(until).unwrap_or(u32::MAX),
        };
        if held {
            self.run.classes = classes;
        } else {
            self.set_emitted_class(classes);
        }
    }

    /// Changes the class of bytes that can be appended without reading and are emitted; 0 for none.
    pub(super) const fn set_emitted_class(&mut self, class: ByteClasses) {
        let run = &mut self.run;
        run.classes = class;
        run.emit_until = if class == 0 {
            0
        } else {
            run.hold_until as usize
        };
    }

    /// Changes the class of bytes that can be appended without reading and are held; 0 for none.
    pub(super) const fn set_held_class(&mut self, class: ByteClasses) {
        self.run.classes = class;
    }

    /// Appends a chunk of at least one byte of any class if the run has room for it. Returns all
    /// bytes up to its end.
    #[inline]
    pub(super) fn append_within_run(&mut self, chunk: &[u8]) -> Option<&[u8]> {
        let (end, after) = (self.end, self.end + chunk.len());
        if chunk.is_empty() || after > self.run.hold_until as usize {
            return None;
        }
        let bytes = self.bytes.get_mut(..after)?;
        let room = bytes.get_mut(end..)?;
        steps::count(chunk.len());
        if !copy_ends::<4>(room, chunk) {
            copy_short(room, chunk);
        }
        self.end = after;
        Some(bytes)
    }

    /// Requires every byte to be read.
    pub(super) fn end_run(&mut self) {
        self.run = Run::default();
    }

    /// Appends a chunk that continues a run of emitted bytes, and returns its stream offset.
    #[inline(always)]
    pub(crate) fn append_plain(&mut self, chunk: &[u8]) -> Option<u64> {
        self.append_plain_before::<{ usize::MAX }>(self.run.emit_until, chunk)
    }

    /// Appends like [`append_plain`](Self::append_plain) a chunk of at most eight bytes.
    #[inline(always)]
    pub(crate) fn append_plain_token(&mut self, chunk: &[u8]) -> Option<u64> {
        self.append_plain_before::<8>(self.run.emit_until, chunk)
    }

    /// Appends a chunk that continues a run of held bytes; returns `false` if it does not.
    #[inline]
    pub(crate) fn append_plain_held(&mut self, chunk: &[u8]) -> bool {
        let is_held = self.run.emit_until == 0 && self.run.classes != 0;
        is_held
            && self
                .append_plain_before::<{ usize::MAX }>(self.run.hold_until as usize, chunk)
                .is_some()
    }

    /// Appends a chunk of at most `MOST` bytes that continues the run and fits before index
    /// `until`, and returns its stream offset.
    // `inline(always)`: see `Parser::append_plain`. Tokens have mostly four to eight bytes, so their look-ups are compiled
    // into the caller's loop.
    #[inline(always)]
    fn append_plain_before<const MOST: usize>(
        &mut self,
        until: usize,
        chunk: &[u8],
    ) -> Option<u64> {
        let (end, len) = (self.end, chunk.len());
        if end + len > until {
            return None;
        }
        match (chunk.first_chunk::<4>(), chunk.last_chunk::<4>()) {
            (Some(four), _) if len == 4 => {
                if !all_of_four(*four, self.run.classes) {
                    return None;
                }
                self.bytes.get_mut(end..end + len)?.copy_from_slice(four);
            }
            (Some(first), Some(last)) if len <= 8 => {
                let classes = self.run.classes;
                if !all_of_four(*first, classes) || !all_of_four(*last, classes) {
                    return None;
                }
                let room = self.bytes.get_mut(end..end + len)?;
                room[..4].copy_from_slice(first);
                room[len - 4..].copy_from_slice(last);
            }
            _ if len > MOST => return None,
            _ if len > 8 => return self.append_plain_long(chunk).then(|| self.offset(end)),
            _ => return self.append_plain_few(chunk).then(|| self.offset(end)),
        }
        steps::count(len);
        self.end = end + len;
        Some(self.offset(end))
    }

    /// Appends like [`append_plain_before`](Self::append_plain_before) a chunk of fewer than four bytes.
    #[inline(never)]
    fn append_plain_few(&mut self, chunk: &[u8]) -> bool {
        let (end, class) = (self.end, self.run.classes);
        let Some(room) = self.bytes.get_mut(end..end + chunk.len()) else {
            return false;
        };
        let is_covered = match *chunk {
            [a] => {
                room[0] = a;
                class & BYTE_CLASSES[a as usize] != 0
            }
            [a, b] => {
                room.copy_from_slice(&[a, b]);
                class & BYTE_CLASSES[a as usize] & BYTE_CLASSES[b as usize] != 0
            }
            [a, b, c] => {
                room.copy_from_slice(&[a, b, c]);
                class
                    & BYTE_CLASSES[a as usize]
                    & BYTE_CLASSES[b as usize]
                    & BYTE_CLASSES[c as usize]
                    != 0
            }
            _ => false,
        };
        if is_covered {
            steps::count(chunk.len());
            self.end = end + chunk.len();
        }
        is_covered
    }

    /// Appends like [`append_plain_before`](Self::append_plain_before) a chunk of more than eight bytes.
    // Apart from the others, which need fewer registers.
    #[inline(never)]
    fn append_plain_long(&mut self, chunk: &[u8]) -> bool {
        if cfg!(feature = "dialects") && self.run.classes & MARKER_FREE != 0 {
            return self.append_marker_free(chunk);
        }
        self.append_if(chunk, covers)
    }

    /// Appends like [`append_plain_long`](Self::append_plain_long) if the text may have markers.
    #[inline(never)]
    fn append_marker_free(&mut self, chunk: &[u8]) -> bool {
        self.append_if(chunk, is_marker_free)
    }

    /// Appends a chunk of more than eight bytes if they are all of the class of the run.
    #[inline(always)]
    fn append_if(&mut self, chunk: &[u8], are_all: impl Fn(ByteClasses, &[u8]) -> bool) -> bool {
        let end = self.end;
        let Some(room) = self.bytes.get_mut(end..end + chunk.len()) else {
            return false;
        };
        if !are_all(self.run.classes, chunk) || !copy_longer(room, chunk) {
            return false;
        }
        steps::count(chunk.len());
        self.end = end + chunk.len();
        true
    }

    /// Appends bytes if they fit before index `until`.
    #[inline]
    pub(super) fn append_in_place(&mut self, bytes: &[u8], until: usize) -> bool {
        let after = self.end + bytes.len();
        if after > until {
            return false;
        }
        let Some(room) = self.bytes.get_mut(self.end..after) else {
            return false;
        };
        steps::count(bytes.len());
        copy_short(room, bytes);
        self.end = after;
        true
    }
}

/// Copies between slices of equal length; up to 64 bytes without a call of `memcpy`.
fn copy_short(to: &mut [u8], from: &[u8]) {
    if from.len() > 8 {
        copy_longer(to, from);
    } else {
        copy_few(to, from);
    }
}

/// Copies at most eight bytes and returns `true`, like a successful [`copy_ends`].
#[inline(always)]
fn copy_few(to: &mut [u8], from: &[u8]) -> bool {
    if !copy_ends::<4>(to, from) {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
    }
    true
}

/// Copies more than eight bytes and returns `true`, like a successful [`copy_ends`].
#[inline(always)]
fn copy_longer(to: &mut [u8], from: &[u8]) -> bool {
    if !copy_ends::<8>(to, from) && !copy_ends::<16>(to, from) && !copy_ends::<32>(to, from) {
        to.copy_from_slice(from);
    }
    true
}

/// Copies `N` to twice `N` bytes as their first and their last `N`; returns `false` for other
/// lengths.
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
