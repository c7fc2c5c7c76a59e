//! Validation of all MARC objects of an input.

use super::read::{ReadProblem, TopLevelValue, line_offset};
use crate::{
    Document, FoundObject, MarcKind, Profile, Report, Violation, ViolationCode as Code,
    find_marc_objects,
};

/// A MARC object of the input, or a report about a value in its place.
#[derive(Debug)]
pub struct ValidatedObject {
    /// Line on which the object begins.
    pub line: u64,
    /// Range of the top-level value.
    pub span: (u64, u64),
    /// JSON Pointer in the input; `None` if it is too long to be written.
    pub pointer: Option<String>,
    /// Kind; `None` if the members do not show it.
    pub kind: Option<MarcKind>,
    /// Object; `None` if there is none.
    pub document: Option<Document>,
    /// Violations.
    pub report: Report,
    /// Line of each violation.
    pub lines: Vec<u64>,
    /// `true` if the object is in another MARC object.
    pub is_nested: bool,
}

/// Validates the MARC objects in a top-level value that are in no other MARC object: at least one for each value.
#[must_use]
pub fn validate_value(
    value: &TopLevelValue<'_>,
    kind: Option<MarcKind>,
    profile: Profile,
) -> Vec<ValidatedObject> {
    let mut objects = validate_all(value, kind, profile);
    objects.retain(|object| !object.is_nested);
    objects
}

/// Validates all MARC objects in a top-level value, nested ones included.
#[must_use]
pub fn validate_all(
    value: &TopLevelValue<'_>,
    kind: Option<MarcKind>,
    profile: Profile,
) -> Vec<ValidatedObject> {
    let document = match value.document() {
        Ok(document) => document,
        Err(error) => {
            let code = match value.content {
                Err(ReadProblem::TooLong(_)) => Code::LimitRecord,
                _ => Code::Syntax,
            };
            return vec![ValidatedObject::missing(
                value,
                code,
                error.line,
                error.message,
            )];
        }
    };
    let event = document.get_str("event").map(std::borrow::Cow::into_owned);
    let message = document
        .get_str("message")
        .map(std::borrow::Cow::into_owned);
    let bytes = value.content.as_ref().copied().unwrap_or_default();
    let found = match kind {
        None => find_marc_objects(bytes),
        Some(_) => vec![FoundObject {
            pointer: Some(String::new()),
            span: 0..bytes.len(),
            is_nested: false,
            document: Some(document),
            kind,
        }],
    };
    match event.as_deref() {
        _ if !found.is_empty() => {}
        // Totals of another command.
        Some("end") => return Vec::new(),
        event => {
            let mut found = "expected a MARC object, found none in this JSON object".to_owned();
            if let (Some(event), Some(message)) = (event, message) {
                found = format!(
                    "expected a MARC object, found a line with the event `{event}`: {message}"
                );
            }
            return vec![ValidatedObject::missing(
                value,
                Code::Nothing,
                value.line,
                found,
            )];
        }
    }
    found
        .into_iter()
        .map(|found| ValidatedObject::new(found, value, profile))
        .collect()
}

impl ValidatedObject {
    fn missing(value: &TopLevelValue<'_>, code: Code, line: u64, message: String) -> Self {
        let mut report = Report::default();
        report.push(Violation::new(code, message));
        Self {
            line: value.line,
            span: value.span,
            pointer: Some(value.pointer.clone()),
            kind: None,
            document: None,
            report,
            lines: vec![line],
            is_nested: false,
        }
    }

    fn new(found: FoundObject, value: &TopLevelValue<'_>, profile: Profile) -> Self {
        let bytes = value.content.as_ref().copied().unwrap_or_default();
        let mut report = Report::default();
        match (&found.document, found.kind) {
            (Some(document), Some(kind)) => report = document.validate(kind, profile),
            (None, _) => report.push(Violation::new(
                Code::LimitRecord,
                "the object is in more than 64 other MARC objects, so it was not looked at",
            )),
            (Some(_), None) => report.push(Violation::new(
                Code::UnknownKind,
                "expected a MARC-Core record or a MARC-Disclosure object, found one whose members do not show which of the two it is; --kind takes it for one",
            )),
        }
        let is_reported = report
            .violations()
            .iter()
            .any(|it| it.code() == Code::InvalidUtf8);
        if !is_reported && std::str::from_utf8(bytes).is_err() {
            report.push(Violation::new(
                Code::InvalidUtf8,
                "the object is not UTF-8 throughout",
            ));
        }
        let start = found.span.start;
        let before = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
        let line = value.line + before as u64;
        let object = &bytes[found.span];
        let line_of = |pointer: &str| line + line_offset(object, pointer);
        let pointer = found
            .pointer
            .map(|pointer| format!("{}{pointer}", value.pointer));
        Self {
            line,
            span: value.span,
            pointer,
            lines: report
                .violations()
                .iter()
                .map(|it| line_of(it.pointer()))
                .collect(),
            kind: found.kind,
            document: found.document,
            report,
            is_nested: found.is_nested,
        }
    }

    /// Describes the violations; a missing object is the only one.
    #[must_use]
    pub fn describe(&self) -> String {
        match (&self.document, self.report.violations()) {
            (None, [only]) => only.message().to_owned(),
            _ => self.report.to_string(),
        }
    }

    /// Returns the line number of the object, or of the error in its place.
    #[must_use]
    pub fn error_line(&self) -> u64 {
        match (&self.document, &*self.lines) {
            (None, [only]) => *only,
            _ => self.line,
        }
    }

    /// Adds violations of another check.
    pub fn extend(&mut self, report: Report) {
        let added = report.violations().len();
        self.lines.extend(std::iter::repeat_n(self.line, added));
        self.report.extend(report);
    }
}
