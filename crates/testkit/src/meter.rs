//! Memory use of a parser as the allocator counts it.

use allocation_counter::measure;
use provstream::{Parser, ParserBuilder};

/// A parser with a check after each chunk that its reported heap size equals its allocated bytes.
///
/// Only allocations of the current thread are counted, so tests can run in parallel.
pub struct Meter {
    parser: Parser,
    /// Heap bytes of the parser, as counted by the allocator.
    real: i64,
    /// Maximum memory of the parser so far, in bytes: its struct and its heap.
    pub worst: usize,
}

impl Meter {
    /// Builds a parser and measures its memory.
    pub fn new(builder: ParserBuilder) -> Self {
        // The vocabulary is shared by all parsers: it belongs to none of them.
        drop(Parser::new());
        Self::of(|| builder.build())
    }

    /// Measures the memory of the parser that `make` builds.
    pub fn of(make: impl FnOnce() -> Parser) -> Self {
        let mut parser = None;
        let real = measure(|| parser = Some(make())).bytes_current;
        let parser = parser.expect("it was built");
        Self {
            parser,
            real,
            worst: 0,
        }
    }

    /// Pushes a chunk of model text; `what` names the input in the message of a failed check.
    pub fn push(&mut self, chunk: &[u8], what: &str) {
        self.real += measure(|| self.parser.push(chunk, ())).bytes_current;
        self.check(what);
    }

    /// Pushes a chunk of untrusted text; `what` names the input in the message of a failed check.
    pub fn push_untrusted(&mut self, chunk: &[u8], what: &str) {
        self.real += measure(|| self.parser.push_untrusted(chunk, ())).bytes_current;
        self.check(what);
    }

    /// Ends the stream and resets the parser, which keeps its allocated memory.
    pub fn finish(&mut self, what: &str) {
        self.real += measure(|| self.parser.finish(())).bytes_current;
        self.check(what);
        self.parser.reset();
    }

    fn check(&mut self, what: &str) {
        let said = self.parser.heap_size();
        assert_eq!(
            said as i64, self.real,
            "{what}: what heap_size says and what is allocated"
        );
        self.worst = self.worst.max(size_of::<Parser>() + said);
    }
}
