//! Reads a JSON object, and words what was found in the place of one.

use provstream::settings::FilePosition;
use provstream_marc::{Document, DocumentError, DocumentErrorKind};

/// Longest piece of something else that a message quotes, in characters.
const QUOTED: usize = 40;

/// U+FEFF in UTF-8, which may be at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The message about an object without its end.
pub(crate) const INCOMPLETE: &str = "expected a JSON object, found one that is not complete";

/// A text that is not a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotAnObject {
    /// The line of the text that is wrong, from 1.
    pub(crate) line: u64,
    /// What was expected and what was found, with the column of that line for an error inside of an object.
    pub(crate) message: String,
}

/// Reads an object. `column` is where in its line it begins, from 1.
pub(crate) fn read(json: &[u8], column: u64) -> Result<Document, NotAnObject> {
    Document::parse(json).map_err(|error| NotAnObject {
        line: number(error.line()).max(1),
        message: message(json, &error, column),
    })
}

/// Reads the object that a file consists of.
pub(crate) fn of_file(file: &[u8]) -> Result<Document, String> {
    let json = text_of(file)?;
    if json.trim_ascii().is_empty() {
        return Err("expected a JSON object, found an empty file".to_owned());
    }
    read(json, 1).map_err(|error| format!("line {}: {}", error.line, error.message))
}

/// The text of a file, without a byte order mark. One that is not UTF-8 is refused.
pub(crate) fn text_of(file: &[u8]) -> Result<&[u8], String> {
    let text = file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file);
    match not_utf8(text) {
        Some((place, error)) => Err(format!("{place}: {error}")),
        None => Ok(text),
    }
}

/// Where a text is not UTF-8, and what is wrong there.
pub(crate) fn not_utf8(text: &[u8]) -> Option<(FilePosition, String)> {
    let end = std::str::from_utf8(text).err()?.valid_up_to();
    let valid = String::from_utf8_lossy(&text[..end]);
    let message = format!("expected UTF-8, found the byte 0x{:02X}", text[end]);
    Some((FilePosition::of(&valid, valid.len()), message))
}

fn message(json: &[u8], error: &DocumentError, column: u64) -> String {
    let begun = json.trim_ascii_start().first() == Some(&b'{');
    match error.kind() {
        DocumentErrorKind::Truncated if begun => INCOMPLETE.to_owned(),
        DocumentErrorKind::Syntax if begun => {
            let before = if error.line() <= 1 { column - 1 } else { 0 };
            syntax(error, number(error.column()) + before)
        }
        _ => format!("expected a JSON object, found {}", found(json)),
    }
}

fn syntax(error: &DocumentError, column: u64) -> String {
    match error.expected() {
        "nothing after the value" => {
            format!("expected one JSON object, found more after it at column {column}")
        }
        expected => format!(
            "expected a JSON object, found a syntax error at column {column}: expected {expected}"
        ),
    }
}

/// Describes a text for a message: by its type if it is a JSON value, else by its beginning.
pub(crate) fn found(text: &[u8]) -> String {
    let text = text.trim_ascii();
    let described = match text.first() {
        None => "nothing",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        _ => match serde_json::from_slice(text) {
            Ok(serde_json::Value::Null) => "null",
            Ok(serde_json::Value::Bool(_)) => "a boolean",
            Ok(serde_json::Value::Number(_)) => "a number",
            _ => return quoted(&String::from_utf8_lossy(text)),
        },
    };
    described.to_owned()
}

/// The beginning of a text, in quotation marks.
fn quoted(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let start: String = line.chars().take(QUOTED).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{start}{more}"))
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_described_by_its_type_or_quoted() {
        for (text, description) in [
            ("  ", "nothing"),
            (" [1", "an array"),
            ("\"a", "a string"),
            ("null", "null"),
            ("no way", "\"no way\""),
            ("true", "a boolean"),
            ("-1e3", "a number"),
            ("1 2", "\"1 2\""),
            ("a\nb", "\"a…\""),
            (
                "é123456789012345678901234567890123456789012",
                "\"é123456789012345678901234567890123456789…\"",
            ),
        ] {
            assert_eq!(found(text.as_bytes()), description, "{text}");
        }
    }

    #[test]
    fn a_column_counts_from_the_start_of_its_line() {
        let message = |json: &str| {
            let error = read(json.as_bytes(), 5).unwrap_err();
            (error.line, error.message)
        };
        let syntax =
            |rest: &str| format!("expected a JSON object, found a syntax error at column {rest}");
        assert_eq!(
            message("{\"a\" 1}"),
            (1, syntax("10: expected `:` after the name of a member"))
        );
        assert_eq!(
            message("{\"a\":\n 01}"),
            (
                2,
                syntax("3: expected a number as JSON writes it, such as 10 or 0.5")
            )
        );
        assert_eq!(
            message("{1:2}"),
            (
                1,
                syntax("6: expected the name of a member in quotation marks")
            )
        );
    }
}
