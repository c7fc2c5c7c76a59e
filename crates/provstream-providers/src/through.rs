//! Chunks of a provider's response through what rewrites or gates it.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::stream::Stream;
use pin_project_lite::pin_project;

use crate::{
    ChannelPosition, GateEvent, Item, ReadReport, StreamGate, StreamHandler, StreamRewriter,
};
#[cfg(feature = "dialects")]
use provstream::Marker;
use provstream::io::Pieces;
use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Policy, Replacement, TextChunk};

/// Makes another response of one.
pub(super) trait Rewrites {
    /// Takes the next bytes.
    fn push(&mut self, chunk: &[u8], handler: &mut dyn StreamHandler);

    /// The response is over.
    fn finish(&mut self, handler: &mut dyn StreamHandler);
}

impl Rewrites for StreamRewriter {
    fn push(&mut self, chunk: &[u8], handler: &mut dyn StreamHandler) {
        self.push(chunk, handler);
    }

    fn finish(&mut self, handler: &mut dyn StreamHandler) {
        self.finish(handler);
    }
}

impl<P: Policy + Clone> Rewrites for StreamGate<P> {
    fn push(&mut self, chunk: &[u8], handler: &mut dyn StreamHandler) {
        self.push(chunk, handler);
    }

    fn finish(&mut self, handler: &mut dyn StreamHandler) {
        self.finish(handler);
    }
}

pin_project! {
    /// A response in chunks, and what becomes of it. It is finished once: at the end of the chunks, at their first error, or
    /// when it is dropped.
    pub(super) struct Through<S, E, R, K>
    where
        R: Rewrites,
        K: StreamHandler,
    {
        #[pin]
        pub(super) chunks: S,
        pub(super) work: Work<R, K>,
        // An error for after what is written.
        failed: Option<E>,
        // The end was reported: there is nothing more.
        terminated: bool,
    }
}

/// A rewriter or gate with its handler.
pub(super) struct Work<R: Rewrites, K: StreamHandler> {
    pub(super) rewriter: R,
    pub(super) handler: K,
    /// Empty between calls; its memory is used again.
    joined: Vec<u8>,
    finished: bool,
}

impl<S, E, R: Rewrites, K: StreamHandler> Through<S, E, R, K> {
    pub(super) const fn new(chunks: S, rewriter: R, handler: K) -> Self {
        Self {
            chunks,
            work: Work {
                rewriter,
                handler,
                joined: Vec::new(),
                finished: false,
            },
            failed: None,
            terminated: false,
        }
    }

    pub(super) const fn is_terminated(&self) -> bool {
        self.terminated
    }
}

impl<S, B, E, R, K> Stream for Through<S, E, R, K>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    R: Rewrites,
    K: StreamHandler,
{
    type Item = Result<Bytes, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(error) = this.failed.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if this.work.finished {
                *this.terminated = true;
                return Poll::Ready(None);
            }
            let bytes = match ready!(this.chunks.as_mut().poll_next(cx)) {
                Some(Ok(chunk)) => this.work.push(&chunk.into()),
                Some(Err(error)) => {
                    *this.failed = Some(error);
                    this.work.finish()
                }
                None => this.work.finish(),
            };
            if !bytes.is_empty() {
                return Poll::Ready(Some(Ok(bytes)));
            }
        }
    }
}

impl<S: fmt::Debug, E: fmt::Debug, R: Rewrites, K: StreamHandler> Through<S, E, R, K> {
    /// Shows a stream of this name.
    pub(super) fn show(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("chunks", &self.chunks)
            .field("failed", &self.failed)
            .field("finished", &self.work.finished)
            .finish_non_exhaustive()
    }
}

impl<R: Rewrites, K: StreamHandler> Work<R, K> {
    /// Returns the output for a chunk.
    fn push(&mut self, chunk: &Bytes) -> Bytes {
        // A handler that panics is not called again, not even on dropping.
        self.finished = true;
        let bytes = self.call(chunk, |rewriter, split| rewriter.push(chunk, split));
        self.finished = false;
        bytes
    }

    /// Ends the response, once, and returns the remaining output.
    fn finish(&mut self) -> Bytes {
        if core::mem::replace(&mut self.finished, true) {
            return Bytes::new();
        }
        self.call(&Bytes::new(), |rewriter, split| rewriter.finish(split))
    }

    fn call(&mut self, chunk: &Bytes, call: impl FnOnce(&mut R, &mut Split<'_, K>)) -> Bytes {
        let mut split = Split {
            pieces: Pieces::new(chunk, &mut self.joined),
            handler: &mut self.handler,
        };
        call(&mut self.rewriter, &mut split);
        split.pieces.take()
    }
}

/// Nobody takes what is written, but the handler gets what is reported at the end.
impl<R: Rewrites, K: StreamHandler> Drop for Work<R, K> {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Keeps the bytes, and passes everything on to the handler.
struct Split<'a, K> {
    pieces: Pieces<'a>,
    handler: &'a mut K,
}

impl<K: StreamHandler> StreamHandler for Split<'_, K> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.handler.bytes(bytes);
        self.pieces.push(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.handler.channel(position);
    }

    fn data(&mut self, data: &[u8]) {
        self.handler.data(data);
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        self.handler.gate(event);
    }

    fn item(&mut self, item: Item<'_>) {
        self.handler.item(item);
    }

    fn report(&mut self, report: &ReadReport) {
        self.handler.report(report);
    }
}

impl<K: StreamHandler> Handler for Split<'_, K> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.handler.text(text);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.handler.annotation(annotation)
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.handler.record(record)
    }

    #[cfg(feature = "dialects")]
    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        self.handler.marker(marker)
    }

    fn event(&mut self, event: Event<'_>) {
        self.handler.event(event);
    }

    fn end(&mut self) {
        self.handler.end();
    }
}
