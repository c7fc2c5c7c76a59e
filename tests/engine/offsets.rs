//! A stream that starts at an offset: every span counts from there, beyond 32 bits and up to the greatest start, and
//! nothing else changes.

use provstream::sentence::last_sentence;
use provstream::{Event, Parser, ParserBuilder, Rewriter};
use testkit::reference::engine::{builder_in, canonical, check};
use testkit::reference::generate_json::{self, Case};
use testkit::reference::{
    Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment, events_in, generate,
};

/// Before, at and behind 32 bits: some streams that start here go past the bound; and the greatest start.
const STARTS: [u64; 7] = [
    1,
    (1 << 31) - 3,
    (1 << 32) - 300,
    (1 << 32) - 7,
    1 << 32,
    (1 << 52) + 1,
    ParserBuilder::MAX_START_OFFSET,
];

/// Moves the offsets of an event by `by` bytes.
fn moved(mut event: Ev, by: u64) -> Ev {
    event.shift(by, by);
    event
}

fn compare(case: &Case, start: u64, seed: u64) {
    let Case {
        reading,
        limits,
        input,
    } = case;
    let vocabulary = RefVocabulary::default();
    let events = events_in(*reading, input, limits, &vocabulary, &last_sentence);
    let expected = events.into_iter().map(|event| moved(event, start));
    let builder = builder_in(*reading, limits, &vocabulary).start_offset(start);
    let mut parser = builder.expect("an offset in range").build();
    assert_eq!(parser.position(), start);
    let what = (start, reading, limits);
    check(
        &mut parser,
        input,
        &canonical(expected.collect()),
        seed,
        &what,
    );
    assert_eq!(parser.position(), start, "after a reset");
}

#[test]
fn generated_free_text_has_the_references_events_moved() {
    for seed in 0..2_000 {
        let case = Case {
            reading: Reading::TEXT,
            limits: generate::limits(seed),
            input: generate::input(seed),
        };
        compare(&case, STARTS[seed as usize % STARTS.len()], seed);
    }
}

#[test]
fn generated_streams_with_json_have_the_references_events_moved() {
    for seed in 0..3_000 {
        let case = generate_json::case(seed);
        compare(&case, STARTS[seed as usize % STARTS.len()], seed);
    }
}

#[test]
fn a_byte_order_mark_is_white_space_wherever_the_stream_starts() {
    let streams = [
        "\u{FEFF}[substrate.grep] x",
        "\u{FEFF}\u{FEFF}It is so. [substrate.grep]",
        "\u{FEFF}[{\"assertion\": \"It is so.\"}]",
        "\u{FEFF}",
    ];
    let cut: [&[u8]; 2] = [b"\xEF\xBBx [substrate.grep]", b"\xEF"];
    for start in STARTS {
        for bytes in streams.map(str::as_bytes).into_iter().chain(cut) {
            for mode in [RefMode::Text, RefMode::Auto, RefMode::Json, RefMode::Ndjson] {
                let segment = Segment {
                    own: true,
                    bytes: bytes.to_vec(),
                    after_break: false,
                };
                let case = Case {
                    reading: Reading::new(mode),
                    limits: RefLimits::default(),
                    input: vec![segment],
                };
                compare(&case, start, start);
            }
        }
    }
}

#[test]
fn a_start_offset_has_a_range() {
    let most = ParserBuilder::MAX_START_OFFSET;
    for offset in [0, 1, most - 1, most] {
        let parser = Parser::builder().start_offset(offset).map(|b| b.build());
        assert_eq!(parser.map(|parser| parser.position()), Ok(offset));
    }
    for offset in [most + 1, u64::MAX - 1, u64::MAX] {
        let refused = Parser::builder().start_offset(offset).map(|_| ());
        let error = refused.expect_err("out of range");
        assert_eq!(error.offset(), offset);
        assert_eq!(
            error.to_string(),
            format!("expected a start offset of at most 9223372036854775808, found {offset}")
        );
    }
}

#[test]
fn what_is_written_does_not_depend_on_the_start() {
    let text =
        b"It is so.  [substrate.grep] Really. {\"assertion\": \"x\"} [substrate.git.log] End. [sub";
    let clean = |start: u64| {
        let builder = Parser::builder().hold_records(true).start_offset(start);
        let mut rewriter = Rewriter::new(builder.expect("an offset in range").build());
        let mut clean = Vec::new();
        for chunk in text.chunks(3) {
            rewriter.push(chunk, &mut clean);
        }
        rewriter.finish(&mut clean);
        clean
    };
    let expected = clean(0);
    assert!(
        expected.starts_with(b"It is so. Really. "),
        "it was cleaned"
    );
    for start in STARTS {
        assert_eq!(clean(start), expected, "from {start}");
    }
}

#[test]
fn a_stream_goes_past_four_gibibytes_in_any_context() {
    // Each of these is open when the 2^32nd byte comes.
    let long = "word ".repeat(20);
    for (before, behind) in [
        ("", "It is so."),
        ("It is", " so."),
        ("It is so. [substrate.", "grep]"),
        ("It is so. [substrate.grep] ", "\n [substrate.git.log]"),
        ("```\ncode\n", "more\n``` [substrate.grep]"),
        ("`code ", "` It is so. [substrate.grep]"),
        ("{\"assertion\": \"It is", " so.\"}"),
        ("{\"assertion\": \"It is so.\", ", "\"provenance\": []}"),
        (&long, " so. [substrate.grep]"),
    ] {
        let start = (1 << 32) - before.len() as u64;
        let builder = Parser::builder().start_offset(start);
        let mut parser = builder.expect("an offset in range").build();
        let mut next = start;
        let mut take = |event: Event<'_>| match event {
            Event::Text(text) => {
                assert_eq!(text.span().start(), next, "{before}|{behind}");
                next = text.span().end();
            }
            Event::Annotation(found) => {
                assert_eq!(found.span().start(), next, "{before}|{behind}");
                next = found.span().end();
            }
            _ => {}
        };
        parser.push(before.as_bytes(), &mut take);
        assert_eq!(parser.position(), 1 << 32);
        parser.push(behind.as_bytes(), &mut take);
        parser.finish(&mut take);
        assert_eq!(next, (1 << 32) + behind.len() as u64, "{before}|{behind}");
    }
}
