//! Line ends of server-sent events.

use provstream::Parser;
use provstream_providers::{Format, StreamGate, StreamRewriter};

use super::output::Output;
use crate::gate::naive::Drawn;

/// Checks that a response whose lines end with CR LF becomes, stripped and gated, what it becomes with LF, except for the line ends.
/// Returns `false` without a check if the stream has not server-sent events with LF.
pub fn check(format: Format, stream: &[u8], policy: Drawn, size: usize) -> bool {
    let is_sse = [&b"data"[..], b"event", b"id", b":"]
        .iter()
        .any(|start| stream.starts_with(start));
    if !is_sse || stream.contains(&b'\r') {
        return false;
    }
    let of_lf = rewritten(format, stream, policy, usize::MAX);
    let of_crlf = rewritten(format, &with_crlf(stream), policy, size);
    for (of_lf, of_crlf) in of_lf.iter().zip(of_crlf) {
        assert_eq!(
            of_crlf.escape_ascii().to_string(),
            with_crlf(of_lf).escape_ascii().to_string(),
            "{format}, {policy:?}: {}",
            stream.escape_ascii()
        );
    }
    true
}

/// The bytes with CR LF for each LF.
fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let lines = bytes.split(|&byte| byte == b'\n');
    lines.collect::<Vec<_>>().join(&b"\r\n"[..])
}

/// The stripped and the gated response, read in chunks of `size` bytes.
pub(super) fn rewritten(format: Format, stream: &[u8], policy: Drawn, size: usize) -> [Vec<u8>; 2] {
    let (mut stripped, mut gated) = (Vec::new(), Vec::new());
    let mut rewriter = StreamRewriter::new(format, Parser::new());
    let mut gate = StreamGate::new(format, Parser::new(), policy);
    for chunk in stream.chunks(size) {
        rewriter.push(chunk, Output(&mut stripped));
        gate.push(chunk, Output(&mut gated));
    }
    rewriter.finish(Output(&mut stripped));
    gate.finish(Output(&mut gated));
    [stripped, gated]
}
