//! A MARC object as a line of output.

use std::fmt::Write;

use provstream_marc::{Document, MarcObject, Profile, Report, Violation};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::line::{Line, ViolationFields};
use crate::printable::is_unsafe;

/// A MARC object that was validated.
#[derive(Debug)]
pub(crate) struct Judged<'a> {
    object: &'a MarcObject<'a>,
    /// The object; `None` if its bytes are missing.
    document: Option<Document>,
    report: Report,
}

impl<'a> Judged<'a> {
    /// Validates an object.
    pub(crate) fn new(object: &'a MarcObject<'a>, profile: Profile) -> Self {
        // What the parser reports is a JSON object, so only one that is too long has no document.
        let document = object.raw().and_then(|raw| Document::parse(raw).ok());
        Self {
            object,
            document,
            report: provstream_marc::validate(object, profile),
        }
    }

    /// Its line.
    pub(crate) fn line(&'a self) -> Line<'a> {
        let kind = self.document.as_ref().and_then(Document::kind);
        Line::Marc {
            kind: kind.unwrap_or(self.object.kind()).as_str(),
            span: self.object.span(),
            pointer: self.object.pointer(),
            valid: self.report.is_valid(),
            violations: self
                .report
                .violations()
                .iter()
                .map(ViolationFields::from)
                .collect(),
            record: self.document.as_ref().and_then(printable),
        }
    }
}

/// A violation of a stream as a whole.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "sequence")]
pub(crate) struct SequenceLine<'a> {
    code: &'static str,
    level: &'static str,
    section: &'static str,
    message: &'a str,
}

/// The line of a violation of a stream as a whole.
pub(crate) fn sequence_line(violation: &Violation) -> SequenceLine<'_> {
    SequenceLine {
        code: violation.code().as_str(),
        level: violation.level().as_str(),
        section: violation.section(),
        message: violation.message(),
    }
}

/// A document on one line, with escapes for what is [unsafe](is_unsafe) on a terminal, which in JSON without white space is
/// in strings only.
pub(crate) fn printable(document: &Document) -> Option<Box<RawValue>> {
    let json = document.to_json();
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unsafe(character) {
            // All of them are in the basic plane, so one unit is enough. Writing to a string cannot fail.
            let _ = write!(written, "\\u{:04x}", u32::from(character));
        } else {
            written.push(character);
        }
    }
    RawValue::from_string(written).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_safe() {
        let json = "{\"a\": [\"\u{7f}\u{9b}\u{2028}\u{202e}\u{2069} é\u{a0}👩\u{200d}🚀\", \"\\u00E9\\/\" ]}";
        let document = Document::parse(json.as_bytes()).unwrap();
        assert_eq!(
            printable(&document).unwrap().get(),
            "{\"a\":[\"\\u007f\\u009b\\u2028\\u202e\\u2069 é\u{a0}👩\u{200d}🚀\",\"\\u00E9\\/\"]}"
        );
    }

    #[test]
    fn nesting_is_unlimited() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(60_000), "]".repeat(60_000));
        let document = Document::parse(deep.as_bytes()).unwrap();
        assert_eq!(printable(&document).unwrap().get(), deep);
    }
}
