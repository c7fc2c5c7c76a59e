//! Gates in readers, writers and streams.

mod reader;
#[cfg(feature = "futures")]
mod stream;
mod writer;

use std::fmt;

pub use self::reader::GateReader;
#[cfg(feature = "futures")]
pub use self::stream::GateStream;
pub use self::writer::GateWriter;
use crate::event::{BracketAnnotation, Event, JsonRecord, TextChunk};
use crate::gate::{Action, Gate, GateHandler, Policy, Question, Unannotated};
use crate::handler::{Handler, Replacement};
use crate::span::Span;

/// A gate with its handler, and the text that it released and that is not taken. It finishes when it is dropped.
struct Gated<P: Policy, H: GateHandler> {
    gate: Gate<P>,
    handler: H,
    /// Of which the first `taken` bytes are gone: `0 <= taken <= out.len()`.
    out: Vec<u8>,
    taken: usize,
    finished: bool,
}

impl<P: Policy, H: GateHandler> Gated<P, H> {
    const fn new(gate: Gate<P>, handler: H) -> Self {
        Self {
            gate,
            handler,
            out: Vec::new(),
            taken: 0,
            finished: false,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.gate.push(
            bytes,
            Both {
                handler: &mut self.handler,
                out: &mut self.out,
            },
        );
    }

    /// Decides about what is held back, once.
    fn finish(&mut self) {
        if !self.finished {
            self.finished = true;
            self.gate.finish(Both {
                handler: &mut self.handler,
                out: &mut self.out,
            });
        }
    }

    /// Returns `true` if only output that is already waiting remains.
    const fn is_over(&self) -> bool {
        self.finished || self.gate.ended().is_some()
    }

    /// Returns the text that waits to be written.
    fn waiting(&self) -> &[u8] {
        self.out.get(self.taken..).unwrap_or_default()
    }

    /// Removes the first `len` bytes of the waiting text.
    fn take(&mut self, len: usize) {
        self.taken += len;
        if self.taken >= self.out.len() {
            self.out.clear();
            self.taken = 0;
        }
    }
}

/// Nothing is released that is not certain, but the handler is given all decisions.
impl<P: Policy, H: GateHandler> Drop for Gated<P, H> {
    fn drop(&mut self) {
        self.finish();
    }
}

impl<P: Policy, H: GateHandler> fmt::Debug for Gated<P, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gated")
            .field("held", &self.gate.held_len())
            .field("waiting", &self.waiting().len())
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}

/// Collects the text, and passes everything on to a handler.
struct Both<'a, H> {
    handler: &'a mut H,
    out: &'a mut Vec<u8>,
}

impl<H: GateHandler> Handler for Both<'_, H> {
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

impl<H: GateHandler> GateHandler for Both<'_, H> {
    fn released(&mut self, text: TextChunk<'_>) {
        self.out.extend_from_slice(text.bytes());
        self.handler.released(text);
    }

    fn inserted(&mut self, text: &str, at: u64) {
        self.out.extend_from_slice(text.as_bytes());
        self.handler.inserted(text, at);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.handler.removed(text);
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.handler.decided(question, action);
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.handler.run_begins(at, what);
    }

    fn run_ends(&mut self, at: u64) {
        self.handler.run_ends(at);
    }

    fn limit(&mut self, span: Span) {
        self.handler.limit(span);
    }
}
