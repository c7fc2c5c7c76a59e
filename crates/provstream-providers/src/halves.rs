//! Text of JSON strings whose surrogate pairs may be split over two strings.

use std::borrow::Cow;

fn decoded(content: &str) -> Cow<'_, str> {
    provstream::json::decode(content.as_bytes(), content.contains('\\')).text
}

/// The text of a piece of a longer string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HalvesPiece<'a> {
    /// With U+FFFD for each lone surrogate.
    pub(super) text: Cow<'a, str>,
    /// The high surrogate that ends it, which is not in `text`: what follows decides.
    pub(super) high: Option<u16>,
    /// The first character was completed with the high surrogate before the piece; this is its low one.
    pub(super) low: Option<u16>,
}

/// The text of a string's content, behind the high surrogate that the piece before it ended with.
pub(super) fn decode(content: &str, before: Option<u16>) -> HalvesPiece<'_> {
    if content.is_empty() {
        return HalvesPiece {
            text: Cow::Borrowed(""),
            high: before,
            low: None,
        };
    }
    let (body, high) = match trailing_high(content) {
        Some(high) => (&content[..content.len() - ESCAPE], Some(high)),
        None => (content, None),
    };
    let Some(before) = before else {
        return HalvesPiece {
            text: decoded(body),
            high,
            low: None,
        };
    };
    let low = unit(body).filter(|unit| (0xDC00..0xE000).contains(unit));
    let pair = low.and_then(|low| char::decode_utf16([before, low]).next()?.ok());
    let mut text = String::from(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
    let rest = if pair.is_some() {
        &body[ESCAPE..]
    } else {
        body
    };
    text.push_str(&decoded(rest));
    HalvesPiece {
        text: Cow::Owned(text),
        high,
        low: low.filter(|_| pair.is_some()),
    }
}

/// Returns `true` if the content may end with the escape of a high surrogate.
pub(super) fn ends_high(content: &[u8]) -> bool {
    matches!(
        content.last_chunk(),
        Some([
            b'\\',
            b'u',
            b'd' | b'D',
            b'8' | b'9' | b'a' | b'A' | b'b' | b'B',
            _,
            _
        ])
    )
}

/// Length of an escape with four hexadecimal digits.
const ESCAPE: usize = 6;

/// The code unit of the escape at the start of the content.
fn unit(content: &str) -> Option<u16> {
    let digits = content.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Returns `true` if the content begins with the escape of a low surrogate.
pub(super) fn begins_low(content: &str) -> bool {
    unit(content).is_some_and(|unit| (0xDC00..0xE000).contains(&unit))
}

/// The high surrogate that is the content's last escape and nothing follows.
fn trailing_high(content: &str) -> Option<u16> {
    let start = content.len().checked_sub(ESCAPE)?;
    let (head, tail) = (content.get(..start)?, content.get(start..)?);
    let high = unit(tail).filter(|unit| (0xD800..0xDC00).contains(unit))?;
    // Behind an odd number of backslashes it is the backslash that is escaped.
    let backslashes = head.bytes().rev().take_while(|&byte| byte == b'\\').count();
    (backslashes % 2 == 0).then_some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[&str]) -> String {
        let mut text = String::new();
        let mut high = None;
        for piece in pieces {
            let piece = decode(piece, high);
            text.push_str(&piece.text);
            high = piece.high;
        }
        text.extend(high.map(|_| '\u{FFFD}'));
        text
    }

    #[test]
    fn a_pair_is_joined_over_any_split_between_pieces() {
        assert_eq!(joined(&[r"a\ud83d", r"\ude00b"]), "a😀b");
        assert_eq!(joined(&[r"\ud83d", "", r"\uDE00"]), "😀");
        assert_eq!(joined(&[r"\ud83d\ude00\ud83d", r"\ude01"]), "😀😁");
    }

    #[test]
    fn a_lone_surrogate_is_replaced() {
        assert_eq!(joined(&[r"\ud83d", "x"]), "\u{FFFD}x");
        assert_eq!(joined(&[r"\ud83d", r"\ud83d", r"\ude00"]), "\u{FFFD}😀");
        assert_eq!(joined(&[r"\ude00", r"\ud83d"]), "\u{FFFD}\u{FFFD}");
        assert_eq!(joined(&[r"\ud83d", r"\n"]), "\u{FFFD}\n");
    }

    #[test]
    fn an_escaped_backslash_begins_no_surrogate() {
        assert_eq!(joined(&[r"\\ud83d", r"\ude00"]), "\\ud83d\u{FFFD}");
        assert_eq!(joined(&[r"\\\ud83d", r"\ude00"]), "\\😀");
        assert_eq!(joined(&["éud83d"]), "éud83d");
    }
}
