//! The parser of hidden tags of codex.

use std::hint::black_box;

use codex_utils_stream_parser::{CitationStreamParser, StreamTextChunk, StreamTextParser};

use crate::adapter::{Adapter, Peer};

pub(super) const PEER: Peer = Peer {
    name: "codex hidden tags",
    parses: true,
    package: "typeduck-codex-extension-items",
    what: "`CitationStreamParser`: returns the text without the tags and the content of each tag as a string; no span, \
        no assertion, no time, does not distinguish code from text",
    streams: true,
    open: "<oai-mem-citation>",
    close: "</oai-mem-citation>",
    body: super::plain,
    make: || Box::new(Codex::default()),
};

#[derive(Default)]
struct Codex {
    parser: CitationStreamParser,
    found: usize,
}

impl Codex {
    fn take(&mut self, chunk: StreamTextChunk<String>) {
        self.found += black_box(chunk).extracted.len();
    }
}

impl Adapter for Codex {
    fn feed(&mut self, chunk: &str) {
        let chunk = self.parser.push_str(chunk);
        self.take(chunk);
    }

    fn finish(&mut self) -> usize {
        let chunk = self.parser.finish();
        self.take(chunk);
        std::mem::take(&mut self.found)
    }
}
