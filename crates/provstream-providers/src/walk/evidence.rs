//! Values that decide which text a string belongs to, and of what kind it is.

use std::borrow::Cow;

use super::Shape;

/// Parses a channel number.
pub(super) fn channel_number(token: &[u8], shape: Shape) -> Option<u32> {
    if let [digit @ b'0'..=b'9'] = token {
        return Some(u32::from(digit - b'0'));
    }
    let text = match shape {
        Shape::Plain | Shape::Scalar => core::str::from_utf8(token).ok()?,
        _ => return None,
    };
    let text = text.strip_suffix(".0").unwrap_or(text);
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

/// Returns the content of a string without escapes.
pub(crate) fn decoded(content: &[u8]) -> Cow<'_, [u8]> {
    if !content.contains(&b'\\') {
        return Cow::Borrowed(content);
    }
    let text = provstream::json::decode(content, true).text;
    Cow::Owned(text.into_owned().into_bytes())
}

/// Returns `true` if text in parts of a kind is reasoning, or what the user said.
pub(super) fn is_thought(kind: &[u8]) -> bool {
    matches!(
        kind,
        b"reasoning_text"
            | b"summary_text"
            | b"reasoning"
            | b"thinking"
            | b"thought"
            | b"user_input"
    )
}
