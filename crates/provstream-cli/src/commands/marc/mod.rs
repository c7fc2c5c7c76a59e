//! `provstream marc`.

mod carry;
mod conformance;
mod decide;
pub(crate) mod objects;
mod options;
mod project;
mod schema;
mod show;
mod texts;
mod upgrade;
mod validate;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    Validate(validate::ValidateOptions),
    Decide(decide::DecideOptions),
    Project(project::ProjectOptions),
    Show(show::ShowOptions),
    Carry(carry::CarryOptions),
    Upgrade(upgrade::UpgradeOptions),
    Schema(schema::MarcSchemaOptions),
    Conformance(conformance::ConformanceOptions),
}

/// Runs the command.
pub(crate) fn run(command: &MarcCommand) -> anyhow::Result<ExitCode> {
    match command {
        MarcCommand::Validate(options) => validate::run(options),
        MarcCommand::Decide(options) => decide::run(options),
        MarcCommand::Project(options) => project::run(options),
        MarcCommand::Show(options) => show::run(options),
        MarcCommand::Carry(options) => carry::run(options),
        MarcCommand::Upgrade(options) => upgrade::run(options),
        MarcCommand::Schema(options) => schema::run(options),
        MarcCommand::Conformance(options) => conformance::run(options),
    }
}
