//! `provstream citations`.

mod events;
mod line;
mod read;
mod write;

use std::process::ExitCode;

use crate::args::CitationsCommand;
use crate::failure::Failure;

/// Runs the command.
pub(crate) fn run(command: &CitationsCommand) -> Result<ExitCode, Failure> {
    match command {
        CitationsCommand::Read(args) => read::run(args),
        CitationsCommand::Write(args) => write::run(args),
    }
}
