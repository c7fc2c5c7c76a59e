//! Reading of files by `extract` and `admit`: from inputs to records.

pub(crate) mod check;
pub(crate) mod event_printer;
mod line_index;
mod parallel;
pub(crate) mod pretty;
pub(crate) mod record;
pub(crate) mod totals;
pub(crate) mod unannotated;

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use provstream::provenance::{Discipline, ObservationCheck, Timestamp, Vocabulary};
use provstream::{Limits, Mode, Parser, ParserBuilder};
use provstream_route::ObservationIds;

use self::check::Checks;
use self::event_printer::{EventPrinter, print_record};
use self::record::RecordContext;
use self::totals::{PartSummary, StreamCounts};
use crate::files::{InputFiles, tolerate};
use crate::hidden_annotations::hidden_message;
use crate::input::{InputSource, input_name};
use crate::messages::print_note;
use crate::observation_ids::IdOptions;
use crate::options::{
    AssertionLimits, DialectOptions, FieldOptions, FileOptions, InputFormat, InputOptions,
    OutputOptions,
};
use crate::output::{Output, is_terminal};
use crate::progress;
use crate::reader::{StreamReader, pump};

// Options of `extract` and `admit`.
#[derive(Debug, Args)]
pub(crate) struct ScanOptions {
    /// Print lines for people: line:column, text, classes, and what diagnostics and verdicts mean
    #[arg(long)]
    pretty: bool,
    /// Print JSON also on a terminal
    #[arg(long, conflicts_with = "pretty")]
    json: bool,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
    #[command(flatten)]
    files: FileOptions,
    /// Number of threads, 1 to 256; the output is in the order of the input
    ///
    /// Several files are read at once, and one file of NDJSON (--mode ndjson, or --field) in parts.
    #[arg(long, short, value_name = "N", default_value = "1", env = "PROVSTREAM_JOBS", hide_env = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    jobs: usize,
    #[command(flatten)]
    fields: FieldOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    limits: AssertionLimits,
    #[command(flatten)]
    ids: IdOptions,
}

impl ScanOptions {
    /// Limits of the parser.
    pub(crate) fn limits(&self) -> anyhow::Result<Limits> {
        self.limits.limits(&self.input)
    }

    /// Returns `true` if lines are for people.
    pub(crate) fn is_pretty(&self) -> bool {
        self.pretty || !self.json && is_terminal(self.output.path())
    }
}

/// Records that a scan prints.
#[derive(Debug)]
pub(crate) enum ReportKind {
    /// All events, and clean text with `--text`.
    Events { text: bool },
    /// Assertions with verdicts.
    Verdicts {
        discipline: Box<Discipline>,
        observations: Option<Arc<dyn ObservationCheck>>,
        /// Time to judge by; `None` is the clock.
        now: Option<Timestamp>,
        require_annotations: bool,
    },
    /// Assertions with the checks of an extension, and diagnostics.
    Checks(Checks),
}

/// Settings of a scan.
#[derive(Debug)]
struct ScanConfig<'o> {
    options: &'o ScanOptions,
    report: ReportKind,
    ids: ObservationIds,
    parser: ParserBuilder,
    is_pretty: bool,
    /// Markers of dialects that are not read are looked for.
    suggests_dialects: bool,
}

impl ScanConfig<'_> {
    /// Returns `true` if a file can be read in parts that end with a line.
    fn is_line_delimited(&self) -> bool {
        let input = &self.options.input;
        self.has_fields() || (input.mode == Mode::Ndjson && input.input == InputFormat::Raw)
    }

    fn has_fields(&self) -> bool {
        !self.options.fields.pointers.is_empty()
    }

    fn is_judged(&self) -> bool {
        matches!(self.report, ReportKind::Verdicts { .. })
    }

    /// Creates a reader whose first line has the number `line`.
    fn reader(&self, parser: Parser, line: u64) -> StreamReader {
        let reader = StreamReader::new(self.options.input.input, parser, |rewriter| rewriter);
        reader.with_fields(&self.options.fields.pointers, line, false)
    }

    fn open(&self, path: &Path, files: &InputFiles) -> anyhow::Result<InputSource> {
        let input = InputSource::open_with(path, files.progress.clone())?;
        let is_text = self.options.input.input == InputFormat::Raw && !self.has_fields();
        Ok(input.detect_response(is_text))
    }

    /// Reads an input to its end.
    fn scan_input(
        &self,
        mut input: InputSource,
        output: Output,
        file: Option<Arc<str>>,
    ) -> Scanned {
        let reader = self.reader(self.parser.clone().build(), 1);
        let mut printer = EventPrinter::new(self, output, file);
        let end = pump(
            &mut input,
            reader,
            self.options.input.chunk_size,
            &mut printer,
        );
        printer.finish(end)
    }
}

/// Result of reading an input or a part of it, and the output.
struct Scanned {
    result: anyhow::Result<()>,
    summary: PartSummary,
    output: Output,
}

/// Reads all files and prints records and totals, in the order of the files. Returns the number of files that could not be read,
/// and the counts.
pub(crate) fn scan(
    options: &ScanOptions,
    vocabulary: Vocabulary,
    limits: Limits,
    report: ReportKind,
    dialects: Option<&DialectOptions>,
) -> anyhow::Result<(anyhow::Result<u64>, StreamCounts)> {
    options.fields.distinct()?;
    let mut parser = options.input.parser(limits, vocabulary.clone());
    if let Some(dialects) = dialects {
        parser = dialects.apply(&options.input, parser, &vocabulary)?;
    }
    let config = ScanConfig {
        options,
        report,
        ids: options.ids.load()?,
        parser,
        suggests_dialects: options.is_pretty()
            && dialects.is_some_and(|dialects| !dialects.are_read()),
        is_pretty: options.is_pretty(),
    };
    if options.output.path().is_some() {
        progress::set_output_file();
    }
    let files = InputFiles::new(&options.files)?;
    let vocabulary = options.input.vocabulary_file();
    let output = options
        .output
        .open(files.inputs([vocabulary, options.ids.salt_file()]))?;
    let mut totals = ScanTotals {
        config: &config,
        is_named: files.are_named,
        files: files.paths.len() as u64,
        counts: StreamCounts::default(),
        unreadable: 0,
    };
    let is_single = files.paths.len() == 1 && !config.is_line_delimited();
    let result = match options.jobs < 2 || is_single {
        true => scan_sequentially(&config, files, output, &mut totals),
        false => parallel::scan(&config, files, output, &mut totals),
    };
    let result = result.and_then(|output| totals.write_grand_total(output));
    Ok((result, totals.counts))
}

fn scan_sequentially(
    config: &ScanConfig<'_>,
    mut files: InputFiles,
    mut output: Output,
    totals: &mut ScanTotals<'_>,
) -> anyhow::Result<Output> {
    for path in std::mem::take(&mut files.paths) {
        match path.and_then(|path| Ok((config.open(&path, &files)?, path))) {
            Ok((input, path)) => {
                let scanned = config.scan_input(input, output, totals.file_name(&path));
                output = scanned.output;
                totals.add_input(&path, scanned.result, scanned.summary, &mut output)?;
            }
            Err(error) => totals.tolerate(Err(error))?,
        }
    }
    Ok(output)
}

/// Counts over all files.
#[derive(Debug)]
struct ScanTotals<'c> {
    config: &'c ScanConfig<'c>,
    /// `true` if records name their file.
    is_named: bool,
    files: u64,
    counts: StreamCounts,
    /// Files that could not be read, of several.
    unreadable: u64,
}

impl ScanTotals<'_> {
    /// Returns the name of a file for records, if records name files.
    fn file_name(&self, path: &Path) -> Option<Arc<str>> {
        self.is_named
            .then(|| path.to_string_lossy().into_owned().into())
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
            for found in [
                &mut counts.refused,
                &mut counts.unannotated,
                &mut counts.faulty,
                &mut counts.unlisted,
            ] {
                found.set_file(&file);
            }
        }
        self.counts.merge(counts);
        if result.is_err() {
            output.flush()?;
            return self.tolerate(result);
        }
        let context = RecordContext {
            file: self.file_name(path),
            ..RecordContext::default()
        };
        let record = summary.counts.end_record(self.config.is_judged());
        print_record(self.config, output, &record, &context, None);
        output.check(false)
    }

    /// Reports a file that could not be read. Of several, the others are read.
    fn tolerate(&mut self, result: anyhow::Result<()>) -> anyhow::Result<()> {
        tolerate(result, self.is_named, &mut self.unreadable)
    }

    /// Prints notes about what of a file was not read or not judged.
    fn print_notes(&self, path: &Path, summary: &PartSummary) {
        let prefix = match self.is_named {
            true => format!("{}: ", path.display()),
            false => String::new(),
        };
        let (status, unjudged) = (&summary.status, &summary.counts.unjudged);
        let is_judged = self.config.is_judged();
        match &status.unrecognised {
            // `extract` prints records about the rest.
            Some(input) if !is_judged => print_note(format_args!("{prefix}{input}")),
            _ if status.is_empty || is_judged && !status.is_fully_read() => {
                print_note(format_args!("{prefix}{status}"));
            }
            _ => {}
        }
        let pointers = &self.config.options.fields.pointers;
        if is_judged && !unjudged.is_empty() {
            print_note(format_args!("{prefix}{unjudged}"));
        } else if let Some(message) = summary.fields.missing(pointers) {
            print_note(format_args!("{}: {message}", input_name(path)));
        }
        if let Some(place) = summary.hidden {
            print_note(format_args!("{prefix}{}", hidden_message(place, "read")));
        } else if let Some(name) = &summary.dialect {
            print_note(format_args!(
                "{prefix}no annotations, but markers of citations: --dialect {name} reads them"
            ));
        } else if self.config.is_pretty && status.is_fully_read() && summary.counts.has_only_text()
        {
            print_note(format_args!(
                "{prefix}no annotations; `provstream emit` makes a model write them, and `provstream proxy --demo` shows what they are for"
            ));
        }
    }

    /// Prints the totals of several files, and ends the output. Returns the number of files that could not be read.
    fn write_grand_total(&self, mut output: Output) -> anyhow::Result<u64> {
        if self.is_named && self.unreadable == 0 {
            let context = RecordContext {
                files: Some(self.files),
                ..RecordContext::default()
            };
            let record = self.counts.end_record(self.config.is_judged());
            print_record(self.config, &mut output, &record, &context, None);
        }
        output.commit()?;
        Ok(self.unreadable)
    }
}
