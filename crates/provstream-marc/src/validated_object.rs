//! Validation of all MARC objects of an input.

use super::read::{FoundObject, ReadProblem, TopLevelValue, line_offset, marc_objects};
use crate::{Document, MarcKind, Profile, Report, Violation, ViolationCode as Code};

/// A MARC object of the input, or a report of what was found in its place.
#[derive(Debug)]
pub struct ValidatedObject {
    /// Line on which the object begins.
    pub line: u64,
    /// Range of the top-level value.
    pub span: (u64, u64),
    /// JSON Pointer in the input.
    pub pointer: String,
    /// Kind; `None` if the members do not show it.
    pub kind: Option<MarcKind>,
    /// `None` if there is no object.
    pub document: Option<Document>,
    /// Violations.
    pub report: Report,
    /// Line of each violation.
    pub lines: Vec<u64>,
}

/// Validates the MARC objects in a top-level value: at least one for each value.
#[must_use]
pub fn validate_value(
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
    let found = match kind {
        None => marc_objects(document),
        Some(_) => vec![FoundObject {
            pointer: String::new(),
            document,
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
        report.push(Violation::new(code, message).by("MARC-02 4.1"));
        Self {
            line: value.line,
            span: value.span,
            pointer: value.pointer.clone(),
            kind: None,
            document: None,
            report,
            lines: vec![line],
        }
    }

    fn new(found: FoundObject, value: &TopLevelValue<'_>, profile: Profile) -> Self {
        let bytes = value.content.as_ref().copied().unwrap_or_default();
        let mut report = match found.kind {
            Some(kind) => found.document.validate(kind, profile),
            None => {
                let mut report = Report::default();
                report.push(Violation::new(Code::UnknownKind, "expected a MARC-Core record or a MARC-Disclosure object, found one whose members do not show which of the two it is; --kind takes it for one"));
                report
            }
        };
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
        let line_of =
            |pointer: &str| value.line + line_offset(bytes, &format!("{}{pointer}", found.pointer));
        Self {
            line: line_of(""),
            span: value.span,
            pointer: format!("{}{}", value.pointer, found.pointer),
            lines: report
                .violations()
                .iter()
                .map(|it| line_of(it.pointer()))
                .collect(),
            kind: found.kind,
            document: Some(found.document),
            report,
        }
    }

    /// Describes the violations. Where there is no object, its absence is the only one.
    #[must_use]
    pub fn describe(&self) -> String {
        match (&self.document, self.report.violations()) {
            (None, [only]) => only.message().to_owned(),
            _ => self.report.to_string(),
        }
    }

    /// Line of the object, or of the error in its place.
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
