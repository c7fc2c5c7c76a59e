//! Tests of the gate with text longer than an assertion may be.

use provstream::provenance::Encoding;
use provstream::{
    Action, AtLimit, Gate, GateEnd, GateHandler, Handler, Limits, Mode, Parser, Policy, Question,
    Span, TextChunk,
};
use testkit::gate::pieces::{Short, short};
use testkit::reference::engine::{Cuts, parser_in};
use testkit::reference::{Reading, RefLimits, RefMode, RefVocabulary};

use crate::release_point::{cut, seeds};

/// Streams compared, each with two policies in four cuttings.
const STREAMS: u64 = 1_000;

/// Interval of the seeds whose input has some thousand bytes, as one of them takes as long as this
/// many others.
const COST: usize = 19;

/// Releases every assertion, and text that is too long or not; notes where the assertions in brackets are, and where they begin
/// in the text without annotations.
#[derive(Clone, Default)]
struct Notes {
    refuses: bool,
    spans: Vec<(Span, u64)>,
}

impl Policy for Notes {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let assertion = question.assertion();
        if assertion.encoding() == Encoding::Bracket {
            let clean = question.clean_span().start();
            self.spans.push((assertion.span(), clean));
        }
        Action::Release
    }

    fn limit(&mut self) -> AtLimit {
        match self.refuses {
            true => AtLimit::Refuse("(too long)".into()),
            false => AtLimit::Release,
        }
    }
}

/// Output of a gate, and the spans released because they were too long.
#[derive(Debug, Default, PartialEq)]
struct Written {
    text: Vec<u8>,
    /// Up to where text was released.
    upto: u64,
    limits: Vec<Span>,
}

impl Handler for Written {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }
}

impl GateHandler for Written {
    fn released(&mut self, text: TextChunk<'_>) {
        self.upto = text.span().end();
        self.text(text);
    }

    fn limit(&mut self, span: Span) {
        self.limits.push(span);
    }
}

/// A sentence that is too long by `beyond` bytes, with an annotation after it.
fn long_sentence(beyond: usize) -> String {
    let long = "will ".repeat(817 + beyond / 5);
    let missing = 4_096 + beyond - "It rain.".len() - long.len();
    format!(
        "It rained. It {long}{}rain. [unverified-inference] So.",
        "x".repeat(missing)
    )
}

/// Runs a gate that refuses text over the limit on a text in chunks of `size` bytes; returns the
/// output and how the gate ended.
fn refusing(parser: Parser, text: &str, size: usize) -> (String, Option<GateEnd>) {
    let policy = Notes {
        refuses: true,
        ..Notes::default()
    };
    let mut gate = Gate::new(parser, policy);
    let mut written = Vec::new();
    for chunk in text.as_bytes().chunks(size) {
        gate.push(chunk, &mut written);
    }
    gate.finish(&mut written);
    let written = String::from_utf8(written).expect("UTF-8");
    (written, gate.ended())
}

#[test]
fn a_sentence_that_is_too_long_is_refused_however_soon_it_ends() {
    for beyond in [0, 1, 2, 3, 100, 1_000, 1_023, 1_024, 1_025, 3_000] {
        let text = long_sentence(beyond);
        for size in [1, 2, 7, 1_000, 1_024, 100_000] {
            let (written, found) = refusing(Parser::new(), &text, size);
            let (ended, end) = match beyond {
                0 => (None, text.replace(" [unverified-inference]", "")),
                _ => (Some(GateEnd::Refused), "It rained. (too long)".to_owned()),
            };
            assert_eq!(found, ended, "{beyond} bytes beyond, by {size}");
            assert_eq!(written, end);
        }
    }
}

fn run(short: &Short, limits: &RefLimits, policy: Notes, most: usize) -> (Written, Gate<Notes>) {
    let parser = parser_in(short.reading, limits, &RefVocabulary::default());
    let mut gate = Gate::new(parser, policy);
    let mut written = Written::default();
    for piece in cut(&short.input, most, &mut Cuts(most as u64)) {
        piece.gate(&mut gate, &mut written);
    }
    gate.finish(&mut written);
    (written, gate)
}

/// Assertions that begin later than those of a gate with larger limits, but for those of which a value that turned out not to be
/// JSON is a part.
fn beginnings(found: &[Span], whole: &[Span], bytes: &[u8]) -> Vec<(Span, Span)> {
    let longer = |span: &Span| {
        let whole = whole.iter().find(|whole| whole.end() == span.end())?;
        let missing = &bytes[whole.start() as usize..span.start().max(whole.start()) as usize];
        let differs = whole.start() != span.start();
        let value = missing.iter().any(|byte| b"{[".contains(byte));
        (differs && !value).then_some((*span, *whole))
    };
    found.iter().filter_map(longer).collect()
}

#[test]
fn text_before_a_value_counts_as_a_part_of_its_sentence() {
    let text = format!(
        "It rained. It {}rain {{\"a\":\"{}\"}} and snow. [unverified-inference] So.",
        "will ".repeat(800),
        "x".repeat(200)
    );
    for size in [1, 7, 1_024, 100_000] {
        let parser = Parser::builder().mode(Mode::Auto).build();
        let (written, _) = refusing(parser, &text, size);
        assert_eq!(written, "It rained. (too long)", "by {size}");
    }
}

/// A value counts from its first byte, whatever was removed before it.
#[test]
fn a_long_value_after_annotations_is_not_too_long() {
    let annotated = "It rained. [substrate.grep; ts=2026-05-28T11:40:00Z] ".repeat(3);
    let value = format!("{{\"a\":\"{}\"}}", "It will rain. ".repeat(600));
    let text = format!("{annotated}\n\n{value}\n\nSo.");
    for size in [1, 7, 1_024, 100_000] {
        let parser = Parser::builder().mode(Mode::Auto).build();
        let (written, ended) = refusing(parser, &text, size);
        assert_eq!(ended, None, "by {size}");
        assert!(written.contains(&value), "by {size}");
    }
}

#[test]
fn an_assertion_that_is_too_long_is_released_when_it_is_over() {
    for beyond in 0..256 {
        let long = "will ".repeat(1_000) + &"x".repeat(beyond);
        let text = format!("It {long}. [substrate.grep] {}", "So. ".repeat(200));
        let mut gate = Gate::new(Parser::new(), Notes::default());
        gate.push(text.as_bytes(), ());
        assert!(gate.held_len() < 600, "{beyond}: {}", gate.held_len());
    }
}

/// After a very long sentence the checks are rare, but never more so than text that is too long.
#[test]
fn many_long_assertions_after_a_very_long_one_are_not_held_back() {
    let sentence = |len: usize| {
        format!(
            "It {}rain. [unverified-inference] ",
            "will ".repeat(len / 5)
        )
    };
    let text = sentence(20_000) + &sentence(1_100).repeat(100);
    let limits = Limits::default().with_max_assertion(1_024);
    let parser = Parser::builder().limits(limits.expect("a limit")).build();
    let mut gate = Gate::new(parser, Notes::default());
    for (at, chunk) in text.as_bytes().chunks(100).enumerate() {
        gate.push(chunk, ());
        assert!(gate.held_len() < 6_000, "chunk {at}: {}", gate.held_len());
    }
}

/// Pieces that a filler repeats: text, and what makes no text longer.
const FILLERS: [&str; 13] = [
    "will ",
    "will\n",
    "so. ",
    " ",
    "\n> ",
    "\n- ",
    "\u{3000}",
    "(",
    "x\n> ",
    "am p. 5, ",
    "\n\n",
    ")",
    " \u{2028}",
];

/// A short input with a filler somewhere in each segment, which makes some text about as long as `max` bytes.
fn filled(seed: u64, max: usize) -> Short {
    let mut short = short(seed, 40);
    let mut random = Cuts(seed ^ 0xF111);
    for part in &mut short.input {
        let text = "will ".repeat((max - 140 + random.below(200)) / 5);
        // The intervals of the checks grow up to 8 KiB of text that is too long.
        let most = if seed.is_multiple_of(8) { 4_000 } else { 400 };
        let filler = FILLERS[random.below(FILLERS.len())].repeat(random.below(most));
        let at = random.below(part.bytes.len() + 1);
        let at = (at..=part.bytes.len()).find(|&at| {
            let next = part.bytes.get(at);
            next.is_none_or(|byte| byte & 0xC0 != 0x80)
        });
        let at = at.expect("the end of a character");
        part.bytes.splice(at..at, (text + &filler).into_bytes());
    }
    short
}

/// Limits with this length of assertions; every third seed also has narrow limits of annotations.
fn with_few_annotations(seed: u64, max_assertion: usize) -> RefLimits {
    let limits = RefLimits {
        max_assertion,
        ..RefLimits::default()
    };
    match seed / 7 % 3 {
        0 => RefLimits {
            max_annotation: 50,
            max_pending: 30,
            max_annotations: 2,
            ..limits
        },
        _ => limits,
    }
}

#[test]
fn the_beginning_of_an_assertion_is_never_released_before_the_policy_is_asked() {
    let mut refused = 0;
    for seed in seeds(STREAMS) {
        let limits = with_few_annotations(seed, [4, 8, 12, 20, 33, 70][seed as usize % 6]);
        refused += usize::from(compare(&format!("seed {seed}"), &short(seed, 60), &limits));
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn nor_is_the_beginning_of_a_long_one() {
    let mut refused = 0;
    for seed in seeds(STREAMS).step_by(COST) {
        let max_assertion = [1_023, 1_024, 1_500][seed as usize % 3];
        let limits = with_few_annotations(seed, max_assertion);
        let short = filled(seed, max_assertion);
        refused += usize::from(compare(&format!("filled {seed}"), &short, &limits));
    }
    assert!(refused > 10, "{refused}");
}

/// Compares what a gate writes for several cuttings, and whether an assertion is decided about whose beginning was released;
/// gives whether the stream was refused.
fn compare(name: &str, short: &Short, limits: &RefLimits) -> bool {
    let bytes: Vec<u8> = short
        .input
        .iter()
        .flat_map(|part| part.bytes.clone())
        .collect();
    let shown = || {
        let parts = short.input.iter();
        let parts = parts.map(|part| format!("{} {}\n", part.own, part.bytes.escape_ascii()));
        format!("{name}, {:?}\n{}", short.reading, parts.collect::<String>())
    };
    let mut refused = false;
    for refuses in [true, false] {
        let policy = || Notes {
            refuses,
            ..Notes::default()
        };
        let (expected, gate) = run(short, limits, policy(), 1);
        refused |= gate.ended().is_some();
        for most in [4, 16, 100_000] {
            let (found, _) = run(short, limits, policy(), most);
            assert!(
                found == expected,
                "chunks up to {most}, {}{:?} {}\n{:?} {}",
                shown(),
                expected.limits,
                expected.text.escape_ascii(),
                found.limits,
                found.text.escape_ascii(),
            );
        }
        if refuses {
            let (_, whole) = run(short, &RefLimits::default(), policy(), 16);
            let spans = |gate: &Gate<Notes>, upto: u64| -> Vec<Span> {
                let released = gate
                    .policy()
                    .spans
                    .iter()
                    .filter(|(_, start)| *start <= upto);
                released.map(|(span, _)| *span).collect()
            };
            let (found, whole) = (spans(&gate, expected.upto), spans(&whole, u64::MAX));
            let released = beginnings(&found, &whole, &bytes);
            assert!(released.is_empty(), "{released:?}, {}", shown());
        }
    }
    refused
}

/// Removed records are part of a block of code, also where the block is longer than an assertion may be.
#[test]
fn a_long_block_with_removed_records_is_refused_at_its_beginning() {
    let records = "{\"assertion\":\"x\"}".repeat(300);
    let text = format!("Hi there.\n\n```\n{records}abc {}", "x\n".repeat(6_000));
    for size in [1, 1_000, 100_000] {
        let parser = Parser::builder().hold_records(true).build();
        let (written, _) = refusing(parser, &text, size);
        assert_eq!(written, "Hi there.\n\n```\n(too long)", "by {size}");
    }
}

/// A byte order mark may be a fault until it is over, also where a check is due within it.
#[test]
fn a_check_within_a_byte_order_mark_comes_later() {
    for start in 1_020..1_026 {
        for mode in [Mode::Json, Mode::Ndjson] {
            for size in [1, 2, 100] {
                let builder = Parser::builder().mode(mode).start_offset(start);
                let parser = builder.expect("an offset").build();
                let mut gate = Gate::new(parser, Notes::default());
                let mut out = Vec::new();
                for chunk in b"\xEF\xBB\xBF{\"a\": 1}\n".chunks(size) {
                    gate.push(chunk, &mut out);
                }
                gate.finish(&mut out);
                assert_eq!(out, b"\xEF\xBB\xBF{\"a\": 1}\n", "{start} {mode:?} {size}");
            }
        }
    }
}

/// A parser of text with these limits.
fn text_parser(limits: &RefLimits) -> Parser {
    parser_in(
        Reading::new(RefMode::Text),
        limits,
        &RefVocabulary::default(),
    )
}

/// Reads text in chunks of a size with narrow limits and a policy that refuses what is too long.
fn narrow(max_assertion: usize, text: &str, size: usize) -> (String, Option<GateEnd>) {
    let limits = RefLimits {
        max_assertion,
        max_pending: 30,
        max_annotation: 50,
        ..RefLimits::default()
    };
    let parser = text_parser(&limits);
    refusing(parser, text, size)
}

/// The bytes kept of the text before a line depend on the chunks, the decision whether the line is
/// too long does not.
#[test]
fn blank_lines_before_a_text_do_not_decide_whether_it_is_too_long() {
    for (max, lines) in [(100, 200), (200, 300), (100, 201), (130, 500)] {
        for beyond in [0, 1, 2] {
            let text = "\n\n".repeat(lines) + &"x".repeat(max + beyond);
            let expected = (beyond > 0).then_some(GateEnd::Refused);
            for size in [1, 7, 100, 300, 1_000, 100_000] {
                let (written, ended) = narrow(max, &text, size);
                assert_eq!(
                    ended, expected,
                    "{max} + {beyond}, {lines} lines, by {size}"
                );
                let shown = written.ends_with("(too long)");
                assert_eq!(shown, beyond > 0, "{written}");
            }
        }
    }
}

/// Near the cut, a word that is not complete may decide whether a sentence began before the cut.
#[test]
fn text_waits_for_the_word_that_decides_whether_it_is_too_long() {
    for (word, is_cut) in [("IV", true), ("I", false), ("The", false), ("Test", true)] {
        let quoted = "Rain falls here\u{2028}Dr\u{2028}U.S. ";
        let text = format!("{word}[substrate.grep] So.");
        let limits = RefLimits {
            max_assertion: 24,
            ..RefLimits::default()
        };
        for size in [1, 2, 100] {
            let parser = text_parser(&limits);
            let policy = Notes {
                refuses: true,
                ..Notes::default()
            };
            let mut gate = Gate::new(parser, policy);
            let mut written = Written::default();
            gate.push_untrusted(quoted.as_bytes(), &mut written);
            for chunk in text.as_bytes().chunks(size) {
                gate.push(chunk, &mut written);
            }
            gate.finish(&mut written);
            let ended = is_cut.then_some(GateEnd::Refused);
            assert_eq!(gate.ended(), ended, "{word}, by {size}");
            let text = String::from_utf8_lossy(&written.text).into_owned();
            assert_eq!(text.contains("U.S."), !is_cut, "{word}, by {size}: {text}");
        }
    }
}

/// An assertion without text that lost an annotation to a limit does not hide a later one that was cut off.
#[test]
fn a_limit_of_annotations_does_not_hide_one_of_text() {
    let empty = "[substrate.grep; ts=2026-05-28T11:40:00Z]".repeat(7);
    for size in [1, 7, 1_000] {
        let (written, ended) = narrow(5, &(empty.clone() + "thtrue[substrate.p]"), size);
        assert_eq!(ended, Some(GateEnd::Refused), "by {size}");
        assert_eq!(written, "(too long)");
    }
}

/// An assertion that lost an annotation to a limit is not too long.
#[test]
fn too_many_annotations_make_no_text_too_long() {
    let limits = RefLimits {
        max_assertion: 100,
        max_annotations: 2,
        ..RefLimits::default()
    };
    for items in [100, 120, 150] {
        let text = "\n- \n".repeat(items)
            + "It rained. So it is. [substrate.grep][substrate.grep][substrate.grep] Next. ";
        for size in [1, 7, 1_000] {
            let parser = text_parser(&limits);
            let (_, ended) = refusing(parser, &text, size);
            assert_eq!(ended, None, "{items} items, by {size}");
        }
    }
}
