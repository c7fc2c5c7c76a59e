//! Tests what the naive reference makes of JSON on examples worked by hand, row by row of the wire profile, sections 4 to
//! 6.

use testkit::reference::engine::canonical;
use testkit::reference::generate_json::{self, Case};
use testkit::reference::json::read::{self, Outcome};
use testkit::reference::{
    Encoding, Ev, Reading, RefLimits, RefMode, RefVocabulary, Segment, events_in, strip_in,
    timed_events_in,
};

/// Limits that are the defaults but for what a test sets.
fn limits(set: impl FnOnce(&mut RefLimits)) -> RefLimits {
    let mut limits = RefLimits::default();
    set(&mut limits);
    limits
}

/// One stretch of own text.
fn own(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: true,
        bytes: text.as_ref().to_vec(),
    }
}

/// One stretch of foreign text.
fn foreign(text: impl AsRef<[u8]>) -> Segment {
    Segment {
        own: false,
        bytes: text.as_ref().to_vec(),
    }
}

/// All bytes of an input.
fn joined(input: &[Segment]) -> Vec<u8> {
    let bytes = input.iter().flat_map(|segment| segment.bytes.clone());
    bytes.collect()
}

/// A sentence ends at a full stop with white space behind it.
fn split(candidate: &[u8]) -> usize {
    let starts_after = |&at: &usize| candidate[at - 1] == b'.' && candidate[at] == b' ';
    (1..candidate.len()).rev().find(starts_after).unwrap_or(0)
}

/// The bytes of a span.
fn raw(bytes: &[u8], span: (u64, u64)) -> String {
    let index = |offset: u64| usize::try_from(offset).expect("an offset into memory");
    bytes[index(span.0)..index(span.1)]
        .escape_ascii()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}

/// All events but text in one line, parts with " / " between them.
///
/// `=pointer|text` is an assertion, behind which `(class !reason id=... ts=... <bytes>)` is each of its annotations
/// and `limited` a limit; without a pointer it is in brackets. `@class` is an annotation in brackets, `*kind pointer` a
/// MARC object, with its number of bytes if it has them, and `?code bytes` a diagnostic. Records, `-bytes`, come first:
/// their order among the others means nothing.
fn show_with(reading: Reading, limits: &RefLimits, input: &[Segment]) -> String {
    let bytes = joined(input);
    let mut shown = Vec::new();
    let events = events_in(reading, input, limits, &RefVocabulary::default(), &split);
    for event in canonical(events) {
        let line = match event {
            Ev::Text { .. } => continue,
            Ev::Annotation { class, .. } => format!("@{class}"),
            Ev::Assertion {
                encoding,
                text,
                clean_span,
                pointer,
                annotations,
                limited,
                ..
            } => {
                assert_eq!(clean_span.is_none(), encoding == Encoding::Json);
                let mut line = match (encoding, pointer) {
                    (Encoding::Bracket, _) => format!("={text}"),
                    (Encoding::Json, pointer) => {
                        format!("={}|{text}", pointer.as_deref().unwrap_or("none"))
                    }
                };
                for found in annotations.iter().filter(|_| encoding == Encoding::Json) {
                    line += &format!(" ({}", found.declared);
                    if found.class != found.declared {
                        assert_eq!(found.class, "unverified-inference");
                    }
                    line += &found
                        .reason
                        .map_or(String::new(), |reason| format!(" !{reason}"));
                    let id = found.observation_id.as_ref();
                    line += &id.map_or(String::new(), |id| format!(" id={id}"));
                    line += &found
                        .ts
                        .as_ref()
                        .map_or(String::new(), |ts| format!(" ts={ts}"));
                    line += &format!(" <{}>)", raw(&bytes, found.span));
                }
                line + if limited { " limited" } else { "" }
            }
            Ev::Marc {
                kind, pointer, raw, ..
            } => {
                let raw = raw.map_or(String::new(), |raw| format!(" {}", raw.len()));
                format!("*{kind} {}{raw}", pointer.as_deref().unwrap_or("none"))
            }
            Ev::Record { span } => format!("-{}", raw(&bytes, span)),
            Ev::Diagnostic { code, span } => format!("?{code} {}", raw(&bytes, span)),
        };
        shown.push(line);
    }
    shown.join(" / ")
}

/// The events of own text in mode `json`.
fn json(text: impl AsRef<[u8]>) -> String {
    json_with(&RefLimits::default(), text)
}

/// The same with other limits.
fn json_with(limits: &RefLimits, text: impl AsRef<[u8]>) -> String {
    show_with(Reading::new(RefMode::Json), limits, &[own(text)])
}

/// The events of own text in mode `ndjson`.
fn ndjson(text: impl AsRef<[u8]>) -> String {
    let reading = Reading::new(RefMode::Ndjson);
    show_with(reading, &RefLimits::default(), &[own(text)])
}

/// The events of own text in mode `auto`.
fn auto(text: impl AsRef<[u8]>) -> String {
    auto_with(&RefLimits::default(), text)
}

/// The same with other limits.
fn auto_with(limits: &RefLimits, text: impl AsRef<[u8]>) -> String {
    show_with(Reading::new(RefMode::Auto), limits, &[own(text)])
}

/// Checks a table of inputs and what they show.
fn check(show: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(input, expected)| (input, expected, show(input)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(input, expected, found)| format!("{input}\nexpected {expected}\nfound    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn asserted_objects() {
    check(
        |text| json(text),
        &[
            (r#"{"assertion":"x"}"#, "=/assertion|x"),
            (r#"{"assertion":1}"#, ""),
            (r#"{"Assertion":"x"}"#, ""),
            (r#"{"\u0061ssertion":"x"}"#, "=/assertion|x"),
            (r#""assertion""#, ""),
            (
                r#"[1,{"a/b":{"m~n":{"assertion":"x"}}}]"#,
                "=/1/a~1b/m~0n/assertion|x",
            ),
            (
                r#"{"assertion":"a\n\u00e9\uD83D\uDE00\uD83D"}"#,
                "=/assertion|a\n\u{e9}\u{1F600}\u{fffd}",
            ),
            (
                r#"{"assertion":"x","provenance":{"substrate_class":"substrate.grep","observation_id":"i","ts":"2026-05-28T11:40:00\u005A"}}"#,
                r#"=/assertion|x (substrate.grep id=i ts=2026-05-28T11:40:00Z <{"substrate_class":"substrate.grep","observation_id":"i","ts":"2026-05-28T11:40:00\\u005A"}>)"#,
            ),
            (
                r#"{"provenance":[{"substrate_class":"a","observation-id":""},{"substrate_class":"2.0.a"}],"assertion":""}"#,
                r#"=/assertion| (a !unknown-identifier id= <{"substrate_class":"a","observation-id":""}>) (2.0.a !vocabulary-version <{"substrate_class":"2.0.a"}>)"#,
            ),
            // Inner ones first, and those that are closed stay when the value breaks.
            (
                r#"{"assertion":"x","a":{"assertion":"y"}}"#,
                "=/a/assertion|y / =/assertion|x",
            ),
            (
                r#"{"assertion":"x","a":{"assertion":"y"}]"#,
                "=/a/assertion|y / ?json-syntax ]",
            ),
            // An annotation may be an asserted object as well.
            (
                r#"{"assertion":"x","provenance":{"assertion":"y","substrate_class":"substrate.grep"}}"#,
                r#"=/provenance/assertion|y / =/assertion|x (substrate.grep <{"assertion":"y","substrate_class":"substrate.grep"}>)"#,
            ),
            // No annotation.
            (r#"{"assertion":"x","provenance":null}"#, "=/assertion|x"),
            (r#"{"assertion":"x","provenance":[]}"#, "=/assertion|x"),
        ],
    );
    assert_eq!(
        json(b"{\"\xFF\":{\"assertion\":\"a\xFFb\"}}"),
        "=/\u{fffd}/assertion|a\u{fffd}b / ?invalid-utf8 a\\xffb"
    );
}

#[test]
fn malformed_annotations() {
    let cases: &[(&str, &str)] = &[
        ("1", "( !malformed <1>)"),
        ("\"s\"", "( !malformed <\"s\">)"),
        (
            "[1,[2],null]",
            "( !malformed <1>) ( !malformed <[2]>) ( !malformed <null>)",
        ),
        ("{}", "( !malformed <{}>)"),
        (
            r#"{"substrate_class":null}"#,
            r#"( !malformed <{"substrate_class":null}>)"#,
        ),
        (
            r#"{"substrate_class":"a","ts":null,"observation_id":null}"#,
            r#"(a !unknown-identifier <{"substrate_class":"a","ts":null,"observation_id":null}>)"#,
        ),
        (
            r#"{"substrate_class":"a","ts":1}"#,
            r#"(a !malformed <{"substrate_class":"a","ts":1}>)"#,
        ),
        (
            r#"{"substrate_class":"a","observation_id":{}}"#,
            r#"(a !malformed <{"substrate_class":"a","observation_id":{}}>)"#,
        ),
        (
            r#"{"substrate_class":1,"substrate_class":"a"}"#,
            r#"(a !malformed <{"substrate_class":1,"substrate_class":"a"}>)"#,
        ),
        (
            r#"{"substrate_class":"a","substrate_class":"b"}"#,
            r#"(a !malformed <{"substrate_class":"a","substrate_class":"b"}>)"#,
        ),
        (
            r#"{"substrate_class":"a","observation-id":"b","observation_id":"b"}"#,
            r#"(a !malformed <{"substrate_class":"a","observation-id":"b","observation_id":"b"}>)"#,
        ),
        (
            r#"{"substrate_class":"a","ts":null,"ts":null}"#,
            r#"(a !malformed <{"substrate_class":"a","ts":null,"ts":null}>)"#,
        ),
        // Of a malformed one no time is judged.
        (r#"{"ts":"now"}"#, r#"( !malformed <{"ts":"now"}>)"#),
        (
            r#"{"substrate_class":"a","ts":"now"}"#,
            r#"(a !unknown-identifier <{"substrate_class":"a","ts":"now"}>) / ?invalid-ts "now""#,
        ),
    ];
    for (provenance, expected) in cases {
        let input = format!(r#"{{"assertion":"x","provenance":{provenance}}}"#);
        // An annotation behind the assertion has its diagnostics behind it too.
        assert_eq!(json(&input), format!("=/assertion|x {expected}"), "{input}");
    }
    // Diagnostics come by the start of their spans.
    assert_eq!(
        json(r#"{"provenance":{"substrate_class":"a","ts":"now"},"assertion":"x"}"#),
        r#"?invalid-ts "now" / =/assertion|x (a !unknown-identifier <{"substrate_class":"a","ts":"now"}>)"#
    );
    assert_eq!(
        json(b"{\"assertion\":\"x\",\"provenance\":[{\"substrate_class\":\"a\xFF\",\"observation_id\":\"\xE2\"},{\"substrate_class\":\"\xFF\",\"observation_id\":\"\xFF\",\"ts\":1}]}"),
        "=/assertion|x (a\u{fffd} !unknown-identifier id=\u{fffd} <{\"substrate_class\":\"a\\xff\",\"observation_id\":\"\\xe2\"}>) (\u{fffd} !malformed <{\"substrate_class\":\"\\xff\",\"observation_id\":\"\\xff\",\"ts\":1}>) / ?invalid-utf8 \"a\\xff\" / ?invalid-utf8 \"\\xe2\" / ?invalid-utf8 \"\\xff\""
    );
}

#[test]
fn further_members() {
    check(
        |text| json(text),
        &[
            (
                r#"{"assertion":"x","assertion":"y"}"#,
                r#"=/assertion|x ( !malformed <"y">) / ?duplicate-member "y""#,
            ),
            (
                r#"{"assertion":1,"assertion":"y"}"#,
                r#"?duplicate-member "y" / =/assertion|y ( !malformed <"y">)"#,
            ),
            (
                r#"{"assertion":"x","provenance":null,"provenance":{"substrate_class":"substrate.grep"}}"#,
                r#"=/assertion|x ( !malformed <{"substrate_class":"substrate.grep"}>) / ?duplicate-member {"substrate_class":"substrate.grep"}"#,
            ),
            (
                r#"{"assertion":"x","provenance":[{"substrate_class":"substrate.grep"}],"provenance":[{"assertion":"y"}]}"#,
                r#"=/provenance/0/assertion|y / =/assertion|x (substrate.grep <{"substrate_class":"substrate.grep"}>) ( !malformed <[{"assertion":"y"}]>) / ?duplicate-member [{"assertion":"y"}]"#,
            ),
            (r#"{"provenance":1,"provenance":2,"assertion":3}"#, ""),
        ],
    );
}

#[test]
fn marc_objects() {
    check(
        |text| json(text),
        &[
            (r#"{"marc_version":null}"#, "*core  21"),
            (r#"[{"marc\u005fversion":1}]"#, "*core /0 23"),
            (
                r#"{"answer":1,"confidence_band":2,"uncertainty_source":3}"#,
                "*disclosure  55",
            ),
            (r#"{"answer":1,"confidence_band":2}"#, ""),
            (
                r#"{"answer":1,"confidence_band":2,"uncertainty_source":3,"marc_version":4}"#,
                "*core  72",
            ),
            (
                r#"{"assertion":"x","marc_version":1}"#,
                "*core  34 / =/assertion|x",
            ),
            (
                r#"{"marc_version":1,"#,
                r#"?unterminated {"marc_version":1,"#,
            ),
        ],
    );
    let small = limits(|limits| {
        limits.max_record = 18;
        limits.max_pointer = 1;
    });
    check(
        |text| json_with(&small, text),
        &[
            (r#"{"marc_version":1}"#, "*core  18"),
            (
                r#"[{"marc_version":12}]"#,
                r#"*core none / ?limit-record {"marc_version":12} / ?limit-pointer {"marc_version":12}"#,
            ),
        ],
    );
}

#[test]
fn the_grammar() {
    let sound = [
        "0",
        "-0",
        "12",
        "1.5",
        "-1.25e+10",
        "1E5",
        "true",
        "false",
        "null",
        "\"\\u12aF\\/\"",
        "[]",
        "{}",
        "[1,2]",
        "{\"a\":1,\"a\":2}",
        " \t\r\n[ \n1 , 2 ]",
        "[[[]]]",
        "\"\x7f\"",
    ];
    for text in sound {
        assert_eq!(json(text), "", "{text}");
        assert_eq!(json(format!("[{text}]")), "", "{text}");
    }
    // In an array what could begin another value offends as well.
    let broken = [
        ("[01]", "1"),
        ("[1.]", "]"),
        ("[.5]", "."),
        ("[1e]", "]"),
        ("[+1]", "+"),
        ("[-a]", "a"),
        ("[1,]", "]"),
        ("[,1]", ","),
        ("{,}", ","),
        ("{\"a\":1,}", "}"),
        ("{a:1}", "a"),
        ("{\"a\" 1}", "1"),
        ("[trUe]", "U"),
        ("[\"\\x\"]", "x"),
        ("[\"\\u12g4\"]", "g"),
        ("[\"\t\"]", "\\t"),
        ("[1 2]", "2"),
        ("[/*", "/"),
        ("[\u{a0}]", "\\xc2"),
    ];
    for (text, offending) in broken {
        assert_eq!(json(text), format!("?json-syntax {offending}"), "{text}");
    }
    for text in ["[", "{\"a", "\"\\u12", "-", "1.", "1e+", "tru", "[1"] {
        let escaped = text.replace('\\', "\\\\");
        assert_eq!(json(text), format!("?unterminated {escaped}"), "{text}");
    }
}

#[test]
fn the_grammar_is_that_of_another_reader() {
    let mut counts = [0, 0];
    for seed in 0..10_000 {
        let case = generate_json::case(seed);
        let bytes = joined(&case.input);
        let documents = match case.reading.mode {
            RefMode::Ndjson => bytes.split(|&byte| byte == b'\n').collect(),
            _ => vec![&bytes[..]],
        };
        for document in documents {
            let document = document.trim_ascii();
            // The other reader judges surrogates and UTF-8.
            let text = std::str::from_utf8(document);
            let is_judged = text.is_ok_and(|text| !text.to_ascii_lowercase().contains("\\ud"));
            if document.is_empty() || !is_judged {
                continue;
            }
            let expected = match serde_json::from_slice::<serde_json::Value>(document) {
                Ok(_) => true,
                Err(error) if error.to_string().contains("out of range") => continue,
                Err(error) if error.to_string().contains("recursion") => continue,
                Err(_) => false,
            };
            let (root, outcome) = read::read(document, 0, usize::MAX, false);
            let end = document.len();
            assert_eq!(root.closed, matches!(outcome, Outcome::Complete { .. }));
            assert_eq!(
                outcome == Outcome::Complete { end },
                expected,
                "seed {seed}: {}",
                document.escape_ascii()
            );
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
}

#[test]
fn a_sequence_of_values() {
    check(
        |text| json(text),
        &[
            (r#"1 2"x"[]{"assertion":"y"}truefalse01"#, "=/assertion|y"),
            ("] ]\n]", "?json-syntax ] / ?json-syntax ]"),
            ("{\n]{\"assertion\":\"x\"}\n1", "?json-syntax ]"),
            (
                "[1\n {\"assertion\":\"x\"}",
                "?json-syntax { / =/assertion|x",
            ),
            ("[1 {\"assertion\":\"x\"}\n2", "?json-syntax {"),
            (
                "\"a\n{\"assertion\":\"x\"}",
                "?json-syntax \\n / =/assertion|x",
            ),
            ("\u{feff}{\"assertion\":\"x\"}", "=/assertion|x"),
            (" \u{feff}1", "?json-syntax \\xef"),
        ],
    );
    let small = limits(|limits| limits.max_depth = 2);
    assert_eq!(
        json_with(
            &small,
            "[[1]]\n[[[1]]] 2\n{\"a\":{\"assertion\":\"x\"},\"b\":[{"
        ),
        "?limit-depth [ / =/a/assertion|x / ?limit-depth {"
    );
    let cases: &[(&[Segment], &str)] = &[
        (
            &[
                own("{\"a\":{\"assertion\":\"x\"}"),
                foreign("}\n"),
                own("[]"),
            ],
            "=/a/assertion|x / ?unterminated {\"a\":{\"assertion\":\"x\"}",
        ),
        (&[own("12"), foreign("x"), own("34")], ""),
        (
            &[own("x"), foreign("\n"), own("{\"assertion\":\"x\"}")],
            "?json-syntax x / =/assertion|x",
        ),
        (&[foreign("{\"assertion\":\"x\"}")], ""),
        (&[own("[1"), own(",2]")], ""),
    ];
    for (input, expected) in cases {
        let reading = Reading::new(RefMode::Json);
        let shown = show_with(reading, &RefLimits::default(), input);
        assert_eq!(shown, *expected, "{input:?}");
    }
}

#[test]
fn one_value_a_line() {
    check(
        |text| ndjson(text),
        &[
            ("1\n\n \t\r\n{\"assertion\":\"x\"}\n", "=/assertion|x"),
            ("[1,\n2]\n", "?json-syntax \\n / ?json-syntax ]"),
            ("1 2 3\n4", "?json-syntax 2"),
            ("01\n", "?json-syntax 1"),
            (
                "x y\n{\"assertion\":\"x\"}",
                "?json-syntax x / =/assertion|x",
            ),
            (
                "{\"assertion\":\"x\"}{\"assertion\":\"y\"}",
                "=/assertion|x / ?json-syntax {",
            ),
            ("1.\n2", "?json-syntax \\n"),
            ("\u{feff}1\n[", "?unterminated ["),
        ],
    );
    let cases: &[(&[Segment], &str)] = &[
        (
            &[own("[1"), foreign(" "), own("2")],
            "?unterminated [1 / ?json-syntax 2",
        ),
        (&[own("[1"), foreign("\n"), own("2")], "?unterminated [1"),
        (&[own("1"), foreign(" x "), own("2\n")], "?json-syntax 2"),
        (&[foreign("x"), own("2")], ""),
    ];
    for (input, expected) in cases {
        let reading = Reading::new(RefMode::Ndjson);
        let shown = show_with(reading, &RefLimits::default(), input);
        assert_eq!(shown, *expected, "{input:?}");
    }
}

#[test]
fn where_a_value_is_tried_in_free_text() {
    check(
        |text| auto(text),
        &[
            (
                r#"See {"assertion":"x"} and {"assertion":"y"}."#,
                "=/assertion|x / =/assertion|y",
            ),
            ("{ \n\n \"assertion\":\"x\"}", "=/assertion|x"),
            ("{x {", ""),
            ("{\"", "?unterminated {\""),
            (r#"\{"assertion":"x"}"#, "=/assertion|x"),
            // An array only at the start of the stream or of a fenced block.
            (r#"[{"assertion":"x"}]"#, "=/0/assertion|x"),
            ("\u{feff} \n[ \n{\"assertion\":\"x\"}]", "=/0/assertion|x"),
            (r#"a [{"assertion":"x"}]"#, "=/assertion|x"),
            ("[[substrate.grep]", ""),
            (
                "[ [{\"assertion\":\"x\"}",
                "=/0/0/assertion|x / ?unterminated [ [{\"assertion\":\"x\"}",
            ),
            ("[1, {\"assertion\":\"x\"}]", "=/assertion|x"),
            ("a\n```\n \n[{\"assertion\":\"x\"}]\n```", "=/0/assertion|x"),
            ("a\n```\n1\n[{\"assertion\":\"x\"}]\n```", "=/assertion|x"),
            // Not in a code span, an opening line, or an attempt.
            (r#"`{"assertion":"x"}`"#, ""),
            ("~~~ {\"assertion\":\"x\"}\n~~~", ""),
            (
                r#"[substrate.grep; a={"assertion":"x"}]"#,
                "@substrate.grep / = / ?no-assertion ",
            ),
            (r#"[note {"assertion":"x"}]"#, "=/assertion|x"),
            // In a quoted block a line feed offends.
            (
                "> ```\n> {\"assertion\":\"x\"}\n> {\"a\":\n> {\"assertion\":\"y\"}\n",
                "=/assertion|x / =/assertion|y",
            ),
            (
                "> ```\n> {\"a\":{\"assertion\":\"x\"},\n> \"assertion\":\"y\"}",
                "=/a/assertion|x",
            ),
            // What is complete hides what it holds; what broke is not looked at again.
            (
                "{\"a\":\"[substrate.grep] `\"} b [substrate.grep]",
                "@substrate.grep / ={\"a\":\"[substrate.grep] `\"} b",
            ),
            (
                "{\"a\":\"[substrate.grep] {\\\"b\\\" x [substrate.grep]",
                "?unterminated {\"a\":\"[substrate.grep] {\\\\\"b\\\\\" x [substrate.grep]",
            ),
            (
                "{\"a\":\"[substrate.grep]\" b [substrate.grep]",
                "@substrate.grep / ={\"a\":\"[substrate.grep]\" b",
            ),
            ("{\"a\" [substrate.grep]", "@substrate.grep / ={\"a\""),
            ("{\"a\":\"\\[substrate.grep]", ""),
            (
                "{\"a\":1,\n```\n[substrate.grep]\n```\n[substrate.grep]",
                "@substrate.grep / =[substrate.grep]",
            ),
            ("{}{\"assertion\":\"x\"}", "=/assertion|x"),
        ],
    );
    let small = limits(|limits| limits.max_depth = 1);
    check(
        |text| auto_with(&small, text),
        &[
            (
                "{\"a\":[substrate.grep] {\"assertion\":\"x\"}\n{\"assertion\":\"y\"}",
                "?limit-depth [ / @substrate.grep / ={\"a\": / =/assertion|y",
            ),
            ("{\"a\":{\"assertion\":\"x\"}}", "?limit-depth {"),
        ],
    );
    let cases: &[(&[Segment], &str)] = &[
        (&[foreign("{\"assertion\":\"x\"}")], ""),
        (
            &[own("{\"assertion\":"), foreign("\"x\"}")],
            "?unterminated {\"assertion\":",
        ),
        (&[own("{"), foreign("\"x\"}")], ""),
        (
            &[
                own("{\"a\":{\"assertion\":\"x\"}"),
                foreign(" b "),
                own("[substrate.grep]"),
            ],
            "=/a/assertion|x / ?unterminated {\"a\":{\"assertion\":\"x\"} / @substrate.grep / =b",
        ),
    ];
    for (input, expected) in cases {
        let reading = Reading::new(RefMode::Auto);
        let shown = show_with(reading, &RefLimits::default(), input);
        assert_eq!(shown, *expected, "{input:?}");
    }
    let reading = Reading::TEXT;
    let text = [own("{\"assertion\":\"x\"} [substrate.grep]")];
    assert_eq!(
        show_with(reading, &RefLimits::default(), &text),
        "@substrate.grep / ={\"assertion\":\"x\"}"
    );
}

#[test]
fn a_value_as_a_block() {
    check(
        |text| auto(text),
        &[
            (
                r#"a {"assertion":"x"} b [substrate.grep]"#,
                "=/assertion|x / @substrate.grep / =b",
            ),
            (
                r#"a {"b":"x"} b [substrate.grep]"#,
                r#"@substrate.grep / =a {"b":"x"} b"#,
            ),
            (
                r#"a {"assertion":"x"} [substrate.grep]"#,
                "=/assertion|x / @substrate.grep / = / ?no-assertion ",
            ),
            (
                r#"a {"marc_version":1}. [substrate.grep]"#,
                "*core  18 / @substrate.grep / =.",
            ),
            (
                r#"{"a":{"assertion":"x"} b [substrate.grep]"#,
                "=/a/assertion|x / @substrate.grep / =b",
            ),
            // The brace completes an assertion.
            (
                r#"a [substrate.grep]. {"assertion":"x"} [substrate.grep]"#,
                "@substrate.grep / =a / =/assertion|x / @substrate.grep / = / ?no-assertion ",
            ),
            // Cells.
            (
                r#"| a | {"assertion":"x"} | [substrate.grep]"#,
                "=/assertion|x / @substrate.grep / = / ?no-assertion ",
            ),
            (
                r#"| a | {"assertion":"x"} b | [substrate.grep]"#,
                "=/assertion|x / @substrate.grep / =b",
            ),
            // Markers.
            (
                "{\"a\":[{\"assertion\":\"x\"},\n- b [substrate.grep]",
                "=/a/0/assertion|x / @substrate.grep / =b",
            ),
            (
                "{\"a\":[{\"assertion\":\"x\"},\n- - b [substrate.grep]",
                "=/a/0/assertion|x / @substrate.grep / =- b",
            ),
            (
                "{\"a\":[{\"assertion\":\"x\"},\n1. - b [substrate.grep]",
                "=/a/0/assertion|x / @substrate.grep / =- b",
            ),
            (
                "{\"a\":[{\"assertion\":\"x\"},\n> - b [substrate.grep]",
                "=/a/0/assertion|x / @substrate.grep / =b",
            ),
            ("{\"a\":[1,\n- - b [substrate.grep]", "@substrate.grep / =b"),
            (
                "{\"a\":[{\"assertion\":\"x\"},\n| b | c [substrate.grep]",
                "=/a/0/assertion|x / @substrate.grep / =c",
            ),
            // A fenced block is one assertion.
            (
                "```\na {\"assertion\":\"x\"} b\n```\n[substrate.grep]",
                "=/assertion|x / @substrate.grep / =a {\"assertion\":\"x\"} b",
            ),
        ],
    );
}

#[test]
fn records_are_removed() {
    let held = |mode| Reading {
        mode,
        hold_records: true,
    };
    let show = |text: &str, limits: &RefLimits| {
        let input = [own(text)];
        let shown = show_with(held(RefMode::Auto), limits, &input);
        let vocabulary = RefVocabulary::default();
        let stripped = strip_in(held(RefMode::Auto), &input, limits, &vocabulary);
        format!("{shown} => {}", String::from_utf8_lossy(&stripped))
    };
    let plain = RefLimits::default();
    assert_eq!(
        show(r#"a {"assertion":"x"} b [substrate.grep]"#, &plain),
        "-{\"assertion\":\"x\"} / =/assertion|x / @substrate.grep / =b => a  b"
    );
    assert_eq!(
        show(
            r#"{"a":{"assertion":"x"}} {"marc_version":1}[substrate.grep]"#,
            &plain
        ),
        "-{\"marc_version\":1} / =/a/assertion|x / *core  18 / @substrate.grep / = / ?no-assertion  => {\"a\":{\"assertion\":\"x\"}} "
    );
    let small = limits(|limits| limits.max_record = 20);
    assert_eq!(
        show("{\"assertion\":\"abcdef\"}{\"assertion\":\"x\"}", &small),
        "-{\"assertion\":\"x\"} / =/assertion|abcdef / ?limit-pending {\"assertion\":\"abcdef\"} / =/assertion|x => {\"assertion\":\"abcdef\"}"
    );
    assert_eq!(
        show("{\"assertion\":\"abcdef\" x", &small),
        " => {\"assertion\":\"abcdef\" x"
    );
    // The assertion behind it stands where it does without the record.
    let input = [own("a {\"assertion\":\"x\"} b [substrate.grep]")];
    let found = events_in(
        held(RefMode::Auto),
        &input,
        &plain,
        &RefVocabulary::default(),
        &split,
    );
    assert!(found.iter().any(|event| matches!(
        event,
        Ev::Assertion {
            span: (20, 21),
            clean_span: Some((3, 4)),
            ..
        }
    )));
    for mode in [RefMode::Json, RefMode::Ndjson] {
        let input = [own("{\"assertion\":\"x\"}\n[{\"assertion\":\"x\"}]")];
        let stripped = strip_in(held(mode), &input, &plain, &RefVocabulary::default());
        assert_eq!(stripped, b"\n[{\"assertion\":\"x\"}]");
    }
}

#[test]
fn limits_of_an_assertion() {
    let small = limits(|limits| {
        limits.max_assertion = 5;
        limits.max_pointer = 10;
    });
    check(
        |text| json_with(&small, text),
        &[
            (r#"{"assertion":"abcde"}"#, "=/assertion|abcde"),
            (
                r#"{"assertion":"abcdef"}"#,
                "=/assertion|abcde limited / ?limit-assertion abcdef",
            ),
            (
                r#"{"assertion":"abcd\n"}"#,
                r"=/assertion|abcd limited / ?limit-assertion abcd\\n",
            ),
            (
                r#"{"assertion":"\uD83D\uDE00"}"#,
                r"=/assertion| limited / ?limit-assertion \\uD83D\\uDE00",
            ),
            (
                "{\"assertion\":\"ab\u{1F600}c\"}",
                "=/assertion|ab limited / ?limit-assertion ab\\xf0\\x9f\\x98\\x80c",
            ),
            (
                r#"{"a":{"assertion":"x"}}"#,
                "=none|x limited / ?limit-pointer x",
            ),
        ],
    );
    let small = limits(|limits| limits.max_assertion = 6);
    assert_eq!(
        json_with(&small, r#"{"assertion":"\uD83D\uDE00"}"#),
        r"=/assertion| limited / ?limit-assertion \\uD83D\\uDE00"
    );
    assert_eq!(
        json_with(&small, r#"{"assertion":"\uD83D\u0041"}"#),
        "=/assertion|\u{fffd} limited / ?limit-assertion \\\\uD83D\\\\u0041"
    );
}

#[test]
fn limits_of_annotations() {
    let small = limits(|limits| limits.max_annotation = 3);
    check(
        |text| json_with(&small, text),
        &[
            (
                r#"{"assertion":"x","provenance":{"substrate_class":"abcd"}}"#,
                r#"=/assertion|x ( !malformed <{"substrate_class":"abcd"}>) limited / ?limit-annotation {"substrate_class":"abcd"}"#,
            ),
            (
                r#"{"assertion":"x","provenance":{"substrate_class":"abc","ts":"abcd"}}"#,
                r#"=/assertion|x (abc !malformed <{"substrate_class":"abc","ts":"abcd"}>) limited / ?limit-annotation {"substrate_class":"abc","ts":"abcd"}"#,
            ),
        ],
    );
    let small = limits(|limits| limits.max_annotations = 1);
    check(
        |text| json_with(&small, text),
        &[
            (
                r#"{"assertion":"x","provenance":[{},1,{"assertion":"y"}],"provenance":1}"#,
                "=/provenance/2/assertion|y / =/assertion|x ( !malformed <{}>) limited / ?limit-annotations x",
            ),
            (
                r#"{"assertion":"x","assertion":"y","provenance":{}}"#,
                r#"=/assertion|x ( !malformed <"y">) limited / ?limit-annotations x / ?duplicate-member "y""#,
            ),
        ],
    );
    // Twelve objects with 64 annotations are all there may be.
    let open = |count: usize| format!("{{\"provenance\":[{}],\"a\":", vec!["1"; count].join(","));
    let text = format!(
        "{}1{}",
        open(64).repeat(13),
        ",\"assertion\":\"x\"}".repeat(13)
    );
    let input = [own(&text)];
    let reading = Reading::new(RefMode::Json);
    let found = events_in(
        reading,
        &input,
        &RefLimits::default(),
        &RefVocabulary::default(),
        &split,
    );
    let counts: Vec<usize> = found
        .iter()
        .filter_map(|event| match event {
            Ev::Assertion { annotations, .. } => Some(annotations.len()),
            _ => None,
        })
        .collect();
    assert_eq!(counts, [vec![0; 5], vec![64; 8]].concat());
}

#[test]
fn pending_bytes() {
    let small = limits(|limits| limits.max_pending_json = 6);
    check(
        |text| json_with(&small, text),
        &[
            (r#"{"assertion":"abcdef"}"#, "=/assertion|abcdef"),
            (
                r#"{"assertion":"abcdefg"}"#,
                "=/assertion| limited / ?limit-pending abcdefg",
            ),
            // Over all open objects, each until its closing brace.
            (
                r#"{"assertion":"abc","a":{"assertion":"abcd"},"b":{"assertion":"abc"}}"#,
                "=/a/assertion| limited / ?limit-pending abcd / =/b/assertion|abc / =/assertion|abc",
            ),
            (
                r#"[{"assertion":"abcdef"},{"assertion":"abcdef"}]"#,
                "=/0/assertion|abcdef / =/1/assertion|abcdef",
            ),
            // An annotation is left out as a whole; a shorter one behind it may fit.
            (
                r#"{"assertion":"ab","provenance":[{"substrate_class":"abc","observation_id":"ab"},{"substrate_class":"abcd"}]}"#,
                r#"=/assertion|ab (abcd !unknown-identifier <{"substrate_class":"abcd"}>) limited / ?limit-pending {"substrate_class":"abc","observation_id":"ab"}"#,
            ),
            // What was kept of it counts until its closing brace.
            (
                r#"{"provenance":{"substrate_class":"abc","observation_id":"abcd","x":{"assertion":"abcd"}},"assertion":"abcdef"}"#,
                r#"=/provenance/x/assertion| limited / ?limit-pending abcd / ?limit-pending {"substrate_class":"abc","observation_id":"abcd","x":{"assertion":"abcd"}} / =/assertion|abcdef limited"#,
            ),
            // A malformed one counts with its identifier only, and not before its closing brace.
            (
                r#"{"provenance":[{"substrate_class":"a","observation_id":"abcde","ts":1},{"substrate_class":"b"}],"assertion":"abcd"}"#,
                r#"=/assertion|abcd (a !malformed <{"substrate_class":"a","observation_id":"abcde","ts":1}>) (b !unknown-identifier <{"substrate_class":"b"}>)"#,
            ),
            // An object that turns out to be no asserted one counts too; an invalid time does not.
            (
                r#"{"provenance":{"substrate_class":"abcdef","ts":"no"},"a":{"assertion":"a"}}"#,
                "=/a/assertion| limited / ?limit-pending a",
            ),
        ],
    );
}

#[test]
fn when_events_are_certain() {
    let known = |mode, input: &[Segment]| -> Vec<(usize, String)> {
        let reading = Reading {
            mode,
            hold_records: false,
        };
        let (limits, vocabulary) = (RefLimits::default(), RefVocabulary::default());
        let timed = timed_events_in(reading, input, &limits, &vocabulary, &split);
        let named = timed.into_iter().filter_map(|(known, event)| match event {
            Ev::Assertion { text, .. } => Some((known, text)),
            Ev::Diagnostic { code, .. } => Some((known, code.to_owned())),
            _ => None,
        });
        named.collect()
    };
    let found = |text: &str| known(RefMode::Auto, &[own(text)]);
    assert_eq!(found("{\"assertion\":\"x\"} "), [(17, "x".to_owned())]);
    assert_eq!(found("a [substrate.grep] {x"), [(20, "a".to_owned())]);
    assert_eq!(found("{\"a"), [(4, "unterminated".to_owned())]);
    assert_eq!(
        known(RefMode::Json, &[own("[1"), foreign("x")]),
        [(2, "unterminated".to_owned())]
    );
    assert_eq!(
        known(RefMode::Json, &[own("[1 x")]),
        [(4, "json-syntax".to_owned())]
    );
}

#[test]
fn generated_streams_keep_the_invariants() {
    let vocabulary = RefVocabulary::default();
    let mut counts = std::collections::BTreeMap::new();
    let mut crowds = 0;
    for seed in 0..4_000 {
        let case = generate_json::case(seed);
        assert_eq!(case, generate_json::case(seed));
        let Case {
            reading,
            limits,
            input,
        } = case;
        let bytes = joined(&input);
        let mut count = |what: String| *counts.entry(what).or_insert(0) += 1;
        let mut spans = Vec::new();
        let mut annotated = 0;
        for event in events_in(reading, &input, &limits, &vocabulary, &split) {
            match event {
                Ev::Text { start, end } => spans.push((start, end)),
                Ev::Record { span } => {
                    assert!(reading.hold_records);
                    count("record".into());
                    spans.push(span);
                }
                Ev::Annotation { span, .. } => {
                    assert_eq!(reading.mode, RefMode::Auto);
                    spans.push(span);
                }
                Ev::Assertion {
                    encoding: Encoding::Json,
                    text,
                    span,
                    pointer,
                    annotations,
                    ..
                } => {
                    assert!(text.len() <= 3 * limits.max_assertion, "seed {seed}");
                    assert!(pointer.is_none_or(|pointer| pointer.len() <= limits.max_pointer));
                    assert!(annotations.len() <= limits.max_annotations);
                    assert!(annotations.is_sorted_by_key(|annotation| annotation.span));
                    let quote = usize::try_from(span.0).expect("an offset into memory") - 1;
                    assert_eq!(bytes[quote], b'"');
                    count(format!("{:?}", reading.mode));
                    count(format!("with {}", annotations.len().min(2)));
                    annotated += annotations.len();
                }
                Ev::Assertion { .. } => {}
                Ev::Marc { kind, raw, .. } => {
                    assert!(raw.is_none_or(|raw| raw.len() <= limits.max_record));
                    count(kind.to_owned());
                }
                Ev::Diagnostic { code, .. } => count(code.to_owned()),
            }
        }
        crowds += usize::from(annotated >= 512);
        spans.sort_unstable();
        let tiles = spans
            .iter()
            .try_fold(0, |end, span| (span.0 == end).then_some(span.1));
        assert_eq!(tiles, Some(bytes.len() as u64), "seed {seed}");
    }
    assert!(crowds > 3, "{crowds} crowds");
    assert_eq!(counts.len(), 13 + 3 + 3 + 2 + 1, "{counts:?}");
    assert!(counts.values().all(|&count| count > 40), "{counts:?}");
}
