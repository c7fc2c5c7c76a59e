//! What can be given on the command line.

mod citations;
mod classes;
mod gate;
mod help;
#[cfg(feature = "proxy")]
mod proxy;
mod stream;

use std::ffi::OsString;

use anstream::ColorChoice;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ArgGroup, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use self::citations::{CitationForm, CitationsCommand, ReadArgs, WriteArgs};
pub(crate) use self::classes::ClassesArgs;
pub(crate) use self::gate::{GateArgs, GatedArgs, ReportArgs};
#[cfg(feature = "proxy")]
pub(crate) use self::proxy::ProxyArgs;
pub(crate) use self::stream::{AdmitArgs, ExtractArgs, FileArgs, SourceArgs, StripArgs};
use crate::emit::args::{EMIT, EmitCommand};
use crate::marc::args::MarcCommand;
use crate::marc::help::MARC;
use crate::ui::Ui;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Heading in the help over the options that every command has.
const ANY: &str = "Options of every command";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "provstream",
    version,
    long_version = help::version(),
    about = "Read provenance annotations in the output of language models",
    long_about = help::ABOUT,
    after_help = help::EXAMPLES,
    after_long_help = help::after(),
    styles = STYLES,
    max_term_width = 100,
)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What every command has.
    #[command(flatten)]
    pub(crate) any: AnyArgs,
}

/// Options of every command.
#[derive(Debug, ArgGroup)]
pub(crate) struct AnyArgs {
    /// When to use colours: auto, always or never; auto uses them on a terminal, unless `NO_COLOR` is set
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, global = true,
        env = "PROVSTREAM_COLOR", hide_env = true, help_heading = ANY)]
    pub(crate) color: Color,
    /// Print no notes and no progress on standard error, only errors; a status of 3 then comes without its reason
    #[arg(long, short, global = true, help_heading = ANY)]
    pub(crate) quiet: bool,
    /// Show no progress bar; by default large files have one if standard error is a terminal
    #[arg(long, global = true, help_heading = ANY)]
    pub(crate) no_progress: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print assertions and their annotations, one JSON object a line
    #[command(long_about = help::EXTRACT, after_long_help = help::exit_of(help::EXIT_EXTRACT))]
    Extract(ExtractArgs),
    /// Write the stream without its annotations
    #[command(long_about = help::STRIP, after_long_help = help::EXIT_STRIP)]
    Strip(StripArgs),
    /// Judge each assertion by the classes it declares
    #[command(long_about = help::ADMIT, override_usage = help::ADMIT_USAGE, after_long_help = help::exit_of(help::EXIT_ADMIT))]
    Admit(AdmitArgs),
    /// Hold text back until a policy has decided about it, and write only what it releases
    #[command(long_about = help::GATE, after_long_help = help::EXIT_GATE)]
    Gate(GateArgs),
    /// Serve an HTTP proxy that strips or gates the responses of a provider
    #[cfg(feature = "proxy")]
    #[command(long_about = help::PROXY, after_long_help = help::EXIT_PROXY)]
    Proxy(ProxyArgs),
    /// Show an answer as a page: each assertion, its verdict, and what the gate would do
    #[command(long_about = help::REPORT, override_usage = help::REPORT_USAGE, after_long_help = help::EXIT_REPORT)]
    Report(ReportArgs),
    /// List the substrate classes that are loaded
    #[command(long_about = help::VOCABULARY, after_long_help = help::EXIT_VOCABULARY)]
    Vocabulary(VocabularyArgs),
    /// Read the citations of providers, and write annotations in their forms
    #[command(subcommand, long_about = help::CITATIONS)]
    Citations(CitationsCommand),
    /// Make models write annotations: prompts, schemas, grammars, examples
    #[command(subcommand, long_about = EMIT)]
    Emit(EmitCommand),
    /// Validate, decide, disclose and carry MARC records
    #[command(subcommand, long_about = MARC)]
    Marc(MarcCommand),
    /// Print a completion script for a shell
    #[command(long_about = help::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page of a command
    #[command(long_about = help::MAN)]
    Man(ManArgs),
}

/// Arguments of `provstream vocabulary`.
#[derive(Debug, ArgGroup)]
pub(crate) struct VocabularyArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Where the classes come from.
    #[command(flatten)]
    pub(crate) classes: ClassesArgs,
}

/// Arguments of `provstream completions`.
#[derive(Debug, ArgGroup)]
pub(crate) struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub(crate) shell: Shell,
}

/// Arguments of `provstream man`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ManArgs {
    /// The command, such as `extract`, or `marc validate` as two words [default: the program]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl Args {
    /// Reads the command line.
    pub(crate) fn read(words: &[OsString]) -> Result<Self, clap::Error> {
        Self::try_parse_from(words)
    }

    /// The definition of the command line.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }

    /// How the program talks to the person who started it.
    pub(crate) fn ui(&self) -> Ui {
        let output = match &self.command {
            Command::Extract(args) => &args.output,
            Command::Admit(args) => &args.output,
            Command::Gate(args) => &args.output,
            Command::Report(args) => &args.output,
            Command::Strip(args) => &args.output,
            Command::Citations(CitationsCommand::Read(args)) => &args.output,
            Command::Citations(CitationsCommand::Write(args)) => &args.output,
            _ => &None,
        };
        Ui {
            quiet: self.any.quiet,
            no_progress: self.any.no_progress,
            has_output_file: output.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Args::definition().debug_assert();
    }
}
