//! `provstream marc`.

pub(crate) mod args;
mod carry;
mod conformance;
mod decide;
mod elsewhere;
mod envelope;
mod event_stream;
mod fields;
pub(crate) mod help;
mod json_object;
mod judge;
mod lines;
mod objects;
mod project;
pub(crate) mod record;
mod schema;
mod show;
mod situation;
mod texts;
mod upgrade;
mod validate;

use std::process::ExitCode;

use self::args::MarcCommand;
use crate::failure::Failure;

/// Runs the command.
pub(crate) fn run(command: &MarcCommand) -> Result<ExitCode, Failure> {
    match command {
        MarcCommand::Validate(args) => validate::run(args),
        MarcCommand::Decide(args) => decide::run(args),
        MarcCommand::Project(args) => project::run(args),
        MarcCommand::Show(args) => show::run(args),
        MarcCommand::Carry(args) => carry::run(args),
        MarcCommand::Upgrade(args) => upgrade::run(args),
        MarcCommand::Schema(args) => schema::run(args),
        MarcCommand::Conformance(args) => conformance::run(args),
    }
}
