//! Condition under which the parser reads a JSON value in free text.

use super::super::stream::Stream;
use super::is_space;

/// Returns `true` if the parser reads a value at `at`, a byte of model text outside code spans and
/// candidate annotations. `from` is the start of the stream or of the content of the enclosing
/// fenced block.
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

/// Returns `true` if only white space of JSON and a byte order mark come before `at`.
fn is_first(stream: &Stream, from: usize, at: usize) -> bool {
    let from = from.max(stream.mark());
    from <= at && stream.bytes[from..at].iter().copied().all(super::is_space)
}
