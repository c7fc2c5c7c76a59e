//! What can be given on the command line, and the help that explains it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ArgGroup, Parser, Subcommand};
use provstream::provenance::{Timestamp, parse_duration};
use provstream::{LimitError, Limits, Mode};
use provstream_providers::Channel;

use crate::channels::InputFormat;
use crate::emit::args::{EMIT, EmitCommand};
use crate::marc::args::{MARC, MarcCommand};

/// Longest piece that `--chunk-size` allows; it bounds the read buffer.
const MAX_CHUNK: usize = 1 << 20;

/// Heading in the help over the options that set limits.
pub(crate) const LIMITS: &str = "Limits";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const ABOUT: &str = "\
Read what a language model wrote and tell where it says its assertions come from.

A model can mark an assertion with a provenance annotation: brackets right behind it that name the substrate class, the \
kind of source, it was read from, and optionally the observation and its time. In JSON both are members of one object:

    The entry is dated 2026-05-25. [substrate.code.read; observation-id=sha256:e3b0; ts=2026-05-28T11:40:00Z]

    {\"assertion\":\"The entry is dated 2026-05-25.\",
     \"provenance\":{\"substrate_class\":\"substrate.code.read\",\"ts\":\"2026-05-28T11:40:00Z\"}}

provstream finds the annotations and what they belong to, in text, JSON or both mixed and in a stream of any length, and \
prints each as soon as it is certain. An annotation is what the model declares; it is never evidence that the observation took place.";

/// The exit statuses that every command has; [`EXIT_ADMIT`] or [`EXIT_FAIL`] follows where `--fail` is meant.
pub(crate) const EXIT: &str = "\
Exit status:
  0  done, whatever the stream holds; also when the reader of the output has gone away
  1  the input or the vocabulary file cannot be read, or the output cannot be written
  2  an argument is wrong, or what the vocabulary file says is";

/// The exit statuses of `strip`.
const EXIT_STRIP: &str = "\
Exit status:
  0  done, whatever the stream holds; also when the reader of the output has gone away
  1  the input or the vocabulary file cannot be read, the output cannot be written, or with --input nothing was of that
     format
  2  an argument is wrong, or what the vocabulary file says is";

/// The exit statuses of `vocabulary`, which reads no stream.
const EXIT_VOCABULARY: &str = "\
Exit status:
  0  done; also when the reader of the output has gone away
  1  the vocabulary file cannot be read, or the output cannot be written
  2  an argument is wrong, or what the vocabulary file says is";

/// The one that `admit` has besides.
const EXIT_ADMIT: &str = "  3  with `admit --fail`: an assertion was not admitted, or some of an event stream was not read";

/// Where that is told of all commands.
const EXIT_FAIL: &str = "  3  with `admit --fail`, `marc validate --fail` or `marc conformance --fail`: something did not
     pass, or some of an event stream was not read";

const EXAMPLES: &str = "\
Examples:
  provstream extract answer.txt
  provstream extract --mode ndjson answers.ndjson
  my-model | provstream strip
  my-model | provstream admit --floor 2 --window 15m --fail";

const EXTRACT: &str = "\
Print what a stream asserts and where it comes from, one JSON object a line.

Each assertion is printed with its annotations as soon as nothing can be added to it, and each diagnostic where it \
arises; the last line holds totals. All spans are byte offsets, the first included, the second not. In free text an \
assertion is the sentence before the brackets, and `clean_span` is its place in what `provstream strip` writes. In JSON it \
is a string that is a member `assertion`, and `pointer` is that member's JSON Pointer.

    {\"event\":\"assertion\",\"encoding\":\"bracket\",\"text\":\"It runs.\",\"span\":{\"start\":0,\"end\":8},\
\"clean_span\":{\"start\":0,\"end\":8},\"annotations\":[{\"class\":\"substrate.grep\",\"declared\":\"substrate.grep\",\
\"span\":{\"start\":9,\"end\":25}}]}
    {\"event\":\"assertion\",\"encoding\":\"json\",\"text\":\"It runs.\",\"span\":{\"start\":40,\"end\":48},\
\"pointer\":\"/assertion\",\"annotations\":[]}
    {\"event\":\"marc\",\"kind\":\"disclosure\",\"span\":{\"start\":51,\"end\":220},\"pointer\":\"\",\"valid\":true,\"violations\":[],\
\"record\":{\"answer\":\"Which year?\",\"confidence_band\":\"low\",\"confidence_target\":\"direct_answer_suitability\",\
\"uncertainty_source\":\"ambiguity\",\"recommended_next_step\":\"name the year\"}}
    {\"event\":\"diagnostic\",\"code\":\"unterminated\",\"span\":{\"start\":221,\"end\":237}}
    {\"event\":\"end\",\"bytes\":237,\"assertions\":2,\"annotations\":1,\"marc\":1,\"diagnostics\":1}

`class` is what an annotation is taken for, `declared` what it says; where they differ, `reason` tells why: \
`unknown-identifier`, `vocabulary-version` or `malformed`. An object in JSON without `provenance` has no annotations.

A MARC object is an object in JSON that discloses a model's control or uncertainty; `kind` is `core` or `disclosure`, \
and `record` is the object as it was written, without white space outside of its strings. It is held against MARC -02: \
`violations` say what is wrong, and it is `valid` if none of them has the level `must`. `provstream marc validate` does \
the same with another draft, and between records.

Fields that do not apply are left out. Without a last line \
of totals the stream was not read to its end.

The output is UTF-8. Inside strings, control characters (U+0000 to U+001F, U+007F to U+009F), the line separators \
U+2028 and U+2029 and the characters that reorder text on a screen (U+202A to U+202E, U+2066 to U+2069) are written \
as \\u escapes.";

const STRIP: &str = "\
Write a stream without its annotations in brackets.

An annotation is removed together with the white space right before it (at most 64 bytes of space, tab, CR and LF). \
Every other byte is written as it is, and at once: held back is only what can still become an annotation, and white \
space that one would remove.

JSON stays as it is, with what it says of provenance, unless --json is given. Nothing is told about what was found; \
`provstream extract` does that.

With --input, events that could not be read are written as they are, with whatever annotations are in them: how many \
they are is told on standard error at the end.

Where standard output is a terminal, control characters but line feed and tab, the line separators and the characters \
that reorder text are shown as \\u{…} (CR as \\r), and what is not UTF-8 as U+FFFD. A file or a pipe gets the bytes as they \
are.";

const ADMIT: &str = "\
Judge each assertion by what its annotations declare, and print it with the verdict.

An assertion is admitted when annotations of at least K distinct classes count. One counts when its class is no \
terminal and its `ts` is neither older than the window of its class nor further in the future than the skew. An \
annotation that is terminal, or had to be taken for one, makes the assertion inadmissible. Those who act only \
within their own state commonly ask for 2 classes, those whose effects go beyond it for 3.

Prints the assertion lines of `provstream extract` with one more field:

    \"verdict\":{\"admitted\":false,\"reason\":\"below-floor\",\"classes\":[\"substrate.grep\"],\"floor\":2}

`reason` is the first that holds of `no-assertion` (nothing stands where the annotation could belong, or the string in JSON is empty), `limit` (a \
limit was hit, so not all is known), `unannotated` (an object in JSON without annotations), `terminal`, `below-floor` and `admitted`; `classes` are those that count. Neither \
diagnostics, MARC objects nor a last line of totals are printed. What of an event stream was not read is told on \
standard error at the end.

In free text only what an annotation follows is an assertion, so that text without annotations has none: nothing is \
printed and nothing fails. In JSON each object with a string `assertion` is one. Without annotations it is \
`unannotated` and not admitted.

A verdict is about what was declared, never evidence that an observation took place.";

/// What clap writes by itself in some messages has FILE as if it were required.
const ADMIT_USAGE: &str =
    "provstream admit [OPTIONS] --floor <K> --window <[CLASS=]DURATION> [FILE]";

const VOCABULARY: &str = "\
List the substrate classes that annotations can name.

The vocabulary of version 1.0 is built in. A newer one is loaded from a TOML file:

    version = \"1.1\"

    [[class]]
    id = \"substrate.ct.log\"
    since = \"1.1\"

The classes of version 1.0 need not be repeated. A terminal says that nothing corroborates the assertion.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "provstream",
    version,
    about = "Read provenance annotations in the output of language models",
    long_about = ABOUT,
    after_help = EXAMPLES,
    after_long_help = format!("{EXAMPLES}\n\n{EXIT}\n{EXIT_FAIL}"),
    styles = STYLES,
    disable_help_subcommand = true,
    max_term_width = 100,
)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print assertions and their annotations, one JSON object a line
    #[command(long_about = EXTRACT, after_long_help = EXIT)]
    Extract(ExtractArgs),
    /// Write the stream without its annotations
    #[command(long_about = STRIP, after_long_help = EXIT_STRIP)]
    Strip(StripArgs),
    /// Judge each assertion by the classes it declares
    #[command(long_about = ADMIT, override_usage = ADMIT_USAGE, after_long_help = format!("{EXIT}\n{EXIT_ADMIT}"))]
    Admit(AdmitArgs),
    /// List the substrate classes that are loaded
    #[command(long_about = VOCABULARY, after_long_help = EXIT_VOCABULARY)]
    Vocabulary(VocabularyArgs),
    /// Make models write annotations: prompts, schemas, grammars, examples
    #[command(subcommand, long_about = EMIT)]
    Emit(EmitCommand),
    /// Check, show and make MARC records
    #[command(subcommand, long_about = MARC)]
    Marc(MarcCommand),
}

/// Arguments of `provstream extract`.
#[derive(Debug, ArgGroup)]
pub(crate) struct ExtractArgs {
    /// Also print the text without its annotations, in pieces, as it becomes certain
    ///
    /// The pieces are lines {"event":"text","text":…}, as `provstream strip` would write them, so a page can show them at
    /// once. Where they are cut depends on how the input arrives, but never inside a character. U+FFFD stands for what
    /// is not UTF-8.
    #[arg(long)]
    pub(crate) text: bool,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Bounds of assertions.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Arguments of `provstream strip`.
#[derive(Debug, ArgGroup)]
pub(crate) struct StripArgs {
    /// Also remove JSON values that are an asserted object or a MARC object
    ///
    /// Removed is such a value from its first brace to its last, not the white space around it. A value that may become one
    /// is held back until it is complete. One within another value is not removed, nor one that is longer than
    /// --max-record.
    #[arg(long)]
    pub(crate) json: bool,
    /// Of a provider's event stream write the text alone, that of one channel
    #[arg(long)]
    pub(crate) text_only: bool,
    /// Whose text --text-only writes, such as 0 or 0/0 [default: the one whose text is certain first]
    #[arg(long, value_name = "CHANNEL", requires = "text_only")]
    pub(crate) channel: Option<Channel>,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Longest JSON value that --json removes, in bytes, 1 to 1048576
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_record(), value_parser = |text: &str| limit(text, Limits::with_max_record))]
    pub(crate) max_record: usize,
}

/// Arguments of `provstream admit`.
#[derive(Debug, ArgGroup)]
pub(crate) struct AdmitArgs {
    /// How many distinct classes must count, at least 1
    #[arg(long, value_name = "K", value_parser = floor)]
    pub(crate) floor: NonZeroUsize,
    /// How old an observation may be, for all classes or for one; needed at least once
    ///
    /// A duration for the classes without a window of their own, such as `90s`, `15m`, `1h30m` or `2d`, or
    /// `CLASS=DURATION` for one class, such as `substrate.git.log=2d`. A class without any window never counts.
    #[arg(long = "window", value_name = "[CLASS=]DURATION", required = true, value_parser = window)]
    pub(crate) windows: Vec<Window>,
    /// How far in the future an observation may lie, for clocks that disagree
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = parse_duration)]
    pub(crate) skew: Duration,
    /// The time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock when an assertion is complete]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Timestamp>,
    /// Exit with status 3 when an assertion was not admitted
    ///
    /// Status 0 then means that the stream was read to its end and every assertion in it admitted: if the reader of the
    /// output goes away before that is known, the status is 1, or 3 if an assertion was not admitted by then. A stream
    /// without assertions passes; one in JSON without annotations does not. An object in JSON that is broken, not
    /// closed, or nested too deep is no assertion: `extract` tells of it. With --input the status is also 3 if an event
    /// was not read, the provider reports an error, or the input is not empty and has neither text nor an end of stream
    /// in the format.
    #[arg(long)]
    pub(crate) fail: bool,
    /// What to read.
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Bounds of assertions.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Arguments of `provstream vocabulary`.
#[derive(Debug, ArgGroup)]
pub(crate) struct VocabularyArgs {
    /// A TOML file with the classes of a newer vocabulary; never standard input [default: version 1.0, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) vocabulary: Option<PathBuf>,
}

/// What to read, and how.
#[derive(Debug, ArgGroup)]
pub(crate) struct SourceArgs {
    /// The file to read, or - for standard input
    #[arg(default_value = "-", hide_default_value = true, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What the input is: raw, auto, or a provider's event stream
    ///
    /// raw: the text itself. openai-chat, openai-responses, anthropic, gemini, ollama, cohere: a streamed response as the
    /// provider sends it, not a whole response. auto: one of these, told by its first event. Each channel (choice, content block, candidate) is
    /// then a stream of its own: lines name it, as in `"channel":"0"`, and offsets count within its text. What
    /// could not be read is told on standard error, or by `extract` as a diagnostic.
    #[arg(long, value_name = "INPUT", default_value = "raw", value_parser = str::parse::<InputFormat>)]
    pub(crate) input: InputFormat,
    /// How the stream is written: text, json, ndjson or auto
    ///
    /// text: free text with annotations in brackets. json: JSON values, one behind the other. ndjson: one JSON value a
    /// line. auto: free text with annotations in brackets and JSON values in it.
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = mode)]
    pub(crate) mode: Mode,
    /// Feed the parser in pieces of at most this many bytes, 1 to 1048576 [default: 65536]
    ///
    /// For trying things out: it changes nothing in the result but the pieces of text. A pause of the input ends a piece,
    /// too.
    #[arg(long, value_name = "BYTES", value_parser = chunk_size)]
    pub(crate) chunk_size: Option<NonZeroUsize>,
    /// A TOML file with the classes of a newer vocabulary; never standard input [default: version 1.0, built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) vocabulary: Option<PathBuf>,
    /// Longest annotation in bytes, brackets included, 1 to 65535; in JSON longest string of one
    ///
    /// What is longer in brackets is text. In JSON an annotation with a longer string is malformed.
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_annotation(), value_parser = |text: &str| limit(text, Limits::with_max_annotation))]
    pub(crate) max_annotation: usize,
    /// Most objects and arrays in one another in a JSON value, 1 to 65536; a deeper one is given up
    #[arg(long, value_name = "COUNT", help_heading = LIMITS,
        default_value_t = Limits::default().max_depth(), value_parser = |text: &str| limit(text, Limits::with_max_depth))]
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

/// Bounds that only those meet who want assertions and MARC objects.
#[derive(Debug, ArgGroup)]
pub(crate) struct LimitArgs {
    /// Longest assertion in bytes, 4 to 1048576; of a longer one the end is kept, in JSON the start
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_assertion(), value_parser = |text: &str| limit(text, Limits::with_max_assertion))]
    pub(crate) max_assertion: usize,
    /// Most annotations reported with one assertion, 1 to 65536
    #[arg(long, value_name = "COUNT", help_heading = LIMITS,
        default_value_t = Limits::default().max_annotations(), value_parser = |text: &str| limit(text, Limits::with_max_annotations))]
    pub(crate) max_annotations: usize,
    /// Most bytes kept of what is not complete, 1 to 1048576 [default: 4096, in JSON 65536]
    ///
    /// In free text the values of annotations whose assertion is not complete, in JSON the assertions and annotations of
    /// all objects that are open. A number given is for both.
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, value_parser = |text: &str| limit(text, Limits::with_max_pending))]
    pub(crate) max_pending: Option<usize>,
    /// Longest JSON Pointer that is printed, in bytes, 1 to 65536
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_pointer(), value_parser = |text: &str| limit(text, Limits::with_max_pointer))]
    pub(crate) max_pointer: usize,
    /// Longest MARC object that extract prints with its record, in bytes, 1 to 1048576
    #[arg(long, value_name = "BYTES", help_heading = LIMITS,
        default_value_t = Limits::default().max_record(), value_parser = |text: &str| limit(text, Limits::with_max_record))]
    pub(crate) max_record: usize,
}

impl LimitArgs {
    /// These limits, and those of what is read.
    pub(crate) fn with(&self, source: &SourceArgs) -> Result<Limits, LimitError> {
        let limits = source
            .limits()?
            .with_max_assertion(self.max_assertion)?
            .with_max_annotations(self.max_annotations)?
            .with_max_pointer(self.max_pointer)?
            .with_max_record(self.max_record)?;
        match self.max_pending {
            // Free text and JSON have different defaults.
            None => Ok(limits),
            Some(bytes) => limits.with_max_pending(bytes),
        }
    }
}

/// One `--window`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The class it is for; none for all classes without one of their own.
    pub(crate) class: Option<String>,
    /// How old an observation may be.
    pub(crate) duration: Duration,
}

fn mode(text: &str) -> Result<Mode, &'static str> {
    match text {
        "text" => Ok(Mode::Text),
        "json" => Ok(Mode::Json),
        "ndjson" => Ok(Mode::Ndjson),
        "auto" => Ok(Mode::Auto),
        _ => Err("the modes are text, json, ndjson and auto"),
    }
}

fn chunk_size(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|size: &NonZeroUsize| size.get() <= MAX_CHUNK)
        .ok_or_else(|| format!("not a number between 1 and {MAX_CHUNK}"))
}

fn floor(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "not a number of at least 1")
}

/// Reads a limit and has the library judge its range. The message does not name the limit: clap names the option.
pub(crate) fn limit(
    text: &str,
    with: impl Fn(Limits, usize) -> Result<Limits, LimitError>,
) -> Result<usize, String> {
    let value = text
        .parse()
        .map_err(|_| "not a number of bytes or items".to_owned())?;
    with(Limits::default(), value)
        .map(|_| value)
        .map_err(|error| format!("must lie between {} and {}", error.least(), error.most()))
}

fn window(text: &str) -> Result<Window, String> {
    let (class, duration) = match text.split_once('=') {
        Some((class, duration)) => (Some(class.to_owned()), duration),
        None => (None, text),
    };
    let duration = parse_duration(duration).map_err(|error| error.to_string())?;
    Ok(Window { class, duration })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_window_is_for_all_classes_or_for_one() {
        let duration = Duration::from_secs(300);
        let class = None;
        assert_eq!(window("5m"), Ok(Window { class, duration }));
        let class = Some("substrate.grep".to_owned());
        assert_eq!(window("substrate.grep=5m"), Ok(Window { class, duration }));
        for bad in ["", "5", "substrate.grep", "substrate.grep=", "a=b=5m"] {
            assert!(window(bad).is_err(), "{bad}");
        }
    }
}
