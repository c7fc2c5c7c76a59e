//! `provstream gate`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use provstream::provenance::Timestamp;
use provstream::{Event, GateEnd, Handler};
use provstream_providers::GateEvent;
use provstream_route::{Audit, AuditFile};

use super::gate_stream::{GateSettings, GateStreamOptions, policy_help};
use super::gate_summary::GateSummary;
use crate::error::{CliError, exit_code_of_files, is_broken_pipe, is_input_error, usage_error};
use crate::files::for_each_file;
use crate::input::input_name;
use crate::observation_ids::IdOptions;
use crate::options::DialectOptions;
use crate::output::{Output, is_stdout, refuse_input_as_output, stdout_is};
use crate::reader::pump;
use crate::sink::{StoppedText, StreamSink, TextName};

/// Hold text back until a policy has decided about it, and write only what it releases
///
/// Text is held back until it is known which assertion it belongs to. A complete assertion is
/// judged as `provstream admit` does, and the policy says what becomes of it: it is released,
/// marked, replaced or discarded, or the stream ends before it. Annotations are removed. A policy
/// is a TOML file:
///
///     preset = "own-state"          # a floor of 2; "external" is 3, or floor = K
///     default_window = "1h"         # without a window no annotation counts
///
///     [inadmissible]
///     action = "replace"            # or release, mark (with before or after for text), discard,
///     text = "(withheld)"           # suspend, refuse (with text)
///
/// It needs `preset` or `floor`, `default_window` or `windows`, and [inadmissible]. Text without
/// annotation is released unless [unannotated] says otherwise. docs/gate.md describes all rules.
/// With --dialect, sentences with citation markers such as [1] are judged by their sources, too.
///
/// With --input the text of each channel goes through a gate of its own, and what cannot be read
/// as an event is withheld. With --field each string does. Lines that are not JSON, or have another
/// value there, are withheld; lines with nothing there pass, but not with --fail. Several files are
/// written one after the other, or with -o DIRECTORY to files of the same names in it. That
/// something is released is no evidence that an observation took place.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct GateOptions {
    /// Files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The policy: a TOML file, `own-state` or `external`
    #[arg(long, value_name = "FILE", long_help = policy_help())]
    policy: PathBuf,
    /// Append the decisions to this file, as lines of JSON
    ///
    /// The line of an assertion has the span and the SHA-256 of its text, the annotations, the verdict, and the
    /// action. It is written before any of the text. If a line cannot be written, nothing more is released.
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Wait until each line of the audit log is on the disk
    #[arg(long, requires = "audit")]
    audit_sync: bool,
    /// Name of the stream in the audit log [default: the file]
    #[arg(long, value_name = "ID", requires = "audit")]
    stream_id: Option<String>,
    #[command(flatten)]
    ids: IdOptions,
    /// Exit with status 3 if text was withheld, or something was not read or could not be judged
    ///
    /// Status 0 then means that the input was read to its end and released as it was, without its annotations
    /// and with the marks of the policy. `provstream admit --help` lists what cannot be judged.
    #[arg(long)]
    fail: bool,
    /// Write to this file, which is replaced when everything is written, or to files in this directory
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    stream: GateStreamOptions,
    #[command(flatten)]
    dialects: DialectOptions,
}

/// Runs the command.
pub(crate) fn run(options: &GateOptions) -> anyhow::Result<ExitCode> {
    refuse_shared_files(options)?;
    let settings = GateSettings::load(&options.policy, &options.stream, &options.dialects)?;
    let mut passed = true;
    let must_split = options.stream.rewrite.is_response();
    let output = options.output.as_deref();
    let are_several = options.files.len() > 1;
    let result = for_each_file(&options.files, output, must_split, |file, output| {
        let mode = options.stream.rewrite.input.mode;
        let mut gated = GatedOutput {
            output,
            audit: None,
            summary: GateSummary::new(settings.rules.clone(), mode, are_several.then_some(file)),
        };
        let result = gated.read(options, &settings, file);
        passed &= *result.as_ref().unwrap_or(&true);
        (result.map(|_| ()), gated.output)
    });
    exit_code_of_files(result, options.fail, passed)
}

/// Refuses files that are read and written. The text itself can be replaced.
fn refuse_shared_files(options: &GateOptions) -> anyhow::Result<()> {
    let policy = ("--policy", Some(options.policy.as_path()));
    let vocabulary = options.stream.rewrite.input.vocabulary_file();
    let output = options.output.as_deref();
    let sources = options.dialects.sources_file();
    let ledger = options.stream.ledger.file();
    let salt = options.ids.salt_file();
    refuse_input_as_output(
        "--output",
        output,
        [policy, vocabulary, sources, ledger, salt],
    )?;
    let Some(audit) = &options.audit else {
        if !options.ids.are_kept() {
            let message =
                "--observation-ids: expected --audit, whose lines have the ids, found none";
            return Err(usage_error(message));
        }
        return Ok(());
    };
    if audit.as_os_str() == "-" || is_stdout(output) && stdout_is(audit) {
        return Err(usage_error(format_args!(
            "--audit: expected a file of its own, found {}, which is standard output",
            audit.display()
        )));
    }
    let files = options
        .files
        .iter()
        .map(|file| ("FILE", Some(file.as_path())));
    let others = [
        ("--output", output),
        policy,
        vocabulary,
        sources,
        ledger,
        salt,
    ];
    refuse_input_as_output("--audit", Some(audit), files.chain(others))
}

fn open_audit(
    options: &GateOptions,
    settings: &GateSettings<'_>,
    file: &Path,
) -> anyhow::Result<Option<Audit<AuditFile>>> {
    let Some(path) = &options.audit else {
        return Ok(None);
    };
    let name = path.display().to_string();
    let log = AuditFile::open(path, options.audit_sync);
    let log = log.with_context(|| format!("cannot write {name}"))?;
    let stream = options
        .stream_id
        .clone()
        .unwrap_or_else(|| input_name(file));
    let now = options.stream.now;
    let clock = move || now.unwrap_or_else(Timestamp::now);
    let audit = Audit::new(log, name, stream, settings.rules.clone(), clock);
    Ok(Some(audit.with_observation_ids(options.ids.load()?)))
}

/// Output of a gate, and its audit log.
struct GatedOutput {
    output: Output,
    audit: Option<Audit<AuditFile>>,
    summary: GateSummary,
}

impl GatedOutput {
    /// Gates a file; returns `true` if it passes `--fail`.
    fn read(
        &mut self,
        options: &GateOptions,
        settings: &GateSettings<'_>,
        file: &Path,
    ) -> anyhow::Result<bool> {
        let rewrite = &options.stream.rewrite;
        let mut input = rewrite.open(file)?;
        self.audit = open_audit(options, settings, file)?;
        let now = options.stream.now;
        let clock = move || now.unwrap_or_else(Timestamp::now);
        let reader = settings.reader(settings.policy(clock));
        let end = pump(&mut input, reader, rewrite.input.chunk_size, self);
        // Whatever was released is written, even if the input could not be read to its end.
        let written = self.check(true);
        let end = match end {
            Ok(end) => end,
            Err(error) if is_input_error(&error) => {
                written?;
                return Err(error);
            }
            Err(error) => {
                let passed = self.summary.has_passed_so_far();
                return exit_error(error, options.fail, passed);
            }
        };
        self.summary.report_stops(&end.stopped);
        self.summary
            .report(&end, &rewrite.fields.pointers, options.fail);
        if let Some(input) = &end.status.unrecognised {
            let but = match rewrite.has_pass_members() {
                true => ", except in members that --pass-member names",
                false => "",
            };
            let prefix = self.summary.prefix();
            return Err(
                CliError::Input(format!("{prefix}no text was released{but}: {input}")).into(),
            );
        }
        if !end.status.is_fully_read() {
            self.summary.note(&end.status);
        }
        let passed = self.summary.passes(&end);
        match written {
            Ok(()) => Ok(passed),
            Err(error) => exit_error(error, options.fail, passed),
        }
    }
}

/// A broken pipe is no error if it is known that the input does not pass.
fn exit_error(error: anyhow::Error, fail: bool, passed: bool) -> anyhow::Result<bool> {
    match is_broken_pipe(&error) && fail && !passed {
        true => Ok(false),
        false => Err(error),
    }
}

impl Handler for GatedOutput {
    fn event(&mut self, event: Event<'_>) {
        self.summary.add_event(&event);
    }
}

impl StreamSink for GatedOutput {
    fn check(&mut self, may_pause: bool) -> anyhow::Result<()> {
        if let Some(audit) = &mut self.audit
            && let Some(error) = audit.take_error()
        {
            let name = audit.name();
            return Err(error).with_context(|| format!("cannot write the audit log {name}"));
        }
        self.output.check(may_pause)
    }

    fn write(&mut self, bytes: &[u8]) {
        // No text may be written whose decision is not in the audit log.
        if !self.audit.as_ref().is_some_and(Audit::has_failed) {
            self.output.write_text(bytes);
        }
    }

    fn on_text(&mut self, name: &TextName, _: bool) {
        self.summary.enter(name);
        if let Some(audit) = &mut self.audit {
            audit.enter(name.to_string());
        }
    }

    fn on_text_end(&mut self, name: &TextName) {
        // A channel has ended only at the end of the input, when it is known how.
        if let (TextName::Field { .. }, Some(audit)) = (name, &mut self.audit) {
            audit.end_text();
        }
    }

    fn on_gate(&mut self, event: &GateEvent<'_>) {
        self.summary.add_gate(event);
        if let Some(audit) = &mut self.audit {
            audit.push(event);
        }
    }

    fn on_stop(&mut self, stopped: &StoppedText) {
        let action = match stopped.end {
            GateEnd::Suspended => "suspend",
            _ => "refuse",
        };
        if let Some(audit) = &mut self.audit {
            audit.enter(stopped.name.clone().unwrap_or_default());
            audit.ended(action);
        }
    }
}
