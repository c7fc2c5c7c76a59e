//! `provstream report`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use provstream::Mode;
use provstream::provenance::Timestamp;
use provstream_providers::Channel;
use provstream_report::{AuditLog, Counts, Outcome, Overview, Page, Part, Report, Transcripts};

use super::gate_stream::{GateObserver, GateSettings, GateStreamOptions, GatedText};
use super::gate_summary::GateSummary;
use crate::error::{EXIT_ERROR, InputError, exit_code, is_input_error, report, usage_error};
use crate::files::{InputFiles, is_folder};
use crate::input::Input;
use crate::lines::each_line;
use crate::messages::{count, print_note};
use crate::options::InputFormat;
use crate::output::{Output, is_terminal, refuse_input_as_output};

/// Longest line of an audit log that is read, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Lines that are not decisions and have a note of their own.
const MAX_LINE_NOTES: u64 = 5;

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
/// audit log has hashes instead of texts. That an annotation counts is no evidence that an
/// observation took place.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "provstream report [OPTIONS] --policy <FILE> [FILE]...\n       provstream report [OPTIONS] --audit-log [FILE]..."
)]
pub(crate) struct ReportOptions {
    /// Files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Read the files in directories, and in the directories in them
    #[arg(long, short)]
    recursive: bool,
    /// The policy, a TOML file as for `provstream gate`
    #[arg(long, value_name = "FILE", required_unless_present = "audit_log")]
    policy: Option<PathBuf>,
    /// Read audit logs, as `provstream gate --audit` writes them; they have the decisions, so no policy is needed
    #[arg(long, conflicts_with_all = ["policy", "language", "now", "input", "mode", "chunk_size", "max_held", "reasoning", "pointers"])]
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
    stream: GateStreamOptions,
}

/// Runs the command.
pub(crate) fn run(options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let output = options.output.as_deref();
    let files = InputFiles::new(&options.files, options.recursive)?;
    let policy = ("--policy", options.policy.as_deref());
    let inputs = files.readable().map(|file| ("FILE", Some(file)));
    let inputs = inputs.chain([policy, options.stream.input.vocabulary_file()]);
    refuse_input_as_output("--output", output, inputs)?;
    if output.is_none() && is_terminal(None) {
        return Err(usage_error(
            "--output: expected a file for the page, which is HTML, such as -o report.html (-o - writes it to the terminal)",
        ));
    }
    let settings = match &options.policy {
        Some(policy) => Some(GateSettings::load(policy, &options.stream)?),
        // The command line has --audit-log then.
        None => None,
    };
    let folder = output.filter(|path| files.are_named || is_folder(path));
    if let Some(folder) = folder {
        return write_pages(options, settings.as_ref(), files, folder);
    }
    if files.are_named {
        return Err(usage_error(
            "--output: expected a directory for the pages of several files, such as -o reports/",
        ));
    }
    let file = files.readable().next().unwrap_or(Path::new("-")).to_owned();
    let shown = Shown::read(options, settings.as_ref(), &file)?;
    if options.fail {
        shown.report_withheld();
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
    let title = options.title.as_deref().unwrap_or("Answers");
    let mut overview = Overview::new(title);
    let mut names: Vec<String> = Vec::new();
    let (mut passed, mut is_unreadable) = (true, false);
    for file in files.paths {
        let shown = file.and_then(|file| Ok((Shown::read(options, settings, &file)?, file)));
        let (shown, file) = match shown {
            Ok(shown) => shown,
            Err(error) if is_input_error(&error) => {
                is_unreadable = true;
                report(&error);
                continue;
            }
            Err(error) => return Err(error),
        };
        passed &= shown.passed;
        let base = shown.title.clone();
        let twins = names.iter().filter(|name| **name == base).count();
        let page = match twins {
            0 => format!("{base}.html"),
            twins => format!("{base}.{twins}.html"),
        };
        names.push(base);
        overview.push(&file.display().to_string(), &page, &shown.counts());
        shown.write(Output::open(Some(&folder.join(page)))?)?;
    }
    let mut index = Output::open(Some(&folder.join("index.html")))?;
    index.write_bytes(overview.to_html().as_bytes());
    index.commit()?;
    let status = exit_code(Ok(()), options.fail, passed)?;
    Ok(if is_unreadable {
        ExitCode::from(EXIT_ERROR)
    } else {
        status
    })
}

/// Content of a page.
struct Shown {
    title: String,
    parts: Vec<Part>,
    bodies: Vec<Vec<u8>>,
    report: Option<Report>,
    facts: Vec<(&'static str, String)>,
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
        if let (Some(title), false) = (&options.title, options.files.len() > 1) {
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
        let input = settings.open(file)?;
        let name = input.name().to_owned();
        let now = options.stream.now.unwrap_or_else(Timestamp::now);
        let report = Report::new(settings.rules.clone(), now);
        let policy = report.policy();
        let (format, mode) = (options.stream.input.input, options.stream.input.mode);
        let is_json = matches!(mode, Mode::Json | Mode::Ndjson);
        let mut page = match settings.is_one_text() {
            true => Transcripts::of_one_text(report, is_json),
            false => Transcripts::new(report),
        };
        let mut summary = GateSummary::new(settings.rules.clone(), mode);
        let (stopped, status) = settings.run(input, policy, &mut page, &mut summary)?;
        summary.report(options.fail);
        if let Some(input) = status.unrecognised() {
            return Err(InputError(format!("nothing can be shown: {input}")).into());
        }
        if !summary.has_text() && !status.is_empty() {
            print_note(format_args!(
                "there is no text in {name}, expected an answer"
            ));
        }
        let mut remarks = Vec::new();
        if !status.is_fully_read() {
            print_note(&status);
            remarks.push(sentence(&status.to_string()));
        }
        let (report, parts, bodies) = page.finish();
        Ok(Self {
            title: title(file, &name),
            parts,
            bodies,
            report: Some(report),
            facts: match format {
                InputFormat::Response(format) => vec![("Format", format.as_str().to_owned())],
                InputFormat::Raw if is_json => vec![("Format", mode.as_str().to_owned())],
                _ => Vec::new(),
            },
            remarks,
            // The policy is asked, but everything is released.
            passed: stopped.is_empty() && status.passes() && summary.passes(),
        })
    }

    fn of_audit_log(file: &Path) -> anyhow::Result<Self> {
        let input = Input::open(file)?;
        let name = input.name().to_owned();
        let mut page = AuditLogPage {
            log: AuditLog::new(),
            body: Vec::new(),
            name: name.clone(),
            lines: 0,
            malformed_lines: 0,
        };
        each_line(
            input,
            MAX_LINE,
            &mut page,
            |_| Ok(()),
            |page, line| page.line(line.number, line.content),
        )?;
        let (lines, malformed) = (page.lines, page.malformed_lines);
        if lines == 0 {
            print_note(format_args!(
                "{name} is empty, expected lines of `provstream gate --audit`"
            ));
        } else if malformed == lines {
            bail!(InputError(format!(
                "nothing in {name} is a line of an audit log, as `provstream gate --audit` writes it"
            )));
        }
        if malformed > MAX_LINE_NOTES {
            print_note(format_args!("{name}: {malformed} lines are left out"));
        }
        let mut remarks = vec![
            "An audit log has hashes instead of texts, and no time by which ages could be known."
                .to_owned(),
        ];
        if malformed > 0 {
            remarks.push(format!("Lines that are not of an audit log: {malformed}."));
        }
        Ok(Self {
            title: title(file, &name),
            parts: vec![page.log.finish(&mut page.body)?],
            bodies: vec![page.body],
            report: None,
            facts: vec![("Format", "audit log".to_owned())],
            remarks,
            passed: malformed == 0,
        })
    }

    fn page(&self) -> Page<'_> {
        let mut page = Page::new(&self.title, &self.parts);
        if let Some(report) = &self.report {
            page = page.with_report(report);
        }
        for (name, value) in &self.facts {
            page = page.with_fact(name, value);
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

    /// Prints how much a gate withholds.
    fn report_withheld(&self) {
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
                "the gate withholds {parts}; the page shows which and why"
            ));
        }
    }
}

/// Title of a page: the name of the file without its folders.
fn title(file: &Path, name: &str) -> String {
    let file = file.file_name().filter(|file| *file != "-");
    file.map_or_else(
        || name.to_owned(),
        |file| file.to_string_lossy().into_owned(),
    )
}

/// A note as a sentence.
fn sentence(note: &str) -> String {
    let mut characters = note.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}

/// Reads the lines of an audit log.
struct AuditLogPage {
    log: AuditLog,
    body: Vec<u8>,
    name: String,
    lines: u64,
    /// Lines that are not decisions.
    malformed_lines: u64,
}

impl AuditLogPage {
    fn line(&mut self, number: u64, line: Result<&[u8], u64>) {
        self.lines += 1;
        let error = match line {
            Err(_) => format!("expected at most {MAX_LINE} bytes, found more"),
            Ok(line) => match self.log.push(line) {
                Ok(()) => {
                    // Writing to memory cannot fail.
                    let _ = self.log.write_to(&mut self.body);
                    return;
                }
                Err(error) => error.to_string(),
            },
        };
        self.malformed_lines += 1;
        if self.malformed_lines <= MAX_LINE_NOTES {
            print_note(format_args!(
                "{}: line {number} is left out: {error}",
                self.name
            ));
        }
    }
}

impl GateObserver for Transcripts<GatedText> {
    fn on_text(&mut self, text: &GatedText, is_repeated: bool) {
        // Reasoning counts as repeated, but is reported once.
        let is_reasoning = matches!(
            text,
            GatedText::Channel {
                is_reasoning: true,
                ..
            }
        );
        let is_shown = !is_repeated || is_reasoning;
        self.enter(is_shown.then(|| text.clone()));
    }

    fn on_channel_end(&mut self, ended: Channel) {
        self.end(|text| matches!(text, GatedText::Channel { channel, .. } if *channel == ended));
    }
}
