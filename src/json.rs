//! The content of JSON strings: decoding, truncating, escaping for JSON Pointers, and writing.
//!
//! Functions that read such content take the bytes between the quotes of a string that a lexer found to be well-formed.

use core::fmt::{self, Write as _};
use std::borrow::Cow;

use crate::steps;

/// A decoded string.
pub struct Decoded<'a> {
    /// The text, with U+FFFD for a lone surrogate and for what is not UTF-8.
    pub text: Cow<'a, str>,
    /// Some of it was not UTF-8.
    pub ill_formed: bool,
}

/// Decodes the raw content of a JSON string; without a backslash, it is not `escaped`. Source: RFC
/// 8259 7 and 8.
#[inline]
#[must_use]
pub fn decode(raw: &[u8], escaped: bool) -> Decoded<'_> {
    steps::count(raw.len());
    if escaped {
        return decode_escapes(raw);
    }
    match core::str::from_utf8(raw) {
        Ok(text) => Decoded {
            text: Cow::Borrowed(text),
            ill_formed: false,
        },
        Err(_) => Decoded {
            text: String::from_utf8_lossy(raw),
            ill_formed: true,
        },
    }
}

/// Decodes like [`decode`], into `place`, so that only invalid UTF-8 allocates. `place` grows to
/// the length of `raw`.
#[inline]
pub fn decode_in<'a>(raw: &'a [u8], escaped: bool, place: &'a mut Vec<u8>) -> Decoded<'a> {
    let raw = match escaped {
        true => unescape_in(raw, place),
        false => raw,
    };
    decode(raw, false)
}

// Out of line: most strings have no escapes.
#[inline(never)]
fn unescape_in<'a>(raw: &[u8], place: &'a mut Vec<u8>) -> &'a [u8] {
    steps::count(raw.len());
    place.clear();
    place.reserve_exact(raw.len());
    unescape(raw, place);
    place
}

#[cold]
fn decode_escapes(raw: &[u8]) -> Decoded<'static> {
    let mut bytes = Vec::with_capacity(raw.len());
    unescape(raw, &mut bytes);
    let decoded = decode(&bytes, false);
    Decoded {
        text: Cow::Owned(decoded.text.into_owned()),
        ill_formed: decoded.ill_formed,
    }
}

/// Appends what `raw` stands for. An escape stands for a whole character, so it neither mends nor breaks the bytes around it.
fn unescape(raw: &[u8], bytes: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        bytes.extend_from_slice(&rest[..at]);
        let (character, len) = escape(&rest[at..]);
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[at + len..];
    }
    bytes.extend_from_slice(rest);
}

/// Decodes the escape at the start of `raw`, a surrogate pair included, and returns the character
/// and the length of the escape in bytes. An escape that JSON does not have stands for an arbitrary
/// character and ends within `raw`.
fn escape(raw: &[u8]) -> (char, usize) {
    let character = match raw.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(raw),
        Some(&byte) => byte.into(),
        None => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (character, 2)
}

fn unicode_escape(raw: &[u8]) -> (char, usize) {
    let unit = |raw: &[u8]| {
        let [b'\\', b'u', digits @ ..] = raw else {
            return None;
        };
        let digits = core::str::from_utf8(digits.get(..4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(raw).unwrap_or(0xDFFF);
    if (0xD800..0xDC00).contains(&first)
        && let Some(second @ 0xDC00..0xE000) = raw.get(6..).and_then(unit)
    {
        let character = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(character).unwrap_or_default(), 12);
    }
    let character = char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    (character, raw.len().min(6))
}

/// Most bytes that one character, escape or surrogate pair may take.
pub(crate) const LONGEST_UNIT: usize = 12;

/// Returns the number of the first `max` bytes of `raw` that are kept if there are more: not a part of a character, of an escape,
/// or of the two escapes of a surrogate pair. Only the first `max + LONGEST_UNIT` bytes matter.
pub(crate) fn kept_len(raw: &[u8], max: usize) -> usize {
    if raw.len() <= max {
        return raw.len();
    }
    steps::count(max);
    let mut at = 0;
    loop {
        let len = unit_len(&raw[at..]);
        if at + len > max {
            return at;
        }
        at += len;
    }
}

fn unit_len(raw: &[u8]) -> usize {
    match raw[0] {
        b'\\' => escape(raw).1,
        0..0x80 => 1,
        _ => {
            let whole = |len: &usize| {
                raw.get(..*len)
                    .is_some_and(|bytes| core::str::from_utf8(bytes).is_ok())
            };
            (2..=4).find(whole).unwrap_or(1)
        }
    }
}

/// Appends a member's name to a JSON Pointer, of which no more than `max` bytes are wanted; `false`, and nothing
/// appended, if it does not fit. Source: RFC 6901 3.
pub fn push_name(pointer: &mut String, raw: &[u8], escaped: bool, max: usize) -> bool {
    steps::count(raw.len());
    let before = pointer.len();
    let name = decode(raw, escaped).text;
    if !name.bytes().any(|byte| byte == b'~' || byte == b'/') {
        return push_plain(pointer, &name, max);
    }
    pointer.push('/');
    for character in name.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
        if pointer.len() > max {
            break;
        }
    }
    let fits = pointer.len() <= max;
    if !fits {
        pointer.truncate(before);
    }
    fits
}

/// Appends a name without tilde and slash as [`push_name`] does any.
#[inline]
pub(crate) fn push_plain(pointer: &mut String, name: &str, max: usize) -> bool {
    let fits = pointer.len() + 1 + name.len() <= max;
    if fits {
        pointer.push('/');
        pointer.push_str(name);
    }
    fits
}

/// Appends an element's index to a JSON Pointer as [`push_name`] does a name.
pub(crate) fn push_index(pointer: &mut String, index: u64, max: usize) -> bool {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = index;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let digits = core::str::from_utf8(&digits[at..]).unwrap_or_default();
    push_plain(pointer, digits, max)
}

/// A string as JSON has it, with no more escapes than must be, each as short as it can be. `RFC 8259 7`
#[derive(Clone, Copy, Debug)]
pub struct JsonString<'a>(pub &'a str);

impl fmt::Display for JsonString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let mut rest = self.0;
        f.write_char('"')?;
        while let Some(at) = rest.bytes().position(special) {
            f.write_str(&rest[..at])?;
            match rest.as_bytes()[at] {
                byte @ (b'"' | b'\\') => write!(f, "\\{}", char::from(byte))?,
                0x08 => f.write_str("\\b")?,
                0x0c => f.write_str("\\f")?,
                b'\n' => f.write_str("\\n")?,
                b'\r' => f.write_str("\\r")?,
                b'\t' => f.write_str("\\t")?,
                control => write!(f, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        f.write_str(rest)?;
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_rfc_8259_allows() {
        for (raw, text, ill_formed) in [
            (&b"plain \xC3\xA9"[..], "plain é", false),
            (br#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t", false),
            (br"\u00e9\u20AC", "é€", false),
            (br"\ud83d\ude00!", "😀!", false),
            (br"\ud83dx\ude00", "\u{FFFD}x\u{FFFD}", false),
            (br"\ude00\ud83d", "\u{FFFD}\u{FFFD}", false),
            (br"\ud83d\ud83d\ude00", "\u{FFFD}😀", false),
            (br"\ud83d\n", "\u{FFFD}\n", false),
            (b"a\xFFb", "a\u{FFFD}b", true),
            (b"\\n\xE2\x82", "\n\u{FFFD}", true),
            (b"\xE2\x82\\n", "\u{FFFD}\n", true),
        ] {
            let decoded = decode(raw, raw.contains(&b'\\'));
            assert_eq!((&*decoded.text, decoded.ill_formed), (text, ill_formed));
        }
    }

    #[test]
    fn a_cut_never_goes_through_a_unit() {
        let raw = "aé€😀\\n\\u00e9\\ud83d\\ude00\\ud83dz".as_bytes();
        let ends = [0, 1, 3, 6, 10, 12, 18, 30, 36, 37];
        for max in 0..raw.len() {
            let expected = ends.iter().rev().find(|&&end| end <= max);
            assert_eq!(Some(&kept_len(raw, max)), expected, "{max}");
        }
        assert_eq!(kept_len(raw, 99), raw.len());
        assert_eq!(kept_len(b"\xE2\x82\x82\x82", 2), 0);
        assert_eq!(kept_len(b"\xE2\x82\xFF\xFF", 2), 2);
    }

    #[test]
    fn pointers_escape_tilde_and_slash_and_know_their_limit() {
        let mut pointer = String::new();
        assert!(push_name(&mut pointer, br"a~b\u002fc", true, 10));
        assert_eq!(pointer, "/a~0b~1c");
        assert!(!push_name(&mut pointer, b"xy", false, 10));
        assert!(!push_name(&mut pointer, b"~", false, 10));
        assert!(push_index(&mut pointer, 7, 10));
        assert!(!push_index(&mut pointer, 0, 10));
        assert_eq!(pointer, "/a~0b~1c/7");
        assert!(push_index(&mut pointer, u64::MAX, 99));
        assert!(pointer.ends_with("/18446744073709551615"));
    }
}
