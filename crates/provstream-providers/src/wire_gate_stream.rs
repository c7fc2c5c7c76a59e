//! An adapter that gates a provider's event stream, chunk by chunk.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::through::Through;
use crate::{IntoStreamHandler, StreamGate, StreamHandler};
use provstream::Policy;

pin_project! {
    /// A provider's event stream, given in chunks, with only the text that a policy releases.
    ///
    /// Each chunk gives at most one item, at once: the events that are complete with it. No item is empty.
    ///
    /// **The end.** The gate finishes at the end of the stream inside, at its first error, and when the adapter is dropped.
    /// At an error, text that is released by this comes before the error, and nothing after it. On a drop, it is lost; only
    /// the handler gets the reports. The handler gets the gate's reports, also on dropping. The inner stream is polled to
    /// its end even if the policy has ended all texts, so that the response has the end that clients expect. Dropping the
    /// future of the next item before it is ready loses nothing.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::StreamExt;
    /// use provstream::{Action, Parser, Policy, Question};
    /// use provstream_providers::{Format, StreamGate, WireGateStream};
    /// # use std::convert::Infallible;
    ///
    /// #[derive(Clone)]
    /// struct Nothing;
    /// impl Policy for Nothing {
    ///     fn assertion(&mut self, _: &Question<'_>) -> Action {
    ///         Action::Replace("(withheld)".into())
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Infallible> {
    /// # let chunks = [
    /// #     r#"{"message":{"content":"It is so. [subst"},"do"#,
    /// #     "ne\":false}\n{\"message\":{\"content\":\"rate.grep] Really.\"},\"done\":true}\n",
    /// # ]
    /// # .map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    /// # let body = futures_util::stream::iter(chunks);
    /// let gate = StreamGate::new(Format::Ollama, Parser::new(), Nothing);
    /// let mut events = WireGateStream::new(body, gate, ()); // `body`: the bytes of a response
    /// let mut released = Vec::new();
    /// while let Some(piece) = events.next().await {
    ///     released.extend_from_slice(&piece?);
    /// }
    /// let expected = r#"{"message":{"content":""},"done":false}
    /// {"message":{"content":"(withheld) Really."},"done":true}
    /// "#;
    /// assert_eq!(released, expected.as_bytes());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "streams do nothing unless polled"]
    pub struct WireGateStream<S, E, P, K>
    where
        P: Policy,
        P: Clone,
        K: StreamHandler,
    {
        #[pin]
        through: Through<S, E, StreamGate<P>, K>,
    }
}

impl<S, B, E, P, K> WireGateStream<S, E, P, K>
where
    S: Stream<Item = Result<B, E>>,
    P: Policy + Clone,
    K: StreamHandler,
{
    /// Creates a stream of the gated response from `chunks`; the gate must be at the start of a response, and the
    /// handler gets its reports.
    pub fn new<M>(
        chunks: S,
        gate: StreamGate<P>,
        handler: impl IntoStreamHandler<M, Handler = K>,
    ) -> Self {
        Self {
            through: Through::new(chunks, gate, handler.into_stream_handler()),
        }
    }
}

impl<S, E, P: Policy + Clone, K: StreamHandler> WireGateStream<S, E, P, K> {
    /// The stream inside.
    #[must_use]
    pub const fn get_ref(&self) -> &S {
        &self.through.chunks
    }

    /// The gate.
    #[must_use]
    pub const fn gate(&self) -> &StreamGate<P> {
        &self.through.work.rewriter
    }

    /// The handler.
    #[must_use]
    pub const fn handler(&self) -> &K {
        &self.through.work.handler
    }
}

impl<S, B, E, P, K> Stream for WireGateStream<S, E, P, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    P: Policy + Clone,
    K: StreamHandler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().through.poll_next(cx)
    }
}

impl<S, B, E, P, K> FusedStream for WireGateStream<S, E, P, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    P: Policy + Clone,
    K: StreamHandler,
{
    fn is_terminated(&self) -> bool {
        self.through.is_terminated()
    }
}

impl<S: fmt::Debug, E: fmt::Debug, P: Policy + Clone, K: StreamHandler> fmt::Debug
    for WireGateStream<S, E, P, K>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.through.show("WireGateStream", f)
    }
}
