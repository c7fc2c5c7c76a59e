//! `provstream strip`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use provstream::render::{MarkerRenderer, Template};
use provstream::{Event, Handler, Marker, Mode, Parser, Replacement, TextChunk};
use provstream_providers::Channel;

use crate::error::{CliError, exit_code_of_files, usage_error};
use crate::files::for_each_file;
use crate::hidden_annotations::{HiddenAnnotationDetector, hidden_message};
use crate::messages::{print_error, print_note};
use crate::options::{DialectOptions, RewriteOptions, limit, needs_response};
use crate::output::{Output, refuse_input_as_output};
use crate::reader::{StreamEnd, StreamReader, pump};
use crate::render::RenderOptions;
use crate::sink::{StreamNotice, StreamSink, TextName};

/// Write a stream without its annotations
///
/// An annotation in brackets is removed together with the white space right before it (at most 64
/// bytes of space, tab, CR and LF). Every other byte is written as it is, as soon as it is
/// certain. JSON stays as it is, unless --json or --field is given. `provstream extract` reports
/// what was found.
///
///     provstream strip answer.txt -o answer.txt     # in place
///     provstream strip --field '/messages/*/content' chats.jsonl -o clean.jsonl
///     provstream strip --input auto response.sse
///     provstream strip a.txt b.txt -o clean/
///
/// With --dialect, markers of citations such as [1] are removed, too; --render writes links to their
/// sources in their place:
///
///     provstream strip --dialect numeric --sources sources.json --render '[{title}]({url})' answer.txt
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
    /// Of a provider's response write only the text of one channel
    #[arg(long, requires = "input")]
    text_only: bool,
    /// Channel that --text-only writes, such as 0 or 0/0 [default: the one whose text is certain first]
    #[arg(long, value_name = "CHANNEL", requires = "text_only")]
    channel: Option<Channel>,
    /// Exit with status 3 if something was not read, the provider reports an error, or its response is empty
    ///
    /// Needs --input or --field.
    #[arg(long)]
    fail: bool,
    /// Write to this file, which is replaced when everything is written, or to files in this directory
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rewrite: RewriteOptions,
    #[command(flatten)]
    dialects: DialectOptions,
    #[command(flatten)]
    render: RenderOptions,
    /// Longest JSON value that --json removes, in bytes, 1 to 1048576 [default: 65536]
    #[arg(long, value_name = "BYTES", help_heading = "Limits", requires = "json")]
    max_record: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(options: &StripOptions) -> anyhow::Result<ExitCode> {
    check(options)?;
    let input = &options.rewrite.input;
    let output = options.output.as_deref();
    refuse_input_as_output("--output", output, [input.vocabulary_file()])?;
    let mut limits = input.limits()?;
    if let Some(bytes) = options.max_record {
        limits = limit("record", limits.with_max_record(bytes))?;
    }
    let vocabulary = input.vocabulary.load()?;
    let parser = input
        .parser(limits, vocabulary.clone())
        .hold_records(options.json);
    let sources = options.dialects.load_sources(&vocabulary)?;
    let renderer = options.render.renderer(sources.clone())?;
    let notes = options.render.notes()?;
    let parser = options.dialects.apply_with(input, parser, sources)?;
    let mut passed = true;
    let must_split = options.rewrite.is_response();
    let result = for_each_file(&options.files, output, must_split, |file, output| {
        let mut strip = StripWriter::new(options, output);
        strip.rendered = renderer.clone().map(Rendered::new);
        strip.notes = notes.as_ref();
        let result = strip.read(file, parser.clone().build());
        passed &= !strip.is_unread;
        (result, strip.output)
    });
    let result = match result {
        // The exit status reports it.
        Err(error) if options.fail && is_not_read(&error) => {
            print_error(error);
            Ok(0)
        }
        result => result,
    };
    exit_code_of_files(result, options.fail, passed)
}

fn is_not_read(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(CliError::NotRead(_)))
}

/// Refuses options without effect.
fn check(options: &StripOptions) -> anyhow::Result<()> {
    let rewrite = &options.rewrite;
    if options.text_only && !rewrite.is_response() {
        return Err(needs_response("--text-only needs"));
    }
    if options.fail && rewrite.is_one_text() {
        return Err(needs_response("--fail needs --field, or"));
    }
    if options.json && rewrite.input.mode == Mode::Text {
        return Err(usage_error(
            "--json cannot be used with --mode text, which reads no JSON",
        ));
    }
    if options.render.has_notes() && !rewrite.is_one_text() {
        return Err(usage_error(
            "--notes cannot be used with --input and --field, whose texts have no end for them",
        ));
    }
    rewrite.check()
}

/// Writes text without annotations.
struct StripWriter<'o> {
    options: &'o StripOptions,
    output: Output,
    /// Channel of --text-only, once it is chosen.
    chosen: Option<Channel>,
    current: Option<Channel>,
    /// Channels of the response.
    found: BTreeSet<Channel>,
    /// Channels with text that --text-only left out.
    left_out: BTreeSet<Channel>,
    hidden: HiddenAnnotationDetector,
    /// `true` if something was not read, or the provider reported an error.
    is_unread: bool,
    rendered: Option<Rendered>,
    /// Template of the notes after the text.
    notes: Option<&'o Template>,
    /// The output ends with a line.
    ends_line: bool,
}

/// Renderers of the texts of an input.
struct Rendered {
    /// Renderer of a text that begins.
    fresh: MarkerRenderer,
    texts: BTreeMap<Option<Channel>, MarkerRenderer>,
    /// Channel of the markers that come next.
    channel: Option<Channel>,
}

impl Rendered {
    const fn new(fresh: MarkerRenderer) -> Self {
        Self {
            fresh,
            texts: BTreeMap::new(),
            channel: None,
        }
    }

    /// The text that the next markers are in.
    fn text(&mut self) -> &mut MarkerRenderer {
        let (fresh, channel) = (&self.fresh, self.channel);
        self.texts.entry(channel).or_insert_with(|| fresh.clone())
    }

    /// Notes the text that the next markers are in.
    fn name(&mut self, name: &TextName) {
        match name {
            TextName::Channel { channel, .. } => self.channel = Some(*channel),
            TextName::Field { .. } => self.texts.clear(),
        }
    }
}

impl<'o> StripWriter<'o> {
    fn new(options: &'o StripOptions, output: Output) -> Self {
        let mode = match options.rewrite.fields.pointers.is_empty() {
            true => options.rewrite.input.mode,
            false => Mode::Text,
        };
        Self {
            options,
            output,
            chosen: options.channel,
            current: None,
            found: BTreeSet::new(),
            left_out: BTreeSet::new(),
            hidden: HiddenAnnotationDetector::new(mode),
            is_unread: false,
            rendered: None,
            notes: None,
            ends_line: true,
        }
    }

    /// Reads a file to its end.
    fn read(&mut self, file: &Path, parser: Parser) -> anyhow::Result<()> {
        let rewrite = &self.options.rewrite;
        let mut input = rewrite.open(file)?;
        let pointers = rewrite.fields.distinct()?;
        let (reasoning, members) = rewrite.beside_text();
        let reader = StreamReader::new(rewrite.input.input, parser, |rewriter| {
            rewriter
                .with_reasoning(reasoning)
                .with_pass_members(members)
        });
        let reader = reader.with_fields(pointers, 1, true);
        let end = pump(&mut input, reader, rewrite.input.chunk_size, self)?;
        if rewrite.is_one_text()
            && let Some(rendered) = &mut self.rendered
        {
            let unclosed = rendered.text().render_unclosed();
            self.write(&unclosed);
        }
        self.write_notes();
        self.output.flush()?;
        self.is_unread |= !end.status.passes() || end.fields.has_unread();
        if let Some(place) = self.hidden.found() {
            self.is_unread = true;
            print_note(hidden_message(place, "removed"));
        }
        if let Some(message) = end.fields.message(pointers, "written as they are") {
            print_note(message);
        }
        self.report(&end)
    }

    /// Writes the notes of the sources that the text cites, after a blank line.
    fn write_notes(&mut self) {
        let (Some(template), Some(rendered)) = (self.notes, &mut self.rendered) else {
            return;
        };
        let notes = rendered.text().notes(template);
        if !notes.is_empty() {
            let feeds = if self.ends_line { "\n" } else { "\n\n" };
            self.output.write_text(feeds.as_bytes());
            self.output.write_text(notes.as_bytes());
        }
    }

    /// Reports text that may still have annotations, or that is missing in the output.
    fn report(&self, end: &StreamEnd) -> anyhow::Result<()> {
        let (status, text_only) = (&end.status, self.options.text_only);
        match &status.unrecognised {
            Some(input) if text_only => {
                return Err(CliError::NotRead(format!("nothing was written: {input}")).into());
            }
            Some(input) if input.is_other_format => {
                let message = format!("the input was written as it is: {input}");
                return Err(CliError::NotRead(message).into());
            }
            _ => {}
        }
        // An error of the provider is in the response that was written, but a status needs its reason.
        let is_read = match text_only || self.options.fail {
            true => status.is_fully_read(),
            false => status.is_fully_read_but_errors(),
        };
        if !is_read {
            print_note(status);
        }
        if let (Some(chosen), None, false) =
            (self.chosen, self.options.channel, self.left_out.is_empty())
        {
            let left_out: Vec<_> = self.left_out.iter().map(ToString::to_string).collect();
            let left_out = left_out.join(", ");
            print_note(format_args!(
                "only the text of channel {chosen} was written, not of {left_out}; --channel chooses another"
            ));
        }
        match self.options.channel {
            Some(channel) if !self.found.contains(&channel) => {
                let found: Vec<_> = self.found.iter().map(ToString::to_string).collect();
                let found = found.join(", ");
                bail!("--channel: expected a channel of the response ({found}), found `{channel}`")
            }
            _ => Ok(()),
        }
    }
}

impl Handler for StripWriter<'_> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.hidden.push(text.bytes());
        if self.options.text_only {
            self.chosen = self.chosen.or(self.current);
            if self.chosen == self.current {
                self.output.write_text(text.bytes());
            } else if let Some(channel) = self.current
                && !text.bytes().is_empty()
            {
                self.left_out.insert(channel);
            }
        }
    }

    fn marker(&mut self, marker: &Marker<'_>) -> Replacement {
        match &mut self.rendered {
            Some(rendered) => rendered.text().render(marker),
            None => Replacement::Remove,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(_) = event {
            self.hidden.stop();
        }
    }
}

impl StreamSink for StripWriter<'_> {
    fn check(&mut self, may_pause: bool) -> anyhow::Result<()> {
        self.output.check(may_pause)
    }

    fn write(&mut self, bytes: &[u8]) {
        if !self.options.text_only {
            self.output.write_text(bytes);
            self.ends_line = bytes.last().map_or(self.ends_line, |&last| last == b'\n');
        }
    }

    fn on_copy(&mut self, name: &TextName) {
        if let Some(rendered) = &mut self.rendered {
            rendered.name(name);
        }
    }

    fn on_text(&mut self, name: &TextName, _: bool) {
        self.on_copy(name);
        self.hidden.enter(name);
        if let TextName::Channel { channel, .. } = *name {
            self.current = Some(channel);
            self.found.insert(channel);
        }
    }

    fn on_notice(&mut self, notice: &StreamNotice<'_>) {
        self.is_unread |= match notice {
            StreamNotice::Diagnostic { is_unread, .. } => *is_unread,
            StreamNotice::Error(_) => true,
        };
    }
}
