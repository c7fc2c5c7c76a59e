//! provstream in mode `text`, with events that are borrowed.

use provstream::{Event, Mode, Parser};

use crate::adapter::{Adapter, Peer};
use crate::support::read::look;

pub(super) const TEXT: Peer = Peer {
    name: "provstream",
    parses: true,
    package: "provstream",
    what: "mode `text`: every event, the text of each assertion and each time looked at",
    streams: true,
    open: "[",
    close: "]",
    body: super::plain,
    make: || Box::new(Own::new(Mode::Text)),
};

pub(super) const AUTO: Peer = Peer {
    name: "provstream, mode auto",
    what: "the same in the default mode, which also looks for JSON",
    streams: false,
    make: || Box::new(Own::new(Mode::Auto)),
    ..TEXT
};

struct Own {
    parser: Parser,
    found: usize,
}

impl Own {
    fn new(mode: Mode) -> Self {
        Self {
            parser: Parser::builder().mode(mode).build(),
            found: 0,
        }
    }
}

impl Adapter for Own {
    #[inline]
    fn feed(&mut self, chunk: &str) {
        self.parser.push(chunk.as_bytes(), |event: Event<'_>| {
            self.found += look(event)
        });
    }

    fn finish(&mut self) -> usize {
        self.parser
            .finish(|event: Event<'_>| self.found += look(event));
        self.parser.reset();
        std::mem::take(&mut self.found)
    }
}
