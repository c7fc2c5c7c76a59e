//! JSON Pointers (RFC 6901).

use super::text;

/// The pointer of the member of this name, as written, of the object that `pointer` leads to.
pub(super) fn member(pointer: &str, name: &[u8]) -> String {
    let name = text::decode(name).replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{name}")
}

/// The pointer of an element of the array that `pointer` leads to.
pub(super) fn element(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}

/// The pointer, unless it is too long to be reported.
pub(super) fn limited(pointer: String, max: usize) -> Option<String> {
    (pointer.len() <= max).then_some(pointer)
}
