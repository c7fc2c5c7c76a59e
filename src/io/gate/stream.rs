//! A stream of chunks as a stream of the text that a gate releases.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Gated;
use crate::gate::{Gate, GateHandler, Policy};

pin_project! {
    /// A stream of the text that a policy releases of a stream of chunks.
    ///
    /// Each chunk gives at most one item, with all that is released by then. No item is empty.
    ///
    /// **The end.** The gate finishes at the end of the stream inside, at its first error, and when the adapter is dropped.
    /// The text that is released then comes before the error, and nothing after it. When the policy ends the stream,
    /// the stream inside is not polled any further. The handler gets what the gate reports, also on dropping.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::StreamExt;
    /// use provstream::io::GateStream;
    /// use provstream::{Action, Gate, Parser, Policy, Question};
    /// # use std::convert::Infallible;
    ///
    /// struct Nothing;
    /// impl Policy for Nothing {
    ///     fn assertion(&mut self, _: &Question<'_>) -> Action {
    ///         Action::Replace("(withheld)".into())
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Infallible> {
    /// # let chunks = ["It is so. [subst", "rate.grep] Really."].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    /// # let body = futures_util::stream::iter(chunks);
    /// let mut text = GateStream::new(body, Gate::new(Parser::new(), Nothing), ());
    /// let mut released = Vec::new();
    /// while let Some(piece) = text.next().await {
    ///     released.extend_from_slice(&piece?);
    /// }
    /// assert_eq!(released, b"(withheld) Really.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "streams do nothing unless polled"]
    pub struct GateStream<S, E, P: Policy, H: GateHandler> {
        #[pin]
        chunks: S,
        gated: Gated<P, H>,
        // An error for after the text.
        failed: Option<E>,
        // Whether the end was returned.
        terminated: bool,
    }
}

impl<S, B, E, P, H> GateStream<S, E, P, H>
where
    S: Stream<Item = Result<B, E>>,
    P: Policy,
    H: GateHandler,
{
    /// Creates a stream of the text that the gate releases from `chunks`; `handler` gets the
    /// reports of the gate.
    pub const fn new(chunks: S, gate: Gate<P>, handler: H) -> Self {
        Self {
            chunks,
            gated: Gated::new(gate, handler),
            failed: None,
            terminated: false,
        }
    }
}

impl<S, E, P: Policy, H: GateHandler> GateStream<S, E, P, H> {
    /// Returns the gate.
    pub const fn gate(&self) -> &Gate<P> {
        &self.gated.gate
    }

    /// Returns the stream offset after the chunks read so far, counted from the offset at which the
    /// parser starts.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.gated.gate.position()
    }

    /// Returns the handler.
    #[must_use]
    pub const fn handler(&self) -> &H {
        &self.gated.handler
    }
}

impl<S, B, E, P, H> Stream for GateStream<S, E, P, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    P: Policy,
    H: GateHandler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            let waiting = this.gated.waiting();
            if !waiting.is_empty() {
                let text = Bytes::copy_from_slice(waiting);
                this.gated.take(text.len());
                return Poll::Ready(Some(Ok(text)));
            }
            if let Some(error) = this.failed.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if this.gated.is_over() {
                this.gated.finish();
                *this.terminated = true;
                return Poll::Ready(None);
            }
            match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => this.gated.push(&chunk.into()),
                Some(Err(error)) => {
                    this.gated.finish();
                    *this.failed = Some(error);
                }
                None => this.gated.finish(),
            }
        }
    }
}

impl<S, B, E, P, H> FusedStream for GateStream<S, E, P, H>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    P: Policy,
    H: GateHandler,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S: fmt::Debug, E: fmt::Debug, P: Policy, H: GateHandler> fmt::Debug
    for GateStream<S, E, P, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateStream")
            .field("chunks", &self.chunks)
            .field("gated", &self.gated)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
