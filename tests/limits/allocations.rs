//! Once a parser has grown to what its stream needs, no chunk costs a heap allocation.
//!
//! The counter counts the allocations of one thread, so tests may run side by side.

use std::borrow::Cow;

use allocation_counter::measure;
use provstream::provenance::{Annotation, Version, Vocabulary};
use provstream::{
    BracketAnnotation, Event, Handler, JsonRecord, Mode, Parser, Replacement, Rewriter, TextChunk,
};
use testkit::reference::engine::parser_in;
use testkit::reference::{RefLimits, RefVocabulary, Segment, generate, generate_json};

/// Sizes of chunks: single bytes, tokens, lines, and what files and sockets give.
const SIZES: [usize; 7] = [1, 4, 16, 64, 1_000, 4_096, 65_536];

/// Bytes of a text or of documents, at least twice one of them: more than a parser has to grow to.
const LEN: usize = 50_000;

/// `text` over and over.
fn repeated(text: &str) -> Vec<u8> {
    text.repeat(LEN / text.len() + 2).into_bytes()
}

/// Returns one text of every kind that models write, with an annotation for each claim.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let grep = "[substrate.grep; observation-id=src/lib.rs:7; ts=2026-05-28T11:40:00Z]";
    let quoted =
        "[substrate.code.read; observation-id=\"a; b] [c\"; ts=\"2026-05-28T11:40:00+02:00\"; x=y]";
    let plain = "The parser reads a stream of bytes. It hands them on at once, e.g. to a page. Is that all? ";
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
        #[cfg(feature = "dialects")]
        Event::Marker(marker) => marker.ids().map(str::len).sum::<usize>() + marker.raw().len(),
        #[cfg(feature = "dialects")]
        Event::Citation(citation) => {
            citation.text().len() + citation.ids().map(|id| id.id.len()).sum::<usize>()
        }
        other => panic!("an event that there is not: {other:?}"),
    }
}

/// Feeds `text` in chunks of `size` and returns what reading the events comes to.
fn feed(parser: &mut Parser, text: &[u8], size: usize) -> usize {
    let mut sum = 0;
    for chunk in text.chunks(size) {
        parser.push(chunk, |event: Event<'_>| sum += read(&event));
    }
    sum
}

/// Allocations of a third reading of `text`, those before having been the warm-up.
fn allocations(parser: &mut Parser, text: &[u8], size: usize) -> u64 {
    // Twice, as the first chunks of the second reading stand behind the last ones of the first.
    let mut sum = feed(parser, text, size) + feed(parser, text, size);
    let counted = measure(|| sum += feed(parser, text, size)).count_total;
    assert!(sum >= 3 * text.len() - 1_024, "all of the text was read");
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

#[cfg(feature = "dialects")]
#[test]
fn no_chunk_allocates_with_dialects() {
    let dialects = provstream::Dialects::built_in(["numeric", "openai-file", "citation"]);
    let dialects = dialects.expect("built-in dialects");
    let cited = "The parser reads a stream of bytes [1]. It hands them on [2][3], e.g. to a page 【4:0†a.pdf】. Is that all? ";
    let mut texts = texts();
    // The identifiers of a citation that has more than eight of them need memory.
    texts.retain(|(name, _)| *name != "text that is nearly an annotation");
    texts.push(("markers", repeated(cited)));
    for (name, text) in texts {
        for size in [1, 64, 65_536] {
            let mut parser = Parser::builder().dialects(dialects.clone()).build();
            // The ranges that were removed are kept for more bytes than one reading has.
            for _ in 0..8 {
                feed(&mut parser, &text, size);
            }
            let counted = allocations(&mut parser, &text, size);
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
            parser.finish(());
            let counted = measure(|| {
                parser.reset();
                feed(&mut parser, &text, size);
                parser.finish(|event: Event<'_>| assert!(read(&event) < usize::MAX));
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
            parser.push(chunk, |event: Event<'_>| sum += read(&event));
        }
        for chunk in foreign.chunks(size) {
            parser.push_untrusted(chunk, |event: Event<'_>| sum += read(&event));
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

/// Builds the input that takes the most memory, of free text and of JSON.
fn greatest() -> Vec<u8> {
    let text = "word ".repeat(2_000) + &"[substrate.grep; observation-id=x]".repeat(64);
    // As many annotations as there may be, the longest pointer, all that may be pending, and a record of the greatest size.
    let crowd = format!(
        "{{\"provenance\":[{}],\"{}\":",
        vec!["{}"; 64].join(","),
        "n".repeat(50)
    );
    let long = format!(
        "{{\"provenance\":{{\"substrate_class\":\"x\",\"observation_id\":\"{}\"}},\"a\":",
        "v".repeat(1_000)
    );
    let deep = "[".repeat(100);
    let records = "{\"assertion\":\"\"}".repeat(600);
    [
        text,
        crowd.repeat(20),
        long.repeat(70),
        format!("{{\"a\":{deep}\"{}", "s".repeat(70_000)),
        format!("```\n{records}\n```"),
    ]
    .join("\nwhere the value stops\n")
    .into_bytes()
}

/// The parser after it has seen what takes the most memory.
fn grown(mut parser: Parser) -> Parser {
    for chunk in greatest().chunks(63) {
        parser.push(chunk, ());
    }
    parser
}

/// Documents of every kind of JSON, each on a line of its own and with nothing that is an exception.
fn documents() -> Vec<(&'static str, Vec<u8>)> {
    let annotation = "{\"substrate_class\":\"substrate.code.read\",\"observation_id\":\"sha256:e3b0\",\"ts\":\"2026-05-28T11:40:00Z\"}";
    let asserted = |text: &str, provenance: &str| {
        format!("{{\"assertion\":\"{text}\",\"provenance\":{provenance}}}")
    };
    let one = asserted("CHANGELOG.md has an entry.", annotation);
    let mut nested = one.clone();
    for _ in 0..40 {
        nested =
            format!("{{\"provenance\":[{annotation}],\"a\":[1,{nested}],\"assertion\":\"So.\"}}");
    }
    let marc = format!("{{\"marc_version\":\"1.0\",\"claims\":[{one},null]}}");
    let large = |len: usize| {
        let value = "v".repeat(len);
        format!("{{\"marc_version\":\"1.0\",\"a\":\"{value}\"}}")
    };
    let repeated = |text: &str| repeated(&format!("{text}\n"));
    vec![
        ("asserted objects", repeated(&one)),
        (
            "without provenance",
            repeated("{\"assertion\":\"It runs.\"}"),
        ),
        (
            "arrays of annotations",
            repeated(&asserted(
                "So.",
                &format!("[{}]", [annotation; 5].join(",")),
            )),
        ),
        (
            "more annotations than are kept",
            repeated(&asserted(
                "So.",
                &format!("[{}]", [annotation; 80].join(",")),
            )),
        ),
        ("in one another", repeated(&nested)),
        ("MARC objects", repeated(&marc)),
        (
            "disclosures",
            repeated("{\"answer\":1,\"confidence_band\":\"high\",\"uncertainty_source\":[]}"),
        ),
        ("large records", repeated(&large(60_000))),
        ("records too large", repeated(&large(120_000))),
        (
            "malformed annotations and further members",
            repeated(
                "{\"assertion\":\"a\",\"assertion\":1,\"provenance\":[1,{},{\"ts\":\"now\",\"substrate_class\":\"x\"},{\"ts\":1,\"ts\":2}],\"provenance\":{}}",
            ),
        ),
        (
            "values without a record",
            repeated(
                "{\"a\":[1,2.5e3,true,null,{\"b\":\"\u{e9}\\n\\u0041\"},[[]]],\"\u{e9}\":\"\"}",
            ),
        ),
        (
            "long strings",
            repeated(&format!("{{\"assertion\":\"{}\"}}", "word ".repeat(2_000))),
        ),
        (
            "a value that stops",
            repeated("{\"assertion\":\"It runs.\",\"provenance\":{\"substrate_class\" so"),
        ),
        (
            "text with values in it",
            repeated(&format!(
                "Look here: {one} is it. [substrate.grep]\n\n```json\n{one}\n```\n\nSo `{{\"a\"` [1]"
            )),
        ),
        ("deeper than allowed", repeated(&"{\"a\":".repeat(140))),
    ]
}

/// The modes that know JSON.
const JSON_MODES: [Mode; 3] = [Mode::Json, Mode::Ndjson, Mode::Auto];

#[test]
fn no_chunk_of_json_allocates_in_the_steady_state() {
    let sizes: &[usize] = match testkit::search::is_long() {
        true => &[1, 4, 16, 64, 1_000, 65_536],
        false => &[1, 16, 1_000],
    };
    for (name, text) in documents() {
        for mode in JSON_MODES {
            for hold in [false, true] {
                for &size in sizes {
                    let builder = Parser::builder().mode(mode).hold_records(hold);
                    let counted = allocations(&mut builder.build(), &text, size);
                    assert_eq!(
                        counted, 0,
                        "{name} in mode {mode:?}, held {hold}, in chunks of {size}"
                    );
                }
            }
        }
    }
}

#[test]
fn strings_with_escapes_and_ill_formed_text_are_the_exceptions_in_json() {
    let object = |assertion: &[u8], annotation: &[u8]| {
        let parts: [&[u8]; 5] = [
            b"{\"assertion\":\"",
            assertion,
            b"\",\"provenance\":{\"substrate_class\":\"substrate.grep\"",
            annotation,
            b"}}\n",
        ];
        parts.concat().repeat(100)
    };
    let exceptions = [
        ("an ill-formed assertion", object(b"a\xFF", b"")),
        (
            "an escaped observation id",
            object(b"a", b",\"observation_id\":\"a\\nb\""),
        ),
        (
            "an ill-formed observation id",
            object(b"a", b",\"observation_id\":\"\xFF\""),
        ),
        (
            "an escaped time",
            object(b"a", b",\"ts\":\"2026-05-28T11:40:00\\u005A\""),
        ),
        ("an escaped name", object(b"a", b",\"t\\u0073\":null")),
    ];
    for mode in JSON_MODES {
        for (name, text) in &exceptions {
            let mut parser = Parser::builder().mode(mode).build();
            assert!(allocations(&mut parser, text, 64) > 0, "{name}");
        }
    }
    // Neither in a string that is not reported, nor in a time that is none for another reason.
    let others = [
        object(b"a\\nb", b""),
        object(b"a", b",\"x\":\"a\\nb\""),
        object(b"a", b",\"x\":\"\xFF\""),
        object(b"a", b",\"ts\":\"\xFF\""),
        object("\u{e9}".as_bytes(), b""),
        b"{\"a rather long name with an escape, so that it is none that is known, whatever its escapes may stand for: a\\nb\xFF\":\"\\u0041\"}\n".repeat(100),
    ];
    for mode in JSON_MODES {
        for text in &others {
            let mut parser = Parser::builder().mode(mode).build();
            let counted = allocations(&mut parser, text, 64);
            assert_eq!(counted, 0, "{mode:?}: {}", text[..80].escape_ascii());
        }
    }
}

/// Returns `true` if the bytes contain none of the exceptions.
fn is_plain(bytes: &[u8]) -> bool {
    !bytes.contains(&b'\\') && std::str::from_utf8(bytes).is_ok()
}

/// Counts the allocations for an input by a parser that has already grown.
fn allocations_when_grown(parser: &mut Parser, input: &[Segment], size: usize) -> u64 {
    parser.reset();
    let pass = || {
        for part in input {
            for chunk in part.bytes.chunks(size) {
                let sink = |event: Event<'_>| assert!(read(&event) < usize::MAX);
                if part.own {
                    parser.push(chunk, sink);
                } else {
                    parser.push_untrusted(chunk, sink);
                }
            }
        }
        parser.finish(|event: Event<'_>| assert!(read(&event) < usize::MAX));
    };
    measure(pass).count_total
}

/// Generated inputs whose values have no escapes and that are UTF-8 throughout: no allocation, whatever else they hold.
#[test]
fn there_are_no_other_exceptions_in_generated_inputs() {
    let mut parser = grown(Parser::new());
    let mut looked_at = 0;
    for seed in 0..1_500 {
        let input = generate::input(seed);
        if input.iter().all(|part| is_plain(&part.bytes)) {
            looked_at += 1;
            let counted = allocations_when_grown(&mut parser, &input, 1 + seed as usize % 40);
            assert_eq!(counted, 0, "seed {seed}");
        }
    }
    assert!(looked_at > 100, "{looked_at} inputs without exceptions");
}

/// In generated JSON, read in its mode, nothing else allocates.
#[test]
fn there_are_no_other_exceptions_in_generated_json() {
    let vocabulary = RefVocabulary::default();
    let mut looked_at = 0;
    for seed in 0..6_000 {
        let case = generate_json::case(seed);
        if case.limits == RefLimits::default()
            && case.input.iter().all(|part| is_plain(&part.bytes))
        {
            looked_at += 1;
            let mut parser = grown(parser_in(case.reading, &case.limits, &vocabulary));
            let size = 1 + seed as usize % 40;
            let counted = allocations_when_grown(&mut parser, &case.input, size);
            assert_eq!(counted, 0, "seed {seed}");
        }
    }
    assert!(looked_at > 50, "{looked_at} streams without exceptions");
}

/// Keeps, removes and replaces annotations in turn.
struct Turns {
    turn: u32,
    written: usize,
}

impl Handler for Turns {
    fn text(&mut self, text: TextChunk<'_>) {
        self.written += text.bytes().len();
    }

    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.turn += usize::from(!annotation.raw().is_empty()) as u32;
        match self.turn % 3 {
            0 => Replacement::Keep,
            1 => Replacement::Remove,
            _ => Replacement::Text(Cow::Borrowed(b"[*]")),
        }
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.turn += usize::from(!record.raw().is_empty()) as u32;
        match self.turn % 3 {
            0 => Replacement::Keep,
            1 => Replacement::Remove,
            _ => Replacement::Text(Cow::Borrowed(b"{}")),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        assert!(read(&event) < usize::MAX);
    }
}

#[test]
fn a_rewriter_allocates_nothing() {
    for (name, text) in texts().into_iter().chain(documents()) {
        for size in SIZES {
            let parser = Parser::builder().hold_records(true).build();
            let mut rewriter = Rewriter::new(parser);
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
            pass();
            assert_eq!(measure(pass).count_total, 0, "{name} in chunks of {size}");
            assert!(sink.written > 0, "{name}");
        }
    }
}
