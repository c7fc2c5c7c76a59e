//! White space beside text that is discarded.

use crate::steps;

/// Maximum length of white space after discarded text that is joined, in bytes. Longer white space stays as it is.
pub(super) const MAX_JOINED: usize = 64;

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
pub(super) struct WrittenEnd {
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
    #[inline(always)]
    pub(super) fn push(&mut self, text: &[u8]) {
        match text {
            [.., last] if !is_white(*last) => self.end_text(),
            // As most sentences end that others follow.
            [.., last, b' '] if !is_white(*last) => {
                self.end_text();
                self.push_white(b' ');
            }
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

    #[cold]
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
    pub(super) fn excess(&self, white: &[u8]) -> usize {
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

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Returns the length of the white space at the start of `text`; counts at most one byte more than is joined.
pub(super) fn leading_white(text: &[u8]) -> usize {
    let white = text.iter().take(MAX_JOINED + 1);
    let len = white.take_while(|byte| is_white(**byte)).count();
    steps::count(len);
    len
}

/// Returns the length of the white space at the end of `text`.
pub(super) fn trailing_white(text: &[u8]) -> usize {
    let white = text.iter().rev();
    let len = white.take_while(|byte| is_white(**byte)).count();
    steps::count(len);
    len
}
