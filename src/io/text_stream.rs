//! A stream of chunks as a stream of the text rewritten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::pieces::Pieces;
use super::rewritten::Rewritten;
use crate::handler::{Handler, IntoHandler};
use crate::parser::Parser;

pin_project! {
    /// A stream of the text of a stream of chunks, with its annotations removed or replaced.
    ///
    /// Each chunk gives at most one item, at once: what is certain to stay with it. It is a slice of the chunk if nothing
    /// in its midst was removed and nothing was held before it, else a copy. No item is empty.
    ///
    /// The stream inside is polled for a chunk only when an item is asked for. A future of the next item that is dropped
    /// before it is ready has taken nothing.
    ///
    /// **The end.** The stream finishes at the end of the stream inside, at its first error, and when the adapter is
    /// dropped. The text that was held back comes before the error, and nothing after it; the stream inside is not polled
    /// any further. The handler gets the last events, also on dropping.
    ///
    /// Events go to the handler, as soon as they are certain.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::StreamExt;
    /// use provstream::io::TextStream;
    /// use provstream::{Event, Parser};
    /// # use std::convert::Infallible;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Infallible> {
    /// # let chunks = ["It is so. [subst", "rate.grep] Really."].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    /// # let body = futures_util::stream::iter(chunks);
    /// let report = |event: Event<'_>| {
    ///     if let Event::Assertion(assertion) = event {
    ///         assert_eq!(assertion.text(), "It is so.");
    ///     }
    /// };
    /// let mut text = TextStream::new(body, Parser::new(), report); // `body`: the bytes of a response
    /// let mut clean = Vec::new();
    /// while let Some(piece) = text.next().await {
    ///     clean.extend_from_slice(&piece?);
    /// }
    /// assert_eq!(clean, b"It is so. Really.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "streams do nothing unless polled"]
    pub struct TextStream<S, E, H: Handler> {
        #[pin]
        chunks: S,
        rewritten: Rewritten<H>,
        // Empty between polls; its memory is used again.
        joined: Vec<u8>,
        // An error for after the text.
        failed: Option<E>,
        // Whether the end was returned.
        terminated: bool,
    }
}

impl<S, B, E, H> TextStream<S, E, H>
where
    S: Stream<Item = Result<B, E>>,
    H: Handler,
{
    /// Creates a stream of the rewritten text of `chunks`, from a parser at the start of a stream.
    pub fn new<M>(chunks: S, parser: Parser, handler: impl IntoHandler<M, Handler = H>) -> Self {
        Self {
            chunks,
            rewritten: Rewritten::new(parser, handler.into_handler()),
            joined: Vec::new(),
            failed: None,
            terminated: false,
        }
    }
}

impl<S, E, H: Handler> TextStream<S, E, H> {
    /// Returns the inner stream.
    #[must_use]
    pub const fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// Returns the inner stream for changes. Chunks taken from it directly are not parsed.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.chunks
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

impl<S, B, E, H> Stream for TextStream<S, E, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    H: Handler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        while !this.rewritten.is_over() {
            let (chunk, ends) = match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => (chunk.into(), false),
                Some(Err(error)) => {
                    *this.failed = Some(error);
                    (Bytes::new(), true)
                }
                None => (Bytes::new(), true),
            };
            let mut pieces = Pieces::new(&chunk, this.joined);
            let output = |text: &[u8]| pieces.push(text);
            if ends {
                this.rewritten.finish(output);
            } else {
                this.rewritten.push(&chunk, output);
            }
            let text = pieces.take();
            if !text.is_empty() {
                return Poll::Ready(Some(Ok(text)));
            }
        }
        if let Some(error) = this.failed.take() {
            return Poll::Ready(Some(Err(error)));
        }
        *this.terminated = true;
        Poll::Ready(None)
    }
}

impl<S, B, E, H> FusedStream for TextStream<S, E, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    H: Handler,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S: fmt::Debug, E: fmt::Debug, H: Handler> fmt::Debug for TextStream<S, E, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream")
            .field("chunks", &self.chunks)
            .field("rewritten", &self.rewritten)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
