//! Errors that end a command, and exit statuses.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

use crate::messages::print_error;

/// Exit status of an error of reading or writing.
pub(crate) const EXIT_ERROR: u8 = 1;
/// Exit status of a wrong argument or settings file.
const EXIT_USAGE: u8 = 2;
/// Exit status of `--fail` when something did not pass.
const EXIT_CHECK_FAILED: u8 = 3;

/// An error whose kind decides what follows.
#[derive(Debug)]
pub(crate) enum CliError {
    /// Wrong argument or settings file.
    Usage(String),
    /// Input that cannot be read, or is not what the command needs. Other inputs can still be read.
    Input(String),
    /// Input that is not a response of the format, and was not read.
    NotRead(String),
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(message) | Self::Input(message) | Self::NotRead(message)) = self;
        f.write_str(message)
    }
}

impl Error for CliError {}

/// Creates an error with exit status 2.
pub fn usage_error(message: impl fmt::Display) -> anyhow::Error {
    CliError::Usage(message.to_string()).into()
}

/// Creates an error with exit status 1: something that cannot be read, or is not what the command needs.
pub fn input_error(message: impl fmt::Display) -> anyhow::Error {
    CliError::Input(message.to_string()).into()
}

/// A failed write to the output of a command.
#[derive(Debug)]
pub(crate) struct OutputError {
    /// Name of the output.
    pub(crate) name: String,
    /// Cause.
    pub(crate) source: io::Error,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}", self.name)
    }
}

impl Error for OutputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Returns `true` if the reader of the output has closed the pipe.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<OutputError>();
    error.is_some_and(|error| error.source.kind() == ErrorKind::BrokenPipe)
}

/// Returns `true` if an input was not read, so that other inputs can still be.
pub(crate) fn is_input_error(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(CliError::Input(_)))
}

/// Prints an error and returns its exit status. A broken pipe is not an error.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    print_error(format_args!("{error:#}"));
    let is_usage = matches!(error.downcast_ref(), Some(CliError::Usage(_)));
    ExitCode::from(if is_usage { EXIT_USAGE } else { EXIT_ERROR })
}

/// Returns the exit status of a command with `--fail`. A broken pipe before the result is known is
/// status 1, since not all was checked.
pub(crate) fn exit_code(
    result: anyhow::Result<()>,
    fail: bool,
    passed: bool,
) -> anyhow::Result<ExitCode> {
    exit_code_of_files(result.map(|()| 0), fail, passed)
}

/// Returns the exit code of a command that reads several files, from the number of those that could not be read.
pub(crate) fn exit_code_of_files(
    result: anyhow::Result<u64>,
    fail: bool,
    passed: bool,
) -> anyhow::Result<ExitCode> {
    let unreadable = match result {
        Err(error) if fail && is_broken_pipe(&error) => u64::from(passed),
        result => result?,
    };
    Ok(ExitCode::from(match unreadable {
        0 if fail && !passed => EXIT_CHECK_FAILED,
        0 => 0,
        _ => EXIT_ERROR,
    }))
}
