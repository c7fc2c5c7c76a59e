//! What every parser looks like to the benchmark.

/// A parser that is fed a stream of text and finds the markers in it.
pub(crate) trait Adapter {
    /// Takes the next bytes of the stream and looks at what comes of them.
    fn feed(&mut self, chunk: &str);

    /// Ends the stream, gives the number of markers found in it, and gets ready for another stream.
    fn finish(&mut self) -> usize;

    /// A whole stream in chunks of `size` bytes, which end between characters; gives the number of markers found.
    fn read(&mut self, stream: &str, size: usize) -> usize {
        let mut rest = stream;
        while let Some((chunk, behind)) = rest.split_at_checked(size) {
            self.feed(chunk);
            rest = behind;
        }
        if !rest.is_empty() {
            self.feed(rest);
        }
        self.finish()
    }
}

/// A parser, and the markers that it knows.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    /// What it is called in the tables.
    pub(crate) name: &'static str,
    /// Whether it finds markers, and not only what may begin one.
    pub(crate) parses: bool,
    /// The crate.
    pub(crate) package: &'static str,
    /// What it is, and what it does not do.
    pub(crate) what: &'static str,
    /// Whether it is a parser of a stream, so that the seventh target is about it.
    pub(crate) streams: bool,
    /// Begins a marker.
    pub(crate) open: &'static str,
    /// Ends a marker.
    pub(crate) close: &'static str,
    /// Writes what stands between the two.
    pub(crate) body: fn(payload: &str) -> String,
    /// Makes one.
    pub(crate) make: fn() -> Box<dyn Adapter>,
}
