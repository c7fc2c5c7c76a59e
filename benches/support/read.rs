//! The parser's side of the benches.

use std::hint::black_box;

use provstream::{Event, Parser};

/// All events of a stream in chunks of `size` bytes; gives the number of assertions.
pub(crate) fn provstream(parser: &mut Parser, stream: &[u8], size: usize) -> usize {
    let mut assertions = 0;
    let mut sink = |event: Event<'_>| assertions += look(event);
    for chunk in stream.chunks(size) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    parser.reset();
    assertions
}

/// Looks at everything an event says; gives 1 for an assertion.
#[inline]
pub(crate) fn look(event: Event<'_>) -> usize {
    match &event {
        Event::Text(text) => {
            black_box(text.bytes());
            0
        }
        other => use_event(other),
    }
}

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
        Event::Annotation(annotation) => {
            black_box(annotation.raw());
            0
        }
        _ => 0,
    }
}
