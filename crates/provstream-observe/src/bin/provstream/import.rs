//! `provstream observe import`.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use provstream::provenance::Vocabulary;
use provstream::settings::{self, read_text};
use provstream_cli::{
    CommandOutput, CommandOutputOptions, escape, input_error, print_note, usage_error,
};
use provstream_observe::{Observation, SqliteLedger, ToolLogReader, ToolResult};
use serde_json::json;

use crate::LedgerOption;
use crate::recording::{RecordOptions, RecordedParts};

/// Record the results of tools from logs: OpenTelemetry spans, transcripts of Claude Code, rollouts of Codex
///
/// The files have a JSON object a line: OTLP with spans of the operation `execute_tool` that have the attribute
/// `gen_ai.tool.call.result`, or the session files of these agents. The id of an observation is that of the call; without one,
/// it is computed. Results of tools without a class, failed calls and what the ledger already has are left out. A line
/// that cannot be read is reported with its number, the others are recorded, and the exit status is 1.
///
/// Nothing of this can be repeated by `verify --requery`.
#[derive(Debug, Args)]
pub(crate) struct ImportCommand {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The classes of tools, a TOML file with a table `tools`, such as Read = "substrate.code.read"
    #[arg(long, value_name = "FILE")]
    tools: PathBuf,
    #[command(flatten)]
    ledger: LedgerOption,
    #[command(flatten)]
    record: RecordOptions,
    #[command(flatten)]
    report: CommandOutputOptions,
}

/// Longest line in bytes.
const MAX_LINE: u64 = 64 << 20;
/// Most observations that are recorded in one transaction.
const BATCH: usize = 500;

impl ImportCommand {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let inputs = [
            self.ledger.file(),
            ("--tools", Some(self.tools.as_path())),
            ("--key", self.record.key.as_deref()),
        ];
        let files = self.files.iter().map(|file| ("FILE", Some(file.as_path())));
        let mut report = self.report.open(inputs.into_iter().chain(files))?;
        let mut import = Import {
            classes: classes(&self.tools)?,
            recording: self.record.open()?,
            ledger: self.ledger.create()?,
            option: &self.ledger,
            batch: Vec::new(),
            totals: ImportTotals::default(),
        };
        for path in &self.files {
            import.file(path)?;
        }
        import.record()?;
        let totals = import.totals;
        totals.write(&mut report);
        report.commit()?;
        match totals.faults {
            0 => Ok(ExitCode::SUCCESS),
            faults => Err(input_error(format_args!(
                "lines that could not be read: {faults}"
            ))),
        }
    }
}

/// Import of files into a ledger.
struct Import<'a> {
    classes: BTreeMap<String, String>,
    recording: RecordedParts,
    ledger: SqliteLedger,
    option: &'a LedgerOption,
    batch: Vec<Observation>,
    totals: ImportTotals,
}

#[derive(Debug, Default)]
struct ImportTotals {
    recorded: u64,
    /// Results that the ledger had.
    known: u64,
    failed: u64,
    /// Number of results of each tool without a class.
    without_class: BTreeMap<String, u64>,
    faults: u64,
}

impl ImportTotals {
    fn write(&self, report: &mut CommandOutput) {
        if report.is_pretty() {
            let (recorded, known, failed) = (self.recorded, self.known, self.failed);
            report.write_lines(format!(
                "{recorded} recorded, {known} known already, {failed} of failed calls left out\n"
            ));
            for (tool, count) in &self.without_class {
                report.write_lines(format!(
                    "{count} left out of {}, which has no class\n",
                    escape(tool)
                ));
            }
            return;
        }
        report.write_record(&json!({
            "event": "import",
            "recorded": self.recorded,
            "known": self.known,
            "failed": self.failed,
            "without_class": self.without_class,
            "faults": self.faults,
        }));
    }
}

impl Import<'_> {
    fn file(&mut self, path: &Path) -> anyhow::Result<()> {
        let fail = |error| input_error(format_args!("{}: {error}", path.display()));
        let mut file = BufReader::new(File::open(path).map_err(fail)?);
        let mut reader = ToolLogReader::new();
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = file.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
            if read.map_err(fail)? == 0 {
                break;
            }
            if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
                skip_line(&mut file).map_err(fail)?;
                let message =
                    format!("expected a line of at most {MAX_LINE} bytes, found a longer one");
                self.fault(path, number, &message);
                continue;
            }
            for result in reader.line(&line) {
                let added = match result {
                    Ok(result) => self.add(&result),
                    Err(error) => Err(error.into()),
                };
                if let Err(error) = added {
                    self.fault(path, number, &error.to_string());
                }
            }
            if self.batch.len() >= BATCH {
                self.record()?;
            }
        }
        Ok(())
    }

    fn fault(&mut self, path: &Path, number: u64, message: &str) {
        self.totals.faults += 1;
        print_note(format_args!(
            "{}, line {number}: {}",
            path.display(),
            escape(message)
        ));
    }

    fn add(&mut self, result: &ToolResult) -> anyhow::Result<()> {
        let Some(class) = self.classes.get(&result.tool) else {
            *self
                .totals
                .without_class
                .entry(result.tool.clone())
                .or_default() += 1;
            return Ok(());
        };
        if result.is_error {
            self.totals.failed += 1;
            return Ok(());
        }
        let observation = self.recording.parts(result.observation(class)?)?;
        self.batch.push(observation);
        Ok(())
    }

    /// Records what was collected and is not known.
    fn record(&mut self) -> anyhow::Result<()> {
        let mut batch = Vec::new();
        let mut seen = HashSet::new();
        for observation in self.batch.drain(..) {
            let (id, class) = (observation.id().to_owned(), observation.class().to_owned());
            let is_new = seen.insert((id, class, observation.time(), observation.result()));
            let is_known = self.ledger.has(&observation);
            if !is_new || is_known.map_err(|error| self.option.error(&error))? {
                self.totals.known += 1;
            } else {
                batch.push(observation);
            }
        }
        if !batch.is_empty() {
            let recorded = self.ledger.record_all(&batch);
            recorded.map_err(|error| self.option.error(&error))?;
        }
        self.totals.recorded += batch.len() as u64;
        Ok(())
    }
}

/// Reads past the end of a line.
fn skip_line(file: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let bytes = file.fill_buf()?;
        let (length, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(feed) => (feed + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        file.consume(length);
        if is_end {
            return Ok(());
        }
    }
}

/// Reads the classes of tools.
fn classes(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let fail =
        |error: &dyn std::fmt::Display| usage_error(format_args!("{}: {error}", path.display()));
    let text = read_text(path);
    let text = text.map_err(|error| input_error(format_args!("{}: {error}", path.display())))?;
    let read = || -> Result<_, settings::Fault> {
        let file = settings::File::parse(text.as_bytes())?;
        let root = file.root(&["tools"])?;
        let tools = root.need("tools")?.free_table()?;
        let classes = tools.entries().map(|(tool, class)| {
            let place = class.place();
            Ok((tool.name().to_owned(), (class.string()?.to_owned(), place)))
        });
        classes.collect::<Result<BTreeMap<_, _>, _>>()
    };
    let classes = read().map_err(|fault| match fault.place {
        Some(place) => fail(&format_args!("{place}: {fault}")),
        None => fail(&fault),
    })?;
    let vocabulary = Vocabulary::memo();
    let classes = classes.into_iter().map(|(tool, (class, place))| {
        let known = vocabulary.class(&class);
        match known.is_some_and(|class| !class.is_terminal()) {
            true => Ok((tool, class)),
            false => Err(fail(&format_args!(
                "{place}: expected a substrate class, found \"{}\"",
                escape(&class)
            ))),
        }
    });
    classes.collect()
}
