//! What ends the program early, and how it is told.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::builder::styling::AnsiColor;
use clap::error::ContextValue;
use provstream::LimitError;

use crate::printable::Printable;

/// Exit status when the input cannot be read or the output not written.
const UNREADABLE: u8 = 1;
/// Exit status when the program was called in a wrong way.
const USAGE: u8 = 2;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was asked for makes no sense.
    Usage(String),
    /// Something cannot be read: its name and why.
    Read(String, io::Error),
    /// Nothing of the input is what it was said to be.
    Unknown(String),
    /// The output cannot be written.
    Write(io::Error),
    /// The reader of the output has gone away before the answer was known that the exit status must give.
    Unanswered,
}

impl From<LimitError> for Failure {
    fn from(error: LimitError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl Failure {
    /// Tells the user, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let status = match self {
            Self::Usage(message) => {
                complain(message);
                USAGE
            }
            Self::Read(name, error) => {
                complain(format_args!("cannot read {name}: {error}"));
                UNREADABLE
            }
            Self::Unknown(message) => {
                complain(message);
                UNREADABLE
            }
            // Whoever closed the pipe wants no more, so there is nothing to say and nothing went wrong.
            Self::Write(error) if error.kind() == ErrorKind::BrokenPipe => 0,
            Self::Write(error) => {
                complain(format_args!("cannot write the output: {error}"));
                UNREADABLE
            }
            Self::Unanswered => UNREADABLE,
        };
        ExitCode::from(status)
    }
}

/// An error with all that caused it, in one message.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message = format!("{message}: {error}");
        source = error.source();
    }
    message
}

/// Tells what clap has to say: help and version on standard output, errors on standard error.
pub(crate) fn usage(mut error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::Write(error).report(),
        };
    }
    if matches!(
        error.kind(),
        clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        // The help itself is the message; there is no standard error to complain to if this fails.
        let _ = error.print();
        return ExitCode::from(USAGE);
    }
    // What the user typed is quoted in the message and in what is suggested, so it is made harmless first.
    let quoted: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| Some((kind, harmless(value)?)))
        .collect();
    for (kind, value) in quoted {
        error.insert(kind, value);
    }
    let message = error.to_string();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    say(message.trim_end());
    ExitCode::from(USAGE)
}

/// A part of clap's message with whatever it quotes made harmless; none if it quotes nothing.
fn harmless(value: &ContextValue) -> Option<ContextValue> {
    let text = |quoted: &dyn Display| Printable(quoted).to_string();
    match value {
        ContextValue::String(quoted) => Some(ContextValue::String(text(quoted))),
        ContextValue::Strings(quoted) => {
            let all = quoted.iter().map(|quoted| text(quoted));
            Some(ContextValue::Strings(all.collect()))
        }
        ContextValue::StyledStrs(quoted) => {
            let all = quoted.iter().map(|quoted| text(quoted).into());
            Some(ContextValue::StyledStrs(all.collect()))
        }
        _ => None,
    }
}

/// Tells something that is no failure.
pub(crate) fn note(message: impl Display) {
    complain(message);
}

/// Writes a message of one line, with whatever it quotes made harmless.
pub(crate) fn complain(message: impl Display) {
    say(Printable(message));
}

/// Writes a message to standard error.
fn say(message: impl Display) {
    let style = AnsiColor::Red.on_default().bold();
    // If even that cannot be written, the exit status still tells.
    let _ = writeln!(anstream::stderr(), "{style}provstream:{style:#} {message}");
}
