//! MARC objects of an input, each validated, so that every object gets a line.

use provstream_marc::ValidatedObject;
use provstream_marc::read::{ObjectReader, TopLevelValue};
use provstream_marc::{Document, MarcKind, MarcObject, Profile, Report};
use serde::Serialize;
use serde_json::value::RawValue;

use super::options::ObjectInputOptions;
use crate::error::exit_code;
use crate::input::{BUFFER, Input, input_name};
use crate::messages::{print_error, print_note};
use crate::output::Output;
use crate::scan::record::{Record, ViolationRecord};

/// JSON of a document, for a line.
pub(super) fn raw_json(document: &Document) -> Option<Box<RawValue>> {
    RawValue::from_string(document.to_json()).ok()
}

/// A MARC object of a stream, validated.
#[derive(Debug)]
pub(crate) struct MarcRecord<'a> {
    object: &'a MarcObject<'a>,
    /// `None` if the object is too long.
    document: Option<Document>,
    report: Report,
}

impl<'a> MarcRecord<'a> {
    /// Validates an object.
    pub(crate) fn new(object: &'a MarcObject<'a>, profile: Profile) -> Self {
        Self {
            object,
            document: object.raw().and_then(|raw| Document::parse(raw).ok()),
            report: provstream_marc::validate(object, profile),
        }
    }

    /// The line of the object.
    pub(crate) fn record(&'a self) -> Record<'a> {
        let kind = self.document.as_ref().and_then(Document::kind);
        Record::Marc {
            kind: kind.unwrap_or(self.object.kind()).as_str(),
            span: self.object.span(),
            pointer: self.object.pointer(),
            valid: self.report.is_valid(),
            violations: self
                .report
                .violations()
                .iter()
                .map(ViolationRecord::from)
                .collect(),
            record: self.document.as_ref().and_then(raw_json),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "marc")]
struct ObjectRecord<'a> {
    kind: Option<&'static str>,
    line: u64,
    span: OffsetRecord,
    pointer: Option<&'a str>,
    valid: bool,
    violations: Vec<ViolationRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct OffsetRecord {
    start: u64,
    end: u64,
}

/// Prints an object with its violations.
pub(super) fn print_object(object: &ValidatedObject, output: &mut Output) {
    let violations = object.report.violations().iter().zip(&object.lines);
    output.write_record(&ObjectRecord {
        kind: object.kind.map(MarcKind::as_str),
        line: object.line,
        span: OffsetRecord {
            start: object.span.0,
            end: object.span.1,
        },
        pointer: object.pointer.as_deref(),
        valid: object.report.is_valid(),
        violations: violations
            .map(|(violation, line)| ViolationRecord {
                line: Some(*line),
                ..ViolationRecord::from(violation)
            })
            .collect(),
    });
}

/// Reads an input and calls `each` with its top-level values. `flush` is called before each read that may have to wait.
pub(super) fn for_each_value<T>(
    options: &ObjectInputOptions,
    state: &mut T,
    flush: impl Fn(&mut T) -> anyhow::Result<()>,
    mut each: impl FnMut(&mut T, TopLevelValue<'_>),
) -> anyhow::Result<()> {
    let mut input = Input::open(&options.file)?;
    let mut buffer = vec![0; BUFFER];
    let mut reader = ObjectReader::new(options.max_record);
    loop {
        if input.is_interactive() {
            flush(state)?;
        }
        let count = input.read(&mut buffer)?;
        reader.push(&buffer[..count], &mut |value| each(state, value));
        if count == 0 {
            reader.finish(&mut |value| each(state, value));
            return flush(state);
        }
    }
}

/// Counts of objects: the last line of a command.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(tag = "event", rename = "end")]
pub(super) struct ObjectTotals {
    pub(super) objects: u64,
    pub(super) failed: u64,
    /// Line of the first object that failed.
    #[serde(skip)]
    first: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "nothing")]
struct NothingRecord {
    message: String,
}

/// Line about an object or line that was refused.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "refused")]
pub(super) struct RefusedRecord {
    pub(super) line: u64,
    pub(super) message: String,
}

impl ObjectTotals {
    /// Counts an object.
    pub(super) fn add(&mut self, passed: bool, line: u64) {
        self.objects += 1;
        if !passed {
            self.failed += 1;
            self.first = self.first.or(Some(line));
        }
    }

    /// Prints the totals, after a line that says so if there was no object.
    pub(super) fn print(self, output: &mut Output, noun: &str) {
        if let Some(message) = self.missing_object(noun) {
            output.write_record(&NothingRecord { message });
        }
        output.write_record(&self);
    }

    fn missing_object(self, noun: &str) -> Option<String> {
        (self.objects == 0).then(|| format!("expected at least one {noun}, found none"))
    }

    /// Prints an error if there was no object.
    pub(super) fn report_missing(self, options: &ObjectInputOptions, noun: &str) {
        if let Some(message) = self.missing_object(noun) {
            print_error(format_args!("{}: {message}", input_name(&options.file)));
        }
    }

    /// The exit status, and with `--fail` a note about objects that failed.
    pub(super) fn exit_code(
        self,
        result: anyhow::Result<()>,
        options: &ObjectInputOptions,
        fail: bool,
        noun: &str,
    ) -> anyhow::Result<std::process::ExitCode> {
        if let (true, true, Some(first)) = (fail, result.is_ok(), self.first) {
            let name = input_name(&options.file);
            let Self {
                objects, failed, ..
            } = self;
            print_note(format_args!(
                "failed: {failed} of {objects} {noun}s, the first at line {first} of {name}; the output says why"
            ));
        }
        exit_code(result, fail, self.objects > 0 && self.failed == 0)
    }
}
