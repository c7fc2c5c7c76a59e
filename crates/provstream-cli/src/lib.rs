//! The provstream command line: reads a stream of LLM output and reports where it says its assertions come from.
//! `provstream --help` is its documentation.
//!
//! As a library, this crate has what another program needs to be the same command line with further commands ([`ExtensionCommand`]).

mod cli;
mod commands;
mod engine;
mod error;
mod extension;
mod fields;
mod files;
mod hidden_annotations;
mod input;
mod ledger;
mod lines;
mod messages;
mod observation_ids;
mod options;
mod output;
mod progress;
mod reader;
mod render;
mod response;
mod scan;
mod settings;
mod sink;
mod utf8;
mod verdict;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use self::cli::{Cli, Command, GlobalOptions, definition};
use self::commands::{
    admit, citations, emit, extract, gate, generate, marc, report, strip, summary, vocabulary,
};
use self::error::EXIT_ERROR;

pub use self::error::{input_error, usage_error};
pub use self::extension::{
    CheckOptions, CheckSummary, CommandOutput, CommandOutputOptions, ExtensionCommand, escape,
};
pub use self::messages::print_note;
pub use self::scan::check::{AssertionCheck, CheckedAssertion};
pub use provstream_route::{
    LedgerList, LedgerSettings, LedgerSupport, RecordSettings, RecordingDone, RequerySettings,
    RequestFacts, RequestToolResult, ToolResultRecorder,
};

/// Runs the command line with the arguments of the process, and with the commands of `extensions` besides its own. With `ledgers`, its
/// own commands can check observations.
#[must_use]
pub fn run(
    extensions: &[ExtensionCommand],
    ledgers: Option<&'static dyn LedgerSupport>,
) -> ExitCode {
    if let Some(support) = ledgers {
        ledger::set_support(support);
    }
    let matches = match definition(extensions).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return report_usage(&error),
    };
    fail_at_file_limit();
    let result = match extensions
        .iter()
        .find_map(|extension| extension.matches(&matches))
    {
        Some((extension, own)) => match GlobalOptions::from_arg_matches(&matches) {
            Ok(global) => {
                global.apply();
                (extension.run)(own)
            }
            Err(error) => return report_usage(&error),
        },
        None => match Cli::from_arg_matches(&matches) {
            Ok(cli) => {
                cli.global.apply();
                run_command(cli.command, extensions)
            }
            Err(error) => return report_usage(&error),
        },
    };
    result.unwrap_or_else(|error| error::report(&error))
}

/// Prints an error of the arguments, the help or the version.
fn report_usage(error: &clap::Error) -> ExitCode {
    let status = u8::try_from(error.exit_code()).unwrap_or(EXIT_ERROR);
    // The help and the version go to standard output, which may be full.
    match error.print() {
        Ok(()) => ExitCode::from(status),
        Err(error) => {
            messages::print_error(format_args!("cannot write the output: {error}"));
            ExitCode::from(EXIT_ERROR)
        }
    }
}

/// Makes a write beyond the largest size of a file (`ulimit -f`) fail, as one to a full disk does, instead of ending the program.
fn fail_at_file_limit() {
    // With a handler, whatever it does, the write returns an error.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

fn run_command(command: Command, extensions: &[ExtensionCommand]) -> anyhow::Result<ExitCode> {
    match command {
        Command::Extract(options) => extract::run(&options),
        Command::Strip(options) => strip::run(&options),
        Command::Admit(options) => admit::run(&options),
        Command::Summary(options) => summary::run(&options),
        Command::Gate(options) => gate::run(&options),
        #[cfg(feature = "proxy")]
        Command::Proxy(options) => commands::proxy::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Vocabulary(options) => vocabulary::run(&options),
        Command::Citations(command) => citations::run(&command),
        Command::Emit(command) => emit::run(&command),
        Command::Marc(command) => marc::run(&command),
        Command::Completions(options) => generate::completions(&options, definition(extensions)),
        Command::Man(options) => generate::man(&options, definition(extensions)),
    }
}
