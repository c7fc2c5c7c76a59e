//! Closing markup: emphasis, tags and footnotes right after the terminator of a sentence.

use super::class::{BreakClass, char_at};
use super::scan::marks_end;
use crate::steps;

/// Most bytes from the end of a terminator to the end of its closing markup.
pub(super) const LONGEST: usize = 64;

/// Most letters and digits of ASCII in it. Decisions about a terminator may look back over the markup of another, and look at a bounded
/// number of letters and digits.
const MOST_LETTERS: usize = 24;

/// Longest tag.
const LONGEST_TAG: usize = 32;

/// A piece of closing markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkupPiece {
    /// Something else.
    None,
    /// The text ends in it, and as many bytes and letters or digits are missing at least.
    Open { bytes: usize, letters: usize },
    /// Index at which it ends.
    Whole(usize),
}

/// Returns `true` if a piece may begin with the first bytes of a text.
#[inline]
pub(super) const fn may_begin(text: &[u8]) -> bool {
    match text {
        [b'[', next, ..] => may_be_footnote(*next),
        [byte, ..] => matches!(byte, b'*' | b'_' | b'~' | b'<' | b'[' | 0xC2 | 0xE2 | 0xE3),
        [] => false,
    }
}

/// Returns `true` if a footnote may have this byte after its bracket.
const fn may_be_footnote(byte: u8) -> bool {
    byte == b'^' || byte.is_ascii_digit()
}

/// Returns `true` if a piece may end with this byte.
#[inline]
pub(super) const fn may_end(byte: u8) -> bool {
    matches!(byte, b'*' | b'_' | b'~' | b'>' | b']' | 0x80..=0xBF)
}

/// Reader of the closing markup after one terminator.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosingMarkup {
    /// Index before which it ends.
    most: usize,
    letters: usize,
    /// No white space has to follow the terminator.
    wide_stop: bool,
}

impl ClosingMarkup {
    pub(super) const fn after(terminator_end: usize, wide_stop: bool) -> Self {
        Self {
            most: terminator_end + LONGEST,
            letters: 0,
            wide_stop,
        }
    }

    /// Reads the piece at `at`.
    pub(super) fn read(&mut self, text: &[u8], at: usize) -> MarkupPiece {
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else {
            return MarkupPiece::None;
        };
        let letters = |len: usize| {
            let piece = rest[..len].iter();
            piece.filter(|byte| byte.is_ascii_alphanumeric()).count()
        };
        match piece(rest) {
            MarkupPiece::None => MarkupPiece::None,
            MarkupPiece::Open {
                bytes,
                letters: more,
            } => {
                let fits = text.len() + bytes <= self.most
                    && self.letters + letters(rest.len()) + more <= MOST_LETTERS;
                match fits {
                    true => MarkupPiece::Open {
                        bytes,
                        letters: more,
                    },
                    false => MarkupPiece::None,
                }
            }
            MarkupPiece::Whole(len) => {
                let end = at + len;
                let all = self.letters + letters(len);
                if end > self.most || all > MOST_LETTERS {
                    return MarkupPiece::None;
                }
                self.letters = all;
                if self.wide_stop && is_emphasis(rest[0]) {
                    match self.closes(text, marks_end(text, end)) {
                        MarkupPiece::Whole(_) => {}
                        other => return other,
                    }
                }
                steps::count(len);
                MarkupPiece::Whole(end)
            }
        }
    }

    /// Finds out whether emphasis before `at` closes a sentence, where no white space has to follow it: it may as well open the next
    /// one.
    fn closes(self, text: &[u8], at: usize) -> MarkupPiece {
        match char_at(text, at) {
            None => MarkupPiece::Whole(at),
            Some(found)
                if found.class.is_space()
                    || found.class == BreakClass::Close && !is_opener(found.code) =>
            {
                MarkupPiece::Whole(at)
            }
            Some(_) => { self }.read(text, at),
        }
    }
}

const fn is_emphasis(byte: u8) -> bool {
    matches!(byte, b'*' | b'_' | b'~')
}

/// Length of the emphasis that opens before `at`, as far as it matters.
pub(super) fn emphasis_before(text: &[u8], at: usize) -> usize {
    let before = text[..at].iter().rev().take(3);
    before.take_while(|&&byte| is_emphasis(byte)).count()
}

/// Returns `true` if a character opens a quotation or a parenthesis.
pub(super) const fn is_opener(code: u32) -> bool {
    matches!(code, 0x28 | 0x5B | 0x7B | 0xAB | 0x2018 | 0x201C | 0x2039)
        || matches!(
            code,
            0x3008 | 0x300A | 0x300C | 0x300E | 0x3010 | 0x3014 | 0x3016 | 0x3018 | 0x301A | 0x301D
        )
        || matches!(code, 0xFF08 | 0xFF3B | 0xFF5B | 0xFF5F | 0xFF62)
}

/// The piece at the start of a text, which is not empty. The index at its end is its length.
fn piece(text: &[u8]) -> MarkupPiece {
    match text[0] {
        byte if is_emphasis(byte) => {
            let run = text.iter().take(LONGEST + 1);
            MarkupPiece::Whole(run.take_while(|&&byte| is_emphasis(byte)).count())
        }
        b'<' => tag(text),
        b'[' => footnote(text),
        _ => match char_at(text, 0).map(|found| (found.code, found.len)) {
            Some((0xB2 | 0xB3 | 0xB9 | 0x2070 | 0x2074..=0x2079, len)) => MarkupPiece::Whole(len),
            Some((0x3010, len)) => citation(text, len),
            _ => MarkupPiece::None,
        },
    }
}

/// Number of bytes from `at` on that are like this, as far as it matters.
fn count(text: &[u8], at: usize, like: impl Fn(u8) -> bool) -> usize {
    let bytes = text.get(at..).unwrap_or_default().iter();
    bytes.take(LONGEST + 1).take_while(|&&b| like(b)).count()
}

/// A piece of which the text up to `at` was read, and which ends with `end`.
fn ending_with(text: &[u8], at: usize, end: &[u8], letters: usize) -> MarkupPiece {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with(end) {
        return MarkupPiece::Whole(at + end.len());
    }
    if !end.starts_with(rest) {
        return MarkupPiece::None;
    }
    let missing = end[rest.len()..].iter();
    MarkupPiece::Open {
        bytes: missing.len(),
        letters: letters + missing.filter(|b| b.is_ascii_alphanumeric()).count(),
    }
}

/// Returns the markup that `end` completes; if no byte of its kind was `read`, at least one more has to come before the end.
fn after_some(read: usize, text: &[u8], at: usize, end: &[u8]) -> MarkupPiece {
    match (read, ending_with(text, at, end, 0)) {
        (0, MarkupPiece::Open { bytes, letters }) if text.len() <= at => MarkupPiece::Open {
            bytes: bytes + 1,
            letters: letters + 1,
        },
        (0, _) => MarkupPiece::None,
        (_, piece) => piece,
    }
}

/// `</name>`, or a superscript number as a tag.
fn tag(text: &[u8]) -> MarkupPiece {
    const SUPERSCRIPT: &[u8] = b"<sup>";
    match text {
        [_] => MarkupPiece::Open {
            bytes: 3,
            letters: 1,
        },
        [_, b'/', ..] => {
            if text.get(2).is_some_and(|byte| !byte.is_ascii_alphabetic()) {
                return MarkupPiece::None;
            }
            let name = count(text, 2, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            match after_some(name, text, 2 + name, b">") {
                MarkupPiece::Whole(len) if len > LONGEST_TAG => MarkupPiece::None,
                MarkupPiece::Open { .. } if text.len() >= LONGEST_TAG => MarkupPiece::None,
                piece => piece,
            }
        }
        _ if text.len() < SUPERSCRIPT.len() => {
            let at = SUPERSCRIPT.starts_with(text).then_some(text.len());
            let missing = SUPERSCRIPT.len() - text.len();
            at.map_or(MarkupPiece::None, |at| MarkupPiece::Open {
                bytes: missing + 7,
                letters: SUPERSCRIPT.len() - at.max(1) - 1 + 4,
            })
        }
        _ if text.starts_with(SUPERSCRIPT) => {
            let bracket = text.get(5) == Some(&b'[');
            let start = 5 + usize::from(bracket);
            let digits = count(text, start, |byte| byte.is_ascii_digit());
            let end: &[u8] = if bracket { b"]</sup>" } else { b"</sup>" };
            after_some(digits, text, start + digits, end)
        }
        _ => MarkupPiece::None,
    }
}

/// `[^id]` or `[1]`, unless it is the text of a link.
fn footnote(text: &[u8]) -> MarkupPiece {
    if text.get(1).is_some_and(|&byte| !may_be_footnote(byte)) {
        return MarkupPiece::None;
    }
    let named = text.get(1) == Some(&b'^');
    let start = 1 + usize::from(named);
    let len = count(text, start, |byte| match named {
        true => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'^'),
        false => byte.is_ascii_digit(),
    });
    match after_some(len, text, start + len, b"]") {
        MarkupPiece::Whole(end) if text.get(end) == Some(&b'(') => MarkupPiece::None,
        piece => piece,
    }
}

/// `【1】`, or more than a number, as in `【4:0†source】`; the bracket has `len` bytes.
fn citation(text: &[u8], len: usize) -> MarkupPiece {
    if text.get(len).is_some_and(|byte| !byte.is_ascii_digit()) {
        return MarkupPiece::None;
    }
    let mut at = len;
    loop {
        at += count(text, at, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_')
        });
        match text.get(at..) {
            Some(rest) if rest.starts_with("†".as_bytes()) && at < LONGEST => at += "†".len(),
            _ => return after_some(at - len, text, at, "】".as_bytes()),
        }
    }
}

/// Length of what may be the rest of closing markup other than emphasis, of which the beginning was cut off.
pub(super) fn rest_of_cut(text: &[u8]) -> usize {
    let (mut rest, mut at) = (0, 0);
    while at < LONGEST {
        let (len, ends) = match text.get(at..).unwrap_or_default() {
            [b'>' | b']', ..] => (1, true),
            [b'-' | b'_' | b'^' | b'/' | b':' | b'<' | b'[', ..] => (1, false),
            [byte, ..] if byte.is_ascii_alphanumeric() => (1, false),
            rest if rest.starts_with("】".as_bytes()) => (3, true),
            rest if rest.starts_with("【".as_bytes()) => (3, false),
            rest if rest.starts_with("†".as_bytes()) => (3, false),
            _ => break,
        };
        at += len;
        if ends {
            rest = at;
        }
    }
    steps::count(at);
    rest
}
