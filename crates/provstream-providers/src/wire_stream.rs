//! A stream of chunks of a provider's event stream as a stream of the same with its text rewritten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::through::Through;
use crate::{IntoStreamHandler, StreamHandler, StreamRewriter};

pin_project! {
    /// A provider's event stream, given in chunks, with the annotations in its text removed or replaced.
    ///
    /// Each chunk gives at most one item, at once: the events that are complete with it. No item is empty. Items are cut as
    /// the chunks are, not by event.
    ///
    /// The stream inside is asked for a chunk only when an item is asked for. Its errors pass through and it is asked again
    /// afterwards; only its end ends the stream, with what was held back. It is not asked again after its end. A future of the
    /// next item that is dropped before it is ready has taken nothing.
    ///
    /// The handler takes all that the rewriter reports, and decides what is written for annotations; it sees the bytes, too,
    /// before they are given. `()` removes all annotations. A web framework that takes the stream keeps the handler, too: what is
    /// wanted after the end, such as the [`ReadReport`], the handler passes on through a channel, and a
    /// [`SideSink`] gives the events beside the bytes.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::StreamExt;
    /// use provstream::Parser;
    /// use provstream_providers::WireStream;
    /// use provstream_providers::{Format, StreamRewriter};
    /// # use std::convert::Infallible;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Infallible> {
    /// # let chunks = [
    /// #     r#"{"message":{"content":"It is so. [subst"},"do"#,
    /// #     "ne\":false}\n{\"message\":{\"content\":\"rate.grep] Really.\"},\"done\":true}\n",
    /// # ]
    /// # .map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    /// # let body = futures_util::stream::iter(chunks);
    /// let rewriter = StreamRewriter::new(Format::Ollama, Parser::new());
    /// let mut events = WireStream::new(body, rewriter, ()); // `body`: the bytes of a response
    /// let mut clean = Vec::new();
    /// while let Some(piece) = events.next().await {
    ///     clean.extend_from_slice(&piece?);
    /// }
    /// let expected = r#"{"message":{"content":"It is so."},"done":false}
    /// {"message":{"content":" Really."},"done":true}
    /// "#;
    /// assert_eq!(clean, expected.as_bytes());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "streams do nothing unless polled"]
    pub struct WireStream<S, K> {
        #[pin]
        chunks: S,
        through: Through<StreamRewriter, K>,
        ended: bool,
        // The end was reported: there is nothing more.
        terminated: bool,
    }
}

impl<S, K: StreamHandler> WireStream<S, K> {
    /// What the rewriter, which is at the start of a response, and the handler make of `chunks`.
    pub fn new<M>(
        chunks: S,
        rewriter: StreamRewriter,
        handler: impl IntoStreamHandler<M, Handler = K>,
    ) -> Self {
        Self {
            chunks,
            through: Through::new(rewriter, handler.into_stream_handler()),
            ended: false,
            terminated: false,
        }
    }
}

impl<S, K> WireStream<S, K> {
    /// The stream inside.
    #[must_use]
    pub const fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// The stream inside. Chunks that are taken past the adapter are not read.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.chunks
    }

    /// The stream and the handler, without what was held back.
    #[must_use]
    pub fn into_parts(self) -> (S, K) {
        (self.chunks, self.through.handler)
    }

    /// The handler.
    #[must_use]
    pub const fn handler(&self) -> &K {
        &self.through.handler
    }

    /// The handler.
    #[must_use]
    pub const fn handler_mut(&mut self) -> &mut K {
        &mut self.through.handler
    }

    /// The rewriter inside.
    #[must_use]
    pub const fn rewriter(&self) -> &StreamRewriter {
        &self.through.rewriter
    }
}

impl<S, B, E, K> Stream for WireStream<S, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: StreamHandler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        while !*this.ended {
            let bytes = match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => this.through.push(&chunk.into()),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    *this.ended = true;
                    this.through.finish()
                }
            };
            if !bytes.is_empty() {
                return Poll::Ready(Some(Ok(bytes)));
            }
        }
        *this.terminated = true;
        Poll::Ready(None)
    }
}

impl<S, B, E, K> FusedStream for WireStream<S, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: StreamHandler,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S: fmt::Debug, K> fmt::Debug for WireStream<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireStream")
            .field("chunks", &self.chunks)
            .field("rewriter", &self.through.rewriter)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
