//! The MARC objects of an input, each validated, so that nothing of the input is passed over.

use std::path::Path;

use provstream_marc::{
    Document, FoundObject, MarcKind, Profile, Report, Violation, ViolationCode as Code,
    find_marc_objects,
};
use serde::Serialize;

use super::args::KindArg;
use super::objects::{Missing, Outermost, lines_before};
use crate::failure::{complain, note};
use crate::input::name_of;
use crate::line::ViolationFields;
use crate::output::Output;

/// Where an object is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) line: u64,
    span: (u64, u64),
    /// `None` if it is too long to be written.
    pub(crate) pointer: Option<String>,
}

/// A MARC object of the input, or what was found in the place of one.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) place: Place,
    pub(crate) kind: Option<MarcKind>,
    /// `None` if there is no object.
    pub(crate) document: Option<Document>,
    pub(crate) report: Report,
    /// The line of each violation.
    lines: Vec<u64>,
    /// Whether it is in another MARC object.
    is_nested: bool,
}

/// The MARC objects in an outermost object that are in no other MARC object: at least one line for each.
pub(crate) fn objects(outermost: &Outermost<'_>, kind: KindArg, profile: Profile) -> Vec<Object> {
    let mut objects = all_objects(outermost, kind, profile);
    objects.retain(|object| !object.is_nested);
    objects
}

/// The MARC objects in an outermost object, also those in other ones.
pub(super) fn all_objects(
    outermost: &Outermost<'_>,
    kind: KindArg,
    profile: Profile,
) -> Vec<Object> {
    let place = Place {
        line: outermost.line,
        span: outermost.span,
        pointer: Some(outermost.pointer.clone()),
    };
    let document = match outermost.document() {
        Ok(document) => document,
        Err(error) => {
            let code = match outermost.content {
                Err(Missing::TooLong(_)) => Code::LimitRecord,
                _ => Code::Syntax,
            };
            let mut object = absent(place, code, error.message);
            object.lines = vec![error.line];
            return vec![object];
        }
    };
    let bytes = outermost.content.as_ref().copied().unwrap_or_default();
    let found = match kind {
        KindArg::Auto => find_marc_objects(bytes),
        KindArg::Core | KindArg::Disclosure => vec![FoundObject {
            pointer: Some(String::new()),
            span: 0..bytes.len(),
            is_nested: false,
            document: Some(document),
            kind: Some(if kind == KindArg::Core {
                MarcKind::Core
            } else {
                MarcKind::Disclosure
            }),
        }],
    };
    if found.is_empty() && event_of(bytes).as_deref() == Some("end") {
        return Vec::new();
    }
    if found.is_empty() {
        return vec![absent(place, Code::Nothing, nothing_in(bytes))];
    }
    found
        .into_iter()
        .map(|one| judged(one, &place, bytes, profile))
        .collect()
}

/// The event of a line that a command of this program printed.
fn event_of(bytes: &[u8]) -> Option<String> {
    let line = Document::parse(bytes).ok()?;
    Some(line.get_str("event")?.into_owned())
}

/// What is wrong with an object that has no MARC object in it.
fn nothing_in(bytes: &[u8]) -> String {
    let expected = "expected a MARC object, found";
    let line = Document::parse(bytes).unwrap_or_default();
    match (line.get_str("event").as_deref(), line.get_str("message")) {
        (Some(event @ ("withheld" | "refused" | "nothing")), Some(message)) => {
            format!("{expected} a line with the event `{event}`: {message}")
        }
        (Some(event @ ("deferred" | "marc")), _) => {
            format!("{expected} a line with the event `{event}`, which has none")
        }
        _ if line.get("marc_version").is_some() => format!(
            "{expected} only the member `marc_version` of one; `provstream marc validate --kind core` reports what is missing"
        ),
        _ => format!("{expected} none in this JSON object"),
    }
}

fn absent(place: Place, code: Code, message: String) -> Object {
    let mut report = Report::default();
    report.push(Violation::new(code, message));
    Object {
        is_nested: false,
        lines: vec![place.line],
        place,
        kind: None,
        document: None,
        report,
    }
}

fn judged(found: FoundObject, outermost: &Place, bytes: &[u8], profile: Profile) -> Object {
    let mut report = match (&found.document, found.kind) {
        (Some(document), Some(kind)) => document.validate(kind, profile),
        (None, _) => {
            let mut report = Report::default();
            let message =
                "the object is in more than 64 other MARC objects, so it was not looked at";
            report.push(Violation::new(Code::LimitRecord, message));
            report
        }
        (Some(_), None) => {
            let mut report = Report::default();
            report.push(Violation::new(Code::UnknownKind, "expected a MARC-Core record or a MARC-Disclosure object, found one whose members do not show which of the two it is; `marc validate --kind core` or `--kind disclosure` takes it for one"));
            report
        }
    };
    let reported = report
        .violations()
        .iter()
        .any(|one| one.code() == Code::InvalidUtf8);
    if !reported && std::str::from_utf8(bytes).is_err() {
        let message = "the object is not UTF-8 throughout";
        report.push(Violation::new(Code::InvalidUtf8, message));
    }
    let start = found.span.start;
    let feeds = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
    let first = outermost.line + u64::try_from(feeds).unwrap_or(u64::MAX);
    let object = &bytes[found.span.clone()];
    let within = |pointer: &str| first + lines_before(object, pointer);
    let pointer = found
        .pointer
        .and_then(|pointer| Some(format!("{}{pointer}", outermost.pointer.as_deref()?)));
    Object {
        lines: report
            .violations()
            .iter()
            .map(|one| within(one.pointer()))
            .collect(),
        place: Place {
            line: first,
            span: outermost.span,
            pointer,
        },
        kind: found.kind,
        document: found.document,
        report,
        is_nested: found.is_nested,
    }
}

/// The line of an object.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "marc")]
struct ObjectLine<'a> {
    kind: Option<&'static str>,
    line: u64,
    span: Offsets,
    pointer: Option<&'a str>,
    valid: bool,
    violations: Vec<ViolationFields<'a>>,
}

#[derive(Debug, Serialize)]
struct Offsets {
    start: u64,
    end: u64,
}

impl Object {
    /// What is wrong, in one text. Where there is no object, that is all that is wrong.
    pub(crate) fn faults(&self) -> String {
        match (&self.document, self.report.violations()) {
            (None, [only]) => only.message().to_owned(),
            _ => self.report.to_string(),
        }
    }

    /// The line of the first fault.
    pub(crate) fn fault_line(&self) -> u64 {
        match (&self.document, &*self.lines) {
            (None, [only]) => *only,
            _ => self.place.line,
        }
    }

    /// Adds what another check found.
    pub(crate) fn add(&mut self, report: Report) {
        let more = report.violations().len();
        self.lines
            .extend(std::iter::repeat_n(self.place.line, more));
        self.report.extend(report);
    }

    /// Prints the object with its violations.
    pub(crate) fn print(&self, output: &mut Output) {
        let violations = self.report.violations().iter().enumerate();
        output.line(&ObjectLine {
            kind: self.kind.map(MarcKind::as_str),
            line: self.place.line,
            span: Offsets {
                start: self.place.span.0,
                end: self.place.span.1,
            },
            pointer: self.place.pointer.as_deref(),
            valid: self.report.is_valid(),
            violations: violations
                .map(|(at, violation)| ViolationFields {
                    line: Some(self.lines.get(at).copied().unwrap_or(self.place.line)),
                    ..ViolationFields::from(violation)
                })
                .collect(),
        });
    }
}

/// Where the reasons of commands that refuse objects are.
pub(crate) const REFUSED: &str = "the lines with \"event\":\"refused\" say why";

/// How many objects there were, and how many of them failed: the last line of each command.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(tag = "event", rename = "end")]
pub(crate) struct Totals {
    pub(crate) objects: u64,
    pub(crate) failed: u64,
    /// The line of the first one that failed.
    #[serde(skip)]
    first: Option<u64>,
}

impl Totals {
    /// Counts an object at a line.
    pub(crate) fn count(&mut self, passed: bool, line: u64) {
        self.objects += 1;
        if !passed {
            self.failed += 1;
            self.first = self.first.or(Some(line));
        }
    }

    /// Whether there was something, and nothing failed.
    pub(crate) const fn passed(self) -> bool {
        self.objects > 0 && self.failed == 0
    }

    /// Prints that there was nothing, if so, and the totals.
    pub(crate) fn end(self, output: &mut Output, what: &str) {
        if let Some(message) = self.nothing(what) {
            output.line(&Nothing { message });
        }
        output.line(&self);
    }

    /// Reports on standard error that there was nothing, if so: for commands whose output is not lines about objects.
    pub(crate) fn complain_of_nothing(self, file: &Path, what: &str) {
        if let Some(message) = self.nothing(what) {
            complain(format_args!("{}: {message}", name_of(file)));
        }
    }

    /// Reports on standard error why `--fail` gives its status, if it does: what was not `done` with how many of `what`, and
    /// where the `reasons` are.
    pub(crate) fn note_failed(self, file: &Path, (done, what): (&str, &str), reasons: &str) {
        let Self {
            objects,
            failed,
            first,
        } = self;
        if let Some(first) = first {
            let name = name_of(file);
            note(format_args!(
                "{done}: {failed} of {objects} {what}, the first at line {first} of {name}; {reasons}"
            ));
        }
    }

    fn nothing(self, what: &str) -> Option<String> {
        (self.objects == 0).then(|| format!("expected at least one {what}, found none"))
    }
}

/// There was nothing to do.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "nothing")]
struct Nothing {
    message: String,
}
