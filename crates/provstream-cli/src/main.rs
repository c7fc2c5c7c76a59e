//! The provstream command line: reads a stream of LLM output and reports where it says its assertions come from.
//! `provstream --help` is its documentation.

mod account;
mod admit;
mod args;
mod books;
mod channels;
mod citations;
mod color;
mod counted;
mod decompress;
mod emit;
mod encoded;
mod exit_status;
mod extract;
mod failure;
mod feed;
mod field;
mod files;
mod findings;
mod gate;
mod gated;
mod generate;
mod input;
mod input_format;
mod inputs;
mod interrupt;
mod jobs;
mod line;
mod links;
mod marc;
mod messages;
mod output;
mod own_file;
mod pieces;
mod places;
mod pretty;
mod printable;
mod progress;
#[cfg(feature = "proxy")]
mod proxy;
mod reading;
mod report;
mod report_page;
mod settings;
mod setup;
mod sink;
mod stdio;
mod strings;
mod strip;
mod text_check;
mod turns;
mod ui;
mod unjudged;
mod unread;
mod usage;
mod values;
mod vocabulary;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use self::args::{Args, Command};
use self::failure::Failure;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let args = match Args::read(&words) {
        Ok(args) => args,
        Err(error) => return usage::report(&error, &words),
    };
    interrupt::fail_at_file_limit();
    color::set(args.any.color.into());
    args.ui().set();
    match run(args.command) {
        Ok(status) => status,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Extract(args) => extract::run(&args),
        Command::Strip(args) => strip::run(&args),
        Command::Admit(args) => admit::run(&args),
        Command::Gate(args) => gate::run(&args),
        #[cfg(feature = "proxy")]
        Command::Proxy(args) => proxy::run(&args),
        Command::Report(args) => report_page::run(&args),
        Command::Vocabulary(args) => vocabulary::run(&args),
        Command::Citations(command) => citations::run(&command),
        Command::Emit(command) => emit::run(&command),
        Command::Marc(command) => marc::run(&command),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    }
}
