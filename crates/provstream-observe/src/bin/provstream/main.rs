//! The program `provstream` with the commands about observations.

mod import;
mod ledger;
#[cfg(feature = "mcp")]
mod mcp;
mod observe;
mod record_queue;
mod recording;
mod support;
mod tool_recorder;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use provstream::provenance::Timestamp;
use provstream_cli::{ExtensionCommand, input_error, usage_error};
use provstream_observe::{
    LedgerError, SqliteLedger, SubstrateError, SubstrateErrorKind, Substrates,
};

fn main() -> ExitCode {
    let extensions = [
        ExtensionCommand {
            command: observe::command,
            run: observe::run,
        },
        ExtensionCommand {
            command: verify::command,
            run: verify::run,
        },
        ExtensionCommand {
            command: ledger::command,
            run: ledger::run,
        },
        #[cfg(feature = "mcp")]
        ExtensionCommand {
            command: mcp::command,
            run: mcp::run,
        },
    ];
    provstream_cli::run(&extensions, Some(&support::SqliteSupport))
}

// The ledger of a command.
#[derive(Debug, Args)]
struct LedgerOption {
    /// The ledger, an SQLite file
    #[arg(long, value_name = "FILE", env = "PROVSTREAM_LEDGER", hide_env = true)]
    ledger: PathBuf,
}

impl LedgerOption {
    /// Opens a ledger that exists.
    fn open(&self) -> anyhow::Result<SqliteLedger> {
        SqliteLedger::open_existing(&self.ledger).map_err(|error| self.error(&error))
    }

    /// Opens a ledger. Creates the file if it does not exist.
    fn create(&self) -> anyhow::Result<SqliteLedger> {
        SqliteLedger::open(&self.ledger).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &LedgerError) -> anyhow::Error {
        input_error(format_args!("{}: {error}", self.ledger.display()))
    }

    /// The file, with its option.
    fn file(&self) -> (&'static str, Option<&Path>) {
        ("--ledger", Some(&self.ledger))
    }
}

// The substrates of a command.
#[derive(Debug, Args)]
struct SubstrateOptions {
    /// The folder that paths are relative to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    /// Settings of the channels of events and MCP services that can be asked, a TOML file
    #[cfg(feature = "mcp")]
    #[arg(
        long,
        value_name = "FILE",
        env = "PROVSTREAM_SERVICES",
        hide_env = true
    )]
    services: Option<PathBuf>,
}

impl SubstrateOptions {
    fn open(&self) -> anyhow::Result<Substrates> {
        let substrates = Substrates::open(&self.root).map_err(input_error)?;
        #[cfg(feature = "mcp")]
        if let Some(path) = &self.services {
            return Ok(substrates.with_services(read_services(path)?));
        }
        Ok(substrates)
    }
}

/// Reads the settings of channels and services.
#[cfg(feature = "mcp")]
fn read_services(path: &Path) -> anyhow::Result<provstream_observe::Services> {
    let file = provstream::settings::read_text(path);
    let file = file.map_err(|error| input_error(format_args!("{}: {error}", path.display())))?;
    let services = provstream_observe::Services::from_toml(file.as_bytes());
    services.map_err(|error| usage_error(format_args!("{}: {error}", path.display())))
}

/// A query that is not allowed is a wrong argument; what is not there cannot be read.
fn substrate_error(error: &SubstrateError) -> anyhow::Error {
    match error.kind() {
        SubstrateErrorKind::Query | SubstrateErrorKind::Refused => usage_error(error),
        _ => input_error(error),
    }
}

/// Reads a time from an argument.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn definitions_are_consistent() {
        for command in [
            crate::observe::command(),
            crate::verify::command(),
            crate::ledger::command(),
            #[cfg(feature = "mcp")]
            crate::mcp::command(),
        ] {
            command.debug_assert();
        }
    }
}
