//! Arguments of `provstream gate` and `provstream report`.

use std::path::PathBuf;

use clap::Args as ArgGroup;
use provstream::provenance::Timestamp;
use provstream_providers::Reasoning;

use super::stream::{LimitArgs, SourceArgs};
use crate::values::{LIMITS, gated_reasoning, held, time};

/// Arguments of `provstream gate`.
#[derive(Debug, ArgGroup)]
pub(crate) struct GateArgs {
    /// The file to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The policy, a TOML file: what is admitted, and what is done with what is not
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// Append the decisions to this file, as lines of JSON
    ///
    /// The line of an assertion has the place and the SHA-256 of its text, the annotations, the verdict, and the action. It
    /// is written before any of the text, apart from text that a limit has released. A run of unannotated text that is
    /// marked, replaced or discarded has a line at its end, text that a limit released has one after its release, and a
    /// stream that the policy ends has a last one. If a line cannot be written, nothing more is released.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
    /// Wait until each line of the audit log is on the disk; needs --audit
    #[arg(long, requires = "audit")]
    pub(crate) audit_sync: bool,
    /// What the lines of the audit log call the stream [default: the file]; needs --audit
    #[arg(long, value_name = "ID", requires = "audit")]
    pub(crate) stream_id: Option<String>,
    /// Exit with status 3 when text was withheld, or something was not read or could not be judged
    ///
    /// Status 0 then means that the stream was read to its end and released as it was, without its annotations and with the
    /// marks of the policy, and that nothing was passed over that may have been an assertion. What is not judged is what
    /// `provstream admit --fail` lists: JSON that is not closed or nested too deep, what is not JSON in the modes json and
    /// ndjson, an annotation that is not closed, everything longer than a limit, annotations in brackets within JSON
    /// strings, or in a JSON value that breaks off, if no assertion was found, and with --input events that were not read,
    /// an error of the provider and an empty input. If the reader of the output goes away before the end, the status is 1,
    /// or 3 if something did not pass by then.
    #[arg(long)]
    pub(crate) fail: bool,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What goes through the gate.
    #[command(flatten)]
    pub(crate) gated: GatedArgs,
}

/// How a stream goes through a gate.
#[derive(Debug, ArgGroup)]
pub(crate) struct GatedArgs {
    /// The language of the policy's texts, if it has them in several [default: the policy's]
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<String>,
    /// The time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock; in `gate` when an assertion is complete]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<Timestamp>,
    /// What to do with the model's reasoning and its summaries: leave, gate or drop
    ///
    /// Needs --input. leave: reasoning is written as it is, and may repeat what the policy withholds. gate: the policy decides
    /// about it as it does about text. drop: it is written as empty text. Providers sign some reasoning, and refuse it when it
    /// is sent back changed.
    #[arg(long, value_name = "MODE", default_value = "leave", value_parser = gated_reasoning)]
    pub(crate) reasoning: Reasoning,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Bounds of assertions.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Most bytes of text held back, 1024 to 1048576 [default: 65536]; the policy's rule `limit` says what is done with more
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, value_parser = held)]
    pub(crate) max_held: Option<usize>,
}

/// Arguments of `provstream report`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ReportArgs {
    /// The file to read, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The policy, a TOML file as for `provstream gate`
    #[arg(long, value_name = "FILE", required_unless_present = "audit_log")]
    pub(crate) policy: Option<PathBuf>,
    /// Read an audit log, as `provstream gate --audit` writes it; it has the decisions, so no policy is needed
    ///
    /// The log has the place and the SHA-256 of each text instead of the text, and no time of its own, so that the page shows
    /// neither texts nor ages.
    #[arg(long, conflicts_with_all = ["policy", "language", "now", "input", "mode", "chunk_size", "max_held", "reasoning"])]
    pub(crate) audit_log: bool,
    /// What the page calls the answer [default: the file]
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Exit with status 3 when the gate would withhold text or end the stream, or something was not read
    #[arg(long)]
    pub(crate) fail: bool,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What goes through the gate.
    #[command(flatten)]
    pub(crate) gated: GatedArgs,
}
