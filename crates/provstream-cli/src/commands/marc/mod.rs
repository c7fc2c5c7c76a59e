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

use crate::options::EXIT_STATUS;

#[derive(Debug, Subcommand)]
pub(crate) enum MarcCommand {
    #[command(after_long_help = EXIT_STATUS)]
    Validate(validate::ValidateOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Decide(decide::DecideOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Project(project::ProjectOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Show(show::ShowOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Carry(carry::CarryOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Upgrade(upgrade::UpgradeOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Schema(schema::SchemaOptions),
    #[command(after_long_help = EXIT_STATUS)]
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
