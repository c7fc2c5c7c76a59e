//! A stream of chunks of a provider's event stream as a stream of the same with its text rewritten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

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
    /// The stream inside is polled only when an item is asked for. A future of the next item that is dropped before it is
    /// ready has taken nothing.
    ///
    /// **The end.** The rewriter finishes at the end of the stream inside, at its first error, and when the adapter is dropped.
    /// Held text is written then, before the error, and nothing after it. The handler gets the rewriter's reports,
    /// also on dropping.
    ///
    /// The handler takes all that the rewriter reports, and decides what is written for annotations; it sees the bytes, too,
    /// before they are given. `()` removes all annotations. A web framework that takes the stream keeps the handler, too: what is
    /// wanted after the end, such as the [`ReadReport`], the handler sends through a channel.
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
    pub struct WireStream<S, E, K>
    where
        K: StreamHandler,
    {
        #[pin]
        through: Through<S, E, StreamRewriter, K>,
    }
}

impl<S, B, E, K> WireStream<S, E, K>
where
    S: Stream<Item = Result<B, E>>,
    K: StreamHandler,
{
    /// Creates a stream of the rewritten response from `chunks`; the rewriter must be at the start of a response.
    pub fn new<M>(
        chunks: S,
        rewriter: StreamRewriter,
        handler: impl IntoStreamHandler<M, Handler = K>,
    ) -> Self {
        Self {
            through: Through::new(chunks, rewriter, handler.into_stream_handler()),
        }
    }
}

impl<S, E, K: StreamHandler> WireStream<S, E, K> {
    /// The stream inside.
    #[must_use]
    pub const fn get_ref(&self) -> &S {
        &self.through.chunks
    }

    /// The stream inside. Chunks that are taken past the adapter are not read.
    #[must_use]
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.through.chunks
    }

    /// The handler.
    #[must_use]
    pub const fn handler(&self) -> &K {
        &self.through.work.handler
    }

    /// The handler.
    #[must_use]
    pub const fn handler_mut(&mut self) -> &mut K {
        &mut self.through.work.handler
    }

    /// The rewriter inside.
    #[must_use]
    pub const fn rewriter(&self) -> &StreamRewriter {
        &self.through.work.rewriter
    }
}

impl<S, B, E, K> Stream for WireStream<S, E, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: StreamHandler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().through.poll_next(cx)
    }
}

impl<S, B, E, K> FusedStream for WireStream<S, E, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    K: StreamHandler,
{
    fn is_terminated(&self) -> bool {
        self.through.is_terminated()
    }
}

impl<S: fmt::Debug, E: fmt::Debug, K: StreamHandler> fmt::Debug for WireStream<S, E, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.through.show("WireStream", f)
    }
}
