//! `provstream observe`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{
    ArgMatches, Args, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
};
use provstream_cli::{CommandOutputOptions, usage_error};
use provstream_observe::{Ledger as _, SubstrateQuery};
use serde_json::json;

use crate::import::ImportCommand;
use crate::recording::{RecordOptions, annotation};
use crate::{LedgerOption, SubstrateOptions, substrate_error};

/// Observe a substrate, record the observation, and print the annotation that cites it
///
/// Without a terminal, the observation is printed as a line of JSON. Put the annotation after an
/// assertion that the result supports; `provstream verify` then finds it in the ledger. Paths are
/// relative to --root and cannot leave it.
///
///     provstream observe code.read src/lib.rs --lines 10:20 --ledger obs.db
///     provstream observe grep 'fn main' src --ledger obs.db
///     provstream observe git.log --limit 5 --ledger obs.db
#[derive(Debug, Parser)]
#[command(name = "observe", verbatim_doc_comment)]
struct ObserveCommand {
    #[command(subcommand)]
    source: ObserveSource,
}

#[derive(Debug, Subcommand)]
enum ObserveSource {
    #[command(flatten)]
    Substrate(Substrate),
    Import(ImportCommand),
}

#[derive(Debug, Subcommand)]
enum Substrate {
    /// Read a file, or some of its lines
    #[command(name = "code.read")]
    CodeRead {
        /// The file
        #[arg(value_name = "FILE")]
        path: String,
        /// Numbers of the first and the last line, from 1, such as 10:20, or of one line
        #[arg(long, value_name = "FIRST[:LAST]", value_parser = parse_lines)]
        lines: Option<(usize, usize)>,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// Search a file, or the files of a folder, for a regular expression
    ///
    /// Files are searched in the order of their names. Hidden files, binary files and those that .gitignore or .ignore name
    /// are left out.
    #[command(name = "grep")]
    Grep {
        /// The regular expression
        #[arg(value_name = "PATTERN")]
        pattern: String,
        /// The file or folder
        #[arg(value_name = "PATH", default_value = ".")]
        path: String,
        /// Ignore letter case
        #[arg(long, short)]
        ignore_case: bool,
        /// Most matching lines, 1 to 10000 [default: 200]
        #[arg(long, value_name = "COUNT", value_parser = parse_count)]
        limit: Option<usize>,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// Read when a file was modified
    #[command(name = "fs.mtime")]
    FsMtime {
        /// The file
        #[arg(value_name = "FILE")]
        path: String,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// List the commits that a reference reaches, the latest first
    #[command(name = "git.log")]
    GitLog {
        /// The folder of the repository
        #[arg(value_name = "REPOSITORY", default_value = ".")]
        repository: String,
        /// The reference, such as refs/heads/main
        #[arg(long, value_name = "NAME", default_value = "HEAD")]
        reference: String,
        /// List only commits that change this path in the repository
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        /// Most commits, 1 to 10000 [default: 20]
        #[arg(long, value_name = "COUNT", value_parser = parse_count)]
        limit: Option<usize>,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// Report the process that listens on a Unix-domain socket, by its number, user and group (Linux)
    ///
    /// The program connects to the socket and closes the connection at once.
    #[command(name = "unix.peercred")]
    Peercred {
        /// The socket
        #[arg(value_name = "SOCKET")]
        path: String,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// Count the server-sent events of a channel, and print the data of the last one
    #[cfg(feature = "mcp")]
    #[command(name = "do.sse-count")]
    SseCount {
        /// The URL of the channel, one of those in the settings (--services)
        #[arg(value_name = "URL")]
        url: String,
        /// Count only the events of this name, such as one that says how many subscribers there are
        #[arg(long, value_name = "NAME")]
        event: Option<String>,
        /// Seconds after which the count ends, 1 to 60 [default: 10]
        #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
        seconds: Option<usize>,
        /// Number of events after which the count ends, 1 to 10000 [default: 200]
        #[arg(long, value_name = "COUNT", value_parser = parse_count)]
        limit: Option<usize>,
        #[command(flatten)]
        options: ObserveOptions,
    },
    /// Call a tool of an MCP service
    #[cfg(feature = "mcp")]
    #[command(name = "mcp.brief")]
    McpBrief {
        /// The name of the service in the settings (--services)
        #[arg(value_name = "SERVICE")]
        service: String,
        /// The tool, one of those in the settings
        #[arg(value_name = "TOOL")]
        tool: String,
        /// The arguments, a JSON object
        #[arg(value_name = "ARGUMENTS", default_value = "{}")]
        arguments: String,
        #[command(flatten)]
        options: ObserveOptions,
    },
}

#[derive(Debug, Args)]
struct ObserveOptions {
    #[command(flatten)]
    ledger: LedgerOption,
    #[command(flatten)]
    substrates: SubstrateOptions,
    #[command(flatten)]
    record: RecordOptions,
    /// Id to record instead of the computed one, such as that of a tool call
    #[arg(long, value_name = "ID", conflicts_with = "key")]
    id: Option<String>,
    #[command(flatten)]
    report: CommandOutputOptions,
}

pub(crate) fn command() -> Command {
    ObserveCommand::command()
}

pub(crate) fn run(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let command = ObserveCommand::from_arg_matches(matches)?;
    let substrate = match command.source {
        ObserveSource::Substrate(substrate) => substrate,
        ObserveSource::Import(command) => return command.run(),
    };
    let (query, options) = substrate.query()?;
    observe(&query, &options)
}

impl Substrate {
    fn query(self) -> anyhow::Result<(SubstrateQuery, ObserveOptions)> {
        Ok(match self {
            Self::CodeRead {
                path,
                lines,
                options,
            } => (SubstrateQuery::code_read(&path, lines), options),
            Self::Grep {
                pattern,
                path,
                ignore_case,
                limit,
                options,
            } => (
                SubstrateQuery::grep(&pattern, &path, ignore_case, limit),
                options,
            ),
            Self::FsMtime { path, options } => (SubstrateQuery::fs_mtime(&path), options),
            Self::GitLog {
                repository,
                reference,
                path,
                limit,
                options,
            } => (
                SubstrateQuery::git_log(&repository, &reference, path.as_deref(), limit),
                options,
            ),

            Self::Peercred { path, options } => (SubstrateQuery::peercred(&path), options),
            #[cfg(feature = "mcp")]
            Self::SseCount {
                url,
                event,
                seconds,
                limit,
                options,
            } => (
                SubstrateQuery::sse_count(&url, event.as_deref(), seconds, limit),
                options,
            ),
            #[cfg(feature = "mcp")]
            Self::McpBrief {
                service,
                tool,
                arguments,
                options,
            } => {
                let arguments = serde_json::from_str(&arguments).map_err(|error| {
                    usage_error(format_args!("ARGUMENTS: expected a JSON object: {error}"))
                })?;
                (
                    SubstrateQuery::mcp_brief(&service, &tool, arguments),
                    options,
                )
            }
        })
    }
}

fn observe(query: &SubstrateQuery, options: &ObserveOptions) -> anyhow::Result<ExitCode> {
    let substrates = options.substrates.open()?;
    let found = substrates
        .observe(query)
        .map_err(|error| substrate_error(&error))?;
    let content = found.content.clone();
    let mut observation = options.record.open()?.observation(query, found)?;
    if let Some(id) = &options.id {
        let with_id = observation.with_id(id);
        observation = with_id.map_err(|error| usage_error(format_args!("--id: {error}")))?;
    }
    let annotation = annotation(query.class(), &observation)?;
    let mut report = options.report.open([
        options.ledger.file(),
        ("--key", options.record.key.as_deref()),
    ])?;
    let ledger = options.ledger.create()?;
    let recorded = ledger.record(&observation);
    let seq = recorded.map_err(|error| options.ledger.error(&error))?;
    if report.is_pretty() {
        report.write_text(&content);
        let end = if content.is_empty() || content.ends_with(b"\n") {
            "\n"
        } else {
            "\n\n"
        };
        writeln!(report, "{end}{annotation}")?;
    } else {
        let query: serde_json::Value = serde_json::from_str(observation.query().as_str())?;
        report.write_record(&json!({
            "event": "observation",
            "seq": seq,
            "class": observation.class(),
            "observation_id": observation.id(),
            "ts": observation.time().to_string(),
            "annotation": annotation,
            "query": query,
            "result": observation.result().to_string(),
            "content": String::from_utf8_lossy(&content),
        }));
    }
    report.commit()?;
    Ok(ExitCode::SUCCESS)
}

/// Reads `FIRST:LAST` or `LINE` as the first line and the number of lines.
fn parse_lines(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(first), Ok(last)) if first > 0 && last >= first => Ok((first, last - first + 1)),
        _ => Err("expected the numbers of two lines from 1, such as 10:20".to_owned()),
    }
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=10_000).contains(&count) => Ok(count),
        _ => Err("expected a number between 1 and 10000".to_owned()),
    }
}

#[cfg(feature = "mcp")]
fn parse_seconds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(seconds) if (1..=60).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number between 1 and 60".to_owned()),
    }
}
