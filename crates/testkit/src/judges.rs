//! Where a JSON text is refused, by `serde_json` and by provstream.

use provstream::{DiagnosticCode, Event, Parser};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Where `serde_json` refuses the input as one JSON text, if it does; the length of the input where that ends too soon.
///
/// An error of `serde_json` has the line and how many bytes of it were read. A line feed that was read already counts
/// to the next line, of which no byte was read then. So both together are a number of bytes from the start of the input.
/// The offending byte is the last of these; only a control character in a string is the byte behind them, which the
/// allowance of one byte covers.
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

/// Where provstream finds the first thing wrong, if anything.
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
