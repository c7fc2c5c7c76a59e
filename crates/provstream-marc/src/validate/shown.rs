//! Pieces of pointers and messages.

use std::borrow::Cow;

use provstream::json::push_name;

/// Returns the JSON Pointer of a member. Source: RFC 6901 3.
pub(super) fn pointer_to(names: &[&str]) -> String {
    let mut pointer = String::new();
    for name in names {
        push_name(&mut pointer, name.as_bytes(), false, usize::MAX);
    }
    pointer
}

/// Returns the type of a JSON value in words, such as `a string`.
pub(crate) fn type_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Most code points of a message that repeat a value; an escape counts with all of its characters.
const SHOWN: usize = 40;

/// Quotes a text of the object for a message: in backticks, with control characters escaped, and
/// truncated.
pub(crate) fn shown(text: &str) -> String {
    let (mut safe, mut count) = (String::new(), 0);
    for escaped in text.chars().map(char::escape_debug) {
        count += escaped.len();
        if count > SHOWN {
            safe.push('…');
            break;
        }
        safe.extend(escaped);
    }
    format!("`{safe}`")
}

/// Truncates a number of the object for a message.
pub(crate) fn cut(json: &str) -> Cow<'_, str> {
    match json.char_indices().nth(SHOWN) {
        None => json.into(),
        Some((at, _)) => format!("{}…", &json[..at]).into(),
    }
}
