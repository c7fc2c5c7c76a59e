//! JSON Pointers (RFC 6901).

use super::text;

/// Appends a member, with its name as written in JSON, to the pointer of its object.
pub(super) fn member(pointer: &str, name: &[u8]) -> String {
    let name = text::decode(name).replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{name}")
}

/// Appends an element to the pointer of its array.
pub(super) fn element(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}

/// Returns the pointer, or `None` if it exceeds `max` bytes.
pub(super) fn limited(pointer: String, max: usize) -> Option<String> {
    (pointer.len() <= max).then_some(pointer)
}
