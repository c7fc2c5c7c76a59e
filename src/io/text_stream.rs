//! A stream of chunks as a stream of the text rewritten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::pieces::Pieces;
use super::sink::{EventSink, Split};
use crate::parser::Parser;
use crate::rewrite::Rewriter;

pin_project! {
    /// A stream of the text of a stream of chunks, with its annotations removed or replaced.
    ///
    /// Each chunk gives at most one item, at once: what is certain to stay with it. It is a slice of the chunk if nothing
    /// in its midst was removed and nothing was held before it, else a copy. No item is empty.
    ///
    /// The stream inside is asked for a chunk only when an item is asked for. Its errors pass through and it is asked again
    /// afterwards; only its end ends the stream, with the text that was held. It is not asked again behind its end. A
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
    pub struct TextStream<S, K> {
        #[pin]
        chunks: S,
        rewriter: Rewriter,
        sink: K,
        // Empty between polls; its memory is used again.
        joined: Vec<u8>,
        ended: bool,
        // Whether the end was told: there is nothing more.
        terminated: bool,
    }
}

impl<S, K: EventSink> TextStream<S, K> {
    /// What the parser, which is at the start of a stream, and the sink make of `chunks`.
    pub fn new(chunks: S, parser: Parser, sink: K) -> Self {
        Self {
            chunks,
            rewriter: Rewriter::new(parser),
            sink,
            joined: Vec::new(),
            ended: false,
            terminated: false,
        }
    }
}

impl<S, K> TextStream<S, K> {
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

    /// The stream and the sink, without the text that was held.
    #[must_use]
    pub fn into_parts(self) -> (S, K) {
        (self.chunks, self.sink)
    }

    /// The sink.
    #[must_use]
    pub const fn sink(&self) -> &K {
        &self.sink
    }

    /// The sink.
    #[must_use]
    pub const fn sink_mut(&mut self) -> &mut K {
        &mut self.sink
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.rewriter.parser()
    }
}

impl<S, B, E, K> Stream for TextStream<S, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: EventSink,
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
            let mut split = Split {
                text: |text: &[u8]| pieces.push(text),
                sink: this.sink,
            };
            if *this.ended {
                this.rewriter.finish(&mut split);
                this.sink.end();
            } else {
                this.rewriter.push(&chunk, &mut split);
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

impl<S, B, E, K> FusedStream for TextStream<S, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: EventSink,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S: fmt::Debug, K> fmt::Debug for TextStream<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream")
            .field("chunks", &self.chunks)
            .field("rewriter", &self.rewriter)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
