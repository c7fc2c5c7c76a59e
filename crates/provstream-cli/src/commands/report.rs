//! `provstream report`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use provstream::provenance::Timestamp;
use provstream::{Event, GateHandler, Handler, Mode};
use provstream_providers::GateEvent;
use provstream_report::{
    AuditLog, Counts, Outcome, Overview, Page, Report, TextSummary, Transcripts,
};

use super::gate_stream::{GateSettings, GateStreamOptions};
use super::gate_summary::GateSummary;
use crate::error::{CliError, exit_code, exit_code_of_files, usage_error};
use crate::files::{InputFiles, is_folder};
use crate::input::{InputSource, input_name};
use crate::lines::each_line;
use crate::messages::{CountAndExample, count, print_note};
use crate::options::{DialectOptions, FileOptions, InputFormat};
use crate::output::{Output, is_terminal, refuse_input_as_output};
use crate::reader::pump;
use crate::sink::{StreamSink, TextName};

/// Longest line of an audit log that is read, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Show an answer as a page: each assertion, its verdict, and what the gate would do
///
/// The page is one HTML file without scripts, to be opened in a browser. It shows the answer
/// without its annotations, with each assertion marked by its verdict, and for each annotation
/// whether it counts or why not. Text that the gate would withhold is struck through.
///
///     provstream report answer.txt --policy policy.toml -o report.html
///     provstream report answers/ --recursive --policy policy.toml -o reports/
///     provstream report --audit-log audit.ndjson -o report.html
///
/// Of several files, each gets a page in the directory -o, and index.html has a row for each. An
/// audit log has hashes instead of texts. With --dialect, sentences with markers of citations such
/// as [1] are judged, too. That an annotation counts is no evidence that an observation took place.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "provstream report [OPTIONS] --policy <FILE> [FILE]...\n       provstream report [OPTIONS] --audit-log [FILE]..."
)]
pub(crate) struct ReportOptions {
    #[command(flatten)]
    files: FileOptions,
    /// The policy: a TOML file, `own-state` or `external`; `provstream gate --help` shows both
    #[arg(long, value_name = "FILE", required_unless_present = "audit_log")]
    policy: Option<PathBuf>,
    /// Read audit logs, as `provstream gate --audit` writes them; they have the decisions, so no policy is needed
    #[arg(long, conflicts_with_all = ["policy", "language", "now", "input", "mode", "chunk_size", "max_held", "reasoning", "pointers", "ledger", "names"])]
    audit_log: bool,
    /// Title of the page [default: the file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Exit with status 3 if the gate would withhold text or end the stream, or something was not read
    #[arg(long)]
    fail: bool,
    /// Write to this file, which is replaced when everything is written; of several files, to this directory
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    dialects: DialectOptions,
    #[command(flatten)]
    stream: GateStreamOptions,
}

/// Runs the command.
pub(crate) fn run(options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let output = options.output.as_deref();
    let files = InputFiles::new(&options.files)?;
    let vocabulary = options.stream.rewrite.input.vocabulary_file();
    let policy = ("--policy", options.policy.as_deref());
    let ledger = options.stream.ledger.file();
    refuse_input_as_output(
        "--output",
        output,
        files.inputs([policy, vocabulary, ledger, options.dialects.sources_file()]),
    )?;
    if output.is_none() && is_terminal(None) {
        return Err(usage_error(
            "--output: expected a file for the page, which is HTML, such as -o report.html (-o - writes it to the terminal)",
        ));
    }
    let load = |policy: &PathBuf| GateSettings::load(policy, &options.stream, &options.dialects);
    // Without a policy, the command line has --audit-log.
    let settings = options.policy.as_ref().map(load).transpose()?;
    let folder = output.filter(|path| files.are_named || is_folder(path));
    if let Some(folder) = folder {
        return write_pages(options, settings.as_ref(), files, folder);
    }
    if files.are_named {
        return Err(usage_error(
            "--output: expected a directory for the pages of several files, such as -o reports/",
        ));
    }
    let file = files.readable().next().unwrap_or(Path::new("-"));
    let shown = Shown::read(options, settings.as_ref(), file)?;
    if options.fail {
        shown.report_withheld("");
    }
    let result = Output::open(output).and_then(|output| shown.write(output));
    exit_code(result, options.fail, shown.passed)
}

/// Writes a page for each file, and an index.
fn write_pages(
    options: &ReportOptions,
    settings: Option<&GateSettings<'_>>,
    files: InputFiles,
    folder: &Path,
) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)?;
    let mut overview = Overview::new(options.title.as_deref().unwrap_or("Answers"));
    let mut names: Vec<String> = Vec::new();
    let mut passed = true;
    let unreadable = files.for_each(|file, _| {
        let shown = Shown::read(options, settings, file)?;
        passed &= shown.passed;
        if options.fail {
            shown.report_withheld(&format!("{}: ", input_name(file)));
        }
        let base = shown.title.clone();
        let page = match names.iter().filter(|name| **name == base).count() {
            0 => format!("{base}.html"),
            twins => format!("{base}.{twins}.html"),
        };
        names.push(base);
        overview.push(&file.display().to_string(), &page, &shown.counts());
        shown.write(Output::open(Some(&folder.join(page)))?)
    })?;
    let mut index = Output::open(Some(&folder.join("index.html")))?;
    index.write_bytes(overview.to_html().as_bytes());
    index.commit()?;
    exit_code_of_files(Ok(unreadable), options.fail, passed)
}

/// Content of a page.
struct Shown {
    title: String,
    parts: Vec<TextSummary>,
    bodies: Vec<Vec<u8>>,
    report: Option<Report>,
    format: Option<&'static str>,
    remarks: Vec<String>,
    /// `true` if `--fail` passes.
    passed: bool,
}

impl Shown {
    fn read(
        options: &ReportOptions,
        settings: Option<&GateSettings<'_>>,
        file: &Path,
    ) -> anyhow::Result<Self> {
        let mut shown = match settings {
            Some(settings) => Self::of_answer(options, settings, file),
            None => Self::of_audit_log(file),
        }?;
        if let (Some(title), false) = (&options.title, options.files.files.len() > 1) {
            title.clone_into(&mut shown.title);
        }
        shown.passed &= !shown.counts().withholds();
        Ok(shown)
    }

    fn of_answer(
        options: &ReportOptions,
        settings: &GateSettings<'_>,
        file: &Path,
    ) -> anyhow::Result<Self> {
        let rewrite = &options.stream.rewrite;
        let mut input = rewrite.open(file)?;
        let now = options.stream.now.unwrap_or_else(Timestamp::now);
        let mut report = Report::new(settings.rules.clone(), now);
        if let Some(observations) = &settings.observations {
            report = report.with_observations(Arc::clone(observations));
        }
        let reader = settings.reader(report.policy());
        let (format, mode) = (rewrite.input.input, rewrite.input.mode);
        let is_json = matches!(mode, Mode::Json | Mode::Ndjson);
        let are_several = options.files.recursive || options.files.files.len() > 1;
        let mut page = AnswerPage {
            texts: match rewrite.is_one_text() {
                true => Transcripts::of_one_text(report, is_json),
                false => Transcripts::new(report),
            },
            summary: GateSummary::new(settings.rules.clone(), mode, are_several.then_some(file)),
        };
        let end = pump(&mut input, reader, rewrite.input.chunk_size, &mut page)?;
        let summary = &page.summary;
        summary.report(&end, &rewrite.fields.pointers, options.fail);
        let (name, status) = (input.name(), &end.status);
        if let Some(input) = &status.unrecognised {
            let prefix = summary.prefix();
            return Err(CliError::Input(format!("{prefix}nothing can be shown: {input}")).into());
        }
        if !summary.has_text && !status.is_empty {
            print_note(format_args!(
                "there is no text in {name}, expected an answer"
            ));
        }
        let mut remarks = Vec::new();
        if !status.is_fully_read() {
            summary.note(status);
            remarks.push(sentence(&status.to_string()));
        }
        // The policy is asked, but everything is released.
        let passed = summary.passes(&end);
        let (report, parts, bodies) = page.texts.finish();
        Ok(Self {
            title: title(file, name),
            parts,
            bodies,
            report: Some(report),
            format: match format {
                InputFormat::Response(format) => Some(format.as_str()),
                InputFormat::Raw if is_json => Some(mode.as_str()),
                _ => None,
            },
            remarks,
            passed,
        })
    }

    fn of_audit_log(file: &Path) -> anyhow::Result<Self> {
        let input = InputSource::open(file)?;
        let name = input.name().to_owned();
        let mut log = AuditLog::new();
        // All lines, and those that are not decisions.
        let (mut lines, mut malformed) = (0, CountAndExample::default());
        each_line(
            input,
            MAX_LINE,
            &mut log,
            |_| Ok(()),
            |log, line| {
                lines += 1;
                let error = match line.content.map(|content| log.push(content)) {
                    Ok(Ok(())) => return,
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => format!("expected at most {MAX_LINE} bytes, found more"),
                };
                malformed.add(|| format!("line {}: {error}", line.number));
            },
        )?;
        let (left_out, example) = (malformed.count(), malformed.example());
        if lines == 0 {
            print_note(format_args!(
                "{name} is empty, expected lines of `provstream gate --audit`"
            ));
        } else if left_out == lines {
            return Err(CliError::Input(format!(
                "nothing in {name} is a line of an audit log, as `provstream gate --audit` writes it"
            ))
            .into());
        } else if left_out > 0 {
            print_note(format_args!("{name}: lines left out: {left_out}{example}"));
        }
        let mut remarks = vec!["An audit log has hashes instead of texts.".to_owned()];
        if left_out > 0 {
            remarks.push(format!("Lines that are not of an audit log: {left_out}."));
        }
        let mut body = Vec::new();
        Ok(Self {
            title: title(file, &name),
            parts: vec![log.finish(&mut body)?],
            bodies: vec![body],
            report: None,
            format: Some("audit log"),
            remarks,
            passed: left_out == 0,
        })
    }

    fn page(&self) -> Page<'_> {
        let mut page = Page::new(&self.title, &self.parts);
        if let Some(report) = &self.report {
            page = page.with_report(report);
        }
        if let Some(format) = self.format {
            page = page.with_fact("Format", format);
        }
        for remark in &self.remarks {
            page = page.with_remark(remark.as_str());
        }
        page
    }

    fn counts(&self) -> Counts {
        self.page().counts().clone()
    }

    fn write(&self, mut output: Output) -> anyhow::Result<()> {
        let page = self.page();
        // The output retains its errors.
        page.write_head(&mut output)?;
        for (part, body) in self.parts.iter().zip(&self.bodies) {
            page.write_part(part, &mut output)?;
            output.write_bytes(body);
        }
        page.write_end(&mut output)?;
        output.commit()
    }

    /// Prints how much a gate withholds; `prefix` names the file of several.
    fn report_withheld(&self, prefix: &str) {
        let counts = self.counts();
        let sum = |of: fn(&Counts, Outcome) -> u64| -> u64 {
            let withheld = Outcome::ALL
                .into_iter()
                .filter(|outcome| outcome.withholds());
            withheld.map(|outcome| of(&counts, outcome)).sum()
        };
        let (treated, runs, ended) = (sum(Counts::treated), sum(Counts::runs), sum(Counts::ended));
        let mut parts = Vec::new();
        if treated > 0 {
            parts.push(format!("{treated} of {} assertions", counts.assertions()));
        }
        if runs > 0 {
            parts.push(format!("{} of text without annotation", count(runs, "run")));
        }
        if ended > 0 {
            parts.push(format!("the rest of {}", count(ended, "text")));
        }
        if !parts.is_empty() {
            let parts = parts.join(", ");
            print_note(format_args!(
                "{prefix}the gate withholds {parts}; the page shows which and why"
            ));
        }
    }
}

/// Returns the title of a page: the name of the file without its folders.
fn title(file: &Path, name: &str) -> String {
    let file = file.file_name().filter(|file| *file != "-");
    file.map_or_else(
        || name.to_owned(),
        |file| file.to_string_lossy().into_owned(),
    )
}

/// Turns a note into a sentence.
fn sentence(note: &str) -> String {
    let mut characters = note.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}

/// Transcribes the texts of an answer.
struct AnswerPage {
    texts: Transcripts<TextName>,
    summary: GateSummary,
}

impl Handler for AnswerPage {
    fn event(&mut self, event: Event<'_>) {
        self.summary.add_event(&event);
        self.texts.event(event);
    }
}

impl StreamSink for AnswerPage {
    fn on_text(&mut self, name: &TextName, is_repeated: bool) {
        self.summary.enter(name);
        // Reasoning counts as repeated, but is reported once.
        let is_reasoning = matches!(name, TextName::Channel { is_reasoning, .. } if *is_reasoning);
        let is_shown = !is_repeated || is_reasoning;
        self.texts.enter(is_shown.then(|| name.clone()));
    }

    fn on_text_end(&mut self, name: &TextName) {
        self.texts.end(|text| match (text, name) {
            // With its reasoning.
            (TextName::Channel { channel, .. }, TextName::Channel { channel: ended, .. }) => {
                channel == ended
            }
            (text, ended) => text == ended,
        });
    }

    fn on_gate(&mut self, event: &GateEvent<'_>) {
        self.summary.add_gate(event);
        let texts = &mut self.texts;
        match *event {
            GateEvent::Decided(question, action) => texts.decided(question, action),
            GateEvent::Released(text) => texts.released(text),
            GateEvent::RunBegins(at, what) => texts.run_begins(at, what),
            GateEvent::RunEnds(at) => texts.run_ends(at),
            GateEvent::Limit(span) => texts.limit(span),
            _ => {}
        }
    }
}
