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

/// A wrong argument or settings file.
#[derive(Debug)]
pub(crate) struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for UsageError {}

/// An error with exit status 2.
pub(crate) fn usage_error(message: impl fmt::Display) -> anyhow::Error {
    UsageError(message.to_string()).into()
}

/// An input that cannot be read, or is not what the command needs. Other inputs can still be read.
#[derive(Debug)]
pub(crate) struct InputError(pub(crate) String);

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InputError {}

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
    error.is::<InputError>()
}

/// Prints an error and returns its exit status. A broken pipe is not an error.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    print_error(format_args!("{error:#}"));
    let is_usage = error.is::<UsageError>();
    ExitCode::from(if is_usage { EXIT_USAGE } else { EXIT_ERROR })
}

/// The exit status of a command with `--fail`. A broken pipe before the result is known is status 1, since not all was checked.
pub(crate) fn exit_code(
    result: anyhow::Result<()>,
    fail: bool,
    passed: bool,
) -> anyhow::Result<ExitCode> {
    match result {
        Err(error) if fail && is_broken_pipe(&error) => {
            if passed {
                return Ok(ExitCode::from(EXIT_ERROR));
            }
        }
        result => result?,
    }
    let failed = fail && !passed;
    Ok(ExitCode::from(if failed { EXIT_CHECK_FAILED } else { 0 }))
}
