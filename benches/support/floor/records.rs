//! Positions of assertions and of the values of their annotations, found beforehand.

use std::hint::black_box;
use std::ops::Range;
use std::str::from_utf8;

use provstream::provenance::{Timestamp, Vocabulary};
use provstream::{Event, Parser};

/// An assertion with one annotation, as places in the stream.
pub(crate) struct Record {
    /// The assertion's text, in JSON without its quotes.
    pub(crate) text: Range<usize>,
    /// The annotation, from bracket to bracket.
    pub(crate) annotation: Range<usize>,
    /// The value of the annotation's `observation-id`.
    pub(crate) id: Range<usize>,
    class: Range<usize>,
    ts: Range<usize>,
    /// Number of stream bytes read when the assertion is certain.
    pub(crate) end: usize,
}

impl Record {
    /// Does the work that every reporter of the assertion must do: validates UTF-8, resolves the
    /// class, and parses the time. Returns 1 if the assertion is sound; the caller reads text and
    /// time.
    #[inline]
    pub(crate) fn tell(&self, stream: &[u8], vocabulary: &Vocabulary) -> usize {
        let text = black_box(from_utf8(&stream[self.text.clone()]));
        let known = vocabulary
            .resolve(&stream[self.class.clone()])
            .reason()
            .is_none();
        let ts = &stream[self.ts.clone()];
        let time = Timestamp::parse(ts);
        let _ = black_box(from_utf8(ts));
        usize::from(text.is_ok() && known && time.is_ok())
    }
}

/// All assertions of a stream, each of which has one annotation with all its values.
#[must_use]
pub(crate) fn records(mut parser: Parser, stream: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    // Byte by byte, so that it shows when each is certain.
    for (index, byte) in stream.chunks(1).enumerate() {
        parser.push(byte, |event: Event<'_>| {
            let Event::Assertion(assertion) = event else {
                return;
            };
            let span = assertion.span();
            for found in assertion.annotations() {
                let annotation = found.span().start() as usize..found.span().end() as usize;
                let place = |value: &str| {
                    let bytes = &stream[annotation.clone()];
                    let at = memchr::memmem::find(bytes, value.as_bytes()).expect("written there");
                    annotation.start + at..annotation.start + at + value.len()
                };
                records.push(Record {
                    text: span.start() as usize..span.end() as usize,
                    id: place(found.observation_id().expect("an observation id")),
                    class: place(found.declared()),
                    ts: place(found.ts().expect("a time")),
                    annotation,
                    end: index + 1,
                });
            }
        });
    }
    records
}
