//! White space beside text that is discarded.

use super::handler::GateHandler;
use crate::event::TextChunk;
use crate::steps;

/// Maximum length of white space after discarded text that is joined, in bytes. Longer white space stays as it is.
const MAX_JOINED: usize = 64;

/// Maximum length of an indentation that is compared, in bytes.
const MAX_INDENT: usize = 16;

/// Number of line feeds of a text that has nothing but white space.
const NOTHING_WRITTEN: u8 = u8::MAX;

/// Treatment of the white space beside text that a policy discards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Spacing {
    /// Joins the white space before and after the text, so that no gap is left. Paragraphs, lines and indentation stay.
    #[default]
    Join,
    /// Releases all white space that does not belong to the text.
    Keep,
}

impl Spacing {
    /// Returns the number of bytes at the start of `after` that are left out if the text between `before` and `after` is
    /// discarded. All of them are white space: spaces, tabs, line feeds or carriage returns.
    ///
    /// ```
    /// use provstream::Spacing;
    ///
    /// assert_eq!(Spacing::Join.left_out(b"It rained. ", b" So it is."), 1);
    /// assert_eq!(Spacing::Join.left_out(b"It rained.\n\n", b"\n\nSo it is."), 2);
    /// assert_eq!(Spacing::Join.left_out(b"It rained. ", b"\n\nSo it is."), 0);
    /// assert_eq!(Spacing::Join.left_out(b"", b" So it is."), 1);
    /// assert_eq!(Spacing::Keep.left_out(b"It rained. ", b" So it is."), 0);
    /// ```
    #[must_use]
    pub fn left_out(self, before: &[u8], after: &[u8]) -> usize {
        let white = leading_white(after);
        if self == Self::Keep || white > MAX_JOINED {
            return 0;
        }
        let mut written = WrittenEnd::default();
        written.push(before);
        written.excess(&after[..white])
    }
}

/// White space at the end of the text that was written.
#[derive(Clone, Copy, Debug)]
struct WrittenEnd {
    /// Number of line feeds, at most `NOTHING_WRITTEN - 1`; [`NOTHING_WRITTEN`] if no other text was written.
    line_feeds: u8,
    /// Length of the white space after the last line feed.
    indent_len: u8,
    /// First bytes of that white space.
    indent: [u8; MAX_INDENT],
}

impl Default for WrittenEnd {
    fn default() -> Self {
        Self {
            line_feeds: NOTHING_WRITTEN,
            indent_len: 0,
            indent: [0; MAX_INDENT],
        }
    }
}

impl WrittenEnd {
    #[inline]
    fn push(&mut self, text: &[u8]) {
        match text {
            [.., last] if !is_white(*last) => self.end_text(),
            [white] => self.push_white(*white),
            [] => {}
            _ => self.push_with_white(text),
        }
    }

    #[inline]
    const fn end_text(&mut self) {
        self.line_feeds = 0;
        self.indent_len = 0;
    }

    fn push_with_white(&mut self, text: &[u8]) {
        let white = trailing_white(text);
        if white < text.len() {
            self.end_text();
        }
        for &byte in &text[text.len() - white..] {
            self.push_white(byte);
        }
    }

    #[inline]
    fn push_white(&mut self, byte: u8) {
        if byte == b'\n' {
            if self.line_feeds < NOTHING_WRITTEN - 1 {
                self.line_feeds += 1;
            }
            self.indent_len = 0;
        } else {
            if let Some(place) = self.indent.get_mut(usize::from(self.indent_len)) {
                *place = byte;
            }
            self.indent_len = self.indent_len.saturating_add(1);
        }
    }

    /// Returns the number of bytes to leave out at the start of the white space that follows discarded text. What is left has
    /// the line feeds that are not written yet, and the last line's indentation.
    fn excess(&self, white: &[u8]) -> usize {
        let line_feeds = white.iter().filter(|&&byte| byte == b'\n').count();
        let written = usize::from(self.line_feeds);
        let Some(last) = white.iter().rposition(|&byte| byte == b'\n') else {
            let has_white = written > 0 || self.indent_len > 0;
            return if has_white { white.len() } else { 0 };
        };
        if line_feeds > written {
            let mut ends = (0..).zip(white).filter(|(_, byte)| **byte == b'\n');
            return match written.checked_sub(1) {
                None => 0,
                Some(nth) => ends.nth(nth).map_or(0, |(at, _)| at + 1),
            };
        }
        let indent = self.indent.get(..usize::from(self.indent_len));
        match indent.and_then(|indent| white[last + 1..].strip_prefix(indent)) {
            Some(rest) => white.len() - rest.len(),
            // The line that is written is indented otherwise, so the text begins another one.
            None => last - usize::from(white[..last].ends_with(b"\r")),
        }
    }
}

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
    #[inline]
    pub(super) fn release(&mut self, text: TextChunk<'_>, handler: &mut impl GateHandler) {
        if self.after_discarded {
            return self.release_joined(text, handler);
        }
        self.written.push(text.bytes());
        handler.released(text);
    }

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

const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns the length of the white space at the start of `text`; counts at most one byte more than is joined.
fn leading_white(text: &[u8]) -> usize {
    let white = text.iter().take(MAX_JOINED + 1);
    let len = white.take_while(|byte| is_white(**byte)).count();
    steps::count(len);
    len
}

/// Returns the length of the white space at the end of `text`.
fn trailing_white(text: &[u8]) -> usize {
    let white = text.iter().rev();
    let len = white.take_while(|byte| is_white(**byte)).count();
    steps::count(len);
    len
}
