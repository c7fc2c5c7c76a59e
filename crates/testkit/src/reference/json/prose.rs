//! JSON values in free text: where one is tried.

use super::super::stream::Stream;
use super::is_space;

/// Whether a value is tried at `at`, which is own text, no code span and no annotation attempt. `from` is where the
/// stream or the content of the fenced block that holds it starts.
pub fn is_tried(stream: &Stream, from: usize, at: usize, feed_offends: bool) -> bool {
    let own = &stream.bytes[at..stream.own_end(at)];
    let is_space = |byte| is_space(byte) && !(feed_offends && byte == b'\n');
    let next = own[1..].iter().find(|&&byte| !is_space(byte));
    match own[0] {
        b'{' => matches!(next, Some(b'"' | b'}')),
        b'[' => is_first(stream, from, at) && matches!(next, Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    }
}

/// Whether nothing but white space of JSON, or a byte order mark at the start of the stream, stands before `at`.
fn is_first(stream: &Stream, from: usize, at: usize) -> bool {
    let from = from.max(stream.mark());
    from <= at && stream.bytes[from..at].iter().copied().all(super::is_space)
}
