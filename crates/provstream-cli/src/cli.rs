//! The command line: commands, options of every command, version.

use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use provstream::provenance::Vocabulary;
use provstream_marc::Draft;

use crate::commands::admit::AdmitOptions;
use crate::commands::citations::CitationsCommand;
use crate::commands::emit::EmitCommand;
use crate::commands::extract::ExtractOptions;
use crate::commands::gate::GateOptions;
use crate::commands::generate::{CompletionsOptions, ManOptions};
use crate::commands::marc::MarcCommand;
#[cfg(feature = "proxy")]
use crate::commands::proxy::ProxyOptions;
use crate::commands::report::ReportOptions;
use crate::commands::strip::StripOptions;
use crate::commands::summary::SummaryOptions;
use crate::commands::vocabulary::ListOptions;
use crate::extension::ExtensionCommand;
use crate::scan::record::OUTPUT_FORMAT_VERSION;
use crate::{ledger, messages, progress};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// End of the help of each command.
const EXIT_STATUS: &str = "\
Exit status:
  0  done, whatever the input contains; also if the reader of the output has gone away
  1  an input cannot be read, the output cannot be written, or the input is not what the command
     needs; with --fail also if the reader of the output has gone away before all was checked
  2  an argument or a settings file (such as a vocabulary or a policy) is wrong
  3  with --fail: something did not pass, or was not read; standard error says what";

const EXAMPLES: &str = "\
Examples:
  provstream extract answer.txt
  provstream extract --mode ndjson --jobs 4 answers/*.ndjson.gz > events.ndjson
  provstream strip --field '/messages/*/content' chats.jsonl -o clean.jsonl
  my-model | provstream admit --floor 2 --window 15m --fail
  my-model | provstream gate --policy policy.toml --audit audit.ndjson
  provstream summary --by class answers/*.txt
  provstream report answer.txt --policy policy.toml -o report.html";

/// Read provenance annotations in the output of language models
///
/// A model can mark an assertion with a provenance annotation: brackets right after it that name
/// the substrate class, the kind of source it was read from, and optionally the observation and
/// its time. In JSON both are members of one object:
///
///     The entry is dated 2026-05-25. [substrate.code.read; observation-id=sha256:e3b0;
///     ts=2026-05-28T11:40:00Z]
///
///     {"assertion":"The entry is dated 2026-05-25.",
///      "provenance":{"substrate_class":"substrate.code.read","ts":"2026-05-28T11:40:00Z"}}
///
/// provstream finds the annotations and their assertions in text, in JSON or in both mixed, in a
/// stream of any length, and prints each as soon as it is certain. An annotation is what the
/// model declares; it is never evidence that the observation took place.
#[derive(Debug, Parser)]
#[command(
    name = "provstream",
    version,
    long_version = version(),
    verbatim_doc_comment,
    after_help = EXAMPLES,
    after_long_help = long_footer(),
    styles = STYLES,
    max_term_width = 100,
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
}

// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalOptions {
    /// Use of colours: auto (on a terminal, unless `NO_COLOR` is set), always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        global = true,
        env = "PROVSTREAM_COLOR",
        hide_env = true
    )]
    color: Color,
    /// Print errors on standard error, but no notes and no progress
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Show no progress bar; by default large files have one if standard error is a terminal
    #[arg(long, global = true)]
    no_progress: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl GlobalOptions {
    /// Applies the options to this run.
    pub(crate) fn apply(&self) {
        let color = match self.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        color.write_global();
        if self.quiet {
            messages::set_quiet();
        }
        if self.quiet || self.no_progress {
            progress::disable();
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Extract(ExtractOptions),
    Strip(StripOptions),
    Admit(AdmitOptions),
    Summary(SummaryOptions),
    Gate(GateOptions),
    #[cfg(feature = "proxy")]
    Proxy(ProxyOptions),
    Report(ReportOptions),
    Vocabulary(ListOptions),
    /// Read the citations of providers, and write annotations in their forms
    ///
    /// A citation of a provider reports what was put before the model, an annotation what the model
    /// declares. Neither is evidence.
    #[command(subcommand)]
    Citations(CitationsCommand),
    /// Make models write annotations: prompts, schemas, grammars, examples
    ///
    /// A prompt asks for annotations; a schema or a grammar enforces them while an answer is decoded. All
    /// come from the vocabulary that the other commands read with. docs/emission.md has a recipe for each
    /// provider and engine.
    #[command(subcommand)]
    Emit(EmitCommand),
    /// Validate, decide, disclose and carry MARC records
    ///
    /// A MARC-Core record reports how sure a system was at a decision point and which action it selected; a
    /// MARC-Disclosure object is what a user is shown of it. Two drafts are known: 02, unless --draft says
    /// otherwise, and 01. A record is a claim about one decision, not a proof, whether it is valid or not.
    #[command(subcommand)]
    Marc(MarcCommand),
    Completions(CompletionsOptions),
    Man(ManOptions),
}

/// Builds the definition of the command line. The help of each command ends with its exit statuses.
pub(crate) fn definition(extensions: &[ExtensionCommand]) -> clap::Command {
    let commands = extensions.iter().map(|extension| (extension.command)());
    let command = Cli::command().subcommands(commands);
    with_exit_status(match ledger::support() {
        Some(_) => command,
        None => ledger::hide_options(command),
    })
}

fn with_exit_status(command: clap::Command) -> clap::Command {
    command.mut_subcommands(|command| match command.get_after_long_help() {
        Some(_) => command,
        None => with_exit_status(command).after_long_help(EXIT_STATUS),
    })
}

fn long_footer() -> String {
    format!(
        "{EXAMPLES}\n\n\
        Environment:\n  \
        PROVSTREAM_COLOR       default of --color\n  \
        PROVSTREAM_JOBS        default of --jobs\n  \
        PROVSTREAM_VOCABULARY  default of --vocabulary\n\n{EXIT_STATUS}"
    )
}

/// Versions of everything that readers of the output depend on.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let drafts: Vec<_> = Draft::ALL.iter().map(|draft| draft.as_str()).collect();
        format!(
            "{}\nvocabulary {}\nMARC drafts {}\noutput format {OUTPUT_FORMAT_VERSION}",
            env!("CARGO_PKG_VERSION"),
            Vocabulary::memo().version(),
            drafts.join(", ")
        )
    });
    &VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_consistent() {
        definition(&[]).debug_assert();
    }
}
