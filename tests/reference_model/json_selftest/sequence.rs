//! Values in a row, and one value a line.

use testkit::reference::{Reading, RefLimits, RefMode, Segment};

use super::{check, foreign, json, json_with, limits, ndjson, own, show_with};

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
