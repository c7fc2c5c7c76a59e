//! A stream of chunks as a stream of events.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use pin_project_lite::pin_project;

use crate::event::{Event, OwnedEvent};
use crate::parser::Parser;
use crate::queue::QueuedParser;

pin_project! {
    /// A stream of the events of a stream of chunks.
    ///
    /// The stream inside is polled for a chunk only when all events of those before are taken. A future of the next event
    /// that is dropped before it is ready has taken nothing.
    ///
    /// **The end.** The stream finishes at the end of the stream inside and at its first error. The events that the end
    /// completes come before the error, and nothing after it; the stream inside is not polled any further. Dropping the
    /// adapter drops the events that were not taken.
    ///
    /// A text of the stream is a slice of its chunk, without a copy.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use futures_util::StreamExt;
    /// use provstream::io::EventStream;
    /// use provstream::{Event, Parser};
    /// # use std::convert::Infallible;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Infallible> {
    /// # let chunks = ["It is so. [subst", "rate.grep]"].map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
    /// # let body = futures_util::stream::iter(chunks);
    /// let mut events = EventStream::new(body, Parser::new()); // `body`: the bytes of a response
    /// while let Some(event) = events.next().await {
    ///     if let Event::Assertion(assertion) = event? {
    ///         assert_eq!(assertion.text(), "It is so.");
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug)]
    #[must_use = "streams do nothing unless polled"]
    pub struct EventStream<S, E> {
        #[pin]
        chunks: S,
        queue: QueuedParser,
        ended: bool,
        // An error for after the events.
        failed: Option<E>,
        // Whether the end was returned.
        terminated: bool,
    }
}

impl<S, B, E> EventStream<S, E>
where
    S: Stream<Item = Result<B, E>>,
{
    /// The events of `chunks`, with a parser that is at the start of a stream.
    pub const fn new(chunks: S, parser: Parser) -> Self {
        Self {
            chunks,
            queue: QueuedParser::new(parser),
            ended: false,
            failed: None,
            terminated: false,
        }
    }
}

impl<S, E> EventStream<S, E> {
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

    /// The stream inside, without the events that were not taken.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.chunks
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        self.queue.parser()
    }
}

impl<S, B, E> Stream for EventStream<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<OwnedEvent, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(event) = this.queue.next_event() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = this.failed.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if *this.ended {
                *this.terminated = true;
                return Poll::Ready(None);
            }
            match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => {
                    // The queue is empty, so that the text of an ordinary chunk need not go through it.
                    if let Some(text) = this.queue.push_first(chunk.into()) {
                        return Poll::Ready(Some(Ok(Event::Text(text))));
                    }
                }
                end => {
                    *this.failed = end.and_then(Result::err);
                    *this.ended = true;
                    this.queue.finish();
                }
            }
        }
    }
}

impl<S, B, E> FusedStream for EventStream<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.terminated
    }
}
