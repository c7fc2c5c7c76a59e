//! The provstream command line: reads a stream of LLM output and reports where it says its assertions come from.
//! `provstream --help` is its documentation.

mod cli;
mod commands;
mod engine;
mod error;
mod fields;
mod files;
mod hidden_annotations;
mod input;
mod lines;
mod messages;
mod options;
mod output;
mod progress;
mod reader;
mod response;
mod scan;
mod settings;
mod sink;
mod utf8;
mod verdict;

use std::process::ExitCode;

use clap::FromArgMatches;

use self::cli::{Cli, Command, definition};
use self::commands::{
    admit, citations, emit, extract, gate, generate, marc, report, strip, summary, vocabulary,
};
use self::error::EXIT_ERROR;

fn main() -> ExitCode {
    let matches = definition().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let status = u8::try_from(error.exit_code()).unwrap_or(EXIT_ERROR);
            // The help and the version go to standard output, which may be full.
            return match error.print() {
                Ok(()) => ExitCode::from(status),
                Err(error) => {
                    messages::print_error(format_args!("cannot write the output: {error}"));
                    ExitCode::from(EXIT_ERROR)
                }
            };
        }
    };
    fail_at_file_limit();
    cli.global.apply();
    run(cli.command).unwrap_or_else(|error| error::report(&error))
}

/// Makes a write beyond the largest size of a file (`ulimit -f`) fail, as one to a full disk does, instead of ending the program.
fn fail_at_file_limit() {
    // With a handler, whatever it does, the write returns an error.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
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
        Command::Completions(options) => generate::completions(&options, definition()),
        Command::Man(options) => generate::man(&options, definition()),
    }
}
