//! The provstream command line: reads a stream of LLM output and tells what it says about where its assertions come
//! from. `provstream --help` is its documentation.

mod admit;
mod args;
mod channels;
mod emit;
mod extract;
mod failure;
mod feed;
mod gate;
mod input;
mod line;
mod marc;
mod output;
mod pieces;
mod printable;
mod progress;
mod settings;
mod strip;
mod unread;
mod vocabulary;

use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, Command};
use self::failure::Failure;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return failure::usage(error),
    };
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
        Command::Vocabulary(args) => vocabulary::run(&args),
        Command::Emit(command) => emit::run(&command),
        Command::Marc(command) => marc::run(&command),
    }
}
