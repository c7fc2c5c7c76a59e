//! A parser that counts what it does, through the `metrics` facade.
//!
//! | name | kind | labels | what it is |
//! |---|---|---|---|
//! | [`provstream_bytes_total`](BYTES) | counter | | bytes pushed |
//! | [`provstream_chunks_total`](CHUNKS) | counter | | chunks pushed, empty ones included |
//! | [`provstream_annotations_total`](ANNOTATIONS) | counter | `class`, `reason` | all annotations in brackets, and those in JSON that are reported with their assertions |
//! | [`provstream_unknown_identifiers_total`](UNKNOWN_IDENTIFIERS) | counter | `name` | annotations with the reason `unknown-identifier` |
//! | [`provstream_diagnostics_total`](DIAGNOSTICS) | counter | `code` | diagnostics |
//! | [`provstream_held_bytes`](HELD_BYTES) | histogram | | bytes held back when a push returns |
//! | [`provstream_push_nanoseconds`](PUSH_NANOSECONDS) | histogram | | how long a push took, including its handler |
//!
//! `class` is the class that the annotation resolves to, so it has no more values than the vocabulary has classes and
//! terminals. `reason` is that of [`Reason`], or `none`. `code` is that of [`DiagnosticCode`](crate::DiagnosticCode).
//!
//! `name` comes from the model, and so could have any number of values. A [`Meter`] uses at most [`MAX_NAMES`] different
//! values, the first that it meets, each cut to [`MAX_NAME`] bytes; all others are counted under [`OTHER`]. An identifier that
//! is spelt `other` is counted there, too, and does not use up one of the values.
//!
//! Nothing here changes what a parser reports. The clock is read twice for each push.
//!
//! ```
//! use provstream::metered::{Meter, MeteredParser};
//! use provstream::{Event, Parser};
//!
//! // The recorder of an exporter is installed first, with `metrics::set_global_recorder`.
//! let meter = Meter::new(); // one for the service
//! let mut parser = MeteredParser::new(Parser::new(), &meter); // one for each stream
//! let mut assertions = 0;
//! let mut sink = |event: Event<'_>| assertions += usize::from(matches!(event, Event::Assertion(_)));
//! parser.push(b"It is so. [substrate.grep]", &mut sink);
//! parser.finish(&mut sink);
//! assert_eq!(assertions, 1);
//! ```

use core::fmt;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};

use crate::event::{BracketAnnotation, Event, JsonRecord, TextChunk};
use crate::handler::{Handler, IntoHandler, Replacement};
use crate::parser::Parser;
use crate::provenance::{Annotation, Encoding, Reason};

/// Counter: bytes pushed.
pub const BYTES: &str = "provstream_bytes_total";

/// Counter: chunks pushed, empty ones included.
pub const CHUNKS: &str = "provstream_chunks_total";

/// Counter with the labels `class` and `reason`: annotations.
pub const ANNOTATIONS: &str = "provstream_annotations_total";

/// Counter with the label `name`: annotations with the reason `unknown-identifier`.
pub const UNKNOWN_IDENTIFIERS: &str = "provstream_unknown_identifiers_total";

/// Counter with the label `code`: diagnostics.
pub const DIAGNOSTICS: &str = "provstream_diagnostics_total";

/// Histogram: bytes held back when a push returns ([`Parser::buffered_len`]).
pub const HELD_BYTES: &str = "provstream_held_bytes";

/// Histogram: nanoseconds that a push took, what its sink did included.
pub const PUSH_NANOSECONDS: &str = "provstream_push_nanoseconds";

/// The most values that a [`Meter`] gives the label `name`, [`OTHER`] aside.
pub const MAX_NAMES: usize = 100;

/// The most bytes of a value of the label `name`.
pub const MAX_NAME: usize = 64;

/// The value of the label `name` for all further identifiers, for an empty one, and for one that is spelt so.
pub const OTHER: &str = "other";

/// Where the parsers of a service count; a clone counts in the same place.
///
/// All parsers of a process should share one: it bounds the values of the label `name` for those that share it. The
/// recorder has to be installed before; of one that is installed later only some metrics arrive.
#[derive(Clone)]
pub struct Meter(Arc<Shared>);

struct Shared {
    bytes: Counter,
    chunks: Counter,
    held: Histogram,
    nanoseconds: Histogram,
    /// At most [`MAX_NAMES`], each of at most [`MAX_NAME`] bytes.
    names: Mutex<HashSet<Box<str>>>,
}

impl Meter {
    /// A meter that has met no identifier yet, for the recorder that is installed. It describes the metrics to it.
    #[must_use]
    pub fn new() -> Self {
        describe_counter!(BYTES, Unit::Bytes, "Bytes pushed");
        describe_counter!(CHUNKS, Unit::Count, "Chunks pushed");
        describe_counter!(ANNOTATIONS, Unit::Count, "Annotations by class and reason");
        describe_counter!(
            UNKNOWN_IDENTIFIERS,
            Unit::Count,
            "Annotations with an unknown identifier"
        );
        describe_counter!(DIAGNOSTICS, Unit::Count, "Diagnostics by code");
        describe_histogram!(HELD_BYTES, Unit::Bytes, "Bytes held back after a push");
        describe_histogram!(PUSH_NANOSECONDS, Unit::Nanoseconds, "Time a push took");
        Self(Arc::new(Shared {
            bytes: counter!(BYTES),
            chunks: counter!(CHUNKS),
            held: histogram!(HELD_BYTES),
            nanoseconds: histogram!(PUSH_NANOSECONDS),
            names: Mutex::default(),
        }))
    }

    fn event(&self, event: &Event<'_>) {
        match event {
            // Those in brackets are events of their own.
            Event::Assertion(assertion) if assertion.encoding() == Encoding::Json => {
                assertion
                    .annotations()
                    .for_each(|found| self.annotation(&found));
            }
            Event::Diagnostic(diagnostic) => {
                counter!(DIAGNOSTICS, "code" => diagnostic.code().as_str()).increment(1);
            }
            _ => {}
        }
    }

    fn annotation(&self, found: &Annotation<'_>) {
        let class = found.class().as_str().to_owned();
        let reason = found.reason().map_or("none", Reason::as_str);
        counter!(ANNOTATIONS, "class" => class, "reason" => reason).increment(1);
        if found.reason() == Some(Reason::UnknownIdentifier) {
            let name = self.name(found.declared());
            counter!(UNKNOWN_IDENTIFIERS, "name" => name).increment(1);
        }
    }

    /// The value of the label `name` for an identifier.
    fn name(&self, declared: &str) -> String {
        let mut ends = (0..=MAX_NAME).rev();
        let cut = ends.find_map(|end| declared.get(..declared.len().min(end)));
        let name = cut.unwrap_or_default();
        // A set of strings is whole whatever panicked beside it.
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        let has_place = !name.is_empty() && name != OTHER;
        let known = names.contains(name)
            || has_place && names.len() < MAX_NAMES && names.insert(name.into());
        if known { name } else { OTHER }.to_owned()
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}

/// A [`Parser`] whose work is counted by a [`Meter`]. Its events are those of the parser.
#[derive(Clone, Debug)]
pub struct MeteredParser {
    parser: Parser,
    meter: Meter,
}

impl MeteredParser {
    /// A parser that counts with this meter.
    #[must_use]
    pub fn new(parser: Parser, meter: &Meter) -> Self {
        Self {
            parser,
            meter: meter.clone(),
        }
    }

    /// Takes the next bytes of the model's own output; see [`Parser::push`].
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let start = Instant::now();
        self.parser.push(chunk, counting(&self.meter, handler));
        self.pushed(chunk, start);
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let start = Instant::now();
        self.parser
            .push_untrusted(chunk, counting(&self.meter, handler));
        self.pushed(chunk, start);
    }

    /// Marks a place where something other than text comes; see [`Parser::push_break`]. It counts as no push.
    pub fn push_break<M>(&mut self, handler: impl IntoHandler<M>) {
        self.parser.push_break(counting(&self.meter, handler));
    }

    /// Reports what is still open at the end of the stream; see [`Parser::finish`]. It counts as no push.
    pub fn finish<M>(&mut self, handler: impl IntoHandler<M>) {
        self.parser.finish(counting(&self.meter, handler));
    }

    /// Back to the start of a stream with the same settings and the same meter.
    pub fn reset(&mut self) {
        self.parser.reset();
    }

    /// The parser inside.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// The parser inside, which counts no more.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }

    fn pushed(&self, chunk: &[u8], start: Instant) {
        let shared = &self.meter.0;
        shared.nanoseconds.record(start.elapsed().as_nanos() as f64);
        shared.bytes.increment(chunk.len() as u64);
        shared.chunks.increment(1);
        shared.held.record(self.parser.buffered_len() as f64);
    }
}

/// A handler that counts each event first.
struct Counting<'a, H> {
    meter: &'a Meter,
    handler: H,
}

fn counting<M, I: IntoHandler<M>>(meter: &Meter, handler: I) -> Counting<'_, I::Handler> {
    Counting {
        meter,
        handler: handler.into_handler(),
    }
}

impl<H: Handler> Handler for Counting<'_, H> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.handler.text(text);
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.meter.annotation(&annotation.annotation());
        self.handler.annotation(annotation)
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.handler.record(record)
    }

    fn event(&mut self, event: Event<'_>) {
        self.meter.event(&event);
        self.handler.event(event);
    }

    fn end(&mut self) {
        self.handler.end();
    }
}
