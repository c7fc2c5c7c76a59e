//! A regular expression over a buffer that grows.

use std::hint::black_box;

use regex::bytes::Regex;

use crate::adapter::{Adapter, Peer};
use crate::support::PATTERN;

pub(super) const PEER: Peer = Peer {
    name: "regex over a buffer",
    parses: true,
    package: "regex",
    what: "appends each chunk and searches on from the last match; no assertion, no time, no bound of the buffer",
    streams: false,
    open: "[",
    close: "]",
    body: super::plain,
    make: || boxed(PATTERN),
};

/// A search for numbers in brackets, which cite.
pub(super) const NUMBERS: Peer = Peer {
    make: || boxed(r"\[[1-9][0-9]{0,2}\]"),
    ..PEER
};

fn boxed(pattern: &str) -> Box<dyn Adapter> {
    Box::new(Buffered {
        regex: Regex::new(pattern).expect("a sound pattern"),
        buffer: Vec::new(),
        from: 0,
        found: 0,
    })
}

struct Buffered {
    regex: Regex,
    buffer: Vec<u8>,
    /// Where the last match ended.
    from: usize,
    found: usize,
}

impl Adapter for Buffered {
    fn feed(&mut self, chunk: &str) {
        self.buffer.extend_from_slice(chunk.as_bytes());
        let mut end = 0;
        for found in self.regex.captures_iter(&self.buffer[self.from..]) {
            end = black_box(&found).get_match().end();
            self.found += 1;
        }
        self.from += end;
    }

    fn finish(&mut self) -> usize {
        self.buffer.clear();
        self.from = 0;
        std::mem::take(&mut self.found)
    }
}
