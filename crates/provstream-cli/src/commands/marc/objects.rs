//! MARC objects of an input, each validated, so that every object gets a line.

use std::path::Path;
use std::process::ExitCode;

use provstream_marc::read::{ObjectReader, TopLevelValue};
use provstream_marc::{
    Document, MarcKind, MarcObject, Profile, Report, ValidatedObject, validate_value,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::exit_code;
use crate::input::{BUFFER, InputSource, input_name};
use crate::lines::each_line;
use crate::messages::{print_error, print_note};
use crate::output::Output;
use crate::scan::record::{OutputRecord, ViolationRecord};

/// Longest line, in bytes.
pub(super) const MAX_LINE: usize = 1 << 16;

/// Writes a document as JSON for an output line.
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

    /// Builds the output line of the object.
    pub(crate) fn record(&'a self) -> OutputRecord<'a> {
        let kind = self.document.as_ref().and_then(Document::kind);
        OutputRecord::Marc {
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

/// Counts of objects: the last line of a command.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(tag = "event", rename = "end")]
struct ObjectTotals {
    objects: u64,
    failed: u64,
    /// Line of the first object that failed.
    #[serde(skip)]
    first: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum OtherRecord {
    /// An input without objects.
    Nothing { message: String },
    /// An object or line that was refused.
    Refused { line: u64, message: String },
}

/// Output and counts of a command that reads objects.
#[derive(Debug)]
pub(super) struct ObjectRun<'o> {
    pub(super) output: Output,
    pub(super) file: &'o Path,
    /// Kind of object in messages.
    noun: &'static str,
    fail: bool,
    totals: ObjectTotals,
}

impl<'o> ObjectRun<'o> {
    /// Creates a run that writes to standard output.
    pub(super) fn new(file: &'o Path, noun: &'static str, fail: bool) -> Self {
        Self {
            output: Output::stdout(),
            file,
            noun,
            fail,
            totals: ObjectTotals::default(),
        }
    }

    /// Reads the input and calls `each` with its top-level values.
    pub(super) fn for_each_value(
        &mut self,
        max_record: usize,
        mut each: impl FnMut(&mut Self, TopLevelValue<'_>),
    ) -> anyhow::Result<()> {
        let mut input = InputSource::open(self.file)?;
        let mut buffer = vec![0; BUFFER];
        let mut reader = ObjectReader::new(max_record);
        loop {
            self.output.check(input.is_interactive())?;
            let count = input.read(&mut buffer)?;
            reader.push(&buffer[..count], &mut |value| each(self, value));
            if count == 0 {
                reader.finish(&mut |value| each(self, value));
                return self.output.flush();
            }
        }
    }

    /// Validates the outermost objects in the values, and calls `each` with them. It returns `true` if an object passes.
    pub(super) fn for_each_object(
        &mut self,
        max_record: usize,
        profile: Profile,
        mut each: impl FnMut(&mut Self, ValidatedObject) -> bool,
    ) -> anyhow::Result<()> {
        self.for_each_value(max_record, |run, value| {
            for object in validate_value(&value, None, profile) {
                let line = object.error_line();
                let passed = each(run, object);
                run.add(passed, line);
            }
        })
    }

    /// Reads the lines of the input. `each` may return a message that refuses one.
    pub(super) fn for_each_line(
        &mut self,
        mut each: impl FnMut(&mut Self, u64, &[u8]) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        let input = InputSource::open(self.file)?;
        let pause = |run: &mut Self| run.output.flush();
        each_line(input, MAX_LINE, self, pause, |run, line| {
            let result = match line.content {
                Ok(content) => each(run, line.number, content),
                Err(_) => Err(format!(
                    "expected a line of at most {MAX_LINE} bytes, found a longer one"
                )),
            };
            run.add_result(line.number, result);
        })
    }

    /// Returns the number of objects so far.
    pub(super) const fn objects(&self) -> u64 {
        self.totals.objects
    }

    /// Returns `true` if all objects have passed so far.
    pub(super) const fn passes(&self) -> bool {
        self.totals.objects > 0 && self.totals.failed == 0
    }

    /// Counts an object.
    pub(super) fn add(&mut self, passed: bool, line: u64) {
        self.totals.objects += 1;
        if !passed {
            self.totals.failed += 1;
            self.totals.first = self.totals.first.or(Some(line));
        }
    }

    /// Counts an object, or refuses it.
    pub(super) fn add_result(&mut self, line: u64, result: Result<(), String>) {
        let passed = self.passes_or_refuse(line, result);
        self.add(passed, line);
    }

    /// Prints a line about an object that is refused; returns `true` for others.
    pub(super) fn passes_or_refuse(&mut self, line: u64, result: Result<(), String>) -> bool {
        let Err(message) = result else {
            return true;
        };
        let refused = OtherRecord::Refused { line, message };
        self.output.write_record(&refused);
        false
    }

    fn missing_object(&self) -> Option<String> {
        let noun = self.noun;
        (self.totals.objects == 0).then(|| format!("expected at least one {noun}, found none"))
    }

    /// Prints the totals, and ends the output.
    pub(super) fn finish_with_totals(
        mut self,
        result: anyhow::Result<()>,
    ) -> anyhow::Result<ExitCode> {
        let result = result.and_then(|()| {
            if let Some(message) = self.missing_object() {
                self.output.write_record(&OtherRecord::Nothing { message });
            }
            self.output.write_record(&self.totals);
            self.output.flush()
        });
        self.exit_code(result, self.fail)
    }

    /// Ends the output, which has only objects.
    pub(super) fn finish(mut self, result: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
        let result = result.and_then(|()| self.output.flush());
        self.exit_code(result, true)
    }

    fn exit_code(
        &self,
        result: anyhow::Result<()>,
        reports_missing: bool,
    ) -> anyhow::Result<ExitCode> {
        let name = input_name(self.file);
        if result.is_ok() {
            if let (true, Some(message)) = (reports_missing, self.missing_object()) {
                print_error(format_args!("{name}: {message}"));
            }
            if let (true, Some(first)) = (self.fail, self.totals.first) {
                let ObjectTotals {
                    objects, failed, ..
                } = self.totals;
                let noun = self.noun;
                print_note(format_args!(
                    "failed: {failed} of {objects} {noun}s, the first at line {first} of {name}; the output says why"
                ));
            }
        }
        exit_code(result, self.fail, self.passes())
    }
}
