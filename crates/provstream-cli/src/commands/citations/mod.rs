//! `provstream citations`.

mod read;
mod record;
mod write;

use std::process::ExitCode;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum CitationsCommand {
    Read(read::ReadOptions),
    Write(write::WriteOptions),
}

/// Runs the command.
pub(crate) fn run(command: &CitationsCommand) -> anyhow::Result<ExitCode> {
    match command {
        CitationsCommand::Read(options) => read::run(options),
        CitationsCommand::Write(options) => write::run(options),
    }
}
