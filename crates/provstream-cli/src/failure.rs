//! What ends the program early, and how it is reported.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::builder::styling::AnsiColor;
use provstream::LimitError;

use crate::printable::Printable;
use crate::ui::Ui;

/// Exit status when the input cannot be read or the output not written.
pub(crate) const UNREADABLE: u8 = 1;
/// Exit status when the program was called in a wrong way.
pub(crate) const USAGE: u8 = 2;

/// What is wrong with a directory in the place of a file.
pub(crate) const DIRECTORY: &str = "it is a directory, expected a file; give the path of a file";

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was asked for makes no sense.
    Usage(String),
    /// Something cannot be read: its name and why.
    Read(String, io::Error),
    /// A directory was given where a file is read: its name.
    Directory(String),
    /// Nothing of the input is what it was said to be.
    Unknown(String),
    /// Nothing of the input was read, since it is not what it was said to be.
    Unread(String),
    /// A file for the output cannot be written: its name and why.
    Create(String, io::Error),
    /// The output cannot be written; the error names it unless it is standard output.
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
    /// A file cannot be made, or not be written.
    pub(crate) fn create(path: &Path, error: io::Error) -> Self {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let error = match folder {
            Some(folder) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
                let message = format!(
                    "the directory {} does not exist; create it, or give another path",
                    folder.display()
                );
                io::Error::new(ErrorKind::NotFound, message)
            }
            _ if error.kind() == ErrorKind::NotFound => {
                io::Error::other("its directory takes no new file; give another path")
            }
            _ if error.kind() == ErrorKind::NotADirectory => io::Error::other(
                "a part of the path is a file, expected a directory; give another path",
            ),
            _ if path.is_dir() => io::Error::other(DIRECTORY),
            _ => error,
        };
        Self::Create(path.display().to_string(), error)
    }

    /// Prints the message, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let status = match self {
            Self::Usage(message) => {
                complain(message);
                USAGE
            }
            Self::Read(name, error) => {
                let is_url = name.starts_with("https://") || name.starts_with("http://");
                let advice = match error.kind() {
                    ErrorKind::NotFound if is_url => {
                        "; expected a path, found an address: fetch it first, as with `curl`"
                    }
                    _ => advice(&error),
                };
                complain(format_args!("cannot read {name}: {error}{advice}"));
                UNREADABLE
            }
            Self::Directory(name) => {
                complain(format_args!(
                    "cannot read {name}: it is a directory, expected a file; `extract` and `admit` read the files in it with --recursive"
                ));
                UNREADABLE
            }
            Self::Unknown(message) | Self::Unread(message) => {
                complain(message);
                UNREADABLE
            }
            Self::Create(name, error) => {
                let advice = advice_to_write(&error);
                complain(format_args!("cannot write {name}: {error}{advice}"));
                UNREADABLE
            }
            // A reader that closed the pipe wants no more, so nothing went wrong.
            Self::Write(error) if error.kind() == ErrorKind::BrokenPipe => 0,
            Self::Write(error) => {
                let advice = advice_to_write(&error);
                complain(format_args!("cannot write the output: {error}{advice}"));
                UNREADABLE
            }
            Self::Unanswered => UNREADABLE,
        };
        ExitCode::from(status)
    }
}

/// What to do about an error of the system, as the end of its message.
fn advice(error: &io::Error) -> &'static str {
    // An error with a message of its own says what to do.
    match error.raw_os_error().map(|_| error.kind()) {
        Some(ErrorKind::NotFound) => "; check the path",
        Some(ErrorKind::NotADirectory) => {
            "; a part of the path is a file, expected a directory; check the path"
        }
        Some(ErrorKind::PermissionDenied) => "; change its permissions, or give another file",
        Some(ErrorKind::InvalidFilename) => "; give a shorter path",
        Some(ErrorKind::IsADirectory) => ", expected a file; give a FILE or a pipe",
        _ => "",
    }
}

/// What to do about an error of the system that keeps the output from being written, as the end of a message.
fn advice_to_write(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space, or write elsewhere"
        }
        ErrorKind::PermissionDenied => {
            "; change the permissions of the file and its directory, or write elsewhere"
        }
        ErrorKind::ReadOnlyFilesystem => "; write elsewhere",
        ErrorKind::InvalidFilename => "; give a shorter path",
        _ => "",
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

/// Prints a note, something that is not a failure, unless the run is quiet.
pub(crate) fn note(message: impl Display) {
    if !Ui::get().quiet {
        complain(message);
    }
}

/// Writes a message of one line, with whatever it quotes made harmless.
pub(crate) fn complain(message: impl Display) {
    let message = Printable(message);
    let style = AnsiColor::Red.on_default().bold();
    // If even that cannot be written, the exit status still says it.
    let _ = writeln!(anstream::stderr(), "{style}provstream:{style:#} {message}");
}
