//! Text rewritten on its way out of an asynchronous reader.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

use super::rewritten::Rewritten;
use super::{PIECE, is_passing};
use crate::handler::{Handler, IntoHandler};
use crate::parser::Parser;

pin_project! {
    /// An asynchronous reader of what another one reads, with its annotations removed or replaced.
    ///
    /// At most 8 KiB are read at a time, only when all that comes of what was read is taken. A read that is dropped before
    /// it is ready has taken nothing.
    ///
    /// **The end.** The text finishes at the end of the reader inside, at its first error, and when the adapter is dropped.
    /// The text that was held back comes before the error, and nothing after it; the reader inside is not read any
    /// further. The handler gets the last events, also on dropping. Errors that say that a read would block or was
    /// interrupted end nothing.
    ///
    /// ```
    /// use provstream::io::RewriteReader;
    /// use provstream::{Event, Parser};
    /// use tokio::io::AsyncReadExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// let answer = &b"It is so. [substrate.grep] Really."[..]; // a socket, a child's output
    /// let report = |event: Event<'_>| {
    ///     if let Event::Assertion(assertion) = event {
    ///         assert_eq!(assertion.text(), "It is so.");
    ///     }
    /// };
    /// let mut text = String::new();
    /// RewriteReader::new(answer, Parser::new(), report).read_to_string(&mut text).await?;
    /// assert_eq!(text, "It is so. Really.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "nothing is read until text is asked for"]
    pub struct RewriteReader<R, H: Handler> {
        #[pin]
        reader: R,
        rewritten: Rewritten<H>,
        // Room for what is read next.
        room: Vec<u8>,
        // Rewritten text, of which the first `taken` bytes are gone: `0 <= taken <= out.len()`.
        out: Vec<u8>,
        taken: usize,
        // An error for after the text.
        failed: Option<io::Error>,
    }
}

impl<R, H: Handler> RewriteReader<R, H> {
    /// Creates a reader of the rewritten text of `reader`, from a parser at the start of a stream.
    pub fn new<M>(reader: R, parser: Parser, handler: impl IntoHandler<M, Handler = H>) -> Self {
        Self {
            reader,
            rewritten: Rewritten::new(parser, handler.into_handler()),
            room: Vec::new(),
            out: Vec::new(),
            taken: 0,
            failed: None,
        }
    }

    /// Returns the inner reader.
    #[must_use]
    pub const fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Returns the inner reader for changes. Bytes read from it directly are not parsed.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader
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

impl<R: AsyncRead, H: Handler> AsyncRead for RewriteReader<R, H> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut this = self.project();
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            if let Some(rest @ [_, ..]) = this.out.get(*this.taken..) {
                let now = &rest[..rest.len().min(buffer.remaining())];
                buffer.put_slice(now);
                *this.taken += now.len();
                return Poll::Ready(Ok(()));
            }
            if let Some(error) = this.failed.take() {
                return Poll::Ready(Err(error));
            }
            if this.rewritten.is_over() {
                return Poll::Ready(Ok(()));
            }
            this.out.clear();
            *this.taken = 0;
            this.room.resize(PIECE, 0);
            let mut room = ReadBuf::new(this.room);
            let read = ready!(this.reader.as_mut().poll_read(cx, &mut room));
            let output = |text: &[u8]| this.out.extend_from_slice(text);
            match read {
                Ok(()) if !room.filled().is_empty() => this.rewritten.push(room.filled(), output),
                Err(error) if is_passing(&error) => return Poll::Ready(Err(error)),
                end => {
                    *this.failed = end.err();
                    this.rewritten.finish(output);
                    *this.room = Vec::new();
                }
            }
        }
    }
}

impl<R: fmt::Debug, H: Handler> fmt::Debug for RewriteReader<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RewriteReader")
            .field("reader", &self.reader)
            .field("rewritten", &self.rewritten)
            .field("waiting", &(self.out.len() - self.taken))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
