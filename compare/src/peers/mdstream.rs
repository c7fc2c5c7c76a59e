//! mdstream: Markdown cut into blocks.

use std::hint::black_box;

use mdstream::{Block, BlockKind, MdStream, Options};

use crate::adapter::{Adapter, Peer};

pub(super) const PEER: Peer = Peer {
    name: "mdstream",
    parses: true,
    package: "mdstream",
    what: "cuts Markdown into blocks and gives each as a string, here with a fenced block for a marker; no span, no \
        assertion, no time, all text is kept",
    streams: true,
    open: "\n\n```\n",
    close: "\n```\n\n",
    body: super::plain,
    make: || {
        Box::new(Markdown {
            stream: MdStream::new(Options::default()),
            found: 0,
        })
    },
};

struct Markdown {
    stream: MdStream,
    found: usize,
}

fn fences(committed: &[Block]) -> usize {
    let fence = |block: &&Block| block.kind == BlockKind::CodeFence;
    committed.iter().filter(fence).count()
}

impl Adapter for Markdown {
    fn feed(&mut self, chunk: &str) {
        let update = self.stream.append_ref(chunk);
        black_box(&update.pending);
        self.found += fences(update.committed);
    }

    fn finish(&mut self) -> usize {
        self.found += fences(self.stream.finalize_ref().committed);
        self.stream.reset();
        std::mem::take(&mut self.found)
    }
}
