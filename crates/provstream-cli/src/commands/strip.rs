//! `provstream strip`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use provstream::{Event, Handler, Mode, Parser, Rewriter, TextChunk};
use provstream_providers::{Channel, Pointer, Reasoning};

use crate::error::{EXIT_ERROR, exit_code, usage_error};
use crate::fields::{FieldRewriter, FieldSink};
use crate::files::for_each_file;
use crate::hidden_annotations::{HiddenAnnotationDetector, hidden_message};
use crate::input::Input;
use crate::messages::{print_error, print_note};
use crate::options::{FieldOptions, InputFormat, InputOptions, limit, one_of};
use crate::output::{Output, refuse_input_as_output};
use crate::reader::{StreamReader, for_each_chunk, pump};
use crate::response::ResponseStatus;
use crate::sink::{StreamNotice, StreamSink};

/// Write a stream without its annotations
///
/// An annotation in brackets is removed together with the white space right before it (at most 64
/// bytes of space, tab, CR and LF). Every other byte is written as it is, as soon as it is
/// certain. JSON stays as it is, unless --json or --field is given. `provstream extract` reports
/// what was found.
///
///     provstream strip answer.txt
///     provstream strip --field '/messages/*/content' chats.jsonl -o clean.jsonl
///     provstream strip --input auto response.sse
///     provstream strip a.txt b.txt -o clean/
///
/// Several files are written one after the other, or with -o DIRECTORY to files of the same names
/// in it. A compressed file is written without compression. With --input, events that could not
/// be read are written as they are, with whatever annotations are in them: standard error counts
/// them. On a terminal, control characters are escaped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct StripOptions {
    /// Files to read, or - for standard input [default: -]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also remove JSON values that are an asserted object or a MARC object, up to --max-record bytes
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    fields: FieldOptions,
    /// Of a provider's response write only the text of one channel
    #[arg(long, requires = "input")]
    text_only: bool,
    /// Channel that --text-only writes, such as 0 or 0/0 [default: the one whose text is certain first]
    #[arg(long, value_name = "CHANNEL", requires = "text_only")]
    channel: Option<Channel>,
    /// Treatment of the model's reasoning: leave it as it is, rewrite it without annotations, or drop it
    ///
    /// Needs --input. Providers sign some reasoning, and refuse it when it is sent back changed.
    #[arg(long, value_name = "HOW", default_value = "leave", value_parser = one_of::<Reasoning>())]
    reasoning: Reasoning,
    /// Path of a member that passes although its format does not have it, such as choices[].delta.note; may be repeated
    ///
    /// Needs --input. A string that may be text, in any other such member, counts as not read.
    #[arg(long = "pass-member", value_name = "PATH")]
    pass_members: Vec<String>,
    /// Exit with status 3 if something was not read, the provider reports an error, or its response is empty
    ///
    /// Needs --input or --field.
    #[arg(long)]
    fail: bool,
    /// Write to this file, which is replaced when everything is written, or to files in this directory
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    input: InputOptions,
    /// Longest JSON value that --json removes, in bytes, 1 to 1048576 [default: 65536]
    #[arg(long, value_name = "BYTES", help_heading = "Limits", requires = "json")]
    max_record: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(options: &StripOptions) -> anyhow::Result<ExitCode> {
    check(options)?;
    let input = &options.input;
    refuse_input_as_output(
        "--output",
        options.output.as_deref(),
        [input.vocabulary_file()],
    )?;
    let mut limits = input.limits()?;
    if let Some(bytes) = options.max_record {
        limits = limit("record", limits.with_max_record(bytes))?;
    }
    let parser = input
        .parser(limits, input.vocabulary.load()?)
        .hold_records(options.json);
    let pointers = options.fields.distinct()?;
    let mut passed = true;
    let is_response = input.input != InputFormat::Raw;
    let output = options.output.as_deref();
    let result = for_each_file(&options.files, output, is_response, |file, output| {
        let mut strip = Strip::new(options, output);
        let result = strip.read(file, parser.clone().build(), &pointers);
        passed &= !strip.is_unread;
        (result, strip.output)
    });
    let (result, is_unreadable) = match result {
        Ok(is_unreadable) => (Ok(()), is_unreadable),
        // The exit status reports it.
        Err(error) if options.fail && error.is::<NotRead>() => {
            print_error(error);
            (Ok(()), false)
        }
        Err(error) => (Err(error), false),
    };
    let status = exit_code(result, options.fail, passed)?;
    Ok(if is_unreadable {
        ExitCode::from(EXIT_ERROR)
    } else {
        status
    })
}

/// Refuses options without effect.
fn check(options: &StripOptions) -> anyhow::Result<()> {
    let is_raw = options.input.input == InputFormat::Raw;
    let message = if options.reasoning != Reasoning::Leave && is_raw {
        "--reasoning needs a response of a provider; give --input auto"
    } else if !options.pass_members.is_empty() && is_raw {
        "--pass-member needs a response of a provider; give --input auto"
    } else if options.text_only && is_raw {
        "--text-only needs a response of a provider; give --input auto"
    } else if options.fail && is_raw && options.fields.pointers.is_empty() {
        "--fail needs --field, or a response of a provider; give --input auto"
    } else if options.json && options.input.mode == Mode::Text {
        "--json cannot be used with --mode text, which reads no JSON"
    } else {
        return Ok(());
    };
    Err(usage_error(message))
}

/// An input of which nothing was read, since it is not a response of the format.
#[derive(Debug)]
struct NotRead(String);

impl std::fmt::Display for NotRead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotRead {}

/// Writes text without annotations.
#[derive(Debug)]
struct Strip<'o> {
    options: &'o StripOptions,
    output: Output,
    text: WrittenText,
    hidden: HiddenAnnotationDetector,
    /// `true` if something was not read, or the provider reported an error.
    is_unread: bool,
}

/// Text that is written.
#[derive(Debug)]
enum WrittenText {
    /// The input has one text.
    All,
    /// The response is written instead.
    Response,
    /// Text of one channel; of the first with text if none is chosen yet.
    Channel {
        chosen: Option<Channel>,
        current: Option<Channel>,
        /// Channels of the response.
        found: BTreeSet<Channel>,
    },
}

impl<'o> Strip<'o> {
    fn new(options: &'o StripOptions, output: Output) -> Self {
        let is_raw = options.input.input == InputFormat::Raw;
        Self {
            options,
            output,
            text: match is_raw {
                true => WrittenText::All,
                false if options.text_only => WrittenText::Channel {
                    chosen: options.channel,
                    current: None,
                    found: BTreeSet::new(),
                },
                false => WrittenText::Response,
            },
            hidden: HiddenAnnotationDetector::new(if is_raw {
                options.input.mode
            } else {
                Mode::Text
            }),
            is_unread: false,
        }
    }

    /// Reads a file to its end.
    fn read(&mut self, file: &Path, parser: Parser, pointers: &[Pointer]) -> anyhow::Result<()> {
        let options = &self.options.input;
        let is_text = options.input == InputFormat::Raw && pointers.is_empty();
        let mut input = Input::open(file)?.detect_response(is_text);
        if !pointers.is_empty() {
            return self.read_fields(&mut input, Rewriter::new(parser), pointers);
        }
        let reader = StreamReader::new(options.input, parser, self.options.reasoning)
            .with_pass_members(&self.options.pass_members);
        let end = pump(&mut input, reader, options.chunk_size, self)?;
        self.output.flush()?;
        self.is_unread |= !end.status.passes();
        if let Some(place) = self.hidden.found() {
            print_note(hidden_message(place, "removed"));
        }
        self.report(&end.status)
    }

    fn read_fields(
        &mut self,
        input: &mut Input,
        rewriter: Rewriter,
        pointers: &[Pointer],
    ) -> anyhow::Result<()> {
        let mut fields = FieldRewriter::new(pointers.to_owned(), false);
        let mut stripper = FieldStripper {
            rewriter,
            line: Vec::new(),
        };
        for_each_chunk(
            input,
            self.options.input.chunk_size,
            self,
            |chunk, strip| {
                let pushed = fields.push(chunk, &mut stripper);
                let lines = std::mem::take(&mut stripper.line);
                strip.output.write_text(&lines);
                pushed.and_then(|()| strip.output.check())
            },
        )?;
        fields.push(b"", &mut stripper)?;
        self.output.write_text(&stripper.line);
        self.output.flush()?;
        self.is_unread |= fields.unread.count() > 0;
        if let Some(message) = fields.message("written as they are") {
            print_note(message);
        }
        Ok(())
    }

    /// Reports text that may still have annotations, or that is missing in the output.
    fn report(&self, status: &ResponseStatus) -> anyhow::Result<()> {
        let is_response = matches!(self.text, WrittenText::Response);
        match status.unrecognised() {
            Some(input) if !is_response => {
                return Err(NotRead(format!("nothing was written: {input}")).into());
            }
            Some(input) if input.has_no_event_of_format() => {
                return Err(NotRead(format!("the input was written as it is: {input}")).into());
            }
            _ => {}
        }
        // An error of the provider is in the response that was written, but a status needs its reason.
        let is_reported = match is_response && !self.options.fail {
            true => !status.is_fully_read_but_errors(),
            false => !status.is_fully_read(),
        };
        if is_reported {
            print_note(status);
        }
        if let WrittenText::Channel { found, .. } = &self.text
            && let Some(channel) = self.options.channel
            && !found.contains(&channel)
        {
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            match found.is_empty() {
                true => {
                    bail!("--channel: the response has no text, in channel {channel} or any other")
                }
                false => bail!(
                    "--channel: expected a channel of the response ({}), found `{channel}`",
                    found.join(", ")
                ),
            }
        }
        Ok(())
    }
}

impl Handler for Strip<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        let is_written = match &mut self.text {
            WrittenText::All => true,
            WrittenText::Response => false,
            WrittenText::Channel {
                chosen, current, ..
            } => {
                *chosen = chosen.or(*current);
                chosen == current
            }
        };
        self.hidden.push(text.bytes());
        if is_written {
            self.output.write_text(text.bytes());
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(_) = event {
            self.hidden.stop();
        }
    }
}

impl StreamSink for Strip<'_> {
    fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    fn on_channel(&mut self, channel: Channel) {
        if let WrittenText::Channel { current, found, .. } = &mut self.text {
            *current = Some(channel);
            found.insert(channel);
        }
    }

    fn on_notice(&mut self, notice: &StreamNotice<'_>) {
        self.is_unread |= match notice {
            StreamNotice::Diagnostic { is_unread, .. } => *is_unread,
            StreamNotice::Error(_) => true,
        };
    }

    fn on_response_bytes(&mut self, bytes: &[u8]) {
        if matches!(self.text, WrittenText::Response) {
            self.output.write_text(bytes);
        }
    }
}

/// Removes annotations from strings of NDJSON.
struct FieldStripper {
    rewriter: Rewriter,
    /// Lines to be written.
    line: Vec<u8>,
}

impl FieldSink for FieldStripper {
    fn rewrite(&mut self, _: u64, text: &str) -> String {
        let mut clean = Vec::new();
        self.rewriter.push(text.as_bytes(), &mut clean);
        self.rewriter.finish(&mut clean);
        self.rewriter.reset();
        String::from_utf8_lossy(&clean).into_owned()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.line.extend_from_slice(bytes);
    }
}
