//! The naive model of sentences against the cases that were judged by hand.

use std::collections::BTreeMap;
use std::fs;

use testkit::sentence;

/// A model that follows the splitter into an error would find nothing.
#[test]
fn the_model_has_the_last_sentences_of_the_table() {
    let file = testkit::root().join("tests/data/sentences.toml");
    let table = fs::read_to_string(file).expect("the table");
    let table: BTreeMap<String, Vec<(String, String)>> =
        toml::from_str(&table).expect("pairs by language");
    let cases: Vec<_> = table.into_values().flatten().collect();
    assert!(cases.len() > 150, "{} cases", cases.len());
    for (candidate, expected) in cases {
        let last = sentence::last_sentence(candidate.as_bytes());
        assert_eq!(candidate[last..].trim_start(), expected, "{candidate:?}");
    }
}

#[test]
fn wide_terminators_need_no_white_space() {
    for wide in ["。", "！", "？"] {
        let text = format!("雨です{wide}晴れ");
        assert_eq!(sentence::starts(text.as_bytes()), [0, 12], "{text}");
    }
    for narrow in [".", "!", "?"] {
        let text = format!("It rains{narrow}It shines");
        assert_eq!(sentence::starts(text.as_bytes()), [0], "{text}");
    }
}
