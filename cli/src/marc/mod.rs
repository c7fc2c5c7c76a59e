//! `provstream marc`.

pub(crate) mod args;
pub(crate) mod record;
mod validate;

use std::process::ExitCode;

use self::args::MarcCommand;
use crate::failure::Failure;

/// Runs the command.
pub(crate) fn run(command: &MarcCommand) -> Result<ExitCode, Failure> {
    match command {
        MarcCommand::Validate(args) => validate::run(args),
    }
}
