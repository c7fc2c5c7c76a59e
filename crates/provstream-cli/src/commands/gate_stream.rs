//! Input that goes through a gate, for `gate` and `report`.

use std::fmt;
use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use provstream::provenance::Timestamp;
use provstream::{
    Action, Event, Gate, GateHandler, Handler, Parser, Policy, Question, Rules, Span, TextChunk,
    Unannotated,
};
use provstream_providers::{
    Channel, ChannelPosition, GateEvent, Item, PassMembers, Pointer, Reasoning, StreamGate,
    StreamHandler,
};

use super::gate_summary::{GateSummary, StoppedText};
use crate::error::usage_error;
use crate::fields::{FieldRewriter, FieldSink};
use crate::input::{BUFFER, Input};
use crate::options::{AssertionLimits, FieldOptions, InputFormat, InputOptions};
use crate::response::{ResponseStatus, ResponseTracker};
use crate::settings;

// Options of a stream that goes through a gate.
#[derive(Debug, Args)]
pub(crate) struct GateStreamOptions {
    /// Language of the policy's texts, if it has them in several [default: the policy's]
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Time to judge by, in RFC 3339, such as 2026-05-28T12:00:00Z [default: the clock; in `gate` when an assertion is complete]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Timestamp>,
    /// Treatment of the model's reasoning: leave it as it is, gate it like text, or drop it
    ///
    /// Needs --input. Reasoning that is left may repeat what the policy withholds. Providers sign some
    /// reasoning, and refuse it when it is sent back changed.
    #[arg(long, value_name = "HOW", default_value = "leave", value_parser = reasoning())]
    reasoning: Reasoning,
    /// Path of a member that passes although its format does not have it, such as choices[].delta.note; may be repeated
    ///
    /// Needs --input. A string that may be text, in any other such member, is emptied.
    #[arg(long = "pass-member", value_name = "PATH")]
    pass_members: Vec<String>,
    #[command(flatten)]
    pub(crate) fields: FieldOptions,
    #[command(flatten)]
    pub(crate) input: InputOptions,
    #[command(flatten)]
    limits: AssertionLimits,
    /// Most bytes of text held back, 1024 to 1048576 [default: 65536]; the policy's rule `limit` decides about more
    #[arg(long, value_name = "BYTES", help_heading = "Limits",
        value_parser = RangedU64ValueParser::<usize>::new().range(1 << 10..=1 << 20))]
    max_held: Option<usize>,
}

/// A gate has nothing to rewrite but what it decides.
fn reasoning() -> impl TypedValueParser<Value = Reasoning> {
    PossibleValuesParser::new(["leave", "gate", "drop"]).map(|name| match &*name {
        "gate" => Reasoning::Rewrite,
        "drop" => Reasoning::Drop,
        _ => Reasoning::Leave,
    })
}

/// Text that goes through a gate of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GatedText {
    Channel {
        channel: Channel,
        is_reasoning: bool,
    },
    Line(u64),
}

impl fmt::Display for GatedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel {
                channel,
                is_reasoning,
            } => {
                let reasoning = if *is_reasoning { " reasoning" } else { "" };
                write!(f, "{channel}{reasoning}")
            }
            Self::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Receives the output and the decisions of a gate. Of [`Handler`], `text` is called for an input that is one text.
pub(crate) trait GateObserver: GateHandler {
    /// Receives released bytes of a response, or of lines of NDJSON.
    fn on_response_bytes(&mut self, _bytes: &[u8]) {}

    /// Receives the text that the following calls are about; `is_repeated` if it repeats another one.
    fn on_text(&mut self, text: &GatedText, is_repeated: bool);

    /// Receives the end of a channel.
    fn on_channel_end(&mut self, _channel: Channel) {}

    /// Receives a text that the policy ended.
    fn on_stop(&mut self, _stopped: &StoppedText) {}

    /// Flushes the output, since the input may pause.
    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// Returns the first error of the output.
    fn check(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Policy and parser of all inputs.
#[derive(Debug)]
pub(crate) struct GateSettings<'o> {
    pub(crate) rules: Rules,
    parser: Parser,
    pointers: Vec<Pointer>,
    options: &'o GateStreamOptions,
}

impl<'o> GateSettings<'o> {
    /// Loads the policy.
    pub(crate) fn load(policy: &Path, options: &'o GateStreamOptions) -> anyhow::Result<Self> {
        let input = &options.input;
        let vocabulary = input.vocabulary.load()?;
        let rules = settings::load("--policy", policy, |file| {
            Rules::from_toml(file, &vocabulary)
        })?;
        let rules = match &options.language {
            Some(language) => with_language(rules, language)?,
            None => rules,
        };
        let limits = options.limits.limits(input)?;
        if input.input == InputFormat::Raw && options.reasoning != Reasoning::Leave {
            return Err(usage_error(
                "--reasoning needs a response of a provider; give --input auto",
            ));
        }
        if input.input == InputFormat::Raw && !options.pass_members.is_empty() {
            return Err(usage_error(
                "--pass-member needs a response of a provider; give --input auto",
            ));
        }
        Ok(Self {
            rules,
            parser: input.parser(limits, vocabulary).build(),
            pointers: options.fields.distinct()?,
            options,
        })
    }

    /// Returns `true` if an input is one text.
    pub(crate) fn is_one_text(&self) -> bool {
        self.options.input.input == InputFormat::Raw && self.pointers.is_empty()
    }

    /// Opens an input.
    pub(crate) fn open(&self, file: &Path) -> anyhow::Result<Input> {
        Ok(Input::open(file)?.detect_response(self.is_one_text()))
    }

    /// Reads an input to its end, or to that of its only text. The observer is flushed whenever the input may pause, and gets all
    /// that is certain, even if the input breaks off.
    pub(crate) fn run<P: Policy + Clone>(
        &self,
        mut input: Input,
        policy: P,
        observer: &mut impl GateObserver,
        summary: &mut GateSummary,
    ) -> anyhow::Result<(Vec<StoppedText>, ResponseStatus)> {
        let mut gate = GateStream::new(self, policy);
        let chunk_size = self.options.input.chunk_size.unwrap_or(BUFFER);
        let mut buffer = vec![0; chunk_size * (BUFFER / chunk_size).max(1)];
        let read = 'read: loop {
            if input.is_interactive() {
                observer.flush()?;
            }
            let count = match input.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => count,
                Err(error) => break Err(error),
            };
            for chunk in buffer[..count].chunks(chunk_size) {
                let is_open = gate.push(chunk, GateAdapter::new(observer, summary));
                observer.check()?;
                if !is_open? {
                    break 'read Ok(());
                }
            }
        };
        let (stopped, status) = gate.finish(GateAdapter::new(observer, summary))?;
        for stop in &stopped {
            observer.on_stop(stop);
        }
        observer.check()?;
        read.map(|()| (stopped, status))
    }
}

fn with_language(rules: Rules, language: &str) -> anyhow::Result<Rules> {
    if rules.languages().any(|known| known == language) {
        return Ok(rules.with_language(language));
    }
    let known = rules.languages().collect::<Vec<_>>().join(", ");
    Err(usage_error(format_args!(
        "--language: expected a language of the policy's texts ({known}), found `{language}`"
    )))
}

/// Gate of an input.
#[expect(clippy::large_enum_variant, reason = "a stream has one gate")]
enum GateStream<P> {
    Text(Gate<P>),
    Response(StreamGate<P>, ResponseTracker),
    Fields {
        rewriter: FieldRewriter,
        gate: Gate<P>,
        stopped: Vec<StoppedText>,
    },
}

impl<P: Policy + Clone> GateStream<P> {
    fn new(settings: &GateSettings<'_>, policy: P) -> Self {
        let parser = settings.parser.clone();
        let options = settings.options;
        let max_held = options.max_held.unwrap_or(Gate::<P>::DEFAULT_MAX_HELD);
        let gate = match options.input.input {
            InputFormat::Raw => {
                let gate = Gate::new(parser, policy).with_max_held(max_held);
                if settings.pointers.is_empty() {
                    return Self::Text(gate);
                }
                return Self::Fields {
                    rewriter: FieldRewriter::new(settings.pointers.clone(), true),
                    gate,
                    stopped: Vec::new(),
                };
            }
            InputFormat::Auto => StreamGate::detect(parser, policy),
            InputFormat::Response(format) => StreamGate::new(format, parser, policy),
        };
        let gate = gate
            .with_max_held(max_held)
            .with_reasoning(options.reasoning)
            .with_pass_members(
                options
                    .pass_members
                    .iter()
                    .cloned()
                    .collect::<PassMembers>(),
            );
        Self::Response(gate, ResponseTracker::new(options.input.input.format()))
    }

    /// Reads the next bytes; returns `false` if no more are of use.
    fn push(
        &mut self,
        chunk: &[u8],
        mut adapter: GateAdapter<'_, impl GateObserver>,
    ) -> anyhow::Result<bool> {
        match self {
            Self::Text(gate) => {
                gate.push(chunk, &mut adapter);
                return Ok(gate.ended().is_none());
            }
            Self::Response(gate, tracker) => {
                tracker.push(chunk);
                gate.push(chunk, ResponseGateAdapter { adapter, tracker });
            }
            Self::Fields {
                rewriter,
                gate,
                stopped,
            } => {
                let mut sink = FieldGate {
                    gate,
                    adapter,
                    stopped,
                };
                rewriter.push(chunk, &mut sink)?;
            }
        }
        Ok(true)
    }

    fn finish(
        self,
        mut adapter: GateAdapter<'_, impl GateObserver>,
    ) -> anyhow::Result<(Vec<StoppedText>, ResponseStatus)> {
        Ok(match self {
            Self::Text(mut gate) => {
                gate.finish(&mut adapter);
                let stopped = gate.ended().map(|end| StoppedText { name: None, end });
                (stopped.into_iter().collect(), ResponseStatus::default())
            }
            Self::Response(mut gate, mut tracker) => {
                gate.finish(ResponseGateAdapter {
                    adapter,
                    tracker: &mut tracker,
                });
                let stopped = gate.ended().map(|(channel, end)| StoppedText {
                    name: Some(channel.to_string()),
                    end,
                });
                (stopped.collect(), tracker.finish(gate.report()))
            }
            Self::Fields {
                mut rewriter,
                mut gate,
                mut stopped,
            } => {
                let mut sink = FieldGate {
                    gate: &mut gate,
                    adapter,
                    stopped: &mut stopped,
                };
                rewriter.push(b"", &mut sink)?;
                sink.adapter.summary.finish_fields(&rewriter);
                (stopped, ResponseStatus::default())
            }
        })
    }
}

/// Observer and summary of a text.
struct GateAdapter<'s, O> {
    observer: &'s mut O,
    summary: &'s mut GateSummary,
    /// Collects the text of a field, which is written in its line.
    field: Option<Vec<u8>>,
}

impl<'s, O> GateAdapter<'s, O> {
    const fn new(observer: &'s mut O, summary: &'s mut GateSummary) -> Self {
        Self {
            observer,
            summary,
            field: None,
        }
    }
}

impl<O: GateObserver> Handler for GateAdapter<'_, O> {
    fn text(&mut self, text: TextChunk<'_>) {
        match &mut self.field {
            Some(field) => field.extend_from_slice(text.bytes()),
            None => self.observer.text(text),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.summary.add_event(&event);
        self.observer.event(event);
    }
}

impl<O: GateObserver> GateHandler for GateAdapter<'_, O> {
    fn released(&mut self, text: TextChunk<'_>) {
        self.summary.add_text(text.bytes(), true);
        if let Some(field) = &mut self.field {
            field.extend_from_slice(text.bytes());
        }
        self.observer.released(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.summary.add_text(text.bytes(), false);
        self.observer.removed(text);
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.summary.add_decision(question, action);
        self.observer.decided(question, action);
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.summary.add_run(at, what);
        self.observer.run_begins(at, what);
    }

    fn run_ends(&mut self, at: u64) {
        self.observer.run_ends(at);
    }

    fn limit(&mut self, span: Span) {
        self.observer.limit(span);
    }
}

/// Adapter for the channels of a response.
struct ResponseGateAdapter<'s, O> {
    adapter: GateAdapter<'s, O>,
    tracker: &'s mut ResponseTracker,
}

impl<O: GateObserver> Handler for ResponseGateAdapter<'_, O> {
    fn event(&mut self, event: Event<'_>) {
        self.adapter.event(event);
    }
}

impl<O: GateObserver> StreamHandler for ResponseGateAdapter<'_, O> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.adapter.observer.on_response_bytes(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.tracker.has_text = true;
        let text = GatedText::Channel {
            channel: position.channel,
            is_reasoning: position.is_reasoning,
        };
        self.adapter.summary.enter(&text.to_string());
        self.adapter.observer.on_text(&text, position.is_repeated);
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        let adapter = &mut self.adapter;
        match event {
            GateEvent::Decided(question, action) => adapter.decided(question, action),
            GateEvent::Released(text) => adapter.released(text),
            GateEvent::Removed(text) => adapter.removed(text),
            GateEvent::RunBegins(at, what) => adapter.run_begins(at, what),
            GateEvent::RunEnds(at) => adapter.run_ends(at),
            GateEvent::Limit(span) => adapter.limit(span),
            _ => {}
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => self.tracker.add_notice(&notice),
            Item::Error(message) => self.tracker.add_error(&message),
            Item::ChannelEnd(channel) => {
                self.tracker.has_text = true;
                self.adapter.observer.on_channel_end(channel);
            }
            Item::End => self.tracker.has_end = true,
            _ => {}
        }
    }
}

/// Gates the strings of NDJSON.
struct FieldGate<'g, P, O> {
    gate: &'g mut Gate<P>,
    adapter: GateAdapter<'g, O>,
    stopped: &'g mut Vec<StoppedText>,
}

impl<P: Policy + Clone, O: GateObserver> FieldSink for FieldGate<'_, P, O> {
    fn rewrite(&mut self, line: u64, text: &str) -> String {
        let name = GatedText::Line(line);
        self.adapter.summary.enter(&name.to_string());
        self.adapter.observer.on_text(&name, false);
        self.adapter.field = Some(Vec::new());
        self.gate.push(text.as_bytes(), &mut self.adapter);
        self.gate.finish(&mut self.adapter);
        let written = self.adapter.field.take().unwrap_or_default();
        if let Some(end) = self.gate.ended() {
            let name = Some(name.to_string());
            self.stopped.push(StoppedText { name, end });
        }
        self.gate.reset();
        String::from_utf8_lossy(&written).into_owned()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.adapter.observer.on_response_bytes(bytes);
    }
}
