//! Each limit below, at and above its bound, again and again in one stream, however that is cut: every byte is handed on or
//! removed, what is beyond the limit is told each time, and memory does not grow with the number of times.

use provstream::provenance::Reason;
use provstream::{
    DiagnosticCode, Event, LimitError, Limits, Mode, Parser, ParserBuilder, Rewriter,
};
use testkit::meter::Meter;

/// Number of items at the limit in each stream.
const TIMES: usize = 24;

/// Sign in the events that an item exceeded the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// A diagnostic.
    Told(DiagnosticCode),
    /// A malformed annotation.
    Malformed,
    /// White space that stays before an annotation.
    WhiteStays,
}

/// A limit and how it is met.
struct Case {
    /// Name of the limit, with its scope if it does not apply everywhere.
    name: &'static str,
    mode: Mode,
    hold_records: bool,
    set: fn(Limits) -> Result<Limits, LimitError>,
    bound: usize,
    /// Something that has so much of what is limited.
    item: fn(usize) -> String,
    beyond: Sign,
}

const fn unlimited(limits: Limits) -> Result<Limits, LimitError> {
    Ok(limits)
}

/// All limits of a parser, those of [`Limits`] and those that are fixed.
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
fn cases() -> Vec<Case> {
    let text = |name, set, bound, item, beyond| Case {
        name,
        mode: Mode::Text,
        hold_records: false,
        set,
        bound,
        item,
        beyond,
    };
    let json = |name, set, bound, item, beyond| Case {
        mode: Mode::Json,
        ..text(name, set, bound, item, beyond)
    };
    let mut cases = vec![
        text(
            "max_annotation",
            |limits| limits.with_max_annotation(64),
            64,
            |len| format!("It is so. [substrate.grep; x={}]\n\n", "v".repeat(len - 20)),
            Sign::Told(DiagnosticCode::LimitAnnotation),
        ),
        json(
            "max_annotation in JSON",
            |limits| limits.with_max_annotation(64),
            64,
            |len| {
                format!(
                    "{{\"assertion\":\"x\",\"provenance\":{{\"substrate_class\":\"substrate.grep\",\"observation_id\":\"{}\"}}}}\n",
                    "v".repeat(len)
                )
            },
            Sign::Told(DiagnosticCode::LimitAnnotation),
        ),
        text(
            "max_assertion",
            |limits| limits.with_max_assertion(64),
            64,
            |len| format!("{}. [substrate.grep]\n\n", "w".repeat(len - 1)),
            Sign::Told(DiagnosticCode::LimitAssertion),
        ),
        text(
            "max_assertion of a fenced block",
            |limits| limits.with_max_assertion(64),
            64,
            |len| format!("```\n{}\n```\n[substrate.grep]\n\n", "c".repeat(len)),
            Sign::Told(DiagnosticCode::LimitAssertion),
        ),
        json(
            "max_assertion in JSON",
            |limits| limits.with_max_assertion(64),
            64,
            |len| format!("{{\"assertion\":\"{}\"}}\n", "w".repeat(len)),
            Sign::Told(DiagnosticCode::LimitAssertion),
        ),
        text(
            "max_annotations",
            |limits| limits.with_max_annotations(4),
            4,
            |count| format!("It is so.{}\n\n", " [substrate.grep]".repeat(count)),
            Sign::Told(DiagnosticCode::LimitAnnotations),
        ),
        json(
            "max_annotations in JSON",
            |limits| limits.with_max_annotations(4),
            4,
            |count| {
                let annotation = "{\"substrate_class\":\"substrate.grep\"},";
                let annotations = annotation.repeat(count);
                format!(
                    "{{\"assertion\":\"x\",\"provenance\":[{}]}}\n",
                    annotations.trim_end_matches(',')
                )
            },
            Sign::Told(DiagnosticCode::LimitAnnotations),
        ),
        text(
            "max_pending",
            |limits| limits.with_max_pending(64),
            64,
            |bytes| {
                format!(
                    "It is so. [substrate.grep] [substrate.grep; observation-id={}]\n\n",
                    "v".repeat(bytes - 28)
                )
            },
            Sign::Told(DiagnosticCode::LimitPending),
        ),
        json(
            "max_pending in JSON",
            |limits| limits.with_max_pending(64),
            64,
            |bytes| {
                format!(
                    "{{\"assertion\":\"x\",\"a\":{{\"assertion\":\"{}\"}}}}\n",
                    "w".repeat(bytes - 1)
                )
            },
            Sign::Told(DiagnosticCode::LimitPending),
        ),
        json(
            "max_depth",
            |limits| limits.with_max_depth(5),
            5,
            |depth| format!("{}1{}\n", "{\"a\":".repeat(depth), "}".repeat(depth)),
            Sign::Told(DiagnosticCode::LimitDepth),
        ),
        json(
            "max_pointer",
            |limits| limits.with_max_pointer(24),
            24,
            |len| format!("{{\"{}\":{{\"assertion\":\"x\"}}}}\n", "n".repeat(len - 11)),
            Sign::Told(DiagnosticCode::LimitPointer),
        ),
        json(
            "max_record of a MARC object",
            |limits| limits.with_max_record(64),
            64,
            |len| format!("{{\"marc_version\":{}}}\n", "1".repeat(len - 17)),
            Sign::Told(DiagnosticCode::LimitRecord),
        ),
        Case {
            hold_records: true,
            ..json(
                "max_record of a record to be removed",
                |limits| limits.with_max_record(64),
                64,
                |len| format!("{{\"assertion\":\"{}\"}}\n", "t".repeat(len - 16)),
                Sign::Told(DiagnosticCode::LimitPending),
            )
        },
        text(
            "16 parameters",
            unlimited,
            16,
            |count| format!("It is so. [substrate.grep{}]\n\n", "; a=1".repeat(count)),
            Sign::Malformed,
        ),
        text(
            "64 bytes of white space that are removed",
            unlimited,
            64,
            |blanks| format!("It is so.{}[substrate.grep]\n\n", " ".repeat(blanks)),
            Sign::WhiteStays,
        ),
    ];
    // What holds in the modes of their own holds in mode `auto`, too.
    let auto: Vec<Case> = cases
        .iter()
        .map(|case| Case {
            mode: Mode::Auto,
            ..*case
        })
        .collect();
    cases.extend(auto);
    cases
}

/// Counts and lengths of the events of a stream.
#[derive(Debug, PartialEq)]
struct Came {
    /// Codes of the diagnostics, in order.
    codes: Vec<DiagnosticCode>,
    malformed: usize,
    white_stays: usize,
    /// Bytes that stripping removes.
    removed: usize,
    assertions: usize,
}

/// Reads a stream in chunks and checks that its pieces are all of it.
fn read(builder: &ParserBuilder, stream: &[u8], size: usize) -> Came {
    let mut parser = builder.clone().build();
    let mut bytes: Vec<u8> = Vec::new();
    let mut came = Came {
        codes: Vec::new(),
        malformed: 0,
        white_stays: 0,
        removed: 0,
        assertions: 0,
    };
    let mut take = |event: Event<'_>| match event {
        Event::Text(text) => {
            assert_eq!(
                text.span().start(),
                bytes.len() as u64,
                "a gap or an overlap"
            );
            bytes.extend_from_slice(text.bytes());
        }
        Event::Annotation(found) => {
            let span = found.span();
            assert_eq!(span.start(), bytes.len() as u64, "a gap or an overlap");
            let white = found.whitespace_before();
            let more = bytes.len() - bytes.trim_ascii_end().len() - white;
            came.white_stays += usize::from(more > 0);
            came.malformed += usize::from(found.annotation().reason() == Some(Reason::Malformed));
            came.removed += white + found.raw().len();
            bytes.extend_from_slice(found.raw());
        }
        Event::Record(found) => {
            assert_eq!(
                found.span().start(),
                bytes.len() as u64,
                "a gap or an overlap"
            );
            came.removed += found.raw().len();
            bytes.extend_from_slice(found.raw());
        }
        Event::Assertion(_) => came.assertions += 1,
        Event::Diagnostic(found) => came.codes.push(found.code()),
        _ => {}
    };
    for chunk in stream.chunks(size) {
        parser.push(chunk, &mut take);
    }
    parser.finish(&mut take);
    assert_eq!(bytes, stream, "all was handed on, as it was");
    came
}

/// Returns the stream without annotations and records.
fn stripped(builder: &ParserBuilder, stream: &[u8], size: usize) -> Vec<u8> {
    let mut rewriter = Rewriter::new(builder.clone().build());
    let mut text = Vec::new();
    for chunk in stream.chunks(size) {
        rewriter.push(chunk, &mut text);
    }
    rewriter.finish(&mut text);
    text
}

/// Every size of chunk up to 16, or up to 64 in a longer search, and some that are larger.
fn sizes(stream: &[u8]) -> impl Iterator<Item = usize> {
    let most = if testkit::search::is_long() { 64 } else { 16 };
    (1..=most).chain([100, 1_000, stream.len()])
}

#[test]
fn at_every_limit_nothing_is_lost_and_what_is_beyond_it_is_told_however_the_stream_is_cut() {
    for case in cases() {
        let limits = (case.set)(Limits::default()).expect("a limit in range");
        let builder = Parser::builder()
            .limits(limits)
            .mode(case.mode)
            .hold_records(case.hold_records);
        for (much, beyond) in [
            (case.bound - 1, false),
            (case.bound, false),
            (case.bound + 1, true),
        ] {
            let stream = (case.item)(much).repeat(TIMES).into_bytes();
            let what = format!(
                "{}, mode {:?}: {much} of {}",
                case.name, case.mode, case.bound
            );
            let whole = read(&builder, &stream, stream.len());
            let times = match case.beyond {
                Sign::Told(code) => {
                    assert!(
                        whole.codes.iter().all(|&told| told == code),
                        "{what}: {whole:?}"
                    );
                    whole.codes.len()
                }
                Sign::Malformed => whole.malformed,
                Sign::WhiteStays => whole.white_stays,
            };
            assert_eq!(times, if beyond { TIMES } else { 0 }, "{what}: {whole:?}");
            let clean = stripped(&builder, &stream, stream.len());
            assert_eq!(clean.len() + whole.removed, stream.len(), "{what}");
            for size in sizes(&stream) {
                assert_eq!(
                    read(&builder, &stream, size),
                    whole,
                    "{what}, chunks of {size}"
                );
                assert_eq!(
                    stripped(&builder, &stream, size),
                    clean,
                    "{what}, chunks of {size}"
                );
            }
        }
    }
}

#[test]
fn at_every_limit_memory_is_the_same_after_any_number_of_times() {
    for case in cases() {
        let limits = (case.set)(Limits::default()).expect("a limit in range");
        for much in [case.bound - 1, case.bound, case.bound + 1, 3 * case.bound] {
            let item = (case.item)(much);
            for size in sizes(item.as_bytes()) {
                let what = format!(
                    "{}, mode {:?}: {much} of {}, chunks of {size}",
                    case.name, case.mode, case.bound
                );
                let mut meter = Meter::new(
                    Parser::builder()
                        .limits(limits)
                        .mode(case.mode)
                        .hold_records(case.hold_records),
                );
                let mut after = |times: usize| {
                    for _ in 0..times {
                        for chunk in item.as_bytes().chunks(size) {
                            meter.push(chunk, &what);
                        }
                    }
                    meter.worst
                };
                // The window fills up to its bound first.
                let full = after(4_096 / item.len() + 200);
                assert_eq!(after(100), full, "{what}");
            }
        }
    }
}

#[test]
fn a_record_that_is_too_long_to_hold_ends_before_a_bracket_that_begins_an_array() {
    let limits = Limits::default()
        .with_max_record(22)
        .expect("a limit in range");
    let stream = "{\"assertion\":\"x\"}\n```\n[{\"assertion\":\"y\"}]\n```\nz";
    let events = |cut: usize, size: usize| {
        let builder = Parser::builder().limits(limits).hold_records(true);
        let mut parser = builder.mode(Mode::Auto).build();
        let mut events = Vec::new();
        let mut text = Vec::new();
        let mut sink = |event: Event<'_>| match event {
            Event::Text(piece) => text.extend_from_slice(piece.bytes()),
            other => events.push(format!("{other:?}")),
        };
        parser.push(&stream.as_bytes()[..cut], &mut sink);
        for chunk in stream.as_bytes()[cut..].chunks(size) {
            parser.push(chunk, &mut sink);
        }
        parser.finish(&mut sink);
        (events, text)
    };
    let whole = events(stream.len(), 1);
    assert_eq!(whole.0.len(), 3, "{:?}", whole.0);
    assert!(whole.0[2].contains("/0/assertion"), "{}", whole.0[2]);
    for cut in 0..stream.len() {
        for size in [1, 7, stream.len()] {
            assert_eq!(
                events(cut, size),
                whole,
                "{cut} bytes, then chunks of {size}"
            );
        }
    }
}
