//! The fields of server-sent events. Source: WHATWG HTML standard 9.2.6.

use core::ops::Range;

use memchr::{memchr, memchr2};

/// The name of the field on a line, and where its value is.
#[inline]
pub(super) fn name_and_value(bytes: &[u8], line: Range<usize>) -> (&[u8], Range<usize>) {
    let text = &bytes[line.clone()];
    // What nearly every line is.
    let colon = match text {
        [b'd', b'a', b't', b'a', b':', ..] => Some(4),
        text => memchr(b':', text),
    };
    match colon {
        Some(colon) => {
            let space = usize::from(text.get(colon + 1) == Some(&b' '));
            (&text[..colon], line.start + colon + 1 + space..line.end)
        }
        None => (text, line.end..line.end),
    }
}

/// Returns the range of each line's data in the bytes of an event; `from` is 0 or the end of a line.
pub(super) fn data_lines(bytes: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    core::iter::from_fn(move || {
        while at < bytes.len() {
            let end = memchr2(b'\r', b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len);
            let line = at..end;
            at = end + 1;
            if let (b"data", value) = name_and_value(bytes, line) {
                return Some(value);
            }
        }
        None
    })
}
