//! `provstream completions` and `provstream man`.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::usage_error;
use crate::output::Output;

/// Print a completion script for a shell
///
/// For bash, for example:
///
///     provstream completions bash > ~/.local/share/bash-completion/completions/provstream
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionsOptions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page of a command, in roff
///
///     provstream man extract | man -l -
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ManOptions {
    /// The command, such as `extract`, or `marc validate` as two words [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs `provstream completions`.
pub(crate) fn completions(
    options: &CompletionsOptions,
    mut command: Command,
) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "provstream", &mut script);
    write(&script)
}

/// Runs `provstream man`.
pub(crate) fn man(options: &ManOptions, mut command: Command) -> anyhow::Result<ExitCode> {
    command.build();
    for name in &options.command {
        let Some(found) = command.find_subcommand(name) else {
            let known = command.get_subcommands().map(Command::get_name);
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(usage_error(format_args!(
                "man: unknown command `{name}`, expected one of: {known}"
            )));
        };
        command = found.clone();
    }
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    write(&page)
}

fn write(bytes: &[u8]) -> anyhow::Result<ExitCode> {
    let mut output = Output::stdout();
    output.write_bytes(bytes);
    output.commit()?;
    Ok(ExitCode::SUCCESS)
}
