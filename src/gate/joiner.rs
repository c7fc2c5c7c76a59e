//! Joins the white space beside text that is discarded.

use super::handler::GateHandler;
use super::spacing::{MAX_JOINED, WrittenEnd, is_white, leading_white, trailing_white};
use crate::event::TextChunk;

/// Passes text to a handler, and joins the white space beside what is discarded.
///
/// White space after discarded text is held until the text after it begins. Then the part that is already written before the
/// discarded text is removed, and the rest released.
#[derive(Clone, Debug, Default)]
pub(super) struct SpaceJoiner {
    written: WrittenEnd,
    /// Only white space was written since text was discarded. If not, nothing is held.
    after_discarded: bool,
    /// White space after discarded text, at most [`MAX_JOINED`] bytes.
    held: Vec<u8>,
    held_start: u64,
    /// The held white space may be within a run of discarded text.
    in_run: bool,
    /// The white space at the end of the run is too long to be held.
    is_long: bool,
}

impl SpaceJoiner {
    pub(super) const fn held_len(&self) -> usize {
        self.held.len()
    }

    pub(super) const fn heap_size(&self) -> usize {
        self.held.capacity()
    }

    /// Resets to the start of a text, keeping the memory.
    pub(super) fn reset(&mut self) {
        let mut held = core::mem::take(&mut self.held);
        held.clear();
        *self = Self {
            held,
            ..Self::default()
        };
    }

    /// Has the white space that follows joined with the white space before.
    pub(super) const fn join(&mut self) {
        self.after_discarded = true;
    }

    /// Releases text.
    #[inline(always)]
    pub(super) fn release(&mut self, text: TextChunk<'_>, handler: &mut impl GateHandler) {
        if self.after_discarded {
            return self.release_joined(text, handler);
        }
        self.written.push(text.bytes());
        handler.released(text);
    }

    #[cold]
    fn release_joined(&mut self, text: TextChunk<'_>, handler: &mut impl GateHandler) {
        let (bytes, start) = (text.bytes(), text.span().start());
        let white = leading_white(bytes);
        let mut rest = bytes;
        if self.held.len() + white > MAX_JOINED {
            self.after_discarded = false;
            self.write_held(0, handler);
        } else {
            self.hold(&bytes[..white], start);
            rest = &bytes[white..];
            if rest.is_empty() {
                return;
            }
            self.settle(true, handler);
            self.after_discarded = false;
        }
        self.written.push(rest);
        let start = start + (bytes.len() - rest.len()) as u64;
        handler.released(TextChunk::new(rest, start));
    }

    /// Removes text.
    pub(super) fn remove(&mut self, text: TextChunk<'_>, handler: &mut impl GateHandler) {
        self.settle(true, handler);
        handler.removed(text);
    }

    /// Removes text of a run, except for the white space at its end, which is joined with the white space before the run.
    pub(super) fn remove_in_run(&mut self, text: TextChunk<'_>, handler: &mut impl GateHandler) {
        self.after_discarded = true;
        let (bytes, start) = (text.bytes(), text.span().start());
        let white = trailing_white(bytes);
        let is_white = white == bytes.len();
        let len = if is_white {
            self.held.len() + white
        } else {
            white
        };
        self.is_long = len > MAX_JOINED || is_white && self.is_long;
        if !is_white || self.is_long {
            self.write_held(self.held.len(), handler);
        }
        let kept = if self.is_long { 0 } else { white };
        let (removed, white) = bytes.split_at(bytes.len() - kept);
        if !removed.is_empty() {
            handler.removed(TextChunk::new(removed, start));
        }
        self.in_run = true;
        self.hold(white, start + removed.len() as u64);
    }

    /// Writes text of the policy.
    pub(super) fn insert(&mut self, text: &str, at: u64, handler: &mut impl GateHandler) {
        self.settle(true, handler);
        self.written.push(text.as_bytes());
        if !text.is_empty() {
            self.after_discarded = false;
        }
        handler.inserted(text, at);
    }

    /// Decides about the held white space. If other text `follows`, it is joined with the white space before the discarded
    /// text, and otherwise removed if it is the end of a run.
    #[inline]
    pub(super) fn settle(&mut self, follows: bool, handler: &mut impl GateHandler) {
        if self.after_discarded {
            self.settle_held(follows, handler);
        }
    }

    #[cold]
    fn settle_held(&mut self, follows: bool, handler: &mut impl GateHandler) {
        self.is_long = false;
        let in_run = core::mem::take(&mut self.in_run);
        if self.held.is_empty() {
            return;
        }
        let len = match in_run && !follows {
            true => self.held.len(),
            false => self.written.excess(&self.held),
        };
        self.write_held(len, handler);
    }

    /// Decides about the held white space before the byte `next`, which need not be decided about yet. The white space stays
    /// held if more may follow, or if it may be within a run.
    pub(super) fn end_white(&mut self, next: u8, handler: &mut impl GateHandler) {
        if !self.in_run && !is_white(next) {
            self.settle(true, handler);
        }
    }

    fn hold(&mut self, white: &[u8], start: u64) {
        if self.held.is_empty() {
            self.held_start = start;
        }
        self.held.extend_from_slice(white);
    }

    /// Removes the first `len` bytes of the held white space, and releases the others.
    fn write_held(&mut self, len: usize, handler: &mut impl GateHandler) {
        let (removed, released) = self.held.split_at(len);
        if !removed.is_empty() {
            handler.removed(TextChunk::new(removed, self.held_start));
        }
        if !released.is_empty() {
            self.written.push(released);
            handler.released(TextChunk::new(released, self.held_start + len as u64));
        }
        self.held.clear();
    }
}
