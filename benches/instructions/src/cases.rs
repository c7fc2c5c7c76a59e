//! The hot paths that are counted.

use std::hint::black_box;

#[cfg(feature = "dialects")]
use provstream::Dialects;
use provstream::provenance::Vocabulary;
use provstream::{
    Action, BracketAnnotation, Event, Gate, GateHandler, Handler, Mode, Parser, Policy, Question,
    Replacement, Rewriter, TextChunk,
};
use provstream_marc::{Core, Draft, Profile};
use provstream_providers::{Decoder, ResponseParser, StreamHandler, StreamRewriter, WireEvent};

use crate::document::{Document, Layout};
use crate::prose::{Prose, stream};
use crate::provider::{Provider, Response};
use crate::read;

/// Bytes of a stream in chunks of up to 64 bytes.
const SHORT: usize = 1 << 17;
/// A chunk of 64 KiB.
const LARGE: usize = 1 << 16;
/// A piece as it comes from a connection.
const RECEIVED: usize = 1_400;

/// A path and what it reads.
pub(crate) struct Case {
    /// Name in the baseline: the input, and the chunk size.
    pub(crate) name: String,
    /// Bytes that one pass reads.
    pub(crate) bytes: usize,
    /// Unit of the count.
    pub(crate) unit: &'static str,
    /// A pass; gives the count.
    pub(crate) work: Box<dyn FnMut() -> usize>,
}

impl Case {
    fn new(
        name: String,
        bytes: usize,
        unit: &'static str,
        work: impl FnMut() -> usize + 'static,
    ) -> Self {
        let work = Box::new(work);
        Self {
            name,
            bytes,
            unit,
            work,
        }
    }
}

/// All cases, always in this order.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    text(&mut cases);
    #[cfg(feature = "dialects")]
    dialects(&mut cases);
    json(&mut cases);
    marc(&mut cases);
    strip(&mut cases);
    gate(&mut cases);
    wire(&mut cases);
    cases.push(vocabulary());
    cases
}

/// A stream of which as much is read as suits the chunks.
fn sized(prose: Prose, gap: usize, size: usize) -> Vec<u8> {
    let mut text = stream(prose, gap);
    if size < LARGE {
        text.truncate(SHORT);
    }
    text
}

fn size_name(size: usize) -> String {
    if size == LARGE {
        "64KiB".to_owned()
    } else {
        format!("{size}B")
    }
}

fn text(cases: &mut Vec<Case>) {
    let mut add = |mode, prose, gap, size| {
        let input = sized(prose, gap, size);
        let mut parser = Parser::builder().mode(mode).build();
        let mode = if mode == Mode::Text { "text" } else { "auto" };
        let prose = if prose == Prose::Plain {
            "plain"
        } else {
            "rich"
        };
        let name = format!("{mode}/{prose}/{gap}/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "assertion", move || {
            read::provstream(&mut parser, &input, size)
        }));
    };
    for prose in [Prose::Plain, Prose::Rich] {
        for gap in [20_000, 2_000, 200] {
            add(Mode::Text, prose, gap, LARGE);
        }
    }
    for (gap, size) in [
        (2_000, 64),
        (2_000, 16),
        (20_000, 4),
        (200, 4),
        (20_000, 1),
        (200, 1),
    ] {
        add(Mode::Text, Prose::Plain, gap, size);
    }
    add(Mode::Text, Prose::Rich, 200, 4);
    for (gap, size) in [(20_000, LARGE), (200, LARGE), (20_000, 4), (200, 4)] {
        add(Mode::Auto, Prose::Plain, gap, size);
    }
    cases.push(in_the_loop());
    for size in [LARGE, 4] {
        let input = unterminated();
        let mut parser = Parser::builder().mode(Mode::Text).build();
        let name = format!("text/unterminated/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "attempt", move || {
            read::provstream(&mut parser, &input, size);
            input.len() / UNTERMINATED
        }));
    }
}

/// The dialects of models that are given search results and files.
#[cfg(feature = "dialects")]
const DIALECTS: [&str; 3] = ["openai-file", "numeric", "cite-tag"];

/// Prose in which markers of dialects are searched for, without any and with one about every 200 bytes.
#[cfg(feature = "dialects")]
fn dialects(cases: &mut Vec<Case>) {
    let dialects = Dialects::built_in(DIALECTS).expect("built-in dialects");
    let parser = || {
        let parser = Parser::builder().mode(Mode::Text);
        parser.dialects(dialects.clone()).build()
    };
    for (gap, size) in [(20_000, LARGE), (2_000, 64), (20_000, 4)] {
        let (input, mut parser) = (sized(Prose::Plain, gap, size), parser());
        let name = format!("dialects/plain/{gap}/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "assertion", move || {
            read::provstream(&mut parser, &input, size)
        }));
    }
    for size in [LARGE, 4] {
        let (input, mut parser) = (cited(&sized(Prose::Plain, 20_000, size)), parser());
        let name = format!("dialects/cited/200/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "citation", move || {
            let mut found = 0;
            for chunk in input.chunks(size) {
                parser.push(chunk, |event: Event<'_>| {
                    found += usize::from(matches!(event, Event::Citation(_)));
                });
            }
            parser.reset();
            found
        }));
    }
}

/// Inserts a marker before a full stop about every 200 bytes.
#[cfg(feature = "dialects")]
fn cited(text: &[u8]) -> Vec<u8> {
    let (mut out, mut since) = (Vec::new(), 0);
    for (at, byte) in text.iter().enumerate() {
        if since > 200 && *byte == b'.' && text.get(at + 1) == Some(&b' ') {
            out.extend_from_slice(b" [1]");
            since = 0;
        }
        out.push(*byte);
        since += 1;
    }
    out
}

/// A loop with a short sink, which the compiler puts into it.
fn in_the_loop() -> Case {
    let input = sized(Prose::Plain, 20_000, 4);
    let mut parser = Parser::builder().mode(Mode::Text).build();
    Case::new(
        "text/plain/20000/4B/inlined".to_owned(),
        input.len(),
        "event",
        move || {
            let mut others = 0;
            for chunk in input.chunks(4) {
                parser.push(chunk, |event: Event<'_>| match &event {
                    Event::Text(text) => {
                        black_box(text.bytes());
                    }
                    _ => others += 1,
                });
            }
            parser.reset();
            others
        },
    )
}

/// Bytes from one attempt that is never closed to the next; twice as long as an annotation may be.
const UNTERMINATED: usize = 2_048;

/// Attempts without an end.
fn unterminated() -> Vec<u8> {
    let mut attempt = b"It is so. [substrate.grep; observation-id=sha256:".to_vec();
    attempt.resize(UNTERMINATED, b'0');
    attempt.repeat(SHORT / UNTERMINATED)
}

fn json(cases: &mut Vec<Case>) {
    let mut add = |name: &str, layout, parser: fn(&Document) -> Parser, size| {
        let document = Document::new(layout);
        let mut parser = parser(&document);
        let (mut input, whole) = (document.bytes, size == LARGE);
        if !whole {
            input.truncate(SHORT);
        }
        let name = format!("{name}/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "object", move || {
            let found = read::provstream(&mut parser, &input, size);
            if whole && found != document.objects {
                0
            } else {
                found
            }
        }));
    };
    for size in [LARGE, 64, 4] {
        add("json", Layout::Compact, Document::parser, size);
    }
    add("json/indented", Layout::Pretty, Document::parser, LARGE);
    for size in [LARGE, 4] {
        add("ndjson", Layout::Lines, Document::parser, size);
    }
    for size in [LARGE, 4] {
        add("auto/json", Layout::Lines, |_| Parser::new(), size);
    }
}

/// The records of the drafts' examples, one a line.
const RECORDS: &str = concat!(
    include_str!("../../../corpus/marc/tv-m2-1.json"),
    "\n",
    include_str!("../../../corpus/marc/tv-m2-2.json"),
    "\n",
    include_str!("../../../corpus/marc/tv-m2-4.json"),
    "\n",
    include_str!("../../../corpus/marc/tv-m2-5.json"),
);

fn marc(cases: &mut Vec<Case>) {
    let profile = Profile::new(Draft::Draft02);
    let records: Vec<&str> = RECORDS.lines().filter(|line| !line.is_empty()).collect();
    let input: Vec<u8> = (records.join("\n") + "\n").into_bytes().repeat(32);
    let bytes = input.len();
    let mut parser = Parser::builder().mode(Mode::Ndjson).build();
    cases.push(Case::new(
        "marc/find-and-validate".to_owned(),
        bytes,
        "record",
        move || {
            let mut valid = 0;
            let mut sink = |event: Event<'_>| {
                if let Event::Marc(object) = event {
                    valid += usize::from(
                        black_box(provstream_marc::validate(&object, profile)).is_valid(),
                    );
                }
            };
            for chunk in input.chunks(LARGE) {
                parser.push(chunk, &mut sink);
            }
            parser.finish(&mut sink);
            parser.reset();
            valid
        },
    ));
    cases.push(Case::new(
        "marc/read".to_owned(),
        bytes,
        "record",
        move || {
            let read = |record: &&str| Core::read(black_box(record).as_bytes(), profile);
            (0..32)
                .flat_map(|_| records.iter().map(read))
                .filter(|record| black_box(record).is_ok())
                .count()
        },
    ));
}

/// Looks at the bytes that are written and counts the annotations that are not.
struct Removed(usize);

impl Handler for Removed {
    fn text(&mut self, text: TextChunk<'_>) {
        black_box(text.bytes());
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.0 += 1;
        Replacement::Remove
    }
}

impl StreamHandler for Removed {
    fn bytes(&mut self, bytes: &[u8]) {
        black_box(bytes);
    }
}

fn strip(cases: &mut Vec<Case>) {
    for (gap, size) in [(20_000, LARGE), (200, LARGE), (20_000, 4), (200, 4)] {
        let input = sized(Prose::Plain, gap, size);
        let mut rewriter = Rewriter::new(Parser::new());
        let name = format!("strip/{gap}/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "annotation", move || {
            let mut sink = Removed(0);
            for chunk in input.chunks(size) {
                rewriter.push(chunk, &mut sink);
            }
            rewriter.finish(&mut sink);
            rewriter.reset();
            sink.0
        }));
    }
}

/// Releases everything.
struct Release;

impl Policy for Release {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }
}

impl GateHandler for Removed {}

fn gate(cases: &mut Vec<Case>) {
    let mut add = |name: &str, input: Vec<u8>, size| {
        let mut gate = Gate::new(Parser::new(), Release);
        let name = format!("gate/{name}/{}", size_name(size));
        cases.push(Case::new(name, input.len(), "annotation", move || {
            let mut sink = Removed(0);
            for chunk in input.chunks(size) {
                gate.push(chunk, &mut sink);
            }
            gate.finish(&mut sink);
            gate.reset();
            sink.0
        }));
    };
    for (gap, size) in [(20_000, 4), (200, 4), (200, LARGE)] {
        add(&gap.to_string(), sized(Prose::Plain, gap, size), size);
    }
    // Brackets that may have been meant as annotations, about which a gate asks again and again.
    let brackets = "[a.b] ".repeat(SHORT / 6) + "It is so. [substrate.grep]";
    add("brackets", brackets.into_bytes(), LARGE);
}

fn wire(cases: &mut Vec<Case>) {
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        let response = Response::new(provider, 4);
        let (events, expected) = (response.events, response.annotations);
        let bytes = response.bytes.len();
        let name = provider.name();
        let mut parsers = ResponseParser::new(Decoder::new(provider.format()), Parser::new());
        cases.push(Case::new(
            format!("wire/{name}/decode"),
            bytes,
            "event",
            move || {
                let mut found = 0;
                let mut sink = |event: WireEvent<'_>| {
                    if let WireEvent::Parsed(_, Event::Assertion(assertion)) = &event {
                        black_box(assertion.text());
                        found += 1;
                    }
                    black_box(&event);
                };
                for chunk in response.bytes.chunks(RECEIVED) {
                    parsers.push(chunk, &mut sink);
                }
                parsers.finish(&mut sink);
                parsers.reset();
                if found == expected { events } else { 0 }
            },
        ));
        let name = format!("wire/{name}/strip");
        cases.push(wire_strip(name, provider, Response::new(provider, 4)));
    }
    for provider in [Provider::OpenAiLong, Provider::OpenAiObfuscated] {
        for token in [4, 64] {
            let name = format!("wire/{}/strip/{token} B", provider.name());
            cases.push(wire_strip(name, provider, Response::new(provider, token)));
        }
    }
}

/// A response whose annotations are removed.
fn wire_strip(name: String, provider: Provider, response: Response) -> Case {
    let mut rewriter = StreamRewriter::new(provider.format(), Parser::new());
    Case::new(name, response.bytes.len(), "event", move || {
        let mut sink = Removed(0);
        for chunk in response.bytes.chunks(RECEIVED) {
            rewriter.push(chunk, &mut sink);
        }
        rewriter.finish(&mut sink);
        rewriter.reset();
        let found = sink.0 == response.annotations;
        if found { response.events } else { 0 }
    })
}

/// Identifiers as they are declared: those of the memo, with and without its version, and others.
const DECLARED: [&str; 14] = [
    "substrate.git.log",
    "substrate.grep",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.do.sse-count",
    "substrate.unix.peercred",
    "unverified-inference",
    "decayed-to-uncertainty",
    "1.0.substrate.grep",
    "2.0.substrate.grep",
    "substrate.Grep",
    "substrate.ct.log",
    "guide",
];

fn vocabulary() -> Case {
    let vocabulary = Vocabulary::memo();
    let bytes = DECLARED
        .iter()
        .map(|declared| declared.len())
        .sum::<usize>()
        * 100;
    Case::new(
        "vocabulary/resolve".to_owned(),
        bytes,
        "look-up",
        move || {
            for _ in 0..100 {
                for declared in DECLARED {
                    black_box(vocabulary.resolve(black_box(declared.as_bytes())));
                }
            }
            DECLARED.len() * 100
        },
    )
}
