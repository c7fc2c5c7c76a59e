//! Offsets at which `serde_json` and provstream reject a JSON text.

use provstream::{DiagnosticCode, Event, Parser};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Finds the offset at which `serde_json` rejects the input as one JSON text: `None` if it is
/// valid, its length if it ends too early.
///
/// An error of `serde_json` has the number of the line and the number of bytes read in that line. A
/// line feed that was read counts to the next line, with no byte read of it, so the two numbers add
/// up to an offset in the input. The offending byte is the last byte read, except that a control
/// character in a string is the byte after; callers allow a difference of one byte for it.
pub fn refused_by_serde(input: &[u8]) -> Option<usize> {
    let mut deserializer = serde_json::Deserializer::from_slice(input);
    deserializer.disable_recursion_limit();
    let error = IgnoredAny::deserialize(&mut deserializer)
        .and_then(|_| deserializer.end())
        .err()?;
    let line: usize = input
        .split_inclusive(|&byte| byte == b'\n')
        .take(error.line() - 1)
        .map(<[u8]>::len)
        .sum();
    let read = line + error.column();
    Some(if error.is_eof() {
        read
    } else {
        read.saturating_sub(1)
    })
}

/// Finds the offset of the first JSON error that provstream reports, `None` if it reports none.
pub fn refused<'a>(
    parser: &mut Parser,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Option<usize> {
    let mut first = None;
    let mut sink = |event: Event<'_>| {
        let Event::Diagnostic(found) = event else {
            return;
        };
        let place = match found.code() {
            DiagnosticCode::JsonSyntax | DiagnosticCode::LimitDepth => found.span().start(),
            DiagnosticCode::Unterminated => found.span().end(),
            _ => return,
        };
        first.get_or_insert(usize::try_from(place).expect("a place in a small input"));
    };
    for piece in pieces {
        parser.push(piece, &mut sink);
    }
    parser.finish(&mut sink);
    parser.reset();
    first
}
