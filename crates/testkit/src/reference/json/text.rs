//! Text of a JSON string: decoding its escapes, and truncating it between characters.

use std::ops::Range;

/// Smallest unit of a string: an unescaped byte, an escape, or the two escapes of a surrogate pair.
struct Unit {
    /// Length as written, in bytes.
    length: usize,
    /// Decoded character, `None` for an unescaped byte.
    char: Option<char>,
}

/// Reads the first unit of the rest of a string.
fn unit(rest: &[u8]) -> Unit {
    let hex = |at: usize| {
        let digits = rest.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let short = |char| Unit {
        length: 2,
        char: Some(char),
    };
    match rest {
        [b'\\', b'u', ..] => {
            let first = hex(0).expect("the reader saw to it");
            match hex(6) {
                Some(second)
                    if (0xD800..0xDC00).contains(&first) && (0xDC00..0xE000).contains(&second) =>
                {
                    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    Unit {
                        length: 12,
                        char: char::from_u32(code),
                    }
                }
                _ => Unit {
                    length: 6,
                    char: Some(char::from_u32(first).unwrap_or('\u{FFFD}')),
                },
            }
        }
        [b'\\', b'b', ..] => short('\u{8}'),
        [b'\\', b'f', ..] => short('\u{C}'),
        [b'\\', b'n', ..] => short('\n'),
        [b'\\', b'r', ..] => short('\r'),
        [b'\\', b't', ..] => short('\t'),
        [b'\\', other, ..] => short(char::from(*other)),
        _ => Unit {
            length: 1,
            char: None,
        },
    }
}

/// Decodes the escapes of a string; a lone surrogate becomes U+FFFD, other bytes are unchanged.
pub(super) fn undo_escapes(content: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < content.len() {
        let unit = unit(&content[at..]);
        match unit.char {
            Some(char) => decoded.extend_from_slice(char.to_string().as_bytes()),
            None => decoded.push(content[at]),
        }
        at += unit.length;
    }
    decoded
}

/// Decodes a string, with U+FFFD for invalid UTF-8.
pub(super) fn decode(content: &[u8]) -> String {
    String::from_utf8_lossy(&undo_escapes(content)).into_owned()
}

/// Returns `true` if the string is valid UTF-8; escapes always are.
pub(super) fn is_utf8(content: &[u8]) -> bool {
    std::str::from_utf8(content).is_ok()
}

/// Truncates the content of a string to at most `max` bytes, without splitting a character or an
/// escape.
pub(super) fn keep(bytes: &[u8], content: Range<usize>, max: usize) -> Range<usize> {
    if content.len() <= max {
        return content;
    }
    let cut = content.start + max;
    let mut at = content.start;
    while at < content.end {
        let unit = unit(&bytes[at..content.end]);
        let character = (2..=4).find(|&length| {
            let whole = bytes[..content.end].get(at..at + length);
            let text = whole.and_then(|whole| std::str::from_utf8(whole).ok());
            text.is_some_and(|text| text.chars().count() == 1)
        });
        let length = character.unwrap_or(unit.length);
        if at + length > cut {
            break;
        }
        at += length;
    }
    content.start..at
}
