//! What a parser takes is bounded by the limits.

use super::super::case::Case;
use super::super::meter::Meter;
use super::super::reference::RefMode;

/// Most bytes that a parser and all it owns may take in mode `text` with limits up to the defaults.
const MOST: usize = 12 << 10;

/// The same in the modes that know JSON.
const MOST_JSON: usize = 192 << 10;

/// How often the stream is repeated.
const TIMES: usize = 3;

/// However often a stream is repeated, what it takes is what the parser says of itself, as the allocator counts it, and
/// bounded by the limits.
pub(super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let most = match case.reading.mode {
        RefMode::Text => MOST,
        _ => MOST_JSON,
    };
    let parser = case.parser();
    let mut meter = Meter::of(|| parser.clone());
    let what = "the case";
    let chunks = case.chunks();
    for &(own, chunk) in chunks.iter().cycle().take(TIMES * chunks.len()) {
        if own {
            meter.push(chunk, what);
        } else {
            meter.push_untrusted(chunk, what);
        }
    }
    meter.finish(what);
    assert!(meter.worst <= most, "{} bytes", meter.worst);
}
