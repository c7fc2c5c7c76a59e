//! Pieces of pointers and messages.

use std::borrow::Cow;

use provstream::json::push_name;

/// The JSON Pointer of a member. Source: RFC 6901 3.
pub(super) fn pointer_to(names: &[&str]) -> String {
    let mut pointer = String::new();
    for name in names {
        push_name(&mut pointer, name.as_bytes(), false, usize::MAX);
    }
    pointer
}

/// The type of a JSON value, for a reader.
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

/// A text of the object in a message: in backticks, without control characters, and cut.
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

/// A number of the object in a message.
pub(crate) fn cut(json: &str) -> Cow<'_, str> {
    match json.char_indices().nth(SHOWN) {
        None => json.into(),
        Some((at, _)) => format!("{}…", &json[..at]).into(),
    }
}
