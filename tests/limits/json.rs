//! Each limit of JSON at its bound and above it: what is left, what is told, and that nothing which lost a part is admitted.

use std::ops::Range;
use std::time::Duration;

use provstream::provenance::{Assertion, Discipline, Timestamp, VerdictReason};
use provstream::{DiagnosticCode, Event, LimitError, Limits, Mode, Parser, ParserBuilder, Span};

/// Most annotations of all objects that are open.
const MOST_ANNOTATIONS: usize = 512;

fn limits(set: impl FnOnce(Limits) -> Result<Limits, LimitError>) -> Limits {
    set(Limits::default()).expect("a limit in range")
}

/// Reads a stream and formats a line for each event except text.
fn events(parser: &mut Parser, stream: &[u8], size: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut handed = 0;
    let place = |span: Span| {
        let range = span.start() as usize..span.end() as usize;
        if range.len() > 40 {
            format!("{span:?}")
        } else {
            stream[range].escape_ascii().to_string()
        }
    };
    let mut sink = |event: Event<'_>| {
        found.push(match event {
            Event::Text(text) => {
                assert_eq!(text.span().start(), handed, "a gap or an overlap");
                handed = text.span().end();
                return;
            }
            Event::Assertion(assertion) => show(&assertion),
            Event::Marc(object) => format!(
                "{} at {:?}, {} bytes",
                object.kind().as_str(),
                object.pointer(),
                object
                    .raw()
                    .map_or_else(|| "no".to_owned(), |raw| raw.len().to_string())
            ),
            Event::Record(record) => {
                assert_eq!(record.span().start(), handed, "a gap or an overlap");
                handed = record.span().end();
                format!("record of {} bytes", record.raw().len())
            }
            Event::Diagnostic(found) => format!("{} {}", found.code(), place(found.span())),
            other => panic!("an event that JSON does not have: {other:?}"),
        });
    };
    for chunk in stream.chunks(size) {
        parser.push(chunk, &mut sink);
    }
    parser.finish(&mut sink);
    assert_eq!(handed, stream.len() as u64, "all was handed on");
    parser.reset();
    found
}

/// An assertion in a line, with the discipline's verdict checked on the way.
fn show(assertion: &Assertion<'_>) -> String {
    let limited = check_verdict(assertion);
    let annotations: String = assertion
        .annotations()
        .map(|one| {
            let reason = one.reason().map_or("", |reason| reason.as_str());
            format!(
                " ({} {:?} {:?} {reason})",
                one.declared(),
                one.observation_id(),
                one.ts()
            )
        })
        .collect();
    format!(
        "{:?} at {:?}{annotations}{}",
        assertion.text(),
        assertion.pointer(),
        if limited { " limited" } else { "" }
    )
}

/// A discipline that asks for a single class, of any time that these tests have: what hit a limit is not admitted.
fn check_verdict(assertion: &Assertion<'_>) -> bool {
    let discipline = Discipline::builder(1)
        .default_window(Duration::from_secs(60))
        .build()
        .expect("a sound discipline");
    let now: Timestamp = "2026-05-28T11:40:00Z".parse().expect("a date-time");
    let verdict = discipline.judge(assertion, now);
    if assertion.limit_hit() {
        assert_eq!(verdict.reason(), VerdictReason::Limit);
        assert!(!verdict.admitted());
    } else if assertion.annotations().count() > 0 {
        let sound = assertion.annotations().all(|one| one.timestamp().is_some());
        assert_eq!(verdict.admitted(), sound, "{assertion:?}");
    }
    assertion.limit_hit()
}

/// Checks what comes of a stream in all modes that know JSON and at many chunk sizes.
fn check_with(builder: &ParserBuilder, stream: &str, expected: &[&str]) {
    for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
        let mut parser = builder.clone().mode(mode).build();
        for size in (1..=40).chain([stream.len()]) {
            let found = events(&mut parser, stream.as_bytes(), size);
            assert_eq!(found, expected, "{mode:?}, chunks of {size}: {stream}");
        }
    }
}

fn check(set: Limits, stream: &str, expected: &[&str]) {
    check_with(&Parser::builder().limits(set), stream, expected);
}

/// Time at which the discipline judges: 20 bytes.
const TIME: &str = "2026-05-28T11:40:00Z";

#[test]
fn a_string_of_an_annotation_may_have_max_annotation_bytes() {
    for max in [20, 63, 1_024] {
        let set = limits(|limits| limits.with_max_annotation(max));
        let fill = |len: usize| "v".repeat(len);
        let object =
            |annotation: &str| format!("{{\"assertion\":\"x\",\"provenance\":{annotation}}}");
        let told = |annotation: &str| {
            if annotation.len() > 40 {
                let start = 30;
                format!(
                    "limit-annotation {:?}",
                    Span::new(start, start + annotation.len() as u64)
                )
            } else {
                format!("limit-annotation {annotation}")
            }
        };
        // The identifier.
        let annotation = format!("{{\"substrate_class\":\"{}\"}}", fill(max));
        let whole = format!(
            "\"x\" at Some(\"/assertion\") ({} None None unknown-identifier)",
            fill(max)
        );
        check(set, &object(&annotation), &[&whole]);
        let annotation = format!("{{\"substrate_class\":\"{}\"}}", fill(max + 1));
        check(
            set,
            &object(&annotation),
            &[
                "\"x\" at Some(\"/assertion\") ( None None malformed) limited",
                &told(&annotation),
            ],
        );
        // The observation id, with an escape that counts as it is written.
        let with_id = |id: &str| {
            format!(
                "{{\"substrate_class\":\"substrate.grep\",\"observation_id\":\"{id}\",\"ts\":\"{TIME}\"}}"
            )
        };
        let annotation = with_id(&format!("\\u0041{}", fill(max - 6)));
        let whole = format!(
            "\"x\" at Some(\"/assertion\") (substrate.grep Some(\"A{}\") Some(\"{TIME}\") )",
            fill(max - 6)
        );
        check(set, &object(&annotation), &[&whole]);
        let annotation = with_id(&format!("\\u0041{}", fill(max - 5)));
        let lost = "\"x\" at Some(\"/assertion\") (substrate.grep None None malformed) limited";
        check(set, &object(&annotation), &[lost, &told(&annotation)]);
        // The time.
        let with_time = |digits: usize| {
            let fraction = if digits > 0 {
                format!(".{}", "0".repeat(digits))
            } else {
                String::new()
            };
            (
                format!(
                    "{{\"substrate_class\":\"substrate.grep\",\"ts\":\"2026-05-28T11:40:00{fraction}Z\"}}"
                ),
                format!("2026-05-28T11:40:00{fraction}Z"),
            )
        };
        let digits = if max == 20 { 0 } else { max - 21 };
        let (annotation, time) = with_time(digits);
        assert_eq!(time.len(), max);
        let whole =
            format!("\"x\" at Some(\"/assertion\") (substrate.grep None Some(\"{time}\") )");
        check(set, &object(&annotation), &[&whole]);
        let (annotation, _) = with_time(digits + 1);
        check(set, &object(&annotation), &[lost, &told(&annotation)]);
    }
}

#[test]
fn an_assertion_may_have_max_assertion_bytes_and_keeps_its_front() {
    let cut = |max: usize, raw: &str, text: &str| {
        let set = limits(|limits| limits.with_max_assertion(max));
        let stream = format!("{{\"assertion\":\"{raw}\"}}");
        let hits = raw.len() > max;
        let limited = if hits { " limited" } else { "" };
        let whole = format!("{text:?} at Some(\"/assertion\"){limited}");
        let told = format!("limit-assertion {}", raw.as_bytes().escape_ascii());
        let expected: &[&str] = if hits { &[&whole, &told] } else { &[&whole] };
        check(set, &stream, expected);
    };
    cut(8, "12345678", "12345678");
    cut(8, "123456789", "12345678");
    // Before a character.
    cut(8, "123456\u{e9}", "123456\u{e9}");
    cut(8, "1234567\u{e9}", "1234567");
    cut(8, "12345\u{1F600}", "12345");
    cut(4, "\u{1F600}", "\u{1F600}");
    cut(4, "1\u{1F600}", "1");
    // Before an escape.
    cut(8, "123456\\n", "123456\n");
    cut(8, "1234567\\n", "1234567");
    cut(8, "12\\u00e9", "12\u{e9}");
    cut(8, "123\\u00e9", "123");
    cut(8, "123456\\\\7", "123456\\");
    cut(4, "\\u00e9", "");
    // Before a surrogate pair, but between two surrogates that are no pair.
    cut(12, "\\uD83D\\uDE00", "\u{1F600}");
    cut(11, "\\uD83D\\uDE00", "");
    cut(12, "1\\uD83D\\uDE00", "1");
    cut(17, "123456\\uD83D\\uDE00", "123456");
    cut(18, "123456\\uD83D\\uDE00", "123456\u{1F600}");
    cut(6, "\\uD83Dx", "\u{FFFD}");
    cut(6, "\\uDE00\\uD83D", "\u{FFFD}");
    cut(7, "\\uD83D\\uD83D", "\u{FFFD}");
    // What is no character does not move the cut.
    let set = limits(|limits| limits.with_max_assertion(4));
    let mut parser = Parser::builder().limits(set).mode(Mode::Json).build();
    let stream = b"{\"assertion\":\"abc\xFF\xFFd\"}";
    for size in 1..stream.len() {
        assert_eq!(
            events(&mut parser, stream, size),
            [
                "\"abc\u{FFFD}\" at Some(\"/assertion\") limited",
                "limit-assertion abc\\xff\\xffd",
                "invalid-utf8 abc\\xff\\xffd"
            ]
        );
    }
}

#[test]
fn an_object_may_have_max_annotations() {
    for max in [1, 2, 64] {
        let set = limits(|limits| limits.with_max_annotations(max));
        let stream = |count: usize| {
            let one = format!("{{\"substrate_class\":\"substrate.grep\",\"ts\":\"{TIME}\"}}");
            let annotations = vec![one; count].join(",");
            format!("{{\"assertion\":\"x\",\"provenance\":[{annotations}]}}")
        };
        let kept = format!(" (substrate.grep None Some(\"{TIME}\") )").repeat(max);
        let whole = format!("\"x\" at Some(\"/assertion\"){kept}");
        check(set, &stream(max), &[&whole]);
        let limited = format!("{whole} limited");
        for count in [max + 1, max + 2] {
            check(set, &stream(count), &[&limited, "limit-annotations x"]);
        }
    }
}

#[test]
fn max_pending_bytes_may_wait() {
    // An identifier of 14 bytes and a time of 20.
    let set = limits(|limits| limits.with_max_pending(40));
    let one = format!("{{\"substrate_class\":\"substrate.grep\",\"ts\":\"{TIME}\"}}");
    let kept = format!(" (substrate.grep None Some(\"{TIME}\") )");
    check(
        set,
        &format!("{{\"assertion\":\"abcdef\",\"provenance\":{one}}}"),
        &[&format!("\"abcdef\" at Some(\"/assertion\"){kept}")],
    );
    let left_out = format!("limit-pending {:?}", Span::new(36, 36 + one.len() as u64));
    check(
        set,
        &format!("{{\"assertion\":\"abcdefg\",\"provenance\":{one}}}"),
        &["\"abcdefg\" at Some(\"/assertion\") limited", &left_out],
    );
    check(
        set,
        &format!("{{\"provenance\":{one},\"assertion\":\"abcdef\"}}"),
        &[&format!("\"abcdef\" at Some(\"/assertion\"){kept}")],
    );
    check(
        set,
        &format!("{{\"provenance\":{one},\"assertion\":\"abcdefg\"}}"),
        &[
            &format!("\"\" at Some(\"/assertion\"){kept} limited"),
            "limit-pending abcdefg",
        ],
    );
    // What the object in it waited with counts no more behind it; what was in a malformed annotation counts with its
    // identifier only.
    let malformed = format!("{{\"substrate_class\":\"0123456789\",\"ts\":\"{TIME}\",\"ts\":1}}");
    for (len, fits) in [(30, true), (31, false)] {
        let text = "t".repeat(len);
        let limited = if fits { "" } else { " limited" };
        let shown = if fits { &text[..] } else { "" };
        let outer =
            format!("{shown:?} at Some(\"/assertion\") (0123456789 None None malformed){limited}");
        let told = format!("limit-pending {text}");
        let inner = "\"abcdefghij\" at Some(\"/a/assertion\")";
        let expected: &[&str] = if fits {
            &[inner, &outer]
        } else {
            &[inner, &outer, &told]
        };
        check(
            set,
            &format!(
                "{{\"provenance\":{malformed},\"a\":{{\"assertion\":\"abcdefghij\"}},\"assertion\":\"{text}\"}}"
            ),
            expected,
        );
    }
}

#[test]
fn values_may_nest_max_depth_deep() {
    for max in [1, 2, 7, 63, 64, 65, 128, 129] {
        let set = limits(|limits| limits.with_max_depth(max));
        let nested = |depth: usize| {
            let (open, close) = ("{\"a\":[".repeat(depth), "]}".repeat(depth));
            if depth.is_multiple_of(2) {
                let half = depth / 2;
                format!("{}1{}", &open[..6 * half], &close[..2 * half])
            } else {
                let half = depth / 2;
                format!("{}{{\"b\":1}}{}", &open[..6 * half], &close[..2 * half])
            }
        };
        check(set, &nested(max), &[]);
        let bracket = if max % 2 == 0 { "{" } else { "[" };
        check(set, &nested(max + 1), &[&format!("limit-depth {bracket}")]);
    }
}

#[test]
fn a_pointer_may_have_max_pointer_bytes() {
    let with = |max: usize| limits(|limits| limits.with_max_pointer(max));
    // As it is reported: `~1` for a slash, and decoded.
    for (stream, pointer) in [
        ("{\"assertion\":\"x\"}", "/assertion"),
        ("{\"a\":{\"assertion\":\"x\"}}", "/a/assertion"),
        ("{\"/~\":{\"assertion\":\"x\"}}", "/~1~0/assertion"),
        ("{\"\\u0061\":{\"assertion\":\"x\"}}", "/a/assertion"),
        ("{\"\\u00e9\":{\"assertion\":\"x\"}}", "/\u{e9}/assertion"),
        (
            "{\"a\":[0,0,0,0,0,0,0,0,0,0,{\"assertion\":\"x\"}]}",
            "/a/10/assertion",
        ),
    ] {
        let whole = format!("\"x\" at Some({pointer:?})");
        check(with(pointer.len()), stream, &[&whole]);
        check(
            with(pointer.len() - 1),
            stream,
            &["\"x\" at None limited", "limit-pointer x"],
        );
    }
    let stream = "{\"abc\":{\"marc_version\":1}}";
    check(with(4), stream, &["core at Some(\"/abc\"), 18 bytes"]);
    check(
        with(3),
        stream,
        &[
            "core at None, 18 bytes",
            "limit-pointer {\\\"marc_version\\\":1}",
        ],
    );
    // A pointer that became too long is short again for what follows.
    check(
        with(12),
        "{\"abc\":{\"assertion\":\"x\"},\"a\":{\"assertion\":\"y\"}}",
        &[
            "\"x\" at None limited",
            "limit-pointer x",
            "\"y\" at Some(\"/a/assertion\")",
        ],
    );
}

#[test]
fn a_marc_object_may_have_max_record_bytes() {
    for max in [18, 19, 40] {
        let set = limits(|limits| limits.with_max_record(max));
        let marc = |len: usize| format!("{{\"marc_version\":{}}}", "1".repeat(len - 17));
        check(
            set,
            &marc(max),
            &[&format!("core at Some(\"\"), {max} bytes")],
        );
        let told = format!("limit-record {}", marc(max + 1).as_bytes().escape_ascii());
        let told = if max < 40 {
            told
        } else {
            format!("limit-record {:?}", Span::new(0, 41))
        };
        check(
            set,
            &marc(max + 1),
            &["core at Some(\"\"), no bytes", &told],
        );
        // In one that is longer there may be some that are not.
        let inner = format!("{{\"a\":{},\"marc_version\":1}}", marc(max));
        let told = format!("limit-record {:?}", Span::new(0, inner.len() as u64));
        let told = if inner.len() > 40 {
            told
        } else {
            format!("limit-record {}", inner.as_bytes().escape_ascii())
        };
        let kept = format!("core at Some(\"/a\"), {max} bytes");
        check(set, &inner, &[&kept, "core at Some(\"\"), no bytes", &told]);
    }
}

#[test]
fn a_record_beyond_max_record_stays() {
    for max in [20, 33] {
        let set = limits(|limits| limits.with_max_record(max));
        let builder = Parser::builder().limits(set).hold_records(true);
        let asserted = |len: usize| format!("{{\"assertion\":\"{}\"}}", "t".repeat(len - 16));
        let said = |len: usize| format!("{:?} at Some(\"/assertion\")", "t".repeat(len - 16));
        check_with(
            &builder,
            &asserted(max),
            &[&said(max), &format!("record of {max} bytes")],
        );
        let told = format!(
            "limit-pending {}",
            asserted(max + 1).as_bytes().escape_ascii()
        );
        check_with(&builder, &asserted(max + 1), &[&said(max + 1), &told]);
        // What is no record would not have been removed.
        check_with(&builder, &format!("{{\"a\":{}}}", "1".repeat(max)), &[]);
        // One that is held next to one that is not.
        let both = format!(
            "{}\n{}\n{}",
            asserted(max),
            asserted(max + 1),
            asserted(max)
        );
        let record = format!("record of {max} bytes");
        let (fits, more) = (said(max), said(max + 1));
        check_with(
            &builder,
            &both,
            &[&fits, &record, &more, &told, &fits, &record],
        );
    }
}

/// Asserted objects in one another, the assertion of each behind its annotations and the next object.
struct Nested {
    stream: Vec<u8>,
    /// The annotations of each object, from the outermost.
    annotations: Vec<Vec<Span>>,
    /// Spans of the assertions, outermost first.
    assertions: Vec<Span>,
}

/// An assertion, as told by a test or found: its pointer's depth, text, how many annotations, and whether a limit was hit.
type Told = (usize, String, Vec<Span>, bool);

/// An assertion or a diagnostic, in the order of the events.
#[derive(Debug, PartialEq)]
enum Line {
    Assertion(Told),
    Diagnostic(DiagnosticCode, Span),
}

impl Nested {
    /// Builds `levels` nested objects, each with 64 annotations of the `strings`.
    fn new(levels: usize, strings: [&str; 3], text: &str) -> Self {
        let [class, id, time] = strings;
        let annotation = format!(
            "{{\"substrate_class\":\"{class}\",\"observation_id\":\"{id}\",\"ts\":\"{time}\"}}"
        );
        let mut nested = Self {
            stream: Vec::new(),
            annotations: Vec::new(),
            assertions: Vec::new(),
        };
        let stream = &mut nested.stream;
        let span = |range: Range<usize>| Span::new(range.start as u64, range.end as u64);
        for _ in 0..levels {
            stream.extend_from_slice(b"{\"provenance\":[");
            let mut own = Vec::new();
            for index in 0..64 {
                if index > 0 {
                    stream.push(b',');
                }
                own.push(span(stream.len()..stream.len() + annotation.len()));
                stream.extend_from_slice(annotation.as_bytes());
            }
            nested.annotations.push(own);
            stream.extend_from_slice(b"],\"a\":");
        }
        stream.push(b'1');
        for _ in 0..levels {
            stream.extend_from_slice(b",\"assertion\":\"");
            nested
                .assertions
                .push(span(stream.len()..stream.len() + text.len()));
            stream.extend_from_slice(text.as_bytes());
            stream.extend_from_slice(b"\"}");
        }
        nested.assertions.reverse();
        nested
    }

    /// Computes the expected events from the rules of section 6, by counting.
    fn expected(&self, lens: [usize; 3], text: &str, limits: &Limits) -> Vec<Line> {
        let max = limits.max_pending_json();
        let mut pending = 0;
        let mut slots = 0;
        let mut levels = Vec::new();
        for annotations in &self.annotations {
            let (mut kept, mut left_out) = (Vec::new(), Vec::new());
            let mut crowded = false;
            for &span in annotations {
                if slots == MOST_ANNOTATIONS {
                    crowded = true;
                    continue;
                }
                slots += 1;
                // In part it counts until its end, so that each string has to fit behind those before it.
                if pending + lens.iter().sum::<usize>() <= max {
                    pending += lens.iter().sum::<usize>();
                    kept.push(span);
                } else {
                    left_out.push(span);
                }
            }
            levels.push((kept, left_out, crowded));
        }
        let mut lines = Vec::new();
        for (level, (kept, left_out, crowded)) in levels.into_iter().enumerate().rev() {
            let span = self.assertions[level];
            let fits = pending + text.len() <= max;
            let limited = !fits || crowded || !left_out.is_empty();
            pending -= kept.len() * lens.iter().sum::<usize>();
            for &span in &left_out {
                lines.push(Line::Diagnostic(DiagnosticCode::LimitPending, span));
            }
            let text = if fits { text } else { "" };
            lines.push(Line::Assertion((level, text.to_owned(), kept, limited)));
            if crowded || !fits {
                lines.push(Line::Diagnostic(DiagnosticCode::LimitPending, span));
            }
        }
        lines
    }

    /// Collects the events of a parser.
    fn found(&self, parser: &mut Parser, size: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut sink = |event: Event<'_>| match event {
            Event::Text(_) => {}
            Event::Assertion(found) => {
                check_verdict(&found);
                let depth = found.pointer().expect("a pointer").matches("/a").count() - 1;
                let kept = found.annotations().map(|one| one.span()).collect();
                let told = (depth, found.text().to_owned(), kept, found.limit_hit());
                lines.push(Line::Assertion(told));
            }
            Event::Diagnostic(found) => {
                lines.push(Line::Diagnostic(found.code(), found.span()));
            }
            other => panic!("an event that is not expected: {other:?}"),
        };
        for chunk in self.stream.chunks(size) {
            parser.push(chunk, &mut sink);
        }
        parser.finish(&mut sink);
        parser.reset();
        lines
    }
}

/// Checks a number of levels, and gives how many annotations each assertion kept, from the outermost, and how many
/// assertions lost their text.
fn check_nested(strings: [&str; 3], text: &str, sizes: &[usize]) -> (Vec<usize>, usize) {
    // The array and its annotations nest two deeper than their object.
    let limits = limits(|limits| limits.with_max_depth(130));
    let nested = Nested::new(128, strings, text);
    let expected = nested.expected(strings.map(str::len), text, &limits);
    for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
        let mut parser = Parser::builder().limits(limits).mode(mode).build();
        for &size in sizes {
            let found = nested.found(&mut parser, size);
            let at = found.iter().zip(&expected).position(|(a, b)| a != b);
            if let Some(at) = at {
                panic!(
                    "{mode:?}, chunks of {size}, {at}: found {:?}, expected {:?}",
                    found[at], expected[at]
                );
            }
            assert_eq!(found.len(), expected.len(), "{mode:?}, chunks of {size}");
        }
    }
    let mut kept = Vec::new();
    let mut without_text = 0;
    for line in expected.iter().rev() {
        if let Line::Assertion((_, text, annotations, limited)) = line {
            assert_eq!(*limited, annotations.len() < 64 || text.is_empty());
            kept.push(annotations.len());
            without_text += usize::from(text.is_empty());
        }
    }
    (kept, without_text)
}

/// Builds the expected number of kept annotations of each object: 64 for the first `whole` objects,
/// `part` for the next, 0 for the others.
fn keeping(whole: usize, part: usize) -> Vec<usize> {
    let mut kept = [vec![64; whole], vec![part]].concat();
    kept.resize(128, 0);
    kept
}

#[test]
fn a_hundred_levels_of_small_annotations_are_bounded_by_their_number() {
    let found = check_nested(["substrate.grep", "", TIME], "So.", &[1, 64, 1_000, 65_536]);
    assert_eq!(found, (keeping(8, 0), 0));
}

#[test]
fn a_hundred_levels_of_typical_annotations_are_bounded_by_max_pending() {
    // 50 bytes each: what 512 of them take fits.
    let id = "sha256:0123456789abcdef";
    let found = check_nested(
        ["substrate.grep", &id[..16], TIME],
        "So it is.",
        &[7, 4_096],
    );
    assert_eq!(found, (keeping(8, 0), 0));
    // 150 bytes each, of which 436 fit; what is left are 136 bytes.
    let id = "v".repeat(116);
    let found = check_nested(
        ["substrate.grep", &id, TIME],
        &"t".repeat(136),
        &[63, 65_536],
    );
    assert_eq!(found, (keeping(6, 52), 0));
    let found = check_nested(
        ["substrate.grep", &id, TIME],
        &"t".repeat(137),
        &[63, 65_536],
    );
    // Where no annotation of one's own or further in is pending, there is room again.
    assert_eq!(found, (keeping(6, 52), 122));
}

#[test]
fn a_hundred_levels_of_the_largest_annotations_are_bounded_by_max_pending() {
    // 2,062 bytes each, of which 31 fit.
    let id = "v".repeat(1_024);
    let time = format!("2026-05-28T11:40:00.{}Z", "0".repeat(1_003));
    assert_eq!(time.len(), 1_024);
    let found = check_nested(
        ["substrate.grep", &id, &time],
        "So it is.",
        &[1_000, 65_536],
    );
    assert_eq!(found, (keeping(0, 31), 0));
    // 1,614 bytes are left for the assertions.
    let found = check_nested(
        ["substrate.grep", &id, &time],
        &"t".repeat(1_615),
        &[65_536],
    );
    assert_eq!(found, (keeping(0, 31), 128));
}

/// A held record is split when it exceeds the limit, any number of times in one chunk.
#[test]
fn a_long_chunk_of_records_beyond_a_small_limit_is_read_to_its_end() {
    let limits = Limits::default().with_max_record(2).expect("in range");
    let stream = [b" ".to_vec(), b"{}{\"a\":1}".repeat(200_000)].concat();
    for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
        let mut parser = Parser::builder()
            .mode(mode)
            .limits(limits)
            .hold_records(true)
            .build();
        let mut handed = 0;
        let mut sink = |event: Event<'_>| {
            if let Event::Text(text) = event {
                assert_eq!(text.span().start(), handed);
                handed = text.span().end();
            }
        };
        parser.push(&stream, &mut sink);
        parser.finish(&mut sink);
        assert_eq!(handed, stream.len() as u64, "{mode:?}");
    }
}
