//! JSON values in free text.

use testkit::reference::{Reading, RefLimits, RefMode, Segment};

use super::{auto, auto_with, check, foreign, limits, own, show_with};

#[test]
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
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
