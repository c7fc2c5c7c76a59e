//! Asserted objects, malformed annotations, MARC objects.

use super::{check, json, json_with, limits};

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
                "*disclosure  72",
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
