//! JSON syntax, and the offsets at which invalid values break.

use testkit::reference::json::read;
use testkit::reference::json::read::Outcome;
use testkit::reference::{RefMode, generate_json};

use super::{joined, json};

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
            let (root, outcome) = read::read(document, 0, usize::MAX, false, false);
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
