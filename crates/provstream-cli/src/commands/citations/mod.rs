//! `provstream citations`.

mod read;
mod record;
mod write;

use std::process::ExitCode;

use clap::Subcommand;

use crate::options::EXIT_STATUS;

#[derive(Debug, Subcommand)]
pub(crate) enum CitationsCommand {
    #[command(after_long_help = EXIT_STATUS)]
    Read(read::ReadOptions),
    #[command(after_long_help = EXIT_STATUS)]
    Write(write::WriteOptions),
}

/// Runs the command.
pub(crate) fn run(command: &CitationsCommand) -> anyhow::Result<ExitCode> {
    match command {
        CitationsCommand::Read(options) => read::run(options),
        CitationsCommand::Write(options) => write::run(options),
    }
}
