//! What a parser takes while it reads, as the allocator counts it.

use allocation_counter::measure;
use provstream::{Parser, ParserBuilder};

/// A parser whose memory is looked at with each chunk.
///
/// The counter counts the allocations of one thread, so tests may run side by side.
pub struct Meter {
    parser: Parser,
    /// Bytes of heap the parser holds as the allocator counts them.
    real: i64,
    /// The most that the parser and all it owns took so far.
    pub worst: usize,
}

impl Meter {
    /// A meter of a new parser.
    pub fn new(builder: ParserBuilder) -> Self {
        // The vocabulary is shared by all parsers: it belongs to none of them.
        drop(Parser::new());
        Self::of(|| builder.build())
    }

    /// A meter of what `make` makes.
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

    /// Feeds own text; `what` is said where what the parser says of itself is wrong.
    pub fn push(&mut self, chunk: &[u8], what: &str) {
        self.real += measure(|| self.parser.push(chunk, ())).bytes_current;
        self.check(what);
    }

    /// Feeds text that is not the model's own.
    pub fn push_untrusted(&mut self, chunk: &[u8], what: &str) {
        self.real += measure(|| self.parser.push_untrusted(chunk, ())).bytes_current;
        self.check(what);
    }

    /// Ends the stream and gets ready for another one, with the memory that this one took.
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
