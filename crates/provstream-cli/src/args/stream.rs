//! Arguments of the commands that read a stream.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ArgGroup;
use provstream::provenance::Timestamp;
use provstream::{LimitError, Limits, Mode};
use provstream_providers::{Channel, Pointer, Reasoning};

use super::classes::ClassesArgs;
use crate::input_format::InputFormat;
use crate::values::{
    LIMITS, Window, chunk_size, duration, floor, jobs, limit, named, time, window,
};

/// Arguments of `provstream extract`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ExtractArgs {
    /// Also print the text without its annotations, in pieces, as it becomes certain
    ///
    /// The pieces are lines {"event":"text","text":…}, as `provstream strip` would write them, so a page can show them at
    /// once. Where they are cut depends on how the input arrives, but never inside a character. U+FFFD replaces what
    /// is not UTF-8.
    #[arg(long)]
    pub(crate) text: bool,
    /// Print lines for people instead of JSON: line:column, text, classes, and what diagnostics mean
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Exit with status 3 when there was a diagnostic, something was not read, or with --input the input is empty
    #[arg(long)]
    pub(crate) fail: bool,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Which files.
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Bounds of assertions.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Longest MARC object that is printed with its record, in bytes, 1 to 1048576
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_record(), value_parser = |text: &str| limit(text, "bytes", Limits::with_max_record))]
    pub(crate) max_record: usize,
}

/// Arguments of `provstream strip`.
#[derive(Debug, ArgGroup)]
pub(crate) struct StripArgs {
    /// The file to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Also remove JSON values that are an asserted object or a MARC object
    ///
    /// Such a value is removed from its first brace to its last, without the white space around it. A value that may become
    /// one is held back until it is complete. One within another value is not removed, nor one that is longer than
    /// --max-record.
    #[arg(long)]
    pub(crate) json: bool,
    /// Of a provider's event stream write only the text of one channel
    #[arg(long)]
    pub(crate) text_only: bool,
    /// The channel whose text --text-only writes, such as 0 or 0/0 [default: the one whose text is certain first]
    #[arg(long, value_name = "CHANNEL", requires = "text_only")]
    pub(crate) channel: Option<Channel>,
    /// What to do with the model's reasoning and its summaries: leave, rewrite or drop
    ///
    /// Needs --input. leave: reasoning is written as it is, with its annotations. rewrite: its annotations are removed. drop: it is
    /// written as empty text. Providers sign some reasoning, and refuse it when it is sent back changed.
    #[arg(long, value_name = "HOW", default_value = "leave", value_parser = named::<Reasoning>)]
    pub(crate) reasoning: Reasoning,
    /// Exit with status 3 when something of a provider's response was not read, the provider reports an error, or the input is empty
    ///
    /// Needs --input. What was not read is written as it is, so its annotations are not removed.
    #[arg(long)]
    pub(crate) fail: bool,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Longest JSON value that --json removes, in bytes, 1 to 1048576 [default: 65536]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, requires = "json",
        value_parser = |text: &str| limit(text, "bytes", Limits::with_max_record))]
    pub(crate) max_record: Option<usize>,
}

/// Arguments of `provstream admit`.
#[derive(Debug, ArgGroup)]
pub(crate) struct AdmitArgs {
    /// How many distinct classes must count, 1 to 65536
    #[arg(long, value_name = "K", value_parser = floor)]
    pub(crate) floor: NonZeroUsize,
    /// How old an observation may be, for all classes or for one; needed at least once
    ///
    /// A duration for the classes without a window of their own, such as `90s`, `15m`, `1h30m` or `2d`, or
    /// `CLASS=DURATION` for one class, such as `substrate.git.log=2d`. A class without any window never counts.
    #[arg(long = "window", value_name = "[CLASS=]DURATION", required = true, value_parser = window)]
    pub(crate) windows: Vec<Window>,
    /// How far in the future an observation may be, for clocks that disagree
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration)]
    pub(crate) skew: Duration,
    /// The time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock when an assertion is complete]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<Timestamp>,
    /// Exit with status 3 when an assertion was not admitted, or something could not be judged
    ///
    /// Status 0 then means that the stream was read to its end, that every assertion in it was admitted, and that nothing
    /// was passed over that may have been one. The status is 3 for JSON that is not closed or nested too deep, for what is
    /// not JSON in the modes json and ndjson (such as prose), for an annotation that is not closed after its first field,
    /// for everything longer than a limit, for annotations in brackets within JSON strings, or in a JSON value that breaks
    /// off, if no assertion was found, and with --input for events that were not read, an error of the provider, and an
    /// input that is empty or has neither text nor an end. `provstream extract` shows where. A stream without assertions
    /// passes, unless --require-assertions is given. If the reader of the output goes away before the end, the status is 1,
    /// or 3 if an assertion was not admitted by then.
    #[arg(long)]
    pub(crate) fail: bool,
    /// With --fail, also exit with status 3 when there was no assertion
    #[arg(long, requires = "fail")]
    pub(crate) require_assertions: bool,
    /// Print lines for people instead of JSON: line:column, text, verdict, classes
    #[arg(long)]
    pub(crate) pretty: bool,
    /// Write to this file instead of standard output; it is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Which files.
    #[command(flatten)]
    pub(crate) files: FileArgs,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Bounds of assertions.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Which files are read, and how many at once.
#[derive(Debug, ArgGroup)]
pub(crate) struct FileArgs {
    /// The files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Read the files in directories, and in the directories in them
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// How many threads read, 1 to 256; the output is in the order of the input
    ///
    /// Several files are read at once, and one file of NDJSON (--mode ndjson, or --field) in parts. Other files are read by
    /// one thread each.
    #[arg(long, short, value_name = "N", default_value = "1", value_parser = jobs, env = "PROVSTREAM_JOBS", hide_env = true)]
    pub(crate) jobs: NonZeroUsize,
    /// Read the string at this JSON Pointer of each line of NDJSON as text; may be given several times
    ///
    /// Such as /text or /choices/0/message/content. Each string is a stream of its own that is read as --mode says: lines
    /// name its line, as in `"line":7`, and offsets count bytes of the decoded string. Null is an empty text. A line that is not
    /// JSON, or has no string there, gives a diagnostic, `json-syntax` or `no-field`.
    #[arg(long = "field", value_name = "POINTER", conflicts_with = "input")]
    pub(crate) fields: Vec<Pointer>,
}

/// What to read, and how.
#[derive(Debug, ArgGroup)]
pub(crate) struct SourceArgs {
    /// What the input is: raw, auto, or the format of a provider's responses
    ///
    /// raw: the text itself. openai-chat, openai-responses, anthropic, gemini, ollama, cohere,
    /// gemini-interactions, mistral-conversations, llama-cpp, tgi, bedrock-converse, vercel-ui: a response as the provider sends it,
    /// streamed or whole. auto: one of these, which the first event shows. Each channel (choice, content block, candidate) is then
    /// a stream of its own; where lines are printed they name it, as in `"channel":"0"`, and offsets refer to its text. What could
    /// not be read is reported on standard error, or by `extract` as a diagnostic.
    #[arg(long, value_name = "INPUT", default_value = "raw", value_parser = str::parse::<InputFormat>)]
    pub(crate) input: InputFormat,
    /// How the stream is written: text, json, ndjson or auto
    ///
    /// text: free text with annotations in brackets. json: JSON values, one after the other. ndjson: one JSON value a
    /// line. auto: free text with annotations in brackets and JSON values in it.
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = named::<Mode>)]
    pub(crate) mode: Mode,
    /// Feed the parser in pieces of at most this many bytes, 1 to 1048576 [default: 65536]
    ///
    /// For trying things out: it affects only into which pieces text is divided. A pause of the input ends a piece, too. With
    /// --jobs, where a command has it, this is also the length of the parts that a file is read in.
    #[arg(long, value_name = "BYTES", value_parser = chunk_size)]
    pub(crate) chunk_size: Option<NonZeroUsize>,
    /// Where the classes come from.
    #[command(flatten)]
    pub(crate) classes: ClassesArgs,
    /// Most bytes of an annotation with its brackets, and of each of its strings in JSON, 1 to 65535
    ///
    /// A longer one in brackets is text, with a diagnostic if the bytes up to the limit show that it is an annotation; below 16, they may not.
    /// In JSON an annotation with a longer string is malformed.
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_annotation(), value_parser = |text: &str| limit(text, "bytes", Limits::with_max_annotation))]
    pub(crate) max_annotation: usize,
    /// How deep objects and arrays can be nested in a JSON value, 1 to 65536; what is deeper is not read
    #[arg(long, value_name = "COUNT", help_heading = LIMITS,
        default_value_t = Limits::default().max_depth(), value_parser = |text: &str| limit(text, "levels", Limits::with_max_depth))]
    pub(crate) max_depth: usize,
}

impl SourceArgs {
    /// The limits that every command has; the others are the defaults.
    pub(crate) fn limits(&self) -> Result<Limits, LimitError> {
        Limits::default()
            .with_max_annotation(self.max_annotation)?
            .with_max_depth(self.max_depth)
    }
}

/// Bounds that matter only where assertions are wanted.
#[derive(Debug, ArgGroup)]
pub(crate) struct LimitArgs {
    /// Most bytes of an assertion, 4 to 1048576; a longer one loses its start, or in JSON its end
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_assertion(), value_parser = |text: &str| limit(text, "bytes", Limits::with_max_assertion))]
    pub(crate) max_assertion: usize,
    /// Most annotations reported with one assertion, 1 to 65536
    #[arg(long, value_name = "COUNT", help_heading = LIMITS,
        default_value_t = Limits::default().max_annotations(), value_parser = |text: &str| limit(text, "annotations", Limits::with_max_annotations))]
    pub(crate) max_annotations: usize,
    /// Most bytes kept for incomplete assertions, 1 to 1048576 [default: 4096, in JSON 65536]
    ///
    /// In free text these are the values of their annotations, in JSON the assertions and annotations of all open objects. If the
    /// option is given, it holds for both.
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, value_parser = |text: &str| limit(text, "bytes", Limits::with_max_pending))]
    pub(crate) max_pending: Option<usize>,
    /// Longest JSON Pointer that is printed, in bytes, 1 to 65536
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_pointer(), value_parser = |text: &str| limit(text, "bytes", Limits::with_max_pointer))]
    pub(crate) max_pointer: usize,
}

impl LimitArgs {
    /// These limits, and those of what is read.
    pub(crate) fn with(&self, source: &SourceArgs) -> Result<Limits, LimitError> {
        let limits = source
            .limits()?
            .with_max_assertion(self.max_assertion)?
            .with_max_annotations(self.max_annotations)?
            .with_max_pointer(self.max_pointer)?;
        match self.max_pending {
            // Free text and JSON have different defaults.
            None => Ok(limits),
            Some(bytes) => limits.with_max_pending(bytes),
        }
    }
}
