//! Reading of files by `extract` and `admit`: from inputs to records.

pub(crate) mod event_printer;
pub(crate) mod field_reader;
mod line_index;
mod parallel;
pub(crate) mod pretty;
pub(crate) mod record;
pub(crate) mod totals;
pub(crate) mod unannotated;

use std::path::Path;
use std::sync::Arc;

use provstream::provenance::{Discipline, Timestamp};
use provstream::{Mode, Parser, ParserBuilder};
use provstream_providers::{Pointer, Reasoning};

use self::event_printer::{EventPrinter, print_record};
use self::record::RecordContext;
use self::totals::{Counts, PartSummary};
use crate::error::{is_input_error, report};
use crate::files::InputFiles;
use crate::hidden_annotations::hidden_message;
use crate::input::{Input, input_name};
use crate::messages::print_note;
use crate::options::{FieldOptions, FileOptions, InputFormat, InputOptions};
use crate::output::Output;
use crate::reader::{StreamReader, pump};

/// Records that a scan prints.
#[derive(Debug)]
pub(crate) enum ReportKind {
    /// All events, and clean text with `--text`.
    Events { text: bool },
    /// Assertions with verdicts.
    Verdicts {
        discipline: Box<Discipline>,
        /// Time to judge by; `None` is the clock.
        now: Option<Timestamp>,
        require_annotations: bool,
    },
}

/// Settings of a scan.
#[derive(Debug)]
pub(crate) struct ScanConfig {
    pub(crate) report: ReportKind,
    pub(crate) parser: ParserBuilder,
    pub(crate) mode: Mode,
    pub(crate) input: InputFormat,
    /// `--field`.
    pub(crate) fields: Vec<Pointer>,
    /// Names of fields in records, if there are several.
    pub(crate) field_names: Vec<Arc<str>>,
    pub(crate) chunk_size: Option<usize>,
    pub(crate) is_pretty: bool,
}

impl ScanConfig {
    /// The scan that the options describe.
    pub(crate) fn from_options(
        input: &InputOptions,
        files: &FileOptions,
        parser: ParserBuilder,
        report: ReportKind,
        is_pretty: bool,
    ) -> anyhow::Result<Self> {
        let fields = files.fields.distinct()?;
        let mut field_names = Vec::new();
        if fields.len() > 1 {
            field_names.extend(fields.iter().map(|field| field.as_str().into()));
        }
        Ok(Self {
            report,
            parser,
            mode: input.mode,
            input: input.input,
            fields,
            field_names,
            chunk_size: input.chunk_size,
            is_pretty,
        })
    }

    /// Returns `true` if a file can be read in parts that end with a line.
    fn is_line_delimited(&self) -> bool {
        !self.fields.is_empty() || (self.mode == Mode::Ndjson && self.input == InputFormat::Raw)
    }

    /// A reader whose first line has this number.
    fn reader(&self, parser: Parser, line: u64) -> StreamReader {
        match self.fields.is_empty() {
            true => StreamReader::new(self.input, parser, Reasoning::Leave),
            false => StreamReader::of_fields(&self.fields, parser, line),
        }
    }

    fn open(&self, path: &Path, files: &InputFiles) -> anyhow::Result<Input> {
        let input = Input::open_with(path, files.progress.clone())?;
        let is_text = self.input == InputFormat::Raw;
        Ok(input.detect_response(is_text))
    }

    /// Reads an input to its end.
    fn scan_input(&self, mut input: Input, output: Output, file: Option<Arc<str>>) -> Scanned {
        let reader = self.reader(self.parser.clone().build(), 1);
        let mut printer = EventPrinter::new(self, output, file);
        let (result, (summary, output)) =
            match pump(&mut input, reader, self.chunk_size, &mut printer) {
                Ok(end) => (Ok(()), printer.finish(end)),
                Err(error) => (Err(error), printer.into_partial()),
            };
        Scanned {
            result,
            summary,
            output,
        }
    }
}

/// Result of reading an input or a part of it, and the output.
struct Scanned {
    result: anyhow::Result<()>,
    summary: PartSummary,
    output: Output,
}

/// Reads all files and prints records and totals, in the order of the files.
pub(crate) fn scan_all(
    config: &ScanConfig,
    files: InputFiles,
    jobs: usize,
    output: Output,
) -> (anyhow::Result<()>, ScanTotals<'_>) {
    let mut totals = ScanTotals {
        config,
        is_named: files.are_named,
        files: files.paths.len() as u64,
        counts: Counts::default(),
        unreadable: 0,
    };
    let is_single = files.paths.len() == 1 && !config.is_line_delimited();
    let result = match jobs < 2 || is_single {
        true => scan_sequentially(config, files, output, &mut totals),
        false => parallel::scan(config, files, jobs, output, &mut totals),
    };
    let result = result.and_then(|output| totals.write_grand_total(output));
    (result, totals)
}

fn scan_sequentially(
    config: &ScanConfig,
    mut files: InputFiles,
    mut output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    for path in std::mem::take(&mut files.paths) {
        let opened = path.and_then(|path| Ok((config.open(&path, &files)?, path)));
        match opened {
            Ok((input, path)) => {
                let scanned = config.scan_input(input, output, totals.file_name(&path));
                output = scanned.output;
                totals.add_input(&path, scanned.result, scanned.summary, &mut output)?;
            }
            Err(error) => totals.report_unreadable(error)?,
        }
    }
    Ok(output)
}

/// Counts over all files.
#[derive(Debug)]
pub(crate) struct ScanTotals<'c> {
    config: &'c ScanConfig,
    /// `true` if records name their file.
    is_named: bool,
    files: u64,
    pub(crate) counts: Counts,
    /// Files that could not be read, of several.
    pub(crate) unreadable: u64,
}

impl ScanTotals<'_> {
    /// Name of a file in records.
    fn file_name(&self, path: &Path) -> Option<Arc<str>> {
        self.is_named
            .then(|| path.to_string_lossy().into_owned().into())
    }

    fn is_judged(&self) -> bool {
        matches!(self.config.report, ReportKind::Verdicts { .. })
    }

    /// Adds a file that was read, and prints its totals.
    fn add_input(
        &mut self,
        path: &Path,
        result: anyhow::Result<()>,
        mut summary: PartSummary,
        output: &mut Output,
    ) -> anyhow::Result<()> {
        self.print_notes(path, &summary);
        let counts = &mut summary.counts;
        let is_incomplete = !summary.status.is_fully_read() || summary.hidden.is_some();
        counts.incomplete += u64::from(is_incomplete);
        if self.is_named {
            let file = path.display().to_string();
            counts.refused.set_file(&file);
            counts.unannotated.set_file(&file);
        }
        self.counts.merge(counts);
        if let Err(error) = result {
            output.flush()?;
            return self.report_unreadable(error);
        }
        let context = RecordContext {
            file: self.file_name(path),
            ..RecordContext::default()
        };
        let record = summary.counts.end_record(self.is_judged());
        print_record(self.config, output, &record, &context, None);
        output.check()
    }

    /// Reports a file that could not be read. Of several, the others are read.
    fn report_unreadable(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        if !self.is_named || !is_input_error(&error) {
            return Err(error);
        }
        self.unreadable += 1;
        report(&error);
        Ok(())
    }

    /// Prints notes about what of a file was not read or not judged.
    fn print_notes(&self, path: &Path, summary: &PartSummary) {
        let prefix = match self.is_named {
            true => format!("{}: ", path.display()),
            false => String::new(),
        };
        let (status, unjudged) = (&summary.status, &summary.counts.unjudged);
        match status.unrecognised() {
            // `extract` prints records about the rest.
            Some(input) if !self.is_judged() => print_note(format_args!("{prefix}{input}")),
            _ if status.is_empty() || self.is_judged() && !status.is_fully_read() => {
                print_note(format_args!("{prefix}{status}"));
            }
            _ => {}
        }
        if self.is_judged() {
            if !unjudged.is_empty() {
                print_note(format_args!("{prefix}{unjudged}"));
            }
        } else if let Some(message) = summary
            .fields
            .message(&input_name(path), &FieldOptions::names(&self.config.fields))
        {
            print_note(message);
        }
        if let Some(place) = summary.hidden {
            print_note(format_args!("{prefix}{}", hidden_message(place, "read")));
        }
    }

    /// Prints the totals of several files, and ends the output.
    fn write_grand_total(&self, mut output: Output) -> anyhow::Result<()> {
        if self.is_named && self.unreadable == 0 {
            let context = RecordContext {
                files: Some(self.files),
                ..RecordContext::default()
            };
            let record = self.counts.end_record(self.is_judged());
            print_record(self.config, &mut output, &record, &context, None);
        }
        output.commit()
    }
}
