//! White space and closing punctuation in raw bytes, without decoding ordinary characters.

use crate::steps;

/// U+FEFF in UTF-8; white space at the very start of a stream.
pub(crate) const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Classification of the first character of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// White space (Unicode `White_Space`), with its length in bytes.
    White(usize),
    /// Closing punctuation, with its length in bytes.
    Closing(usize),
    /// Anything else.
    Other,
    /// An incomplete character that may be white space or closing punctuation.
    Partial,
}

/// Classifies the first character of `bytes`, which must not be empty.
pub(crate) fn separator(bytes: &[u8]) -> Separator {
    use Separator::{Closing, Other, Partial, White};
    match *bytes {
        [b'\t'..=b'\r' | b' ', ..] => White(1),
        [
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b']' | b'}' | b'"' | b'\'',
            ..,
        ] => Closing(1),
        [0xC2] | [0xE1..=0xE3 | 0xEF] => Partial,
        [0xC2, 0x85 | 0xA0, ..] => White(2),
        [0xC2, 0xBB, ..] => Closing(2),
        [0xE1, 0x9A] | [0xE2, 0x80 | 0x81] | [0xE3, 0x80] | [0xEF, 0xBC] => Partial,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => White(3),
        [0xE2, 0x80, 0x99 | 0x9D | 0xA6 | 0xBA, ..]
        | [0xE3, 0x80, 0x81 | 0x82 | 0x8D | 0x8F, ..]
        | [0xEF, 0xBC, 0x81 | 0x89 | 0x8C | 0x9A | 0x9B | 0x9F, ..] => Closing(3),
        _ => Other,
    }
}

/// Measures the white space at the start of `bytes`.
#[inline]
pub(crate) fn leading_white(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b'!'..=b'~') => 0,
        _ => leading_white_run(bytes),
    }
}

fn leading_white_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match separator(&bytes[at..]) {
            Separator::White(len) => at += len,
            _ => break,
        }
    }
    steps::count(at);
    at
}

/// Returns the length of `bytes` without the white space at the end.
pub(crate) fn trimmed_len(bytes: &[u8]) -> usize {
    let mut len = bytes.len();
    loop {
        len = match bytes[..len] {
            [.., b'\t'..=b'\r' | b' '] => len - 1,
            [.., 0xC2, 0x85 | 0xA0] => len - 2,
            [.., a, b, c] if c >= 0x80 && separator(&[a, b, c]) == Separator::White(3) => len - 3,
            _ => {
                steps::count(bytes.len() - len);
                return len;
            }
        };
    }
}

/// Removes an incomplete character at the end that may be white space or closing punctuation.
pub(crate) fn without_partial(bytes: &[u8]) -> &[u8] {
    for len in 1..=bytes.len().min(2) {
        let at = bytes.len() - len;
        if separator(&bytes[at..]) == Separator::Partial {
            return &bytes[..at];
        }
    }
    bytes
}

/// Removes an incomplete character at the end that may be white space; one that can only be
/// punctuation stays.
pub(crate) fn without_open_white(bytes: &[u8]) -> &[u8] {
    let without = without_partial(bytes);
    match bytes[without.len()..] {
        // U+FF01 and what follows are punctuation.
        [0xEF, ..] => bytes,
        _ => without,
    }
}

/// Removes an incomplete character at the end.
pub(crate) fn whole_characters(bytes: &[u8]) -> &[u8] {
    for len in 1..=bytes.len().min(3) {
        let at = bytes.len() - len;
        if bytes[at] >= 0xC0 {
            let cut = core::str::from_utf8(&bytes[at..]).is_err_and(|e| e.error_len().is_none());
            return if cut { &bytes[..at] } else { bytes };
        }
        if bytes[at] < 0x80 {
            break;
        }
    }
    bytes
}

/// Maximum number of bytes of white space that stripping removes with one annotation.
pub(crate) const MOST_REMOVED: usize = 64;

/// Returns the number of bytes of strippable whitespace at the end of `bytes`; at most [`MOST_REMOVED`].
#[inline]
pub(crate) fn removable_tail(bytes: &[u8]) -> usize {
    if let [.., b'!'..=b'~', b' ' | b'\n'] = bytes {
        return 1;
    }
    let len = bytes
        .iter()
        .rev()
        .take(MOST_REMOVED)
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
        .count();
    steps::count(len);
    len
}

/// Returns `true` if `bytes` hold anything but white space.
pub(crate) fn has_text(bytes: &[u8]) -> bool {
    leading_white(bytes) < bytes.len()
}

/// Moves `at` after the character that contains it. A byte that is not part of a character counts
/// as one.
pub(crate) fn next_boundary(bytes: &[u8], at: usize) -> usize {
    for back in 1..=at.min(3) {
        let start = at - back;
        let len = match bytes[start] {
            0x80..=0xBF => continue,
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
            _ => return at,
        };
        let whole = bytes.get(start..start + len).map(core::str::from_utf8);
        return match whole {
            Some(Ok(_)) if len > back => start + len,
            _ => at,
        };
    }
    at
}

/// Returns `true` if the byte at `at` is after an odd number of backslashes; `odd_before` is for those before `bytes`.
pub(crate) fn is_escaped(bytes: &[u8], at: usize, odd_before: bool) -> bool {
    let run = bytes[..at]
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count();
    steps::count(run);
    (run % 2 == 1) ^ (run == at && odd_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSING: &str = ".,;:!?)]}\"'\u{2019}\u{201D}\u{BB}\u{203A}\u{2026}\u{3001}\u{3002}\u{300D}\u{300F}\u{FF01}\u{FF09}\u{FF0C}\u{FF1A}\u{FF1B}\u{FF1F}";

    #[test]
    fn every_scalar_value_is_classified_as_unicode_says() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            let expected = if c.is_whitespace() {
                Separator::White(bytes.len())
            } else if CLOSING.contains(c) {
                Separator::Closing(bytes.len())
            } else {
                Separator::Other
            };
            assert_eq!(separator(bytes), expected, "{c:?}");
            let padded = [b"x", bytes].concat();
            let trimmed = if c.is_whitespace() { 1 } else { padded.len() };
            assert_eq!(trimmed_len(&padded), trimmed, "{c:?}");
            if !matches!(expected, Separator::Other) {
                for cut in 1..bytes.len() {
                    assert_eq!(separator(&bytes[..cut]), Separator::Partial, "{c:?}");
                    assert_eq!(without_partial(&padded[..=cut]), b"x", "{c:?}");
                }
            }
        }
    }

    #[test]
    fn backslashes_before_the_bytes_count_only_when_the_run_reaches_them() {
        assert!(is_escaped(b"\\[", 1, false));
        assert!(!is_escaped(b"\\[", 1, true));
        assert!(!is_escaped(b"\\\\[", 2, false));
        assert!(is_escaped(b"[", 0, true));
        assert!(!is_escaped(b"a[", 1, true));
    }

    #[test]
    fn a_boundary_lies_after_a_whole_character_only() {
        for (text, at, boundary) in [
            ("aé", 2, 3),
            ("é", 0, 0),
            ("ab", 1, 1),
            ("a😀b", 2, 5),
            ("a😀b", 5, 5),
        ] {
            assert_eq!(next_boundary(text.as_bytes(), at), boundary, "{text} {at}");
        }
        assert_eq!(next_boundary(&[0x80; 9], 4), 4);
        assert_eq!(next_boundary(b"\xE2\x80\x9D\x80", 3), 3);
        assert_eq!(next_boundary(b"\xE2\x80x", 2), 2);
    }
}
