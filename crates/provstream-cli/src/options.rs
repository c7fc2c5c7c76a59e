//! Options that several commands have, and how their values are read.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::{
    PossibleValue, PossibleValuesParser, RangedU64ValueParser, Str, StringValueParser,
    TypedValueParser,
};
use clap::error::ErrorKind;
use provstream::provenance::{Vocabulary, parse_duration};
use provstream::{
    Dialect, Dialects, LimitError, Limits, Mode, Parser, ParserBuilder, UnknownNameError,
};
use provstream_providers::{Format, PassMembers, Pointer, Reasoning};
use provstream_route::{LedgerList, SourceList};

use crate::error::usage_error;
use crate::input::InputSource;
use crate::ledger::load_list;
use crate::messages::print_note;
use crate::output::{Output, refuse_input_as_output};
use crate::settings;

const LIMITS: &str = "Limits";

/// Formats, each with other names that people try for it.
const FORMAT_ALIASES: [(&str, &[&str]); 7] = [
    ("raw", &["text", "plain"]),
    (
        "openai-chat",
        &[
            "openai",
            "chat",
            "chat-completions",
            "azure",
            "vllm",
            "openrouter",
            "groq",
            "deepseek",
        ],
    ),
    ("openai-responses", &["responses"]),
    ("anthropic", &["claude", "messages"]),
    ("gemini", &["google", "vertex"]),
    ("bedrock-converse", &["bedrock", "converse"]),
    ("vercel-ui", &["vercel", "ai-sdk"]),
];

// Input of a command that reads a stream.
#[derive(Debug, Args)]
pub(crate) struct InputOptions {
    /// Kind of the input: raw, auto, or the format of a provider's responses
    ///
    /// raw: the text itself. A format, such as openai-chat or anthropic: a response as the provider sends
    /// it, streamed or whole. auto: one of these, which the first event shows. Each channel (choice, content
    /// block, candidate) is then a stream of its own; lines name it, as in `"channel":"0"`, and offsets
    /// refer to its text.
    #[arg(long, value_name = "INPUT", default_value = "raw", value_parser = InputFormat::parser())]
    pub(crate) input: InputFormat,
    /// Syntax of the text
    ///
    /// text: free text with annotations in brackets. json: JSON values, one after the other. ndjson: one
    /// JSON value a line. auto: free text with annotations in brackets and JSON values in it.
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = one_of::<Mode>())]
    pub(crate) mode: Mode,
    /// Feed the parser at most this many bytes at once, 1 to 1048576 [default: 65536]
    ///
    /// Affects only how text is divided into pieces, and with --jobs the parts in which a file is read.
    #[arg(long, value_name = "BYTES", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    pub(crate) chunk_size: Option<usize>,
    #[command(flatten)]
    pub(crate) vocabulary: VocabularyOptions,
    /// Most bytes of an annotation, and of each of its strings in JSON, 1 to 65535
    ///
    /// A longer one in brackets is text; in JSON it is malformed.
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, default_value_t = Limits::default().max_annotation())]
    pub(crate) max_annotation: usize,
    /// Deepest nesting of a JSON value, 1 to 65536; what is deeper is not read
    #[arg(long, value_name = "COUNT", help_heading = LIMITS, default_value_t = Limits::default().max_depth())]
    pub(crate) max_depth: usize,
}

impl InputOptions {
    /// Limits that every command has.
    pub(crate) fn limits(&self) -> anyhow::Result<Limits> {
        let limits = limit(
            "annotation",
            Limits::default().with_max_annotation(self.max_annotation),
        )?;
        limit("depth", limits.with_max_depth(self.max_depth))
    }

    /// A parser with the limits and the vocabulary of the command.
    pub(crate) fn parser(&self, limits: Limits, vocabulary: Vocabulary) -> ParserBuilder {
        Parser::builder()
            .mode(self.mode)
            .limits(limits)
            .vocabulary(vocabulary)
    }

    /// The file of the vocabulary, with its option.
    pub(crate) fn vocabulary_file(&self) -> (&'static str, Option<&Path>) {
        ("--vocabulary", self.vocabulary.vocabulary.as_deref())
    }
}

/// Turns a limit out of range into a usage error.
pub(crate) fn limit(name: &str, limits: Result<Limits, LimitError>) -> anyhow::Result<Limits> {
    limits.map_err(|error| {
        let (least, most) = (error.least(), error.most());
        usage_error(format_args!(
            "--max-{name}: expected a number between {least} and {most}"
        ))
    })
}

// Citations as models write them.
#[derive(Debug, Args)]
pub(crate) struct DialectOptions {
    /// Read the markers of these citation dialects, too: built-in names, or TOML files; may be given several times
    ///
    /// Built in are openai-file, openai-web, file-token, numeric, doc, citation, cohere, cite-tag and nova. A value with a
    /// `/` or a `.` is a file. docs/dialects.md describes them.
    #[arg(long = "dialect", value_name = "NAME|FILE", value_delimiter = ',')]
    names: Vec<String>,
    /// JSON file with the sources that the model was given
    ///
    /// An array of objects with an `id`, and if known a `class`, `ts`, `title` and `url`; or an object with such an array
    /// `sources` and with `complete`, which is true unless the list may lack sources.
    #[arg(long, value_name = "FILE", requires = "names")]
    sources: Option<PathBuf>,
}

impl DialectOptions {
    /// Returns `true` if there is a list of sources.
    pub(crate) const fn has_sources(&self) -> bool {
        self.sources.is_some()
    }

    /// The file of the sources, with its option.
    pub(crate) fn sources_file(&self) -> (&'static str, Option<&Path>) {
        ("--sources", self.sources.as_deref())
    }

    /// Returns `true` if markers are read.
    pub(crate) fn are_read(&self) -> bool {
        !self.names.is_empty()
    }

    /// Loads the list of sources, if there is one.
    pub(crate) fn load_sources(
        &self,
        vocabulary: &Vocabulary,
    ) -> anyhow::Result<Option<Arc<SourceList>>> {
        let read = |file: &[u8]| SourceList::from_json(file, vocabulary);
        let load = |path: &PathBuf| load_list("--sources", path, LedgerList::Sources, read);
        Ok(self.sources.as_ref().map(load).transpose()?.map(Arc::new))
    }

    /// Lets a parser read the markers.
    pub(crate) fn apply(
        &self,
        input: &InputOptions,
        parser: ParserBuilder,
        vocabulary: &Vocabulary,
    ) -> anyhow::Result<ParserBuilder> {
        self.apply_with(input, parser, self.load_sources(vocabulary)?)
    }

    /// Lets a parser read the markers, with a list of sources that was loaded.
    pub(crate) fn apply_with(
        &self,
        input: &InputOptions,
        parser: ParserBuilder,
        sources: Option<Arc<SourceList>>,
    ) -> anyhow::Result<ParserBuilder> {
        if self.names.is_empty() {
            return Ok(parser);
        }
        if matches!(input.mode, Mode::Json | Mode::Ndjson) {
            return Err(usage_error(format_args!(
                "--dialect cannot be used with --mode {}, which reads no free text",
                input.mode
            )));
        }
        let dialects: Result<Vec<_>, _> = self.names.iter().map(|name| dialect(name)).collect();
        let dialects = Dialects::new(dialects?)
            .map_err(|error| usage_error(format_args!("--dialect: {error}")))?;
        let parser = parser.dialects(dialects);
        Ok(match sources {
            Some(sources) => parser.sources(sources),
            None => parser,
        })
    }
}

/// The built-in dialect of a name, or that of a file.
fn dialect(name: &str) -> anyhow::Result<Dialect> {
    if name.contains(['/', '.', '\\']) {
        return settings::load("--dialect", Path::new(name), Dialect::from_toml);
    }
    Dialect::built_in(name).ok_or_else(|| {
        let names: Vec<_> = Dialect::built_in_names().collect();
        usage_error(format_args!(
            "--dialect: expected one of {}, or the path of a file, found `{name}`",
            names.join(", ")
        ))
    })
}

// Limits of commands that report assertions.
#[derive(Debug, Args)]
pub(crate) struct AssertionLimits {
    /// Most bytes of an assertion, 4 to 1048576; a longer one loses its start, or in JSON its end
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, default_value_t = Limits::default().max_assertion())]
    max_assertion: usize,
    /// Most annotations reported with one assertion, 1 to 65536
    #[arg(long, value_name = "COUNT", help_heading = LIMITS, default_value_t = Limits::default().max_annotations())]
    max_annotations: usize,
    /// Most bytes kept for incomplete assertions, 1 to 1048576 [default: 4096, in JSON 65536]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    max_pending: Option<usize>,
    /// Longest JSON Pointer that is printed, in bytes, 1 to 65536
    #[arg(long, value_name = "BYTES", help_heading = LIMITS, default_value_t = Limits::default().max_pointer())]
    max_pointer: usize,
}

impl AssertionLimits {
    /// These limits and those of the input.
    pub(crate) fn limits(&self, input: &InputOptions) -> anyhow::Result<Limits> {
        let limits = limit(
            "assertion",
            input.limits()?.with_max_assertion(self.max_assertion),
        )?;
        let limits = limit(
            "annotations",
            limits.with_max_annotations(self.max_annotations),
        )?;
        let limits = limit("pointer", limits.with_max_pointer(self.max_pointer))?;
        match self.max_pending {
            // Free text and JSON have different defaults.
            None => Ok(limits),
            Some(bytes) => limit("pending", limits.with_max_pending(bytes)),
        }
    }
}

// Files that a command reads.
#[derive(Debug, Args)]
pub(crate) struct FileOptions {
    /// Files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Read the files in directories, and in the directories in them
    #[arg(long, short)]
    pub(crate) recursive: bool,
}

// Output of a command.
#[derive(Debug, Args)]
pub(crate) struct OutputOptions {
    /// Write to this file, which is replaced when everything is written
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputOptions {
    /// The path, unless the output is standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Opens the output. Fails if it is one of `inputs`, each given with the name of its option.
    pub(crate) fn open<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Option<&'a Path>)>,
    ) -> anyhow::Result<Output> {
        refuse_input_as_output("--output", self.path(), inputs)?;
        Output::open(self.path())
    }
}

// Texts in NDJSON.
#[derive(Debug, Args)]
pub(crate) struct FieldOptions {
    /// Read the strings at this JSON Pointer of each line of NDJSON as text; may be given several times
    ///
    /// Such as /text or /messages/*/content, where * is every element of an array or member of an object.
    /// Each string is a stream of its own: lines name its line, as in `"line":7`, and offsets count bytes of
    /// the decoded string. A line that is not JSON, or has no string there, gives a diagnostic. Where messages have a string
    /// or a list of parts, give both /messages/*/content and /messages/*/content/*/text.
    #[arg(long = "field", value_name = "POINTER", conflicts_with = "input")]
    pub(crate) pointers: Vec<Pointer>,
}

impl FieldOptions {
    /// Returns the pointers; an error if one is given twice.
    pub(crate) fn distinct(&self) -> anyhow::Result<&[Pointer]> {
        let mut given = BTreeSet::new();
        let mut pointers = self.pointers.iter().map(Pointer::as_str);
        match pointers.find(|pointer| !given.insert(*pointer)) {
            Some(twice) => Err(usage_error(format_args!(
                "--field: expected each pointer once, found `{twice}` twice"
            ))),
            None => Ok(&self.pointers),
        }
    }
}

// Options of commands that write their input with changes: `strip`, `gate`.
#[derive(Debug, Args)]
pub(crate) struct RewriteOptions {
    /// Treatment of the model's reasoning: leave it as it is, rewrite (or gate) it like text, or drop it
    ///
    /// Needs --input. Reasoning that is left may repeat what a policy withholds. Providers sign some
    /// reasoning, and refuse it when it is sent back changed.
    #[arg(long, value_name = "HOW", default_value = "leave", value_parser = reasoning())]
    reasoning: Reasoning,
    /// Path of a member that passes although its format does not have it, such as choices[].delta.note; may be repeated
    ///
    /// Needs --input. A string that may be text, in any other such member, counts as not read, and a gate
    /// empties it.
    #[arg(long = "pass-member", value_name = "PATH")]
    pass_members: Vec<String>,
    #[command(flatten)]
    pub(crate) fields: FieldOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
}

fn reasoning() -> impl TypedValueParser<Value = Reasoning> {
    let names = Reasoning::ALL.map(|reasoning| match reasoning {
        Reasoning::Rewrite => PossibleValue::new("rewrite").alias("gate"),
        other => PossibleValue::new(other.as_str()),
    });
    PossibleValuesParser::new(names).map(|name| match &*name {
        "leave" => Reasoning::Leave,
        "drop" => Reasoning::Drop,
        _ => Reasoning::Rewrite,
    })
}

impl RewriteOptions {
    /// Fails if an option needs a provider's response and the input is raw text.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let option = match (self.reasoning, self.pass_members.is_empty()) {
            _ if self.is_response() => return Ok(()),
            (Reasoning::Leave, true) => return Ok(()),
            (Reasoning::Leave, false) => "--pass-member needs",
            _ => "--reasoning needs",
        };
        Err(needs_response(option))
    }

    /// Returns `true` if the input is a response of a provider.
    pub(crate) fn is_response(&self) -> bool {
        self.input.input != InputFormat::Raw
    }

    /// Returns `true` if the input is one text.
    pub(crate) fn is_one_text(&self) -> bool {
        !self.is_response() && self.fields.pointers.is_empty()
    }

    /// Opens an input.
    pub(crate) fn open(&self, file: &Path) -> anyhow::Result<InputSource> {
        Ok(InputSource::open(file)?.detect_response(self.is_one_text()))
    }

    /// Returns `true` if members pass that the format does not have.
    pub(crate) fn has_pass_members(&self) -> bool {
        !self.pass_members.is_empty()
    }

    /// Treatment of parts of a response that are not its text.
    pub(crate) fn beside_text(&self) -> (Reasoning, PassMembers) {
        (self.reasoning, self.pass_members.iter().cloned().collect())
    }
}

/// The error of an option that needs a response, such as `--text-only needs`.
pub(crate) fn needs_response(option: &str) -> anyhow::Error {
    usage_error(format_args!(
        "{option} a response of a provider; give --input auto"
    ))
}

// Substrate classes that are known.
#[derive(Debug, Args)]
pub(crate) struct VocabularyOptions {
    /// A TOML file with the classes of another vocabulary [default: version 1.0, built in]
    #[arg(
        long,
        value_name = "FILE",
        env = "PROVSTREAM_VOCABULARY",
        hide_env = true
    )]
    pub(crate) vocabulary: Option<PathBuf>,
}

impl VocabularyOptions {
    /// Loads the vocabulary.
    pub(crate) fn load(&self) -> anyhow::Result<Vocabulary> {
        let memo = Vocabulary::memo();
        let Some(path) = &self.vocabulary else {
            return Ok(memo);
        };
        let vocabulary = settings::load("--vocabulary", path, Vocabulary::from_toml)?;
        let missing = memo.classes().map(|(class, _)| class);
        let missing = missing.filter(|class| vocabulary.class(class.as_str()).is_none());
        let missing: Vec<_> = missing.map(|class| class.to_string()).collect();
        if !missing.is_empty() {
            print_note(format_args!(
                "{}: vocabulary {} does not have these classes of version 1.0, which count as unknown: {}",
                path.display(),
                vocabulary.version(),
                missing.join(", ")
            ));
        }
        Ok(vocabulary)
    }
}

/// The error of an option that names a class which the vocabulary does not have.
pub(crate) fn unknown_class_error(
    option: &str,
    class: &str,
    vocabulary: &Vocabulary,
) -> anyhow::Error {
    let similar = vocabulary.similar(class);
    let similar = similar.map_or_else(String::new, |class| format!("did you mean {class}? "));
    usage_error(format_args!(
        "{option}: unknown class `{class}`; {similar}`provstream vocabulary` lists all"
    ))
}

/// The error of an option that is given twice for a class, or for all classes.
pub(crate) fn duplicate_class_error(option: &str, class: Option<&str>) -> anyhow::Error {
    let class = class.unwrap_or("all classes");
    usage_error(format_args!(
        "{option}: expected one for each class, found two for {class}"
    ))
}

/// A parser of names that the library knows, such as modes.
pub(crate) fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownNameError> + Clone + Send + Sync + 'static,
{
    let names = match "".parse::<T>() {
        Err(error) => error.expected().to_vec(),
        Ok(_) => Vec::new(),
    };
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Kind of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// Text.
    #[default]
    Raw,
    /// A response of a provider, whose format its first event shows.
    Auto,
    /// A response of a provider.
    Response(Format),
}

impl InputFormat {
    /// The format that was asked for.
    pub(crate) const fn format(self) -> Option<Format> {
        match self {
            Self::Response(format) => Some(format),
            Self::Raw | Self::Auto => None,
        }
    }

    fn parser() -> impl TypedValueParser<Value = Self> {
        let names = ["raw", "auto"]
            .into_iter()
            .chain(Format::ALL.map(Format::as_str));
        let names = names.map(|name| PossibleValue::new(name).aliases(aliases(name)));
        PossibleValuesParser::new(names).try_map(|name| {
            let name = FORMAT_ALIASES
                .iter()
                .find(|(_, aliases)| aliases.contains(&&*name))
                .map_or(&*name, |(name, _)| name);
            match name {
                "raw" => Ok(Self::Raw),
                "auto" => Ok(Self::Auto),
                name => name.parse().map(Self::Response),
            }
        })
    }
}

fn aliases(name: &str) -> &'static [&'static str] {
    let found = FORMAT_ALIASES.iter().find(|(format, _)| *format == name);
    found.map_or(&[], |(_, aliases)| aliases)
}

/// One `--window`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClassWindow {
    /// Class; `None` for all classes without a window of their own.
    pub(crate) class: Option<String>,
    /// Oldest age of an observation that counts.
    pub(crate) duration: Duration,
}

impl FromStr for ClassWindow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (class, age) = match text.split_once('=') {
            Some((class, age)) => (Some(class.to_owned()), age),
            None => (None, text),
        };
        let duration = match age {
            "any" => Duration::MAX,
            _ => parse_duration(age).map_err(|error| {
                format!("{error}; expected a duration such as 90s, 15m or 1h30m, CLASS=DURATION, or `any`")
            })?,
        };
        if class.as_deref() == Some("") || duration.is_zero() {
            return Err("expected a duration above zero, or CLASS=DURATION".to_owned());
        }
        Ok(Self { class, duration })
    }
}

/// Parser of `--window`, which offers the classes to completions.
#[derive(Clone, Debug)]
pub(crate) struct WindowParser;

impl TypedValueParser for WindowParser {
    type Value = ClassWindow;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let value = StringValueParser::new().parse_ref(command, arg, value)?;
        value.parse().map_err(|message: String| {
            let option = arg.map(ToString::to_string).unwrap_or_default();
            let message = format!("invalid value '{value}' for '{option}': {message}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let classes: Vec<_> = Vocabulary::memo()
            .classes()
            .map(|(class, _)| class)
            .collect();
        let classes = classes.into_iter().filter(|class| !class.is_terminal());
        let windows = classes.map(|class| PossibleValue::new(Str::from(format!("{class}="))));
        Some(Box::new(
            windows.chain(["any", "15m", "1h", "1d"].map(PossibleValue::new)),
        ))
    }
}

/// Number of distinct classes that must count.
pub(crate) fn floor(text: &str) -> Result<NonZeroUsize, String> {
    let floor = text
        .parse()
        .ok()
        .filter(|floor: &NonZeroUsize| floor.get() <= 1 << 16);
    floor.ok_or_else(|| "expected a number of classes between 1 and 65536".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_for_all_classes_or_for_one() {
        let window = |class: Option<&str>, duration| ClassWindow {
            class: class.map(str::to_owned),
            duration,
        };
        let five = Duration::from_secs(300);
        assert_eq!("5m".parse(), Ok(window(None, five)));
        assert_eq!("any".parse(), Ok(window(None, Duration::MAX)));
        assert_eq!(
            "substrate.grep=5m".parse(),
            Ok(window(Some("substrate.grep"), five))
        );
        for bad in [
            "",
            "15",
            "15min",
            "1.5h",
            "0s",
            "substrate.grep",
            "substrate.grep=",
            "=5m",
            "a=b=5m",
        ] {
            assert!(bad.parse::<ClassWindow>().is_err(), "{bad}");
        }
    }
}
