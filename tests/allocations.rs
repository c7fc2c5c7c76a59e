//! Once a parser has grown to what its stream needs, no chunk costs a heap allocation.
//!
//! The counter counts the allocations of one thread, so tests may run side by side.

mod common;
mod reference;

use std::borrow::Cow;

use allocation_counter::measure;
use provstream::provenance::{Annotation, Version, Vocabulary};
use provstream::{BracketAnnotation, Event, Parser, Replacement, RewriteSink, Rewriter};
use reference::generate;

/// Sizes of chunks: single bytes, tokens, lines, and what files and sockets give.
const SIZES: [usize; 7] = [1, 4, 16, 64, 1_000, 4_096, 65_536];

/// One text of every kind that models write, with annotations where the argument is one.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let grep = "[substrate.grep; observation-id=src/lib.rs:7; ts=2026-05-28T11:40:00Z]";
    let quoted =
        "[substrate.code.read; observation-id=\"a; b] [c\"; ts=\"2026-05-28T11:40:00+02:00\"; x=y]";
    let plain = "The parser reads a stream of bytes. It hands them on at once, e.g. to a page. Is that all? ";
    let repeated = |text: &str| text.repeat(200_000 / text.len() + 1).into_bytes();
    let mut many = String::from("This one is well supported. ");
    for _ in 0..80 {
        many.push_str("[substrate.git.log; observation-id=4f2a; ts=2026-05-28T11:40:00Z] ");
    }
    vec![
        ("plain prose", repeated(plain)),
        (
            "annotated prose",
            repeated(&format!("{plain}{grep} {plain}{quoted}\n")),
        ),
        (
            "dense annotations",
            repeated(&format!("It is so. {grep}\n{quoted}. ")),
        ),
        ("more annotations than are kept", repeated(&many)),
        (
            "headings and lists",
            repeated(&format!(
                "## Findings\n\n- The file is there. {grep}\n- 1) It has two lines [1] {quoted}\n\n> Quoted.\n> So. {grep}\n\n"
            )),
        ),
        (
            "code",
            repeated(&format!(
                "Use `a[0]` or ``b ` c``. {grep}\n\n```rust\nlet a = b[1]; // {grep}\n```\n{grep}\n\n> ~~~\n> {grep}\n> ~~~\n\n"
            )),
        ),
        (
            "tables",
            repeated(&format!(
                "| file | lines |\n|---|---|\n| a \\| b | 12 {grep} |\n| c | | {quoted}\n\n"
            )),
        ),
        (
            "other scripts",
            repeated(&format!(
                "它在这里。真的吗？{grep}\u{ff01} Das stimmt z. B. für Straßen. {quoted} \u{ab}\u{a0}Oui\u{a0}\u{bb}. \u{1F469}\u{200D}\u{1F52C} {grep}\u{3000}"
            )),
        ),
        (
            "text that is nearly an annotation",
            repeated(
                "See [1], [text](url), [substrate.grep docs] or [substrate.x; y=[z. [note; ts later] [substrate.new; ts] \\[substrate.grep] [",
            ),
        ),
        (
            "an invalid time, an unknown class, no assertion",
            repeated(
                "\n\n[substrate.grep; ts=now] A. [substrate.telepathy]\n\n- [9.9.substrate.grep; x] B. [1.0.substrate.grep] ",
            ),
        ),
        ("no sentence end", repeated("word ")),
        ("white space", repeated(" \n\t")),
        ("openers", repeated("[`~")),
    ]
}

/// Looks at everything that an annotation says; the sum keeps the compiler from leaving it out.
fn weigh(annotation: &Annotation<'_>) -> usize {
    annotation.declared().len()
        + annotation.class().as_str().len()
        + annotation.observation_id().map_or(0, str::len)
        + annotation.ts().map_or(0, str::len)
        + usize::from(annotation.timestamp().is_some())
        + usize::from(annotation.reason().is_some())
}

/// Looks at everything that an event says.
fn read(event: &Event<'_>) -> usize {
    match event {
        Event::Text(text) => text.bytes().len(),
        Event::Annotation(found) => weigh(&found.annotation()) + found.raw().len(),
        Event::Assertion(assertion) => {
            let annotations: usize = assertion.annotations().map(|one| weigh(&one)).sum();
            assertion.text().len() + annotations
        }
        Event::Diagnostic(found) => found.code().as_str().len() + found.span().len() as usize,
        Event::Marc(found) => {
            found.kind().as_str().len()
                + found.pointer().map_or(0, str::len)
                + found.raw().map_or(0, <[u8]>::len)
        }
        Event::Record(found) => found.raw().len(),
        other => panic!("an event that there is not: {other:?}"),
    }
}

/// Feeds `text` in chunks of `size` and returns what reading the events comes to.
fn feed(parser: &mut Parser, text: &[u8], size: usize) -> usize {
    let mut sum = 0;
    for chunk in text.chunks(size) {
        parser.push(chunk, |event| sum += read(&event));
    }
    sum
}

/// Allocations of a second reading of `text`, the first one having been the warm-up.
fn allocations(parser: &mut Parser, text: &[u8], size: usize) -> u64 {
    let mut sum = feed(parser, text, size);
    let counted = measure(|| sum += feed(parser, text, size)).count_total;
    assert!(sum >= 2 * text.len() - 1_024, "all of the text was read");
    counted
}

#[test]
fn no_chunk_allocates_in_the_steady_state() {
    for (name, text) in texts() {
        for size in SIZES {
            let counted = allocations(&mut Parser::new(), &text, size);
            assert_eq!(counted, 0, "{name} in chunks of {size}");
        }
    }
}

#[test]
fn no_chunk_allocates_after_a_reset() {
    for (name, text) in texts() {
        for size in SIZES {
            let mut parser = Parser::new();
            feed(&mut parser, &text, size);
            parser.finish(|_| {});
            let counted = measure(|| {
                parser.reset();
                feed(&mut parser, &text, size);
                parser.finish(|event| assert!(read(&event) < usize::MAX));
            });
            assert_eq!(counted.count_total, 0, "{name} in chunks of {size}");
        }
    }
}

#[test]
fn a_loaded_vocabulary_and_foreign_text_allocate_nothing_either() {
    let vocabulary = Vocabulary::builder(Version::new(1, 1))
        .class("substrate.sql.query", Version::new(1, 1))
        .build()
        .expect("a sound vocabulary");
    let own = b"It is so. [substrate.sql.query] And so. [1.1.substrate.sql.query; ts=2026-05-28T11:40:00Z] ";
    let foreign = b"They said: `so`. [substrate.grep]\n```\n";
    let mut parser = Parser::builder().vocabulary(vocabulary).build();
    let mut sum = 0;
    let mut pass = |parser: &mut Parser, size| {
        for chunk in own.chunks(size) {
            parser.push(chunk, |event| sum += read(&event));
        }
        for chunk in foreign.chunks(size) {
            parser.push_foreign(chunk, |event| sum += read(&event));
        }
    };
    for size in SIZES {
        (0..200).for_each(|_| pass(&mut parser, size));
        let counted = measure(|| (0..200).for_each(|_| pass(&mut parser, size)));
        assert_eq!(counted.count_total, 0, "chunks of {size}");
    }
}

#[test]
fn values_with_escapes_and_ill_formed_text_are_the_exceptions() {
    let exceptions: [(&str, &[u8]); 4] = [
        (
            "an escaped observation id",
            b"So. [substrate.grep; observation-id=\"a\\\"b\"] ",
        ),
        ("an escaped time", b"So. [substrate.grep; ts=\"20\\\\26\"] "),
        ("an ill-formed assertion", b"So \xFF. [substrate.grep] "),
        (
            "an ill-formed observation id",
            b"So. [substrate.grep; observation-id=\xFF] ",
        ),
    ];
    for (name, text) in exceptions {
        assert!(
            allocations(&mut Parser::new(), &text.repeat(100), 64) > 0,
            "{name}"
        );
    }
    // Neither in a place that nobody is told of, nor in a parameter without a meaning.
    let others: [&[u8]; 4] = [
        b"\xFF\xFE. So. [substrate.grep] ",
        b"So. [substrate.grep; x=\"a\\\"b\"] ",
        b"So. [substrate.grep; x=\xFF] ",
        b"So \\\\ \\[so]. [substrate.grep; observation-id=a\\b] ",
    ];
    for text in others {
        let counted = allocations(&mut Parser::new(), &text.repeat(100), 64);
        assert_eq!(counted, 0, "{}", text.escape_ascii());
    }
}

/// A parser in mode `auto` that has seen what takes the most memory, of free text and of JSON.
fn grown() -> Parser {
    let mut parser = Parser::new();
    let text = "word ".repeat(2_000) + &"[substrate.grep; observation-id=x]".repeat(64);
    // As many annotations as there may be, the longest pointer, all that may be pending, and a record of the greatest size.
    let crowd = format!(
        "{{\"provenance\":[{}],\"{}\":",
        vec!["{}"; 64].join(","),
        "n".repeat(50)
    );
    let long = format!(
        "{{\"provenance\":{{\"observation_id\":\"{}\"}},\"a\":",
        "v".repeat(1_000)
    );
    let deep = "[".repeat(100);
    let json = [
        crowd.repeat(20),
        long.repeat(70),
        format!("{{\"a\":{deep}\"{}", "s".repeat(70_000)),
    ];
    for part in [&text, &json[0], "\n\n", &json[1], "\n\n", &json[2], "\n\n"] {
        for chunk in part.as_bytes().chunks(63) {
            parser.push(chunk, |_| {});
        }
    }
    parser
}

/// Generated inputs whose values have no escapes and that are UTF-8 throughout: no allocation, whatever else they hold.
#[test]
fn there_are_no_other_exceptions_in_generated_inputs() {
    let mut looked_at = 0;
    for seed in 0..1_500 {
        let input = generate::input(seed);
        let bytes: Vec<u8> = input.iter().flat_map(|part| part.bytes.clone()).collect();
        if bytes.contains(&b'\\') || std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        looked_at += 1;
        let pass = |parser: &mut Parser| {
            parser.reset();
            for part in &input {
                for chunk in part.bytes.chunks(1 + seed as usize % 40) {
                    let sink = |event: Event<'_>| assert!(read(&event) < usize::MAX);
                    if part.own {
                        parser.push(chunk, sink);
                    } else {
                        parser.push_foreign(chunk, sink);
                    }
                }
            }
        };
        let mut parser = grown();
        let counted = measure(|| pass(&mut parser));
        assert_eq!(counted.count_total, 0, "seed {seed}");
    }
    assert!(looked_at > 100, "{looked_at} inputs without exceptions");
}

/// Keeps, removes and replaces annotations in turn.
struct Turns {
    turn: u32,
    written: usize,
}

impl RewriteSink for Turns {
    fn text(&mut self, bytes: &[u8]) {
        self.written += bytes.len();
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.turn += usize::from(!annotation.raw().is_empty()) as u32;
        match self.turn % 3 {
            0 => Replacement::Keep,
            1 => Replacement::Remove,
            _ => Replacement::Text(Cow::Borrowed(b"[*]")),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        assert!(read(&event) < usize::MAX);
    }
}

#[test]
fn a_rewriter_allocates_nothing() {
    for (name, text) in texts() {
        for size in SIZES {
            let mut rewriter = Rewriter::new(Parser::new());
            let mut sink = Turns {
                turn: 0,
                written: 0,
            };
            let mut pass = || {
                for chunk in text.chunks(size) {
                    rewriter.push(chunk, &mut sink);
                }
            };
            pass();
            assert_eq!(measure(pass).count_total, 0, "{name} in chunks of {size}");
            assert!(sink.written > 0, "{name}");
        }
    }
}
