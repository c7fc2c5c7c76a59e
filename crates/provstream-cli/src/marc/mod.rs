//! `provstream marc`.

pub(crate) mod args;
mod conformance;
mod decide;
mod fields;
mod finding;
mod lines;
mod project;
pub(crate) mod record;
mod schema;
mod situation;
mod validate;
mod wording;

use std::process::ExitCode;

use self::args::MarcCommand;
use crate::failure::Failure;

/// Runs the command.
pub(crate) fn run(command: &MarcCommand) -> Result<ExitCode, Failure> {
    match command {
        MarcCommand::Validate(args) => validate::run(args),
        MarcCommand::Project(args) => project::run(args),
        MarcCommand::Decide(args) => decide::run(args),
        MarcCommand::Schema(args) => schema::run(args),
        MarcCommand::Conformance(args) => conformance::run(args),
    }
}
