//! Interface for programs that add commands to the command line.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command};
use serde::Serialize;

use crate::error::exit_code_of_files;
use crate::messages::{EscapeControls, styled};
use crate::options::OutputOptions;
use crate::output::{Output, is_terminal, refuse_input_as_output};
use crate::scan::check::{AssertionCheck, Checks};
use crate::scan::{ReportKind, ScanOptions, scan};

/// Command that another program adds.
#[derive(Clone, Copy, Debug)]
pub struct ExtensionCommand {
    /// Builds the definition of the command.
    pub command: fn() -> Command,
    /// Runs the command with its arguments.
    pub run: fn(&ArgMatches) -> anyhow::Result<ExitCode>,
}

impl ExtensionCommand {
    /// Returns the arguments, if the command was given.
    pub(crate) fn matches<'m>(&self, matches: &'m ArgMatches) -> Option<(&Self, &'m ArgMatches)> {
        let own = (self.command)();
        let (name, given) = matches.subcommand()?;
        (name == own.get_name()).then_some((self, given))
    }
}

/// Options of a command that prints records as JSON, and on a terminal as lines for people.
#[derive(Debug, Args)]
pub struct CommandOutputOptions {
    /// Print lines for people, also if the output is not a terminal
    #[arg(long)]
    pretty: bool,
    /// Print JSON also on a terminal
    #[arg(long, conflicts_with = "pretty")]
    json: bool,
    #[command(flatten)]
    output: OutputOptions,
}

impl CommandOutputOptions {
    /// Opens the output, unless it is one of the files that the command reads, which have the names of their options.
    ///
    /// # Errors
    ///
    /// The output cannot be opened, or is one of the inputs.
    pub fn open<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Option<&'a Path>)>,
    ) -> anyhow::Result<CommandOutput> {
        Ok(CommandOutput {
            is_pretty: self.pretty || !self.json && is_terminal(self.output.path()),
            output: self.output.open(inputs)?,
        })
    }
}

/// Output of a command.
#[derive(Debug)]
pub struct CommandOutput {
    output: Output,
    is_pretty: bool,
}

impl CommandOutput {
    /// Returns `true` if lines are for people.
    #[must_use]
    pub const fn is_pretty(&self) -> bool {
        self.is_pretty
    }

    /// Writes a line of JSON.
    pub fn write_record(&mut self, record: &impl Serialize) {
        self.output.write_record(record);
    }

    /// Writes lines for people, with styles that are left out where colours are not wanted. Escape text from outside.
    pub fn write_lines(&mut self, lines: String) {
        self.output.write_bytes(styled(lines).as_bytes());
    }

    /// Writes text from outside: unchanged to a file or pipe, escaped on a terminal.
    pub fn write_text(&mut self, text: &[u8]) {
        self.output.write_text(text);
    }

    /// Writes what is buffered, and replaces the file.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn commit(self) -> anyhow::Result<()> {
        self.output.commit()
    }
}

impl Write for CommandOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut self.output, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.output)
    }
}

/// Escapes control characters and characters that reorder text.
#[must_use]
pub fn escape(text: &str) -> String {
    EscapeControls(text).to_string()
}

/// Options of a command that checks the assertions of answers: files, their format, and the output.
#[derive(Debug, Args)]
pub struct CheckOptions {
    #[command(flatten)]
    scan: ScanOptions,
}

/// Result of reading all files.
#[derive(Debug)]
pub struct CheckSummary {
    result: anyhow::Result<u64>,
    is_incomplete: bool,
}

impl CheckSummary {
    /// Returns the exit status: with `fail`, 3 if a check did not pass, something was not read, or a diagnostic says so.
    ///
    /// # Errors
    ///
    /// An input could not be read, or the output not be written.
    pub fn exit_code(self, fail: bool, passed: bool) -> anyhow::Result<ExitCode> {
        exit_code_of_files(self.result, fail, passed && !self.is_incomplete)
    }
}

impl CheckOptions {
    /// Returns `true` if lines are for people.
    #[must_use]
    pub fn is_pretty(&self) -> bool {
        self.scan.is_pretty()
    }

    /// Reads all files, and prints each assertion with its check, diagnostics and totals. `inputs` are further files that the
    /// command reads, with the names of their options; the output may be none of them.
    ///
    /// # Errors
    ///
    /// An option is wrong, or the output cannot be opened.
    pub fn run<'a>(
        &self,
        check: Arc<dyn AssertionCheck>,
        inputs: impl IntoIterator<Item = (&'a str, Option<&'a Path>)>,
    ) -> anyhow::Result<CheckSummary> {
        refuse_input_as_output("--output", self.scan.output.path(), inputs)?;
        let limits = self.scan.limits()?;
        let vocabulary = self.scan.input.vocabulary.load()?;
        let report = ReportKind::Checks(Checks(check));
        let (result, counts) = scan(&self.scan, vocabulary, limits, report, None)?;
        Ok(CheckSummary {
            result,
            // What a limit or an unclosed bracket leaves out is not checked.
            is_incomplete: counts.incomplete > 0 || !counts.unjudged.is_empty(),
        })
    }
}
