//! The limits, below and above their bounds.

use testkit::reference::{Ev, Reading, RefLimits, RefMode, RefVocabulary, events_in};

use super::{check, json_with, limits, own, split};

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
