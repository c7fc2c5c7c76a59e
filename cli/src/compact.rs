//! JSON of the stream, as it was written but on one line.

use std::fmt::Write;

use serde_json::value::RawValue;

use crate::printable::is_unsafe;

/// A JSON value without white space outside of its strings, with U+FFFD for what is not UTF-8, and with escapes for what
/// is [unsafe](is_unsafe) on a terminal. Members and their order, numbers and escapes stay as they were written.
///
/// None if it is not JSON, which what the parser reports always is.
pub(crate) fn compact(json: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8_lossy(json);
    let mut written = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        match character {
            ' ' | '\t' | '\r' | '\n' if !in_string => {}
            // All of them lie in the basic plane, so that one unit is enough.
            _ if is_unsafe(character) => {
                // Writing to a string cannot fail.
                let _ = write!(written, "\\u{:04x}", u32::from(character));
            }
            _ => written.push(character),
        }
        in_string ^= character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
    }
    RawValue::from_string(written).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: impl AsRef<[u8]>, expected: &str) {
        let written = compact(json.as_ref()).unwrap();
        assert_eq!(serde_json::to_string(&written).unwrap(), expected);
    }

    #[test]
    fn white_space_goes_where_it_means_nothing() {
        check(
            " {\r\n\t\"a b\" : [ 1 , \" \\\" \\\\\" , true ] , \"c\" : { } }\n",
            r#"{"a b":[1," \" \\",true],"c":{}}"#,
        );
    }

    #[test]
    fn members_stay_in_order_and_can_be_repeated() {
        check(
            r#"{"b":1, "a":2, "b":3, "":4}"#,
            r#"{"b":1,"a":2,"b":3,"":4}"#,
        );
    }

    #[test]
    fn numbers_keep_their_spelling() {
        let numbers = "[-0,1.0,1E+2,10e-0,123456789012345678901234567890.10,1e9999]";
        check(numbers, numbers);
    }

    #[test]
    fn escapes_keep_their_spelling_and_surrogates_may_be_alone() {
        let strings = r#"["\u00E9\/\b","\ud83d\uDE80","\ud800","\uDC00\ud800x"]"#;
        check(strings, strings);
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        check(
            b"[\"\xff\xe3\x81\", \"\xf0\x9f\x9a\x80\xc3\"]",
            "[\"\u{fffd}\u{fffd}\",\"🚀\u{fffd}\"]",
        );
    }

    #[test]
    fn a_terminal_is_safe() {
        check(
            "[\"\u{7f}\u{9b}\u{2028}\u{202e}\u{2069} é\u{a0}👩\u{200d}🚀\"]",
            "[\"\\u007f\\u009b\\u2028\\u202e\\u2069 é\u{a0}👩\u{200d}🚀\"]",
        );
    }

    #[test]
    fn nesting_has_no_end() {
        let deep = "[".repeat(60_000) + &"]".repeat(60_000);
        check(&deep, &deep);
    }

    #[test]
    fn what_is_no_json_is_not_written() {
        for json in ["", "{", "{\"a\"}", "[1]]", "[\u{85}]", "\u{feff}1"] {
            assert!(compact(json.as_bytes()).is_none(), "{json:?}");
        }
    }
}
