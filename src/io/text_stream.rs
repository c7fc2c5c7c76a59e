//! A stream of chunks as a stream of the text rewritten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::pieces::Pieces;
use crate::handler::{Handler, IntoHandler, Tee};
use crate::parser::Parser;
use crate::rewrite::Rewriter;

pin_project! {
    /// A stream of the text of a stream of chunks, with its annotations removed or replaced.
    ///
    /// Each chunk gives at most one item, at once: what is certain to stay with it. It is a slice of the chunk if nothing
    /// in its midst was removed and nothing was held before it, else a copy. No item is empty.
    ///
    /// The stream inside is asked for a chunk only when an item is asked for. Its errors pass through and it is asked again
    /// afterwards; only its end ends the stream, with the text that was held back. It is not polled again after its end. A
    /// future of the next item that is dropped before it is ready has taken nothing.
    ///
    /// Events go to the sink, as soon as they are certain; [`side_events`](super::side_events) makes a stream of them
    /// that the text never waits for.
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
    pub struct TextStream<S, H> {
        #[pin]
        chunks: S,
        rewriter: Rewriter,
        handler: H,
        // Empty between polls; its memory is used again.
        joined: Vec<u8>,
        ended: bool,
        // Whether the end was returned.
        terminated: bool,
    }
}

impl<S, H: Handler> TextStream<S, H> {
    /// The text of `chunks` as the handler decides, with a parser that is at the start of a stream.
    pub fn new<M>(chunks: S, parser: Parser, handler: impl IntoHandler<M, Handler = H>) -> Self {
        Self {
            chunks,
            rewriter: Rewriter::new(parser),
            handler: handler.into_handler(),
            joined: Vec::new(),
            ended: false,
            terminated: false,
        }
    }
}

impl<S, H> TextStream<S, H> {
    /// The stream inside.
    #[must_use]
    pub const fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// The stream inside. Chunks that are taken past the adapter are not parsed.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.chunks
    }

    /// The stream and the handler; the text that is held back is dropped.
    #[must_use]
    pub fn into_parts(self) -> (S, H) {
        (self.chunks, self.handler)
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

impl<S, B, E, H> Stream for TextStream<S, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    H: Handler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        while !*this.ended {
            let chunk = match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => chunk.into(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    *this.ended = true;
                    Bytes::new()
                }
            };
            let mut pieces = Pieces::new(&chunk, this.joined);
            let tee = Tee {
                handler: &mut *this.handler,
                output: |text: &[u8]| pieces.push(text),
            };
            if *this.ended {
                this.rewriter.finish(tee);
            } else {
                this.rewriter.push(&chunk, tee);
            }
            let text = pieces.take();
            if !text.is_empty() {
                return Poll::Ready(Some(Ok(text)));
            }
        }
        *this.terminated = true;
        Poll::Ready(None)
    }
}

impl<S, B, E, H> FusedStream for TextStream<S, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    H: Handler,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S: fmt::Debug, H> fmt::Debug for TextStream<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream")
            .field("chunks", &self.chunks)
            .field("rewriter", &self.rewriter)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
