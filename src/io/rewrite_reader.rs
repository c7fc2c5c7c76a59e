//! Text rewritten on its way out of an asynchronous reader.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, ReadBuf};

use super::PIECE;
use crate::handler::{Handler, IntoHandler, Tee};
use crate::parser::Parser;
use crate::rewrite::Rewriter;

pin_project! {
    /// An asynchronous reader of what another one reads, with its annotations removed or replaced.
    ///
    /// At most 8 KiB are read at a time, only when all that comes of what was read is taken. Errors of the reader inside
    /// pass through, after the text of what was read before, and the next read goes on. A read that is dropped before
    /// it is ready has taken nothing. After its end, the inner reader is not read again.
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
    pub struct RewriteReader<R, H> {
        #[pin]
        reader: R,
        rewriter: Rewriter,
        handler: H,
        // Room for what is read next.
        room: Vec<u8>,
        // Rewritten text, of which the first `taken` bytes are gone: `0 <= taken <= out.len()`.
        out: Vec<u8>,
        taken: usize,
        ended: bool,
    }
}

impl<R, H: Handler> RewriteReader<R, H> {
    /// The text of `reader` as the handler decides, with a parser that is at the start of a stream.
    pub fn new<M>(reader: R, parser: Parser, handler: impl IntoHandler<M, Handler = H>) -> Self {
        Self {
            reader,
            rewriter: Rewriter::new(parser),
            handler: handler.into_handler(),
            room: Vec::new(),
            out: Vec::new(),
            taken: 0,
            ended: false,
        }
    }
}

impl<R, H> RewriteReader<R, H> {
    /// The reader inside.
    #[must_use]
    pub const fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The reader inside. What is read past the adapter is not parsed.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader and the handler; text that was not read is dropped.
    #[must_use]
    pub fn into_parts(self) -> (R, H) {
        (self.reader, self.handler)
    }

    /// The handler.
    #[must_use]
    pub const fn handler(&self) -> &H {
        &self.handler
    }

    /// The handler.
    #[must_use]
    pub const fn handler_mut(&mut self) -> &mut H {
        &mut self.handler
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.rewriter.parser()
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
            if *this.ended {
                return Poll::Ready(Ok(()));
            }
            this.out.clear();
            *this.taken = 0;
            this.room.resize(PIECE, 0);
            let mut room = ReadBuf::new(this.room);
            ready!(this.reader.as_mut().poll_read(cx, &mut room))?;
            let tee = Tee {
                handler: &mut *this.handler,
                output: |text: &[u8]| this.out.extend_from_slice(text),
            };
            if room.filled().is_empty() {
                *this.ended = true;
                this.rewriter.finish(tee);
                *this.room = Vec::new();
            } else {
                this.rewriter.push(room.filled(), tee);
            }
        }
    }
}

impl<R: fmt::Debug, H> fmt::Debug for RewriteReader<R, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RewriteReader")
            .field("reader", &self.reader)
            .field("rewriter", &self.rewriter)
            .field("waiting", &(self.out.len() - self.taken))
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
