//! Properties that hold of every stream, on inputs that shrink to the smallest one that breaks them.

mod equality;
mod escape;
mod grammar;
mod holdback;
mod parsers;
mod rewriting;
mod streams;
mod untrusted;

use proptest::prelude::*;
use proptest::sample::Index;
use provstream::{
    BracketAnnotation, Event, Handler, JsonRecord, Parser, Replacement, Rewriter, TextChunk,
};
use testkit::reference;
use testkit::reference::{RefLimits, RefVocabulary, Segment};
use testkit::seen::Seen;

use streams::{bytes, json_limits, json_segments, limits, reading, segments};

/// Configures proptest to run `cases` cases, or the number in `PROPTEST_CASES`.
fn cases(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config.failure_persistence = None;
    config
}

fn own(bytes: &[u8]) -> Vec<Segment> {
    vec![Segment {
        own: true,
        bytes: bytes.to_vec(),
        after_break: false,
    }]
}

fn engine(limits: &RefLimits) -> Parser {
    reference::engine::parser(limits, &RefVocabulary::default())
}

/// Feeds a stream, cut at these places in each segment, and with an empty chunk at each cut.
fn feed(parser: &mut Parser, input: &[Segment], cuts: &[Index], mut sink: impl FnMut(Event<'_>)) {
    for segment in input {
        let mut at: Vec<usize> = cuts
            .iter()
            .map(|cut| cut.index(segment.bytes.len() + 1))
            .collect();
        at.extend([0, segment.bytes.len()]);
        at.sort_unstable();
        for pair in at.windows(2) {
            let chunk = &segment.bytes[pair[0]..pair[1]];
            if segment.own {
                parser.push(chunk, &mut sink);
            } else {
                parser.push_untrusted(chunk, &mut sink);
            }
        }
    }
}

fn seen(parser: &mut Parser, input: &[Segment], cuts: &[Index]) -> Seen {
    let mut seen = Seen::default();
    feed(parser, input, cuts, |event| seen.take(event));
    parser.finish(|event: Event<'_>| seen.take(event));
    parser.reset();
    seen
}

fn joined(input: &[Segment]) -> Vec<u8> {
    input
        .iter()
        .flat_map(|segment| segment.bytes.clone())
        .collect()
}

/// Everything but the pieces of text, for comparing.
fn shown(seen: &Seen) -> String {
    format!(
        "{:#?}",
        (seen.merged(), &seen.assertions, &seen.diagnostics)
    )
}

/// A sink that keeps, removes or replaces annotations.
struct Writer {
    replacement: Replacement,
    written: Vec<u8>,
}

impl Handler for Writer {
    fn text(&mut self, text: TextChunk<'_>) {
        assert_eq!(text.span().start(), self.written.len() as u64);
        self.written.extend_from_slice(text.bytes());
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.replacement.clone()
    }

    fn record(&mut self, _: &JsonRecord<'_>) -> Replacement {
        self.replacement.clone()
    }
}

fn rewrite(
    limits: &RefLimits,
    input: &[Segment],
    size: usize,
    replacement: Replacement,
) -> Vec<u8> {
    rewrite_with(engine(limits), input, size, replacement)
}

fn rewrite_with(
    parser: Parser,
    input: &[Segment],
    size: usize,
    replacement: Replacement,
) -> Vec<u8> {
    let mut writer = Writer {
        replacement,
        written: Vec::new(),
    };
    let mut rewriter = Rewriter::new(parser);
    for segment in input {
        for chunk in segment.bytes.chunks(size) {
            if segment.own {
                rewriter.push(chunk, &mut writer);
            } else {
                rewriter.push_untrusted(chunk, &mut writer);
            }
            // Nothing is held longer than it must be.
            let parser = rewriter.parser();
            let kept = parser.buffered_len() + parser.strippable_whitespace();
            if writer.replacement == Replacement::Keep {
                assert_eq!(writer.written.len() + kept, parser.position() as usize);
            }
        }
    }
    rewriter.finish(&mut writer);
    writer.written
}
