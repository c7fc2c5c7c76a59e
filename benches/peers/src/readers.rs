//! What reads the documents. Only provstream hands anything out; the others do the least they offer.

use std::hint::black_box;

use actson::feeder::PushJsonFeeder;
use actson::options::JsonParserOptionsBuilder;
use actson::{JsonEvent, JsonParser};
use jiter::Jiter;
use provstream::{Event, Parser};
use serde::de::IgnoredAny;

/// All records in chunks of `size` bytes, with the text and every time looked at; gives the number of assertions.
pub(crate) fn provstream(parser: &mut Parser, document: &[u8], size: usize) -> usize {
    let mut assertions = 0;
    let mut sink = |event: Event<'_>| match event {
        Event::Text(text) => {
            black_box(text.bytes());
        }
        other => assertions += use_event(&other),
    };
    for chunk in document.chunks(size) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    parser.reset();
    assertions
}

/// Looks at everything an event says; gives 1 for an assertion.
#[inline(never)]
fn use_event(event: &Event<'_>) -> usize {
    match event {
        Event::Assertion(assertion) => {
            black_box(assertion.text());
            for annotation in assertion.annotations() {
                black_box(annotation.ts());
            }
            1
        }
        _ => 0,
    }
}

/// Skips every value of the document, which is there as a whole.
pub(crate) fn jiter(document: &[u8]) -> usize {
    let mut jiter = Jiter::new(document);
    let mut values = 0;
    let end = document.trim_ascii_end().len();
    while jiter.current_index() < end {
        jiter.next_skip().expect("JSON");
        values += 1;
    }
    jiter.finish().expect("nothing behind the values");
    values
}

/// Reads every value of the document, which is there as a whole, for nothing.
pub(crate) fn serde_json(document: &[u8]) -> usize {
    let values = serde_json::Deserializer::from_slice(document).into_iter::<IgnoredAny>();
    values.fold(0, |count, value| {
        value.expect("JSON");
        count + 1
    })
}

/// The push parser of actson, which keeps its memory from one document to the next.
pub(crate) struct Actson(JsonParser<PushJsonFeeder>);

impl Actson {
    /// A parser that also takes several values one after another.
    pub(crate) fn new() -> Self {
        let options = JsonParserOptionsBuilder::default()
            .with_streaming(true)
            .build();
        let feeder = PushJsonFeeder::new();
        Self(JsonParser::new_with_options(feeder, options))
    }

    /// All events of the document in chunks of `size` bytes; their names and values are not asked for.
    pub(crate) fn read(&mut self, document: &[u8], size: usize) -> usize {
        let parser = &mut self.0;
        let mut events = 0;
        for chunk in document.chunks(size) {
            let mut rest = chunk;
            while !rest.is_empty() {
                let taken = parser.feeder.push_bytes(rest);
                rest = &rest[taken..];
                loop {
                    match parser.next_event().expect("JSON") {
                        Some(JsonEvent::NeedMoreInput) | None => break,
                        Some(event) => {
                            black_box(event);
                            events += 1;
                        }
                    }
                }
            }
        }
        parser.feeder.done();
        while let Some(event) = parser.next_event().expect("JSON") {
            black_box(event);
            events += 1;
        }
        parser.reset_fully();
        events
    }
}
