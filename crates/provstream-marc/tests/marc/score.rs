//! Scores, MARC-02 8.1, 8.2, 8.4.

use provstream_marc::{Score, ScoreErrorKind};

/// M2-20, M2-25, M2-35
#[test]
fn a_score_is_read_as_it_is_written() {
    for (text, value) in [("0", 0.0), ("-0.0", 0.0), ("4.10e-1", 0.41), ("1.0", 1.0)] {
        assert_eq!(text.parse::<Score>().unwrap().get(), value);
    }
    for text in [
        "1.0000000000000003",
        "-1e-300",
        "2",
        "",
        "NaN",
        "inf",
        "+1",
        "1.",
        ".5",
        "01",
        "\"0.5\"",
        "0.5 1",
        "null",
        "1e999",
    ] {
        assert!(text.parse::<Score>().is_err(), "{text}");
    }
    let above = Score::new(1.5).unwrap_err();
    assert_eq!(above.kind(), &ScoreErrorKind::OutOfRange("1.5".into()));
    assert_eq!(
        above.to_string(),
        "expected a number from 0.0 to 1.0, found 1.5"
    );
    let none = Score::new(f64::NAN).unwrap_err();
    assert_eq!(none.kind(), &ScoreErrorKind::NotANumber);
}
