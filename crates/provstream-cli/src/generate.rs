//! `provstream completions` and `provstream man`.

use std::process::ExitCode;

use clap_mangen::Man;

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::usage;

/// Runs `provstream completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut Args::definition(),
        "provstream",
        &mut script,
    );
    write(&script)
}

/// Runs `provstream man`.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let mut command = Args::definition();
    command.build();
    let mut parents = command.get_name().to_owned();
    for name in &args.command {
        let Some(found) = command.find_subcommand(name) else {
            let known: Vec<_> = command
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            return Err(Failure::Usage(match known.as_slice() {
                _ if name.contains(' ') => format!(
                    "man: expected each command as a word of its own, as in `provstream man {name}`, found `{name}`"
                ),
                [] => format!("man: `{command}` has no commands, found `{name}`"),
                known => match usage::similar_command(&parents, name) {
                    Some(similar) => {
                        format!("man: unknown command `{name}`, did you mean {similar}")
                    }
                    None => {
                        let known = known.join(", ");
                        format!("man: unknown command `{name}`, expected one of {known}")
                    }
                },
            }));
        };
        parents = format!("{parents} {name}");
        command = found.clone();
    }
    let mut page = Vec::new();
    // Writing to memory cannot fail.
    let _ = Man::new(command).render(&mut page);
    write(&page)
}

fn write(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut output = Output::stdout();
    output.bytes(bytes);
    output.commit()?;
    Ok(ExitCode::SUCCESS)
}
