//! Numbers as they are written.

use super::*;

fn number(text: &str) -> JsonNumber<'_> {
    JsonNumber::of(text).unwrap()
}

#[test]
fn the_unit_interval_is_exact() {
    let inside = "0 -0 -0.0e9 0.0 1 1.0 1.000 0.999 1e0 10e-1 0.1e1 0.0001e4 100E-2 1e-400 0.5 1e-99999999999999999999 \
        0e99999999999999999999 0.99999999999999999999999999";
    for text in inside.split(' ') {
        assert!(number(text).in_unit_interval(), "{text}");
    }
    let outside = "-1e-400 -0.1 -1 1.00000000000000000000001 1.1 2 10 0.01e3 1e1 1e99999999999999999999 0.2e1 11e-1";
    for text in outside.split(' ') {
        assert!(!number(text).in_unit_interval(), "{text}");
    }
}

#[test]
fn integers_are_told_by_value() {
    for (value, texts) in [
        (Some(0), "0 -0.0 0.00e99"),
        (Some(1), "1 1.0 100e-2"),
        (Some(-17), "-17 -1.7e1"),
        (Some(100), "1e2"),
        (Some(15), "1.50e1"),
        (None, "1.5 1.25e1 100e-3 1e-1 1e-99999999999999999999"),
        (
            Some(i64::MAX),
            "9223372036854775807 9223372036854775808 1e99999999999999999999",
        ),
        (Some(i64::MIN), "-9223372036854775808 -1e400"),
    ] {
        for text in texts.split(' ') {
            assert_eq!(number(text).integer(), value, "{text}");
        }
    }
}

#[test]
fn numbers_are_compared_by_value() {
    // Each line has the same number, written in different ways; the next line has a greater one.
    let lines = [
        "-1e99999999999999999999",
        "-9223372036854775809 -9223372036854775809.0",
        "-9223372036854775808",
        "-10 -1e1 -100e-1",
        "-1.5",
        "0 -0 0.0e9 -0e99999999999999999999",
        "1e-99999999999999999999",
        "9 9.0 0.9e1",
        "10 1e1 0.010E+3",
        "9223372036854775807",
        "9223372036854775808 9223372036854775808e0 92233720368547758080e-1",
        "99999999999999999999999999",
        "100000000000000000000000000 1e26",
        "1e99999999999999999999",
    ];
    let all = || {
        let lines = lines.iter().enumerate();
        lines.flat_map(|(place, line)| line.split(' ').map(move |text| (place, text)))
    };
    for (place, one) in all() {
        for (other_place, other) in all() {
            let expected = place.cmp(&other_place);
            assert_eq!(
                number(one).compare(number(other)),
                expected,
                "{one} {other}"
            );
        }
    }
    let beyond = ["2e99999999999999999998", "1e99999999999999999999"].map(number);
    assert_eq!(beyond[0].compare(beyond[1]), Ordering::Equal);
}

#[test]
fn other_values_are_no_numbers() {
    for text in ["", "-", "\"1\"", "null", "true", "[1]", "{}"] {
        assert!(JsonNumber::of(text).is_none(), "{text}");
    }
}
