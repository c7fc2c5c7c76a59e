//! The work follows the length of the stream: what is counted for n bytes, against what is counted for 4 n or 16 n.

use super::counted;
use crate::{LimitError, Limits, Mode, Parser, ParserBuilder, Rewriter};
use testkit::adversarial::{Choices, Composition, families};

/// How many times longer the longer stream is.
fn times() -> usize {
    if testkit::search::is_long() { 16 } else { 4 }
}

/// How much more a byte of the longer stream may cost.
const GROWTH: f64 = 1.2;

/// Most bytes that may be counted for one byte of the stream, with the default limits. Almost all of it is whitespace
/// in chunks of one byte, of which a rewriter asks each time how much an annotation would remove: up to 64.
const MOST: f64 = 80.0;

/// A composition costs as much as so many streams that are compared with the reference.
const COST: u64 = 50;

/// As many bytes counted for one byte are no sign of growth: a composition has parts, and parts differ.
const FEW: f64 = 12.0;

const MODES: [Mode; 4] = [Mode::Text, Mode::Auto, Mode::Json, Mode::Ndjson];

/// Bytes counted for each byte of a stream from which annotations and records are removed.
fn steps<'a>(builder: &ParserBuilder, chunks: impl Iterator<Item = &'a [u8]>) -> f64 {
    let mut rewriter = Rewriter::new(builder.clone().hold_records(true).build());
    let mut len = 0;
    let steps = counted(|| {
        for chunk in chunks {
            len += chunk.len();
            rewriter.push(chunk, ());
        }
        rewriter.finish(());
    });
    steps as f64 / len as f64
}

/// Bytes counted for each byte of a stream from which nothing is removed.
fn steps_of_parser(builder: &ParserBuilder, stream: &[u8], size: usize) -> f64 {
    let mut parser = builder.clone().build();
    let steps = counted(|| {
        for chunk in stream.chunks(size) {
            parser.push(chunk, ());
        }
        parser.finish(());
    });
    steps as f64 / stream.len() as f64
}

/// Limits that all have one of these values, as far as each one's range allows.
fn limits(bytes: usize, items: usize) -> Result<Limits, LimitError> {
    Limits::default()
        .with_max_annotation(bytes.min(65_535))?
        .with_max_assertion(bytes)?
        .with_max_annotations(items)?
        .with_max_pending(bytes)?
        .with_max_depth(items)?
        .with_max_pointer(bytes.min(65_536))?
        .with_max_record(bytes)
}

#[test]
fn a_byte_of_an_adversarial_stream_costs_no_more_in_a_longer_one() {
    // Longer than any limit in both cases, so that what happens at one happens in both. Only the limit of what JSON keeps back is
    // met in the longer stream alone.
    let limits = Limits::default().with_max_record(1 << 10);
    let builder = Parser::builder().limits(limits.expect("in range"));
    // Large chunks make the longest streams: they are as large as callers' in long searches only.
    let (len, large) = match testkit::search::is_long() {
        true => (32 << 10, 64 << 10),
        false => (16 << 10, 8 << 10),
    };
    // It takes longer than all other tests here together.
    std::thread::scope(|scope| {
        for mode in MODES {
            let builder = builder.clone().mode(mode);
            scope.spawn(move || compare_families(&builder, mode, len, large));
        }
    });
}

fn compare_families(builder: &ParserBuilder, mode: Mode, len: usize, large: usize) {
    for family in families() {
        for (size, len) in [(1, len), (7, len), (large, 4 * large)] {
            let short = steps(builder, family.chunks(size, len));
            let long = steps(builder, family.chunks(size, len * times()));
            let what = format!("{}, mode {mode:?}, chunks of {size}", family.name);
            assert!(short > 0.9, "{what}: only {short} a byte were counted");
            assert!(
                long < GROWTH * short && long < MOST,
                "{what}: {short} a byte, then {long}"
            );
        }
    }
}

#[test]
fn no_composition_of_fragments_is_found_whose_bytes_cost_more_in_a_longer_stream() {
    let seeds = testkit::search::seeds(1_000) / COST;
    // Small limits are met again and again; with the largest nothing is bounded but by the length of the stream.
    for (limits, len) in [
        (limits(128, 8), 4 << 10),
        (limits(1 << 20, 65_536), 8 << 10),
    ] {
        let builder = Parser::builder().limits(limits.expect("in range"));
        for seed in 0..seeds {
            let mut choices = Choices(seed);
            let builder = builder.clone().mode(MODES[choices.below(MODES.len())]);
            let stream = Composition::new(&mut choices);
            for size in [1, 7, len / 4] {
                let short = steps_of_parser(&builder, &stream.bytes(len), size);
                let long = steps_of_parser(&builder, &stream.bytes(len * times()), size);
                assert!(
                    long < FEW.max(GROWTH * short) && long < MOST,
                    "seed {seed}, {builder:?}, chunks of {size}: {short} a byte, then {long}: {stream:?}"
                );
            }
        }
    }
}

/// A gate asks at each chunk from where on text is undecided, also where nothing but line ends arrives.
#[test]
fn a_gate_does_not_read_its_window_at_each_line_end() {
    for line in ["\n", "\r\n", "\n\r\n", " \n", "\t\n"] {
        for before in [
            "",
            "It is so.",
            "It is so. [ct-log]",
            "- item\n\n",
            "It is so. [substrate.grep]",
            "> quoted\n",
        ] {
            let each = steps_of_gate(before, line, 20_000);
            assert!(
                each < MOST,
                "{each} bytes for each of {line:?} after {before:?}"
            );
        }
    }
}

/// Bytes counted for each byte of a piece that a gate takes after others, so many times.
fn steps_of_gate(before: &str, piece: &str, times: u32) -> f64 {
    let mut gate = crate::Gate::new(Parser::new(), Release);
    gate.push(before.as_bytes(), ());
    let steps = counted(|| (0..times).for_each(|_| gate.push(piece.as_bytes(), ())));
    steps as f64 / f64::from(times) / piece.len() as f64
}

/// A policy that releases all that is decided about.
struct Release;

impl crate::Policy for Release {
    fn assertion(&mut self, _: &crate::Question<'_>) -> crate::Action {
        crate::Action::Release
    }
}

/// The text around a marker that waits for its sentence is kept, and is looked at as more comes.
#[cfg(feature = "dialects")]
#[test]
fn a_byte_beside_markers_costs_no_more_in_a_longer_stream() {
    const LEN: usize = 4 << 10;
    /// Most bytes that may be counted for one byte: each sentence with a marker has the text kept before it read, up to `max_assertion`.
    const MOST: f64 = 400.0;
    let names = [
        "openai-file",
        "openai-web",
        "numeric",
        "doc",
        "cohere",
        "cite-tag",
    ];
    let dialects = crate::Dialects::built_in(names).expect("built-in dialects");
    let limits = Limits::default().with_max_assertion(256).expect("in range");
    let builder = Parser::builder()
        .mode(Mode::Text)
        .limits(limits)
        .dialects(dialects);
    for before in ["", "It is so. [doc1] ", "<co: 0>It is [doc1] "] {
        for piece in [
            "word ",
            " ",
            "\n",
            "Dr. ",
            "a. [1] ",
            "[doc1]",
            "[doc1]\n",
            "| a [1] ",
            "[[1]](https://a.example/",
            "<co: 0>a</co: 0> ",
            "<co: 0>",
            "【4:0†",
            "a\n[doc1]\n- ",
            "\u{e200}cite\u{e202}turn0search1",
            "é",
            "> [1] ",
        ] {
            for size in [1, 1 << 10] {
                let text = |len: usize| before.to_owned() + &piece.repeat(len / piece.len());
                let each = |len: usize| steps(&builder, text(len).as_bytes().chunks(size));
                let (short, long) = (each(LEN), each(LEN * times()));
                let what =
                    format!("{before:?}, {piece:?}, chunks of {size}: {short} a byte, then {long}");
                assert!(long < FEW.max(GROWTH * short) && long < MOST, "{what}");
            }
        }
    }
}

/// A long sentence is not read again for each of its markers.
#[cfg(feature = "dialects")]
#[test]
fn a_sentence_with_many_markers_costs_no_more_than_one_with_few() {
    const LEN: usize = 64 << 10;
    let dialects = crate::Dialects::built_in(["numeric", "doc"]).expect("built-in dialects");
    let builder = Parser::builder().mode(Mode::Text).dialects(dialects);
    for piece in [
        "word word [1] ",
        "[doc1] word, ",
        "word[1][2]",
        "word (a) [doc1] b; c ",
    ] {
        for size in [1, 4, LEN] {
            let text = "It ".to_owned() + &piece.repeat(LEN / piece.len());
            let each = steps(&builder, text.as_bytes().chunks(size));
            assert!(each < 30.0, "{piece:?}, chunks of {size}: {each} a byte");
        }
    }
}
