//! Text rewritten on its way into a writer.

use std::fmt;
use std::io::{self, Write};

use super::PIECE;
use super::rewritten::Rewritten;
use crate::handler::{Handler, IntoHandler};
use crate::parser::Parser;

/// A writer that removes or replaces annotations on the way into another one.
///
/// Each write parses at most 8 KiB and passes on what is certain. What the writer inside does not take is kept, and
/// nothing further is taken until it is gone, so no more is ever kept than comes of 8 KiB.
///
/// **Errors** of the writer inside lose and repeat nothing. One that comes when bytes of a write were taken already is
/// the result of the next call, which then takes nothing; the call after it goes on. One that
/// would block is not kept, since the next call meets it by itself.
///
/// **The end.** [`flush`](Write::flush) passes on what is certain, but never what is held back because it may become an
/// annotation. [`finish`](Self::finish) does. Dropping the adapter gives the handler the last events, but writes nothing:
/// what is held back or was not taken by the writer inside is lost then, as [`finish`](Self::finish) alone can report errors.
///
/// ```
/// use provstream::io::RewriteWriter;
/// use provstream::{Event, Parser};
/// use std::io::Write;
///
/// let mut found = 0;
/// let count = |event: Event<'_>| found += usize::from(matches!(event, Event::Assertion(_)));
/// let mut writer = RewriteWriter::new(Vec::new(), Parser::new(), count);
/// writer.write_all(b"It is so. [subst")?;
/// writer.write_all(b"rate.grep] Really.")?;
/// assert_eq!(writer.finish()?, b"It is so. Really.");
/// assert_eq!(found, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "what is held is written by `finish` only"]
pub struct RewriteWriter<W, H: Handler> {
    writer: W,
    rewritten: Rewritten<H>,
    /// Rewritten text for the writer, of which the first `written` bytes are gone: `0 <= written <= out.len()`.
    out: Vec<u8>,
    written: usize,
    /// An error for the next call.
    failed: Option<io::Error>,
}

impl<W: Write, H: Handler> RewriteWriter<W, H> {
    /// Writes the text to `writer` as the handler decides, with a parser that is at the start of a stream.
    pub fn new<M>(writer: W, parser: Parser, handler: impl IntoHandler<M, Handler = H>) -> Self {
        Self {
            writer,
            rewritten: Rewritten::new(parser, handler.into_handler()),
            out: Vec::new(),
            written: 0,
            failed: None,
        }
    }

    /// Ends the stream, writes all that was held, flushes the writer inside and gives it back.
    ///
    /// # Errors
    /// That of the writer inside, which is gone then. [`try_finish`](Self::try_finish) keeps it.
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.writer)
    }

    /// Ends the stream, writes all that was held and flushes the writer inside. After an error it can be called again
    /// and goes on where it was. What is written afterwards is refused, with an error of kind
    /// [`InvalidInput`](io::ErrorKind::InvalidInput).
    ///
    /// # Errors
    /// That of the writer inside.
    pub fn try_finish(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.rewritten
            .finish(|text| self.out.extend_from_slice(text));
        self.flush()
    }

    /// Passes on what is certain, or says why that cannot be.
    fn pass_on(&mut self) -> io::Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        while let Some(rest @ [_, ..]) = self.out.get(self.written..) {
            match self.writer.write(rest) {
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::WriteZero,
                        "failed to write the rewritten text",
                    ));
                }
                // A writer that says more than it was given has taken all.
                Ok(taken) => self.written += taken.min(rest.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.written = 0;
        Ok(())
    }
}

impl<W, H: Handler> RewriteWriter<W, H> {
    /// Returns the inner writer.
    #[must_use]
    pub const fn get_ref(&self) -> &W {
        &self.writer
    }

    /// Returns the inner writer for changes. Bytes written to it directly come before those that
    /// the adapter holds.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Returns the handler.
    #[must_use]
    pub const fn handler(&self) -> &H {
        self.rewritten.handler()
    }

    /// Returns the handler for changes.
    #[must_use]
    pub const fn handler_mut(&mut self) -> &mut H {
        self.rewritten.handler_mut()
    }

    /// Returns the inner parser.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.rewritten.parser()
    }
}

impl<W: Write, H: Handler> Write for RewriteWriter<W, H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pass_on()?;
        let piece = &bytes[..bytes.len().min(PIECE)];
        if piece.is_empty() {
            return Ok(0);
        }
        if self.rewritten.is_over() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "expected no more bytes after the end of the stream",
            ));
        }
        self.rewritten
            .push(piece, |text| self.out.extend_from_slice(text));
        self.failed = self
            .pass_on()
            .err()
            .filter(|error| error.kind() != io::ErrorKind::WouldBlock);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.writer.flush()
    }
}

impl<W: fmt::Debug, H: Handler> fmt::Debug for RewriteWriter<W, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RewriteWriter")
            .field("writer", &self.writer)
            .field("rewritten", &self.rewritten)
            .field("waiting", &(self.out.len() - self.written))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
