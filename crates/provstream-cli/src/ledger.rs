//! Ledgers of observations, if the program has support for them.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clap::Args;
use provstream::provenance::{ObservationCheck, ObservationLevel, parse_duration};
use provstream_route::{LedgerList, LedgerSettings, LedgerSupport, RequerySettings};

use crate::error::usage_error;
use crate::settings;

/// Commands with [`LedgerOptions`].
const COMMANDS: [&str; 3] = ["admit", "gate", "report"];

/// Identifiers of the options.
const OPTIONS: [&str; 5] = ["ledger", "requery", "root", "requery_deadline", "levels"];

static SUPPORT: OnceLock<&'static dyn LedgerSupport> = OnceLock::new();

/// Sets the support of the program, once.
pub(crate) fn set_support(support: &'static dyn LedgerSupport) {
    let _ = SUPPORT.set(support);
}

/// Returns the support of the program.
pub(crate) fn support() -> Option<&'static dyn LedgerSupport> {
    SUPPORT.get().copied()
}

/// Hides the options in the help of a program without ledgers.
pub(crate) fn hide_options(command: clap::Command) -> clap::Command {
    COMMANDS.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| {
            command.mut_args(|arg| match OPTIONS.contains(&arg.get_id().as_str()) {
                true => arg.hide(true),
                false => arg,
            })
        })
    })
}

/// First bytes of an SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Loads a list of observations or sources: a JSON file, or a ledger.
pub(crate) fn load_list<T, E: Display>(
    option: &str,
    path: &Path,
    form: LedgerList,
    parse: impl FnOnce(&[u8]) -> Result<T, E>,
) -> anyhow::Result<T> {
    settings::load(option, path, |file| {
        if !file.starts_with(SQLITE) {
            return parse(file).map_err(|error| error.to_string());
        }
        let Some(support) = support() else {
            return Err("expected JSON, found an SQLite file; the program of provstream-observe reads ledgers".to_owned());
        };
        let list = support.list(path, form)?;
        parse(&list).map_err(|error| error.to_string())
    })
}

// Ledger by which annotations are checked.
#[derive(Debug, Args)]
pub(crate) struct LedgerOptions {
    /// Check the observations that annotations cite against this ledger
    ///
    /// An annotation counts only if nothing speaks against its observation: the ledger has it, it is of the same class, and it is
    /// not older than the window of the class. An annotation that cites no observation is not checked.
    #[arg(long, value_name = "FILE", help_heading = "Observations")]
    ledger: Option<PathBuf>,
    /// Repeat the query of each observation; one with another result does not count
    #[arg(long, requires = "ledger", help_heading = "Observations")]
    requery: bool,
    /// The folder that paths of queries are relative to
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = ".",
        help_heading = "Observations"
    )]
    root: PathBuf,
    /// Longest time to wait for a query, 1s to 10s; an observation whose query takes longer is `unreachable`
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = deadline, help_heading = "Observations")]
    requery_deadline: Duration,
}

fn deadline(text: &str) -> Result<Duration, String> {
    let found = parse_duration(text).map_err(|error| error.to_string())?;
    match (1..=10).contains(&found.as_secs()) {
        true => Ok(found),
        false => Err("expected a duration from 1s to 10s".to_owned()),
    }
}

impl LedgerOptions {
    /// Opens the ledger, if there is one.
    pub(crate) fn open(&self) -> anyhow::Result<Option<Arc<dyn ObservationCheck>>> {
        let Some(file) = &self.ledger else {
            return Ok(None);
        };
        let Some(support) = support() else {
            return Err(usage_error(
                "--ledger: this program has no ledgers; the program of provstream-observe has them (docs/observations.md)",
            ));
        };
        let settings = LedgerSettings {
            file: file.clone(),
            requery: self.requery.then(|| RequerySettings {
                root: self.root.clone(),
                deadline: self.requery_deadline,
            }),
        };
        let opened = support.observations(&settings);
        opened
            .map(Some)
            .map_err(|error| usage_error(format_args!("--ledger: {}: {error}", file.display())))
    }

    /// Fails if a level needs a ledger or repeated queries, and there are none. `option` has the level.
    pub(crate) fn check(&self, option: &str, level: ObservationLevel) -> anyhow::Result<()> {
        let message = if level > ObservationLevel::Declared && self.ledger.is_none() {
            format!(
                "{option}: expected --ledger with levels or rules about observations, which need a ledger"
            )
        } else if level > ObservationLevel::Observed && !self.requery {
            format!(
                "{option}: expected --requery with levels or rules that need queries to be repeated"
            )
        } else {
            return Ok(());
        };
        Err(usage_error(message))
    }

    /// The file, with its option.
    pub(crate) fn file(&self) -> (&'static str, Option<&Path>) {
        ("--ledger", self.ledger.as_deref())
    }
}
