//! Memory of a parser is bounded by the limits.

use super::super::case::Case;
use super::super::meter::Meter;
use super::super::reference::RefMode;

/// Most bytes that a parser and all it owns may take in mode `text` with limits up to the defaults.
const MOST: usize = 12 << 10;

/// Maximum memory of a parser in the modes with JSON, in bytes.
const MOST_JSON: usize = 192 << 10;

/// Number of repetitions of the stream.
const TIMES: usize = 3;

/// Name of the input in failure messages.
const WHAT: &str = "the case";

/// However often a stream is repeated, what it takes is what the parser says of itself, as the allocator counts it, and
/// bounded by the limits, after a reset too.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let most = match case.reading.mode {
        RefMode::Text => MOST,
        _ => MOST_JSON,
    };
    let parser = case.parser();
    let mut meter = Meter::of(|| parser.clone());
    for (own, bytes) in case.earlier() {
        feed(&mut meter, own, bytes);
    }
    meter.finish(WHAT);
    let chunks = case.chunks();
    for &(own, chunk) in chunks.iter().cycle().take(TIMES * chunks.len()) {
        feed(&mut meter, own, chunk);
    }
    meter.finish(WHAT);
    assert!(meter.worst <= most, "{} bytes", meter.worst);
}

fn feed(meter: &mut Meter, own: bool, chunk: &[u8]) {
    if own {
        meter.push(chunk, WHAT);
    } else {
        meter.push_untrusted(chunk, WHAT);
    }
}
