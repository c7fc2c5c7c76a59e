//! Many parsers alive at once, fed in turn with streams of their own: each says what it would say alone, and all together
//! take what the limits allow each.

use std::hash::{DefaultHasher, Hash, Hasher};

use allocation_counter::measure;
use provstream::provenance::Annotation;
use provstream::{Event, Mode, Parser};

/// Parsers in an ordinary run of the tests.
const SOME: usize = 2_000;

/// Parsers of a busy service.
const MANY: usize = 100_000;

/// Most bytes that a parser and all it owns take before the first byte.
const AT_REST: usize = 1 << 10;

/// Most bytes that a parser and all it owns take with the default limits: in mode `text`, and in any.
const WORST: [usize; 2] = [12 << 10, 192 << 10];

/// Bytes that each parser gets in a round.
const ROUND: usize = 101;

/// Returns the mode for stream `number`.
fn mode(number: usize) -> Mode {
    [Mode::Auto, Mode::Text, Mode::Ndjson, Mode::Json][number % 4]
}

/// A stream that no other number has, made to be read in its mode.
fn stream(number: usize) -> String {
    let id = number.wrapping_mul(0x9E37_79B9);
    let words = "and so it goes on ".repeat(1 + number % 40);
    let class = ["grep", "git.log", "code.read", "no-class"][number / 4 % 4];
    if number % 4 > 1 {
        return format!(
            "{{\"assertion\": \"Number {number} runs.\", \"n\": {id}, \"provenance\": [{{\"substrate_class\": \
             \"substrate.{class}\", \"observation_id\": \"{id:x}\"}}]}}\n{{\"marc_version\": \"1.{}\", \"text\": \
             \"{words}\\n\"}}\n{{\"assertion\": \"{number}\"",
            number % 10
        );
    }
    format!(
        "Number {number} {words}. [substrate.{class}; observation-id={id:x}; ts=2026-05-28T11:40:{:02}Z]\n\n\
         - It is `{number}`. [substrate.grep] {words}{{\"assertion\": \"In {number}.\"}}\n```\n{words}\n``` \
         [unverified-inference] The end of {number}. [substrate.grep; observation-id={id}",
        number % 60
    )
}

/// Hashes of the events of a parser: one for all text, one for all other events in order.
#[derive(Clone, Default)]
struct Digest {
    text: DefaultHasher,
    events: DefaultHasher,
    count: u32,
}

impl Digest {
    fn annotation(&mut self, found: &Annotation<'_>) {
        let span = (found.span().start(), found.span().end());
        let written = (found.declared(), found.observation_id(), found.ts());
        (span, written, found.class().as_str()).hash(&mut self.events);
    }

    fn take(&mut self, event: &Event<'_>) {
        if let Event::Text(text) = event {
            // Byte by byte: how it is cut has no meaning.
            for byte in text.bytes() {
                self.text.write_u8(*byte);
            }
            return;
        }
        self.count += 1;
        match event {
            Event::Annotation(found) => {
                self.annotation(&found.annotation());
                found.raw().hash(&mut self.events);
            }
            Event::Assertion(found) => {
                (found.text(), found.span().start(), found.pointer()).hash(&mut self.events);
                for annotation in found.annotations() {
                    self.annotation(&annotation);
                }
            }
            Event::Marc(found) => (found.span().end(), found.raw()).hash(&mut self.events),
            Event::Diagnostic(found) => {
                (found.code().as_str(), found.span().start()).hash(&mut self.events);
            }
            other => panic!("an event that there is not: {other:?}"),
        }
    }

    fn result(&self) -> (u64, u64, u32) {
        (self.text.finish(), self.events.finish(), self.count)
    }
}

/// Reads stream `number` as a whole with a parser of its own.
fn alone(number: usize) -> (u64, u64, u32) {
    let mut digest = Digest::default();
    let mut parser = Parser::builder().mode(mode(number)).build();
    parser.push(stream(number).as_bytes(), |event: Event<'_>| {
        digest.take(&event);
    });
    parser.finish(|event: Event<'_>| digest.take(&event));
    digest.result()
}

fn round_robin(count: usize) {
    // The vocabulary is shared by all parsers: it belongs to none of them.
    drop(Parser::new());
    let mut parsers = Vec::with_capacity(count);
    let allocated = measure(|| {
        for number in 0..count {
            parsers.push(Parser::builder().mode(mode(number)).build());
        }
    });
    assert_eq!(allocated.bytes_current, 0, "nothing before the first byte");
    assert!(size_of::<Parser>() < AT_REST);

    let mut digests = vec![Digest::default(); count];
    let (mut worst, mut greatest) = ([0; 2], 0);
    let mut position = 0;
    let mut open = count;
    while open > 0 {
        open = 0;
        let mut all = 0;
        for (number, parser) in parsers.iter_mut().enumerate() {
            let stream = stream(number);
            // Each round gives all the same place, and each parser its own length of chunk.
            let rest = stream.as_bytes().get(position..).unwrap_or_default();
            if !rest.is_empty() {
                open += 1;
                let digest = &mut digests[number];
                let size = 1 + number % 61;
                for chunk in rest[..rest.len().min(ROUND)].chunks(size) {
                    parser.push(chunk, |event: Event<'_>| digest.take(&event));
                }
            }
            let taken = size_of::<Parser>() + parser.heap_size();
            let text = usize::from(mode(number) != Mode::Text);
            worst[text] = worst[text].max(taken);
            all += taken;
        }
        greatest = greatest.max(all / count);
        position += ROUND;
    }
    println!(
        "{count} parsers: {} bytes each before the first byte, then {greatest} on average at most, {} in mode text and \
         {} in another at the worst",
        size_of::<Parser>(),
        worst[0],
        worst[1]
    );
    assert!(worst[0] < WORST[0] && worst[1] < WORST[1], "{worst:?}");
    let freed = measure(|| {
        for (parser, digest) in parsers.iter_mut().zip(&mut digests) {
            parser.finish(|event: Event<'_>| digest.take(&event));
        }
        parsers.clear();
    });
    assert!(freed.bytes_current < 0, "what they took is given back");
    for (number, digest) in digests.iter().enumerate() {
        assert_eq!(digest.result(), alone(number), "parser {number}");
    }
}

#[test]
fn two_thousand_parsers_fed_in_turn_say_what_each_says_alone() {
    round_robin(SOME);
}

/// `cargo test --release --test many_parsers -- --ignored --nocapture`
#[test]
#[ignore = "takes some hundred MiB of memory, and some seconds in a release build"]
fn a_hundred_thousand_parsers_fed_in_turn_say_what_each_says_alone() {
    round_robin(MANY);
}
