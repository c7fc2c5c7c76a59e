//! The gate beside a naive one that reads the whole stream.

use std::panic::{AssertUnwindSafe, catch_unwind};

use provstream::{
    Action, AtLimit, Gate, GateEnd, GateHandler, Handler, Mode, Parser, Policy, Question, Span,
    TextChunk, Unannotated,
};
use testkit::gate::naive::{Drawn, gate};
use testkit::gate::pieces::{Short, broken, short};
use testkit::gate::policies::nothing;
use testkit::reference::engine::{Cuts, parser_in};
use testkit::reference::{RefLimits, RefMode, RefVocabulary};

use crate::release_point::{cut, seeds};

/// Streams compared, each with one policy in four cuttings.
const STREAMS: u64 = 1_000;

/// Output of a gate, and the spans that it reported.
#[derive(Debug, Default)]
struct Seen {
    text: Vec<u8>,
    upto: u64,
    limits: Vec<Span>,
    ended: bool,
}

impl Seen {
    fn note(&mut self, text: &TextChunk<'_>) {
        assert_eq!(
            text.span().start(),
            self.upto,
            "spans cover the text in order"
        );
        self.upto = text.span().end();
    }
}

impl Handler for Seen {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }

    fn end(&mut self) {
        self.ended = true;
    }
}

impl GateHandler for Seen {
    fn released(&mut self, text: TextChunk<'_>) {
        self.note(&text);
        self.text(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.note(&text);
    }

    fn limit(&mut self, span: Span) {
        self.limits.push(span);
    }
}

fn run(short: &Short, policy: Drawn, most: usize, cuts: &mut Cuts) -> (Vec<u8>, Option<GateEnd>) {
    let parser = parser_in(
        short.reading,
        &RefLimits::default(),
        &RefVocabulary::default(),
    );
    let mut gate = Gate::new(parser, policy);
    let mut seen = Seen::default();
    for piece in cut(&short.input, most, cuts) {
        piece.gate(&mut gate, &mut seen);
    }
    gate.finish(&mut seen);
    assert!(seen.ended);
    (seen.text, gate.ended())
}

#[test]
fn a_gate_writes_what_a_naive_one_writes() {
    let mut ended = 0;
    for seed in seeds(STREAMS) {
        let short = broken(seed, 60);
        let policy = Drawn(seed);
        let mut cuts = Cuts(seed);
        let expected = gate(&short, &RefLimits::default(), policy);
        ended += usize::from(expected.1.is_some());
        for most in [1, 4, 16, 2_000] {
            let found = run(&short, policy, most, &mut cuts);
            assert!(
                found == expected,
                "seed {seed}, chunks up to {most}, {:?}\n{}\nexpected {:?} {}\nfound    {:?} {}",
                short.reading,
                short
                    .input
                    .iter()
                    .map(|s| format!("{} {} {}\n", s.own, s.after_break, s.bytes.escape_ascii()))
                    .collect::<String>(),
                expected.1,
                expected.0.escape_ascii(),
                found.1,
                found.0.escape_ascii(),
            );
        }
    }
    assert!(ended > 10, "{ended}");
}

/// Decides as drawn, but discards what has text of others in it.
#[derive(Clone, Copy)]
struct Wary(Drawn);

impl Policy for Wary {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.untrusted() {
            true => Action::Discard,
            false => self.0.assertion(question),
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        self.0.run()
    }

    fn limit(&mut self) -> AtLimit {
        self.0.unread()
    }
}

#[test]
fn after_a_reset_nothing_of_the_stream_before_is_left() {
    for seed in seeds(40) {
        let (before, after) = (broken(seed, 40), broken(seed + 1, 40));
        let limits = RefLimits {
            max_assertion: if seed % 2 == 0 { 24 } else { 1 << 16 },
            ..RefLimits::default()
        };
        let fresh = || {
            let parser = parser_in(after.reading, &limits, &RefVocabulary::default());
            Gate::new(parser, Wary(Drawn(seed)))
        };
        let whole = |gate: &mut Gate<Wary>| {
            let mut seen = Seen::default();
            let mut lens = Vec::new();
            for piece in cut(&after.input, 7, &mut Cuts(seed)) {
                piece.gate(gate, &mut seen);
                lens.push(seen.text.len());
            }
            gate.finish(&mut seen);
            (seen.text, lens, seen.limits, gate.ended())
        };
        let expected = whole(&mut fresh());
        let pieces = cut(&before.input, 1, &mut Cuts(seed));
        for upto in 0..=pieces.len() {
            let (mut gate, mut seen) = (fresh(), Seen::default());
            for piece in &pieces[..upto] {
                piece.gate(&mut gate, &mut seen);
            }
            gate.reset();
            assert_eq!((gate.held_len(), gate.position()), (0, 0), "{seed}, {upto}");
            assert_eq!(whole(&mut gate), expected, "{seed}, {upto}");
        }
    }
}

#[test]
fn after_a_reset_text_is_not_that_of_others() {
    let releases = |seed: &u64| matches!(Drawn(*seed).action(0), Action::Release);
    let seed = (0..).find(releases).expect("a seed");
    let mut gate = Gate::new(Parser::new(), Wary(Drawn(seed)));
    gate.push_untrusted(b"The build is", &mut Seen::default());
    gate.reset();
    let mut seen = Seen::default();
    gate.push(b"The build is green. [substrate.grep]", &mut seen);
    gate.finish(&mut seen);
    assert_eq!(seen.text, b"The build is green.");
}

/// Decides by the text of an assertion alone, wherever it is.
#[derive(Clone, Copy)]
struct ByText;

impl Policy for ByText {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        let assertion = question.assertion();
        match (assertion.text().len() + assertion.annotations().count()) % 4 {
            0 => Action::Release,
            1 => Action::Mark("<".into(), ">".into()),
            2 => Action::Replace("(...)".into()),
            _ => Action::Discard,
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        Unannotated::Mark("{".into(), "}".into())
    }
}

#[test]
fn what_comes_after_the_end_is_gated_like_a_stream_of_its_own() {
    let mut compared = 0;
    for seed in seeds(STREAMS) {
        let input = short(seed, 60);
        let free = matches!(input.reading.mode, RefMode::Text | RefMode::Auto);
        if !free || input.input.iter().any(|segment| !segment.own) {
            continue;
        }
        let bytes: Vec<u8> = input
            .input
            .iter()
            .flat_map(|segment| segment.bytes.clone())
            .collect();
        let mut cuts = Cuts(seed);
        let (before, after) = bytes.split_at(cuts.below(bytes.len() + 1));
        // A byte order mark is one at the start of a stream alone.
        if after.starts_with(b"\xEF") {
            continue;
        }
        let limits = RefLimits::default();
        let parser = || parser_in(input.reading, &limits, &RefVocabulary::default());
        let mut expected = Vec::new();
        for part in [before, after] {
            let mut gate = Gate::new(parser(), ByText);
            gate.push(part, &mut expected);
            gate.finish(&mut expected);
        }
        let mut found = Seen::default();
        let mut gate = Gate::new(parser(), ByText);
        for part in [before, after] {
            let mut rest = part;
            while !rest.is_empty() {
                let (chunk, later) = rest.split_at((1 + cuts.below(9)).min(rest.len()));
                gate.push(chunk, &mut found);
                rest = later;
            }
            gate.finish(&mut found);
        }
        compared += 1;
        assert_eq!(
            found.text.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "seed {seed}: {:?} and {:?}",
            before.escape_ascii().to_string(),
            after.escape_ascii().to_string()
        );
    }
    assert!(compared > 100, "{compared}");
}

/// Releases everything.
struct All;

impl Policy for All {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }
}

#[test]
fn a_gate_that_releases_everything_allocates_nothing_in_the_steady_state() {
    let text = "It rained in the valley, and the river rose by a metre. [substrate.grep; ts=2026-05-28T11:40:00Z] ";
    let text = text.repeat(40);
    let mut gate = Gate::new(Parser::new(), All);
    let mut push = || {
        for chunk in text.as_bytes().chunks(4) {
            gate.push(chunk, ());
        }
    };
    push();
    let info = allocation_counter::measure(&mut push);
    assert_eq!(info.count_total, 0);
}

#[test]
fn heap_size_is_what_is_allocated() {
    let mut gate = None;
    let info = allocation_counter::measure(|| {
        let mut new = Gate::new(Parser::new(), All);
        new.push("It rained. It snowed ".repeat(9).as_bytes(), ());
        new.push_untrusted(b"{\"assertion\":\"x", ());
        gate = Some(new);
    });
    let gate = gate.expect("a gate");
    assert_eq!(info.bytes_current, gate.heap_size() as i64);
}

/// Decides as another policy, with texts of its own.
struct Owned(Drawn);

impl Policy for Owned {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match self.0.assertion(question) {
            Action::Mark(before, after) => {
                Action::Mark(before.into_owned().into(), after.into_owned().into())
            }
            Action::Replace(text) => Action::Replace(text.into_owned().into()),
            Action::Refuse(text) => Action::Refuse(text.into_owned().into()),
            other => other,
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        match self.0.unannotated() {
            Unannotated::Mark(before, after) => {
                Unannotated::Mark(before.into_owned().into(), after.into_owned().into())
            }
            Unannotated::Replace(text) => Unannotated::Replace(text.into_owned().into()),
            other => other,
        }
    }
}

#[test]
fn heap_size_is_what_is_allocated_at_any_place_of_any_stream() {
    for seed in seeds(300) {
        let short = short(seed, 30);
        let mut gate = None;
        let info = allocation_counter::measure(|| {
            let parser = parser_in(
                short.reading,
                &RefLimits::default(),
                &RefVocabulary::default(),
            );
            let mut new = Gate::new(parser, Owned(Drawn(seed))).with_channel("0/1");
            for segment in &short.input {
                for chunk in segment.bytes.chunks(7) {
                    if segment.own {
                        new.push(chunk, ());
                    } else {
                        new.push_untrusted(chunk, ());
                    }
                }
            }
            gate = Some(new);
        });
        let gate = gate.expect("a gate");
        // What the parser shares with others is not this stream's alone.
        let shared = allocation_counter::measure(|| {
            let parser = parser_in(
                short.reading,
                &RefLimits::default(),
                &RefVocabulary::default(),
            );
            let own = parser.heap_size();
            std::mem::forget(parser);
            std::hint::black_box(own);
        });
        assert_eq!(
            info.bytes_current - shared.bytes_current,
            gate.heap_size() as i64,
            "seed {seed}, {short:?}"
        );
    }
}

/// Marks some assertions and removes the others, and marks other text.
struct Marks(bool);

impl Policy for Marks {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        self.0 = !self.0;
        match self.0 {
            true => Action::Mark("<".into(), ">".into()),
            false => Action::Discard,
        }
    }

    fn unannotated(&mut self) -> Unannotated {
        Unannotated::Mark("(".into(), ")".into())
    }
}

#[test]
fn a_gate_that_marks_and_removes_allocates_nothing_in_the_steady_state() {
    let text = "It rained, and the river rose. [substrate.grep; ts=2026-05-28T11:40:00Z] So it is. It \
        snowed. [substrate.grep][substrate.git.log] ";
    let text = text.repeat(40);
    for size in [1, 4, 64, 1_000] {
        let mut gate = Gate::new(Parser::new(), Marks(true));
        let mut push = || {
            for chunk in text.as_bytes().chunks(size) {
                gate.push(chunk, ());
            }
        };
        // Chunks are cut elsewhere each time.
        (0..10).for_each(|_| push());
        let info = allocation_counter::measure(&mut push);
        assert_eq!(info.count_total, 0, "chunks of {size}");
    }
}

#[test]
fn what_is_held_back_is_bounded_and_the_limit_does_not_depend_on_the_chunks() {
    let text = format!(
        "{{\"assertion\":\"It is so.\",\"a\":\"{}\"}}",
        "x".repeat(40_000)
    );
    for most in [1, 100, 5_000, 100_000] {
        let mut released = Seen::default();
        let mut gate = Gate::new(Parser::new(), All).with_max_held(8_000);
        let mut refused = Vec::new();
        let mut strict = Gate::new(Parser::new(), nothing("too long")).with_max_held(8_000);
        for chunk in text.as_bytes().chunks(most) {
            gate.push(chunk, &mut released);
            assert!(gate.held_len() <= 8_000 + 1_024, "{}", gate.held_len());
            strict.push(chunk, &mut refused);
        }
        gate.finish(&mut released);
        assert_eq!(released.text, text.as_bytes());
        let first = released.limits.first().copied();
        assert_eq!(first, Some(Span::new(14, 8_192)), "chunks of {most}");
        assert_eq!(strict.ended(), Some(GateEnd::Refused));
        assert_eq!(refused, b"too long");
    }
}

#[test]
fn pieces_of_which_more_follow_are_decided_about_together() {
    let text = "It rained. [substrate.grep] So it is. ".repeat(10);
    let written = |more: bool| {
        let (mut gate, mut written) = (Gate::new(Parser::new(), Marks(true)), Vec::new());
        for chunk in text.as_bytes().chunks(3) {
            if more {
                gate.push_more(chunk, &mut written);
                assert!(written.is_empty() && gate.is_holding());
            } else {
                gate.push(chunk, &mut written);
            }
        }
        gate.finish(&mut written);
        String::from_utf8(written).expect("UTF-8")
    };
    assert_eq!(written(true), written(false));
}

#[test]
fn what_is_held_at_a_limit_of_the_caller_is_released_or_refused() {
    let (mut released, mut refused) = (Seen::default(), Vec::new());
    let mut gate = Gate::new(Parser::new(), All);
    let mut strict = Gate::new(Parser::new(), Refuses);
    gate.push(b"It rained. It pou", &mut released);
    strict.push(b"It rained. It pou", &mut refused);
    gate.reach_limit(&mut released);
    strict.reach_limit(&mut refused);
    assert_eq!(released.text, b"It rained. It pou");
    assert_eq!(released.limits, [Span::new(11, 17)]);
    assert_eq!((gate.held_len(), gate.ended()), (0, None));
    assert_eq!(refused, b"It rained. too long");
    assert_eq!(strict.ended(), Some(GateEnd::Refused));
}

#[test]
fn a_sentence_that_is_too_long_is_released_with_a_diagnostic_or_refused() {
    let long = "go on and ".repeat(700);
    for (text, start) in [
        (format!("It rained. It did {long}[substrate.grep] So."), 11),
        (format!("```\nlet {long}\n```\n[substrate.grep] So."), 4),
    ] {
        let mut outputs = Vec::new();
        for most in [1, 3, 100, 1_500, 100_000] {
            let mut seen = Seen::default();
            let mut gate = Gate::new(Parser::new(), All);
            let mut refused = Vec::new();
            let mut strict = Gate::new(Parser::new(), Refuses);
            for chunk in text.as_bytes().chunks(most) {
                gate.push(chunk, &mut seen);
                strict.push(chunk, &mut refused);
            }
            gate.finish(&mut seen);
            assert_eq!(seen.limits[0].start(), start, "chunks of {most}");
            assert!(seen.limits[0].end() > start);
            assert_eq!(strict.ended(), Some(GateEnd::Refused));
            let expected = format!("{}too long", &text[..start as usize]);
            assert_eq!(
                refused.escape_ascii().to_string(),
                expected.as_bytes().escape_ascii().to_string()
            );
            outputs.push((seen.text, seen.limits));
        }
        assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

/// Releases everything within the limits.
struct Refuses;

impl Policy for Refuses {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }

    fn limit(&mut self) -> AtLimit {
        AtLimit::Refuse("too long".into())
    }
}

/// Withholds what has this text.
struct Without(&'static str);

impl Policy for Without {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        match question.assertion().text() == self.0 {
            true => Action::Discard,
            false => Action::Release,
        }
    }
}

#[test]
fn an_assertion_in_a_block_that_is_one_itself_is_withheld_if_either_is() {
    let text = "```json\n{\"assertion\":\"a\"}\n```\n[substrate.grep] So.";
    for (without, expected) in [
        ("a", "```json\n{\"assertion\":\"\"}\n``` So."),
        ("{\"assertion\":\"a\"}", "```json\n``` So."),
        ("", "```json\n{\"assertion\":\"a\"}\n``` So."),
    ] {
        let mut seen = Seen::default();
        let mut gate = Gate::new(Parser::new(), Without(without));
        gate.push(text.as_bytes(), &mut seen);
        gate.finish(&mut seen);
        assert_eq!(
            seen.text.escape_ascii().to_string(),
            expected.as_bytes().escape_ascii().to_string()
        );
    }
}

/// Says so where nothing is asserted, and withholds what is.
struct Names;

impl Policy for Names {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        Action::Replace(match question.assertion().text() {
            "" => "(nothing asserted)".into(),
            _ => "(withheld)".into(),
        })
    }
}

#[test]
fn an_assertion_without_text_is_decided_before_one_that_begins_at_its_place() {
    let text = b"[substrate.grep]Foo bar. [substrate.git.log] End.";
    for size in 1..=text.len() {
        let mut gate = Gate::new(Parser::new(), Names);
        let mut seen = Seen::default();
        text.chunks(size)
            .for_each(|chunk| gate.push(chunk, &mut seen));
        gate.finish(&mut seen);
        let found = String::from_utf8_lossy(&seen.text).into_owned();
        assert_eq!(found, "(nothing asserted)(withheld) End.", "by {size}");
    }
}

/// Panics at the second assertion.
struct Panics(usize);

impl Policy for Panics {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        self.0 += 1;
        assert!(self.0 < 2, "a policy that panics");
        Action::Release
    }
}

#[test]
fn after_a_panic_of_the_policy_nothing_is_released() {
    let mut gate = Gate::new(Parser::new(), Panics(0));
    let mut seen = Seen::default();
    gate.push(b"One is so. [substrate.grep] ", &mut seen);
    let push = AssertUnwindSafe(|| gate.push(b"Two is so. [substrate.grep] Three", &mut seen));
    assert!(catch_unwind(push).is_err());
    gate.push(b" is so.", &mut seen);
    gate.finish(&mut seen);
    assert_eq!(seen.text, b"");
    assert_eq!(gate.ended(), Some(GateEnd::Suspended));
}

/// After text that is not JSON, about which the policy is asked first, a panic of the policy also
/// releases nothing.
#[test]
fn after_a_panic_of_the_policy_nothing_that_is_not_json_is_released() {
    let object = b"{\"assertion\":\"a\",\"provenance\":{\"substrate_class\":\"substrate.grep\"}}";
    for before in ["", "x\n"] {
        let parser = Parser::builder().mode(Mode::Ndjson).build();
        let mut gate = Gate::new(parser, Panics(1));
        let mut seen = Seen::default();
        let piece = [before.as_bytes(), object].concat();
        let push = AssertUnwindSafe(|| gate.push(&piece, &mut seen));
        assert!(catch_unwind(push).is_err());
        assert_eq!(gate.ended(), Some(GateEnd::Suspended), "{before:?}");
        let written = seen.text.len();
        gate.push(b"\n[1,2,3]", &mut seen);
        gate.finish(&mut seen);
        assert_eq!(seen.text.len(), written, "{before:?}");
    }
}

/// Releases assertions, and does not release what is not read, or does.
struct Unread(bool);

impl Policy for Unread {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        Action::Release
    }

    fn limit(&mut self) -> AtLimit {
        if self.0 {
            AtLimit::Release
        } else {
            AtLimit::Refuse("(cut)".into())
        }
    }
}

/// The text, the limits and the diagnostics.
#[derive(Debug, Default, PartialEq)]
struct Faults {
    text: Vec<u8>,
    limits: Vec<Span>,
    diagnostics: Vec<(&'static str, u64)>,
}

impl Handler for Faults {
    fn text(&mut self, text: TextChunk<'_>) {
        self.text.extend_from_slice(text.bytes());
    }

    fn event(&mut self, event: provstream::Event<'_>) {
        if let provstream::Event::Diagnostic(found) = event {
            let at = found.span().start();
            self.diagnostics.push((found.code().as_str(), at));
        }
    }
}

impl GateHandler for Faults {
    fn limit(&mut self, span: Span) {
        self.limits.push(span);
    }
}

#[test]
fn what_is_not_json_is_the_policys_to_decide_at_any_cut() {
    let run = |mode, policy, input: &[u8], (size, breaks): (usize, bool)| {
        let mut gate = Gate::new(Parser::builder().mode(mode).build(), policy);
        let mut seen = Faults::default();
        if breaks {
            gate.push_break(&mut seen);
        }
        input
            .chunks(size)
            .for_each(|chunk| gate.push(chunk, &mut seen));
        gate.finish(&mut seen);
        (seen, gate.ended())
    };
    for (mode, input, written, fault, held) in [
        (
            Mode::Json,
            &b"It is. [substrate.grep]"[..],
            &b""[..],
            ("json-syntax", 0),
            (0, 0),
        ),
        (Mode::Json, b"{} so", b"{} ", ("json-syntax", 3), (3, 3)),
        (
            Mode::Json,
            b"{\"assertion\":\"x\",y",
            b"{\"assertion\":\"",
            ("json-syntax", 17),
            (14, 17),
        ),
        (
            Mode::Json,
            b"{\"assertion\":\"x\"",
            b"{\"assertion\":\"",
            ("unterminated", 0),
            (14, 16),
        ),
        (Mode::Ndjson, b"1 2\n{}", b"1 ", ("json-syntax", 2), (2, 2)),
        (Mode::Json, b"\xEF\xBBx", b"", ("json-syntax", 0), (0, 2)),
        (Mode::Json, b"\xEF\xBB", b"", ("json-syntax", 0), (0, 2)),
        (Mode::Ndjson, b"1 x", b"1 ", ("json-syntax", 2), (2, 2)),
        (
            Mode::Ndjson,
            b"\xEF\xBB\xBFx",
            b"\xEF\xBB\xBF",
            ("json-syntax", 3),
            (3, 3),
        ),
    ] {
        // Before the first byte a break changes nothing.
        let sizes = (1..=input.len()).flat_map(|size| [(size, false), (size, true)]);
        for size in sizes {
            let (seen, ended) = run(mode, Unread(false), input, size);
            let shown = input.escape_ascii();
            assert_eq!(ended, Some(GateEnd::Refused), "{shown}, {size:?}");
            assert_eq!(seen.text, [written, b"(cut)"].concat(), "{shown}, {size:?}");
            assert_eq!(seen.diagnostics, [fault], "{shown}, {size:?}");
            assert_eq!(seen.limits, []);
            let (seen, ended) = run(mode, Unread(true), input, size);
            assert_eq!((&*seen.text, ended), (input, None), "{shown}, {size:?}");
            assert_eq!(seen.diagnostics, [fault], "{shown}, {size:?}");
            assert_eq!(
                seen.limits,
                [Span::new(held.0, held.1)],
                "{shown}, {size:?}"
            );
        }
    }
}

/// After the fault at which the policy ends the stream, the handler gets no event of what else is in the chunk.
#[test]
fn no_fault_is_reported_after_the_end() {
    for input in ["x\n~", "`\n~\n\u{97}", "1\nx\n~\n~"] {
        let run = |size| {
            let parser = Parser::builder().mode(Mode::Ndjson).build();
            let mut gate = Gate::new(parser, Unread(false));
            let mut seen = Faults::default();
            let chunks = input.as_bytes().chunks(size);
            chunks.for_each(|chunk| gate.push(chunk, &mut seen));
            gate.finish(&mut seen);
            assert_eq!(gate.ended(), Some(GateEnd::Refused));
            seen
        };
        let expected = run(1);
        assert_eq!(expected.diagnostics.len(), 1, "{input:?}");
        for size in 2..=input.len() {
            assert_eq!(run(size), expected, "{input:?}, {size}");
        }
    }
}

#[test]
fn heap_size_counts_what_reads_json_ahead() {
    let mut gate = None;
    let info = allocation_counter::measure(|| {
        let mut new = Gate::new(Parser::builder().mode(Mode::Json).build(), All);
        new.push(b"[{\"assertion\":\"x\",\"y\":[{\"assertion\":\"z", ());
        gate = Some(new);
    });
    let gate = gate.expect("a gate");
    assert_eq!(info.bytes_current, gate.heap_size() as i64);
}
