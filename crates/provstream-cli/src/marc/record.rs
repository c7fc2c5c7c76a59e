//! A MARC object as a line of output.

use std::fmt::Write;

use provstream_marc::{Document, MarcObject, Profile, Report};
use serde_json::value::RawValue;

use crate::line::{Line, ViolationFields};
use crate::printable::is_unsafe;
use provstream::Span;

/// A MARC object that was held against a draft.
#[derive(Debug)]
pub(crate) struct Judged<'a> {
    object: &'a MarcObject<'a>,
    /// What it says; none if its bytes are missing.
    pub(crate) document: Option<Document>,
    /// What is wrong with it.
    pub(crate) report: Report,
}

impl<'a> Judged<'a> {
    /// Holds an object against a draft.
    pub(crate) fn new(object: &'a MarcObject<'a>, profile: Profile) -> Self {
        // What the parser reports is a JSON object, so only one that is too long has no document.
        let document = object.raw().and_then(|raw| Document::parse(raw).ok());
        let report = match &document {
            Some(document) => document.validate(object.kind(), profile),
            None => provstream_marc::validate(object, profile),
        };
        Self {
            object,
            document,
            report,
        }
    }

    /// The line that tells of it.
    pub(crate) fn line(&'a self) -> Line<'a> {
        Line::Marc {
            kind: self.object.kind().as_str(),
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

    /// Where the object stands: its span, and its pointer if it is known.
    pub(crate) fn place(&self) -> (Span, Option<&'a str>) {
        (self.object.span(), self.object.pointer())
    }
}

/// A document on one line, with escapes for what is [unsafe](is_unsafe) on a terminal, which in JSON without white space
/// stands in strings alone.
pub(crate) fn printable(document: &Document) -> Option<Box<RawValue>> {
    let json = document.to_json();
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unsafe(character) {
            // All of them lie in the basic plane, so that one unit is enough. Writing to a string cannot fail.
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
    fn nesting_has_no_end() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(60_000), "]".repeat(60_000));
        let document = Document::parse(deep.as_bytes()).unwrap();
        assert_eq!(printable(&document).unwrap().get(), deep);
    }
}
