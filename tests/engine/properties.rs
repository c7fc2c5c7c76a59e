//! Properties that hold of every stream, on inputs that shrink to the smallest one that breaks them.

use testkit::reference;

use std::borrow::Cow;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use provstream::provenance::{
    Annotation, Class, Reason, Vocabulary, escape, escape_str, parse_annotation, write_bracketed,
};
use provstream::{
    BracketAnnotation, DiagnosticCode, Event, Handler, JsonRecord, Limits, Parser, QueuedParser,
    Replacement, Rewriter, Span, TextChunk,
};
use testkit::reference::holdback::{LEAST, completions, holdback, removable};
use testkit::reference::{Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment};
use testkit::seen::Seen;

/// What streams are made of: the bytes that mean something, in every combination, and a little of what does not.
const FRAGMENTS: &[&str] = &[
    "[",
    "[",
    "]",
    ";",
    "=",
    "\"",
    "\\",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    "|",
    ">",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n| ",
    ".",
    ". ",
    "!",
    "\u{2019}",
    "\u{3002}",
    "\u{a0}",
    "\u{3000}",
    "\u{feff}",
    "\0",
    "a",
    "word ",
    "It is so. ",
    "Dr. Smith ",
    "\u{e9}\u{1F600}",
    "substrate.",
    "substrate.grep",
    "unverified-inference",
    "1.0.",
    "note",
    "ts",
    "observation-id",
    "observation_id=",
    "ts=2026-05-28T11:40:00Z",
    "; ts=",
    "x=\"a; b] [c\"",
    "[substrate.grep]",
    " [substrate.grep]",
    "[substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]",
    "[substrate.x; y]",
    "[note; ts=now]",
    "[1]",
    "[text](url)",
    "\n```\n",
    "\n~~~\n",
    "\n> ```\n",
    "> ",
];

/// A stream of one author.
fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let fragment = prop_oneof![
        12 => select(FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
    ];
    vec(fragment, 0..most).prop_map(|fragments| fragments.concat())
}

/// A stream of two authors.
fn segments(most: usize) -> impl Strategy<Value = Vec<Segment>> {
    let segment =
        (prop::bool::weighted(0.75), bytes(most)).prop_map(|(own, bytes)| Segment { own, bytes });
    vec(segment, 1..4)
}

/// What JSON is made of, whole and in part.
const JSON_FRAGMENTS: &[&str] = &[
    "{",
    "{",
    "{\"",
    "{ ",
    "{\n\"",
    "}",
    "}",
    "[",
    "[{",
    "[[\"",
    "]",
    "\"",
    "\"",
    "\"a\"",
    "\"a\":",
    ":",
    ",",
    ", ",
    " ",
    "   ",
    "\n",
    "\r\n",
    "\t",
    "\\",
    "\\\"",
    "\\u00",
    "null",
    "tru",
    "1",
    "-1.5e",
    "{\"a\":",
    "{\"a\":[",
    "{\"a ",
    "{}",
    "{\"assertion\":\"x\"}",
    "{\"assertion\":\"x ",
    "{\"assertion\":\"[substrate.grep]\",",
    "\"provenance\":[{\"substrate_class\":\"substrate.grep\"}]}",
    "{\"marc_version\":1}",
    "[substrate.grep]",
    " [substrate.grep",
    "[note; ts=",
    "word ",
    "`",
    "\n```\n",
    "\n> ```\n> ",
    "\n- ",
    "> ",
    "\u{e9}",
    "\u{feff}",
    "\u{a0}",
    "\0",
];

/// A stream of two authors, rich in JSON.
fn json_segments(most: usize) -> impl Strategy<Value = Vec<Segment>> {
    let fragment = prop_oneof![
        12 => select(JSON_FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        3 => select(FRAGMENTS).prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..3),
    ];
    let bytes = vec(fragment, 0..most).prop_map(|fragments| fragments.concat());
    let segment =
        (prop::bool::weighted(0.85), bytes).prop_map(|(own, bytes)| Segment { own, bytes });
    vec(segment, 1..3)
}

/// Every way to read a stream in which JSON is known.
fn reading() -> impl Strategy<Value = Reading> {
    let mode = select(vec![
        RefMode::Auto,
        RefMode::Auto,
        RefMode::Json,
        RefMode::Ndjson,
    ]);
    (mode, any::<bool>()).prop_map(|(mode, hold_records)| Reading { mode, hold_records })
}

/// The defaults, or limits of which some are so small that they matter.
fn json_limits() -> impl Strategy<Value = RefLimits> {
    let small = |most: usize, default: usize| prop_oneof![2 => Just(default), 1 => 1..most];
    let default = RefLimits::default();
    (
        small(30, default.max_annotation),
        small(40, default.max_assertion),
        small(4, default.max_annotations),
        prop_oneof![2 => Just(None), 1 => (1_usize..60).prop_map(Some)],
        small(5, default.max_depth),
        small(20, default.max_pointer),
        small(60, default.max_record),
    )
        .prop_map(
            |(
                max_annotation,
                max_assertion,
                max_annotations,
                pending,
                max_depth,
                max_pointer,
                max_record,
            )| {
                let default = RefLimits::default();
                RefLimits {
                    max_annotation,
                    max_assertion: max_assertion.max(4),
                    max_annotations,
                    max_pending: pending.unwrap_or(default.max_pending),
                    max_pending_json: pending.unwrap_or(default.max_pending_json),
                    max_depth,
                    max_pointer,
                    max_record,
                }
            },
        )
}

/// The defaults, or limits so small that they matter.
fn limits() -> impl Strategy<Value = RefLimits> {
    prop_oneof![
        2 => Just(RefLimits::default()),
        1 => (1_usize..80, 4_usize..60, 1_usize..4, 1_usize..80).prop_map(
            |(max_annotation, max_assertion, max_annotations, max_pending)| RefLimits {
                max_annotation,
                max_assertion,
                max_annotations,
                max_pending,
                ..RefLimits::default()
            }
        ),
    ]
}

/// So many cases, or what `PROPTEST_CASES` says for a longer search.
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

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn chunks_change_nothing(input in segments(25), limits in limits(), cuts in vec(any::<Index>(), 0..12)) {
        let mut parser = engine(&limits);
        let whole = seen(&mut parser, &input, &[]);
        let cut = seen(&mut parser, &input, &cuts);
        prop_assert_eq!(shown(&cut), shown(&whole));
        let mut single = Seen::default();
        for segment in &input {
            for byte in &segment.bytes {
                feed(&mut parser, &[Segment { own: segment.own, bytes: vec![*byte] }], &[], |event| single.take(event));
            }
        }
        parser.finish(|event: Event<'_>| single.take(event));
        prop_assert_eq!(shown(&single), shown(&whole));
    }

    #[test]
    fn texts_and_annotations_tile_the_stream(input in segments(25), limits in limits(), cuts in vec(any::<Index>(), 0..6)) {
        // Whether the spans follow one another is checked on the way.
        prop_assert_eq!(seen(&mut engine(&limits), &input, &cuts).bytes(), joined(&input));
    }

    #[test]
    fn the_engine_equals_the_reference(input in segments(25), limits in limits(), cut in 1_usize..70) {
        let vocabulary = RefVocabulary::default();
        let splitter = provstream::sentence::last_sentence;
        let expected = reference::events(&input, &limits, &vocabulary, &splitter);
        let found = reference::engine::run(&mut engine(&limits), &input, |_| cut);
        prop_assert_eq!(found, reference::engine::canonical(expected));
    }

    #[test]
    fn with_json_the_engine_equals_the_reference(
        reading in reading(), input in json_segments(25), limits in json_limits(), cut in 1_usize..70
    ) {
        let vocabulary = RefVocabulary::default();
        let splitter = provstream::sentence::last_sentence;
        let expected = reference::events_in(reading, &input, &limits, &vocabulary, &splitter);
        let expected = reference::engine::canonical(expected);
        for cut in [cut, 1, usize::MAX] {
            let mut parser = reference::engine::parser_in(reading, &limits, &vocabulary);
            let found = reference::engine::run(&mut parser, &input, |_| cut);
            prop_assert_eq!(found, &expected[..]);
        }
    }

    #[test]
    fn with_json_stripping_removes_what_the_reference_removes(
        reading in reading(), input in json_segments(25), limits in json_limits(), size in 1_usize..40
    ) {
        let vocabulary = RefVocabulary::default();
        let parser = || reference::engine::parser_in(reading, &limits, &vocabulary);
        let expected = reference::strip_in(reading, &input, &limits, &vocabulary);
        prop_assert_eq!(rewrite_with(parser(), &input, size, Replacement::Remove), expected);
        prop_assert_eq!(rewrite_with(parser(), &input, size, Replacement::Keep), joined(&input));
    }

    #[test]
    fn with_json_a_parser_that_was_reset_is_as_a_new_one(
        reading in reading(), before in json_segments(15), input in json_segments(15), limits in json_limits(),
        finished in any::<bool>()
    ) {
        let vocabulary = RefVocabulary::default();
        let mut used = reference::engine::parser_in(reading, &limits, &vocabulary);
        let mut new = used.clone();
        feed(&mut used, &before, &[], |_| {});
        if finished {
            used.finish(());
        }
        used.reset();
        prop_assert_eq!((used.position(), used.buffered_len(), used.strippable_whitespace()), (0, 0, 0));
        let again = reference::engine::run(&mut used, &input, |_| 7);
        prop_assert_eq!(again, reference::engine::run(&mut new, &input, |_| 7));
    }

    #[test]
    fn stripping_removes_what_the_reference_removes(input in segments(25), limits in limits(), size in 1_usize..40) {
        let expected = reference::strip(&input, &limits, &RefVocabulary::default());
        let stripped = rewrite(&limits, &input, size, Replacement::Remove);
        prop_assert_eq!(&stripped, &expected);
        let seen = seen(&mut engine(&limits), &input, &[]);
        prop_assert_eq!(&seen.stripped(), &expected);
        // What is left and what was removed are the whole stream.
        let mut removed = 0;
        for tile in &seen.tiles {
            if let Some((_, white)) = tile.annotation {
                prop_assert!(white <= 64);
                removed += white + tile.bytes.len();
            }
        }
        prop_assert_eq!(stripped.len() + removed, joined(&input).len());
    }

    #[test]
    fn clean_spans_find_the_assertion_in_stripped_text(input in segments(25), limits in limits()) {
        let raw = joined(&input);
        let seen = seen(&mut engine(&limits), &input, &[]);
        let stripped = seen.stripped();
        let range = |span: Span| span.start() as usize..span.end() as usize;
        for assertion in &seen.assertions {
            let clean = assertion.clean_span().expect("brackets have one");
            prop_assert_eq!(&stripped[range(clean)], &raw[range(assertion.span())]);
        }
    }

    #[test]
    fn keeping_annotations_is_the_identity(input in segments(25), limits in limits(), size in 1_usize..40) {
        prop_assert_eq!(rewrite(&limits, &input, size, Replacement::Keep), joined(&input));
    }

    #[test]
    fn a_replacement_stands_where_the_annotation_stood(input in segments(25), limits in limits(), size in 1_usize..40) {
        let mark = b"<mark>";
        let expected: Vec<u8> = seen(&mut engine(&limits), &input, &[])
            .tiles
            .iter()
            .flat_map(|tile| if tile.annotation.is_some() { mark.to_vec() } else { tile.bytes.clone() })
            .collect();
        let written = rewrite(&limits, &input, size, Replacement::Text(Cow::Borrowed(mark)));
        prop_assert_eq!(written, expected);
    }

    #[test]
    fn the_owned_face_gives_the_same_events(input in segments(20), limits in limits(), size in 1_usize..40) {
        let mut borrowed = Vec::new();
        let mut queue = QueuedParser::new(engine(&limits));
        let mut parser = engine(&limits);
        for segment in &input {
            for chunk in segment.bytes.chunks(size) {
                let sink = |event: Event<'_>| borrowed.push(format!("{event:?}"));
                if segment.own {
                    parser.push(chunk, sink);
                    queue.push(Bytes::copy_from_slice(chunk));
                } else {
                    parser.push_untrusted(chunk, sink);
                    queue.push_untrusted(Bytes::copy_from_slice(chunk));
                }
            }
        }
        parser.finish(|event: Event<'_>| borrowed.push(format!("{event:?}")));
        queue.finish();
        let mut tiles = Vec::new();
        let mut others = Vec::new();
        while let Some(event) = queue.next_event() {
            match event {
                Event::Text(text) => tiles.push((text.span(), text.bytes().to_vec())),
                Event::Annotation(found) => tiles.push((found.annotation().span(), found.raw().to_vec())),
                Event::Assertion(assertion) => others.push(format!("Assertion({assertion:?})")),
                Event::Diagnostic(found) => others.push(format!("Diagnostic({found:?})")),
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            }
        }
        let bytes: Vec<u8> = tiles.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        prop_assert_eq!(bytes, joined(&input));
        for pair in tiles.windows(2) {
            prop_assert_eq!(pair[0].0.end(), pair[1].0.start());
        }
        let kept = |event: &String| event.starts_with("Diagnostic(");
        let expected: Vec<_> = borrowed.into_iter().filter(kept).collect();
        let found: Vec<_> = others.iter().filter(|event| kept(event)).cloned().collect();
        prop_assert_eq!(found, expected);
        let assertions = seen(&mut engine(&limits), &input, &[]).assertions.len();
        prop_assert_eq!(others.len() - assertions, others.iter().filter(|event| kept(event)).count());
    }

    #[test]
    fn foreign_text_has_no_annotation(input in bytes(40), size in 1_usize..40) {
        let mut parser = Parser::new();
        let mut other = 0;
        for chunk in input.chunks(size) {
            parser.push_untrusted(chunk, |event: Event<'_>| other += usize::from(!matches!(event, Event::Text(_))));
            prop_assert_eq!(parser.buffered_len(), 0, "foreign text is handed on at once");
        }
        parser.finish(|event: Event<'_>| other += usize::from(!matches!(event, Event::Text(_))));
        prop_assert_eq!(other, 0);
    }

    #[test]
    fn an_annotation_lies_in_own_text(input in segments(25)) {
        let mut starts = Vec::new();
        let mut at = 0;
        for segment in &input {
            starts.push((at, at + segment.bytes.len() as u64, segment.own));
            at += segment.bytes.len() as u64;
        }
        for annotation in seen(&mut Parser::new(), &input, &[]).annotations() {
            let span = annotation.span();
            for &(start, end, own) in &starts {
                prop_assert!(own || span.end() <= start || end <= span.start());
            }
        }
    }

    #[test]
    fn finishing_twice_adds_nothing(input in segments(15)) {
        let mut parser = Parser::new();
        feed(&mut parser, &input, &[], |_| {});
        parser.finish(());
        let mut more = 0;
        parser.finish(|_: Event<'_>| more += 1);
        prop_assert_eq!(more, 0);
        prop_assert_eq!(parser.buffered_len(), 0);
        prop_assert_eq!(parser.position(), joined(&input).len() as u64);
    }

    #[test]
    fn a_parser_that_was_reset_is_as_a_new_one(
        before in segments(15), input in segments(15), limits in limits(), finished in any::<bool>()
    ) {
        let mut used = engine(&limits);
        feed(&mut used, &before, &[], |_| {});
        if finished {
            used.finish(());
        }
        used.reset();
        prop_assert_eq!((used.position(), used.buffered_len(), used.strippable_whitespace()), (0, 0, 0));
        prop_assert_eq!(shown(&seen(&mut used, &input, &[])), shown(&seen(&mut engine(&limits), &input, &[])));
        let mut rewriter = Rewriter::new(engine(&RefLimits::default()));
        let mut writer = Writer { replacement: Replacement::Remove, written: Vec::new() };
        rewriter.push(&joined(&before), &mut writer);
        rewriter.reset();
        writer.written.clear();
        rewriter.push(&joined(&input), &mut writer);
        rewriter.finish(&mut writer);
        let alone = rewrite(&RefLimits::default(), &own(&joined(&input)), usize::MAX, Replacement::Remove);
        prop_assert_eq!(writer.written, alone);
    }

    #[test]
    fn two_streams_side_by_side_do_not_mix(
        first in bytes(20), second in bytes(20), limits in limits(), size in 1_usize..20
    ) {
        let (mut a, mut b) = (engine(&limits), Parser::new());
        let (mut seen_a, mut seen_b) = (Seen::default(), Seen::default());
        let (mut chunks_a, mut chunks_b) = (first.chunks(size), second.chunks(size));
        loop {
            let (chunk_a, chunk_b) = (chunks_a.next(), chunks_b.next());
            a.push(chunk_a.unwrap_or_default(), |event: Event<'_>| seen_a.take(event));
            b.push(chunk_b.unwrap_or_default(), |event: Event<'_>| seen_b.take(event));
            if chunk_a.is_none() && chunk_b.is_none() {
                break;
            }
        }
        a.finish(|event: Event<'_>| seen_a.take(event));
        b.finish(|event: Event<'_>| seen_b.take(event));
        prop_assert_eq!(shown(&seen_a), shown(&seen(&mut engine(&limits), &own(&first), &[])));
        prop_assert_eq!(shown(&seen_b), shown(&seen(&mut Parser::new(), &own(&second), &[])));
    }

    #[test]
    fn a_clone_goes_on_as_the_original(input in bytes(30), cut in any::<Index>()) {
        let (head, tail) = input.split_at(cut.index(input.len() + 1));
        let mut parser = Parser::new();
        let mut first = Seen::default();
        parser.push(head, |event: Event<'_>| first.take(event));
        let mut second = first.clone();
        let mut twin = parser.clone();
        for (parser, seen) in [(&mut parser, &mut first), (&mut twin, &mut second)] {
            parser.push(tail, |event: Event<'_>| seen.take(event));
            parser.finish(|event: Event<'_>| seen.take(event));
        }
        prop_assert_eq!(shown(&first), shown(&second));
    }
}

fn check_held(
    reading: Reading,
    input: &[Segment],
    limits: &RefLimits,
) -> Result<(), TestCaseError> {
    let engine = || reference::engine::parser_in(reading, limits, &RefVocabulary::default());
    let mut parser = engine();
    let mut handed = 0;
    let mut prefix: Vec<Segment> = Vec::new();
    for segment in input {
        prefix.push(Segment {
            own: segment.own,
            bytes: Vec::new(),
        });
        for &byte in &segment.bytes {
            prefix.last_mut().expect("one was pushed").bytes.push(byte);
            feed(
                &mut parser,
                &[Segment {
                    own: segment.own,
                    bytes: vec![byte],
                }],
                &[],
                |event| {
                    handed = match event {
                        Event::Text(text) => text.span().end(),
                        Event::Annotation(found) => found.annotation().span().end(),
                        _ => handed,
                    };
                },
            );
            let raw = joined(&prefix);
            let (longest, white) = holdback(reading, &prefix, limits);
            let what = format!("{:?}", String::from_utf8_lossy(&raw));
            prop_assert_eq!(parser.buffered_len(), longest, "held of {}", what);
            prop_assert_eq!(
                handed,
                (raw.len() - longest) as u64,
                "handed on of {}",
                what
            );
            prop_assert_eq!(
                parser.strippable_whitespace(),
                white,
                "white space of {}",
                what
            );

            // In one piece it is the same.
            let mut whole = engine();
            feed(&mut whole, &prefix, &[], |_| {});
            let both = (whole.buffered_len(), whole.strippable_whitespace());
            prop_assert_eq!(both, (longest, white), "in one piece: {}", what);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn held_is_exactly_what_can_still_become_an_annotation(input in segments(7)) {
        check_held(Reading::TEXT, &input, &RefLimits::default())?;
    }

    #[test]
    fn held_is_exact_where_the_limit_is_near(input in bytes(9), max_annotation in LEAST.len()..50) {
        check_held(Reading::TEXT, &own(&input), &RefLimits { max_annotation, ..RefLimits::default() })?;
    }

    #[test]
    fn held_is_exact_in_text_without_json_in_mode_auto(input in segments(7)) {
        check_held(Reading::new(RefMode::Auto), &input, &RefLimits::default())?;
    }

    #[test]
    fn an_open_value_is_never_held_and_white_space_in_it_is_removable_where_it_may_stop(
        input in json_segments(9), max_depth in select(vec![128, 1, 2, 3])
    ) {
        check_held(Reading::new(RefMode::Auto), &input, &RefLimits { max_depth, ..RefLimits::default() })?;
    }

    #[test]
    fn held_is_exact_in_json_where_the_limit_is_near(input in json_segments(9), max_annotation in LEAST.len()..50) {
        let limits = RefLimits { max_annotation, ..RefLimits::default() };
        check_held(Reading::new(RefMode::Auto), &input, &limits)?;
    }
}

/// Starts of annotations, so that more of the generated ones get somewhere.
const OPENINGS: &[&str] = &[
    "[",
    "[ ",
    "[substrate.",
    "[substrate.grep",
    "[substrate.grep;",
    "[substrate.grep; x=",
    "[substrate.grep; x=\"",
    "[1.0.substrate.grep",
    "[2.0.note; ts=",
    "[note; observation_id",
    "[Unverified-Inference ",
    "[decayed-to-uncertainty\n",
];

/// Pieces of annotations.
const PIECES: &[&str] = &[
    ";",
    ";",
    "=",
    "=",
    " ",
    "\t",
    "\n",
    "\r\n",
    "]",
    "]",
    "]",
    "[",
    "\"",
    "\"",
    "\\",
    "\\\"",
    "\\\\",
    "a",
    "x",
    "x=1",
    "ts",
    "ts=",
    "observation-id=",
    "observation_id=",
    "2026-05-28T11:40:00Z",
    "\"2026-05-28T11:40:00Z\"",
    "sha256:e3b0",
    "substrate",
    ".",
    "grep",
    "1",
    ".0.",
    "-",
    "_",
    "\u{e9}",
    "\0",
    "\x7f",
    "; ts=x",
    "; a=b; c=d; e=f; g=h",
];

/// Something close to an annotation.
fn attempt() -> impl Strategy<Value = String> {
    (
        select(OPENINGS),
        vec(select(PIECES), 0..14),
        prop::bool::weighted(0.7),
    )
        .prop_map(|(start, pieces, closed)| {
            format!(
                "{start}{}{}",
                pieces.concat(),
                if closed { "]" } else { "" }
            )
        })
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn the_grammar_and_the_lexer_agree(attempt in attempt(), size in 1_usize..9) {
        let vocabulary = Vocabulary::memo();
        let stream = format!("So. {attempt}");
        let seen = Seen::of(&mut Parser::new(), stream.as_bytes().chunks(size));
        // Each annotation that the lexer found is one to the grammar and says the same.
        for tile in seen.tiles.iter() {
            let Some((annotation, _)) = &tile.annotation else { continue };
            let parsed = parse_annotation(&tile.bytes);
            let parsed = match parsed {
                Ok(parsed) => parsed,
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {stream:?}"))),
            };
            let malformed = annotation.reason() == Some(Reason::Malformed);
            prop_assert_eq!(parsed.malformation().is_some(), malformed, "{:?}", stream);
            prop_assert_eq!(&parsed.resolve(&vocabulary, tile.span), annotation, "{:?}", stream);
        }
        // And the other way: what the grammar takes and the profile looks at is found, what it refuses is not.
        let first = seen.tiles.iter().find(|tile| tile.span.start() == 4).and_then(|tile| tile.annotation.as_ref());
        let end_of_first = first.map(|(annotation, _)| annotation.span().end() as usize - 4);
        match parse_annotation(attempt.as_bytes()) {
            Ok(parsed) => {
                let looked_at = reference::events(&own(stream.as_bytes()), &RefLimits::default(), &RefVocabulary::default(), &|_| 0)
                    .iter()
                    .any(|event| matches!(event, Ev::Annotation { span: (4, end), .. } if *end == stream.len() as u64));
                prop_assert_eq!(end_of_first == Some(attempt.len()), looked_at, "{:?}", stream);
                let certain = parsed.identifier().starts_with("substrate.");
                prop_assert!(!certain || looked_at, "{:?}", stream);
            }
            Err(error) => {
                prop_assert_ne!(end_of_first, Some(attempt.len()), "{:?}", stream);
                // An attempt that had started ends where the grammar says that none continues.
                let ended = seen.diagnostics.iter().find(|(code, span)| *code == DiagnosticCode::Unterminated && span.start() == 4);
                if let Some((_, span)) = ended {
                    prop_assert_eq!(span.len() as usize, error.offset(), "{:?}", stream);
                    prop_assert_eq!(error.is_incomplete(), span.end() as usize == stream.len(), "{:?}", stream);
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_back_through_the_parser(
        (class, declared, reason) in select(vec![
            (Class::GREP, "substrate.grep", None),
            (Class::CODE_READ, "1.0.substrate.code.read", None),
            (Class::UNVERIFIED_INFERENCE, "unverified-inference", None),
            (Class::DECAYED_TO_UNCERTAINTY, "decayed-to-uncertainty", None),
            (Class::UNVERIFIED_INFERENCE, "substrate.telepathy", Some(Reason::UnknownIdentifier)),
            (Class::UNVERIFIED_INFERENCE, "9.9.substrate.grep", Some(Reason::VocabularyVersion)),
            (Class::UNVERIFIED_INFERENCE, "note", Some(Reason::UnknownIdentifier)),
            (Class::UNVERIFIED_INFERENCE, "GREP", Some(Reason::UnknownIdentifier)),
        ]),
        id in prop::option::of(prop_oneof![
            vec(select(FRAGMENTS), 0..6).prop_map(|fragments| fragments.concat()),
            any::<String>(),
            "[ a-z\"\\\\;\\[\\]=\t]{0,12}",
        ]),
        ts in prop::option::of(select(vec!["2026-05-28T11:40:00Z", "2026-05-28t11:40:00.5+02:00", "yesterday"])),
        size in 1_usize..30,
    ) {
        let mut annotation = Annotation::new(class, declared);
        if let Some(reason) = reason {
            annotation = annotation.with_reason(reason);
        }
        if let Some(id) = id {
            annotation = annotation.with_observation_id(id);
        }
        if let Some(ts) = ts {
            annotation = annotation.with_ts(ts);
        }
        // What cannot be written is refused; what is written is read.
        if let Ok(written) = write_bracketed(&annotation) {
            let stream = format!("It is so. {written} End.");
            let seen = Seen::of(&mut Parser::new(), stream.as_bytes().chunks(size));
            let expected = annotation.with_span(Span::new(10, 10 + written.len() as u64));
            prop_assert_eq!(seen.annotations().collect::<Vec<_>>(), [&expected], "{}", stream);
            let [assertion] = &seen.assertions[..] else {
                return Err(TestCaseError::fail(stream));
            };
            prop_assert_eq!(assertion.annotations().collect::<Vec<_>>(), [expected]);
            prop_assert_eq!(assertion.text(), "It is so.");
            prop_assert_eq!(&seen.diagnostics, &[]);
        } else {
            prop_assert!(
                annotation.observation_id().is_some_and(|id| id.is_empty() || id.contains(|c: char| c.is_ascii_control()) || id.len() > 900)
                    || annotation.ts() == Some("yesterday")
                    || matches!(annotation.declared(), "note" | "GREP"),
                "{:?}", annotation
            );
        }
    }
}

/// What may stand before text that was escaped: nothing that ends in a backslash or in the opening of an annotation.
const BEFORE: &[&str] = &[
    "",
    "So. ",
    "```\n",
    "\n> ```\n",
    "`",
    "``",
    "~~~\n",
    "- ",
    "| a | ",
    "[1] ",
    "[x](y) ",
    "\\\\ ",
    "\u{e9}",
    "]",
    "; ts=",
    "\n\n",
    "[substrate.grep] ",
];

/// What may stand behind it.
const BEHIND: &[&str] = &[
    "",
    "]",
    " ]",
    ";]",
    "; ts=x]",
    "=x]",
    "ts=x]",
    "s=x]",
    "\"]",
    "substrate.grep]",
    "bstrate.grep]",
    ".grep]",
    "grep]",
    "0.substrate.x]",
    ".0.substrate.x]",
    "verified-inference]",
    "a;ts=]",
    "-id=x]",
    "\n```\n[substrate.grep]",
    "` [substrate.grep]",
    "\n\n",
];

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn escaped_text_has_no_live_annotation_wherever_it_stands(text in bytes(14), size in 1_usize..30) {
        let escaped = escape(&text, &Vocabulary::memo());
        prop_assert_eq!(&escape(&escaped, &Vocabulary::memo()), &escaped, "twice is once");
        if let Ok(text) = std::str::from_utf8(&text) {
            let as_text = escape_str(text, &Vocabulary::memo());
            prop_assert_eq!(as_text.as_bytes(), &*escaped);
        }
        let mut parser = Parser::new();
        for before in BEFORE {
            for behind in BEHIND {
                let stream = [before.as_bytes(), &escaped, behind.as_bytes()].concat();
                let seen = Seen::of(&mut parser, stream.chunks(size));
                let inside = before.len() as u64..(before.len() + escaped.len()) as u64;
                for annotation in seen.annotations() {
                    prop_assert!(
                        !inside.contains(&annotation.span().start()),
                        "{:?} in {:?}", annotation.span(), String::from_utf8_lossy(&stream)
                    );
                }
            }
        }
    }

    #[test]
    fn only_brackets_that_can_start_an_annotation_are_escaped(text in bytes(14)) {
        let escaped = escape(&text, &Vocabulary::memo());
        // A bracket is live if, with something behind the text, an attempt starts at it, complete or not.
        let vocabulary = RefVocabulary::default();
        let live = |at: usize| {
            let mut more = completions(&text);
            more.push(Vec::new());
            more.iter().any(|more| {
                let stream = own(&[&text[at..], &more[..]].concat());
                reference::events(&stream, &RefLimits::default(), &vocabulary, &|_| 0).iter().any(|event| match event {
                    Ev::Annotation { span, .. } | Ev::Diagnostic { code: "unterminated", span } => span.0 == 0,
                    _ => false,
                })
            })
        };
        let mut expected = Vec::new();
        let mut backslashes = 0;
        for (at, &byte) in text.iter().enumerate() {
            if byte == b'[' && backslashes % 2 == 0 && live(at) {
                expected.push(b'\\');
            }
            backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
            expected.push(byte);
        }
        prop_assert_eq!(
            String::from_utf8_lossy(&escaped), String::from_utf8_lossy(&expected), "{:?}", String::from_utf8_lossy(&text)
        );
        prop_assert_eq!(matches!(escaped, Cow::Borrowed(_)), *escaped == text);
    }
}

/// The limits of a parser do not change what it is told of them.
#[test]
fn the_reference_has_the_default_limits() {
    let (limits, expected) = (Limits::default(), RefLimits::default());
    assert_eq!(limits.max_annotation(), expected.max_annotation);
    assert_eq!(limits.max_assertion(), expected.max_assertion);
    assert_eq!(limits.max_annotations(), expected.max_annotations);
    assert_eq!(limits.max_pending(), expected.max_pending);
}

#[test]
fn white_space_is_removable_up_to_the_bound_and_not_beyond() {
    for before in [
        "word",
        "`x",
        "``` a",
        "```",
        "~~~",
        "```\nx\n```",
        "```\nx",
        "> ~~~",
        "> ```\n> x",
        "> ```\n",
        "> ```\n>",
    ] {
        for blanks in [0, 1, 62, 63, 64, 65, 200] {
            let input = own(format!("{before}{}", " ".repeat(blanks)).as_bytes());
            let mut parser = Parser::new();
            feed(&mut parser, &input, &[], |_| {});
            let exact = removable(Reading::TEXT, &input, &RefLimits::default());
            assert_eq!(
                parser.strippable_whitespace(),
                exact,
                "{before:?} and {blanks} blanks"
            );
        }
    }
}

/// A bracket at the start that may still begin an array: another one behind the white space would make it one.
#[test]
fn white_space_that_may_stand_in_an_array_is_not_removable() {
    for (text, limits) in [
        ("[\n\n", RefLimits::default()),
        (
            "[ ",
            RefLimits {
                max_annotation: 7,
                ..RefLimits::default()
            },
        ),
    ] {
        let input = own(text.as_bytes());
        let reading = Reading::new(RefMode::Auto);
        let mut parser = reference::engine::parser_in(reading, &limits, &RefVocabulary::default());
        feed(&mut parser, &input, &[], |_| {});
        assert_eq!(parser.buffered_len(), 0, "{text:?}");
        let exact = removable(reading, &input, &limits);
        assert_eq!(parser.strippable_whitespace(), exact, "{text:?}");
    }
}
