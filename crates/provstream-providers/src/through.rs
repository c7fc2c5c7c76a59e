//! Chunks of a provider's response through what rewrites or gates it.

use bytes::Bytes;

use crate::{
    ChannelPosition, GateEvent, Item, ReadReport, StreamGate, StreamHandler, StreamRewriter,
};
use provstream::io::{Pieces, SideSink};
use provstream::{BracketAnnotation, Event, Handler, JsonRecord, Policy, Replacement, TextChunk};

/// Makes another response of one.
pub(super) trait Rewrites {
    /// Takes the next bytes.
    fn push(&mut self, chunk: &[u8], handler: &mut impl StreamHandler);

    /// The response is over.
    fn finish(&mut self, handler: &mut impl StreamHandler);
}

impl Rewrites for StreamRewriter {
    fn push(&mut self, chunk: &[u8], handler: &mut impl StreamHandler) {
        self.push(chunk, handler);
    }

    fn finish(&mut self, handler: &mut impl StreamHandler) {
        self.finish(handler);
    }
}

impl<P: Policy + Clone> Rewrites for StreamGate<P> {
    fn push(&mut self, chunk: &[u8], handler: &mut impl StreamHandler) {
        self.push(chunk, handler);
    }

    fn finish(&mut self, handler: &mut impl StreamHandler) {
        self.finish(handler);
    }
}

/// What a response goes through, with what takes its calls.
#[derive(Debug)]
pub(super) struct Through<R, K> {
    pub(super) rewriter: R,
    pub(super) handler: K,
    /// Empty between calls; its memory is used again.
    joined: Vec<u8>,
}

impl<R, K> Through<R, K> {
    pub(super) const fn new(rewriter: R, handler: K) -> Self {
        Self {
            rewriter,
            handler,
            joined: Vec::new(),
        }
    }
}

impl<R: Rewrites, K: StreamHandler> Through<R, K> {
    /// What is written for a chunk.
    pub(super) fn push(&mut self, chunk: &Bytes) -> Bytes {
        self.call(chunk, |rewriter, split| rewriter.push(chunk, split))
    }

    /// What is written at the end.
    pub(super) fn finish(&mut self) -> Bytes {
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

/// Removes annotations and records, and gives the events of all channels beside the rewritten response.
impl StreamHandler for SideSink {}

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

    fn event(&mut self, event: Event<'_>) {
        self.handler.event(event);
    }

    fn end(&mut self) {
        self.handler.end();
    }
}
