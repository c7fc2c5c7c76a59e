//! Input that goes through a gate, for what acts on it and for what shows it.

use std::path::Path;

use provstream::{
    Action, Event, Gate, GateEnd, GateHandler, Handler, Parser, Policy, Question, Rules, Span,
    TextChunk, Unannotated,
};
use provstream_providers::{
    Channel, ChannelPosition, GateEvent, Item, Reasoning, StreamGate, StreamHandler,
};

use crate::account::Account;
use crate::args::GatedArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::input_format::InputFormat;
use crate::settings;
use crate::setup;
use crate::unread::{Seen, Unread};

/// What is read at once, unless larger pieces were asked for.
const BUFFER: usize = 1 << 16;

/// Takes what a gate writes and reports. Of [`Handler`], `text` is called for input that is text, and `event` for any.
pub(crate) trait GateSink: GateHandler {
    /// Takes bytes of a provider's response as it is released.
    fn bytes(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// The following calls are about this channel of a provider's response.
    fn enter(&mut self, position: ChannelPosition);

    /// A channel has ended.
    fn leave(&mut self, channel: Channel) {
        let _ = channel;
    }

    /// Writes what is certain, since the input may pause.
    fn flush(&mut self) -> Result<(), Failure>;

    /// Reports whether everything could be written so far.
    fn check(&mut self) -> Result<(), Failure>;

    /// The policy has ended the stream, or this channel of it.
    fn ended(&mut self, channel: Option<&str>, end: GateEnd);
}

/// What a channel, or the reasoning in it, is called in audit logs and on pages.
pub(crate) fn channel_name(channel: Channel, is_reasoning: bool) -> String {
    let reasoning = if is_reasoning { " reasoning" } else { "" };
    format!("{channel}{reasoning}")
}

/// An input that is ready to go through a gate.
pub(crate) struct Gated {
    /// What the policy file says.
    pub(crate) rules: Rules,
    parser: Parser,
    input: Input,
    format: InputFormat,
    reasoning: Reasoning,
    max_held: Option<usize>,
    chunk: usize,
}

impl Gated {
    /// Loads the policy and opens a file; `-` and none are standard input.
    pub(crate) fn open(
        file: Option<&Path>,
        policy: &Path,
        args: &GatedArgs,
    ) -> Result<Self, Failure> {
        let source = &args.source;
        let vocabulary = setup::vocabulary(&source.classes)?;
        let rules = settings::load_toml("--policy", policy, |file| {
            Rules::from_toml(file, &vocabulary)
        })?;
        let rules = match &args.language {
            Some(language) => with_language(rules, language)?,
            None => rules,
        };
        let limits = args.limits.with(source)?;
        if source.input == InputFormat::Raw && args.reasoning != Reasoning::Leave {
            let message =
                "--reasoning needs a response of a provider, found --input raw; give --input auto";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(Self {
            rules,
            parser: setup::parser(source, limits, vocabulary).build(),
            input: Input::open(file.unwrap_or(Path::new("-")))?.expecting(source.input),
            format: source.input,
            reasoning: args.reasoning,
            max_held: args.max_held,
            chunk: source.chunk_size.map_or(BUFFER, usize::from),
        })
    }

    /// How the input is called in messages.
    pub(crate) fn name(&self) -> &str {
        self.input.name()
    }

    /// Reads to the end, of the input or of what the policy lets through. The sink is flushed whenever the input may pause,
    /// and gets all that is certain, however the input ends. The account has what was done by then.
    pub(crate) fn feed<P: Policy + Clone>(
        mut self,
        policy: P,
        sink: &mut impl GateSink,
        account: &mut Account,
    ) -> Result<(Ended, Unread), Failure> {
        let mut through = Through::new(self.format, self.parser, policy, self.max_held)
            .with_reasoning(self.reasoning);
        let mut buffer = vec![0; self.chunk * (BUFFER / self.chunk).max(1)];
        let read = 'read: loop {
            if self.input.may_wait() {
                sink.flush()?;
            }
            let count = match self.input.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => count,
                Err(failure) => break Err(failure),
            };
            for piece in buffer[..count].chunks(self.chunk) {
                let goes_on = through.push(piece, Counted { sink, account });
                sink.check()?;
                if !goes_on {
                    break 'read Ok(());
                }
            }
        };
        let (ended, unread) = through.finish(Counted { sink, account });
        for (channel, end) in &ended {
            sink.ended(channel.as_deref(), *end);
        }
        sink.check()?;
        read.map(|()| (ended, unread))
    }
}

fn with_language(rules: Rules, language: &str) -> Result<Rules, Failure> {
    if rules.languages().any(|known| known == language) {
        return Ok(rules.with_language(language));
    }
    let known: Vec<&str> = rules.languages().collect();
    Err(Failure::Usage(if known.is_empty() {
        format!(
            "--language: the texts of the policy are in no named language, found `{language}`; leave out the option"
        )
    } else {
        let known = known.join(", ");
        format!("--language: expected a language of the policy ({known}), found `{language}`")
    }))
}

/// Where the policy ended a stream: of a channel, or the only one.
pub(crate) type Ended = Vec<(Option<String>, GateEnd)>;

/// What the bytes of the input go through.
#[allow(clippy::large_enum_variant, reason = "a stream has one of them")]
enum Through<P> {
    Text(Gate<P>),
    Wire(StreamGate<P>, Seen),
}

impl<P: Policy + Clone> Through<P> {
    fn new(input: InputFormat, parser: Parser, policy: P, max_held: Option<usize>) -> Self {
        let max_held = max_held.unwrap_or(Gate::<P>::DEFAULT_MAX_HELD);
        let gate = match input {
            InputFormat::Raw => {
                return Self::Text(Gate::new(parser, policy).with_max_held(max_held));
            }
            InputFormat::Auto => StreamGate::detect(parser, policy),
            InputFormat::Wire(format) => StreamGate::new(format, parser, policy),
        };
        Self::Wire(gate.with_max_held(max_held), Seen::new(input.format()))
    }

    fn with_reasoning(self, mode: Reasoning) -> Self {
        match self {
            Self::Text(_) => self,
            Self::Wire(gate, seen) => Self::Wire(gate.with_reasoning(mode), seen),
        }
    }

    /// Takes the next bytes; whether more are of use.
    fn push(&mut self, chunk: &[u8], mut counted: Counted<'_, impl GateSink>) -> bool {
        match self {
            Self::Text(gate) => {
                gate.push(chunk, &mut counted);
                gate.ended().is_none()
            }
            Self::Wire(gate, seen) => {
                seen.push(chunk);
                gate.push(chunk, Seeing { counted, seen });
                true
            }
        }
    }

    fn finish(self, mut counted: Counted<'_, impl GateSink>) -> (Ended, Unread) {
        match self {
            Self::Text(mut gate) => {
                gate.finish(&mut counted);
                let ended = gate.ended().map(|end| (None, end));
                (ended.into_iter().collect(), Unread::default())
            }
            Self::Wire(mut gate, mut seen) => {
                gate.finish(Seeing {
                    counted,
                    seen: &mut seen,
                });
                let ended = gate.ended();
                let ended = ended.map(|(channel, end)| (Some(channel.to_string()), end));
                (ended.collect(), seen.unread(gate.report()))
            }
        }
    }
}

/// A sink, and the account of what it takes.
struct Counted<'s, S> {
    sink: &'s mut S,
    account: &'s mut Account,
}

impl<S: GateSink> Handler for Counted<'_, S> {
    fn text(&mut self, text: TextChunk<'_>) {
        self.sink.text(text);
    }

    fn event(&mut self, event: Event<'_>) {
        self.account.event(&event);
        self.sink.event(event);
    }
}

impl<S: GateSink> GateHandler for Counted<'_, S> {
    fn released(&mut self, text: TextChunk<'_>) {
        self.account.text(text.bytes(), true);
        self.sink.released(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.account.text(text.bytes(), false);
        self.sink.removed(text);
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        self.account.decided(question, action);
        self.sink.decided(question, action);
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.account.run(at, what);
        self.sink.run_begins(at, what);
    }

    fn run_ends(&mut self, at: u64) {
        self.sink.run_ends(at);
    }

    fn limit(&mut self, span: Span) {
        self.sink.limit(span);
    }
}

/// A sink for the channels of a provider's response; notes what was met in its events.
struct Seeing<'s, S> {
    counted: Counted<'s, S>,
    seen: &'s mut Seen,
}

impl<S: GateSink> Handler for Seeing<'_, S> {
    fn event(&mut self, event: Event<'_>) {
        self.counted.event(event);
    }
}

impl<S: GateSink> StreamHandler for Seeing<'_, S> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.counted.sink.bytes(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.seen.text = true;
        let name = channel_name(position.channel, position.is_reasoning);
        self.counted.account.enter(&name);
        self.counted.sink.enter(position);
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        let counted = &mut self.counted;
        match event {
            GateEvent::Decided(question, action) => counted.decided(question, action),
            GateEvent::Released(text) => counted.released(text),
            GateEvent::Removed(text) => counted.removed(text),
            GateEvent::RunBegins(at, what) => counted.run_begins(at, what),
            GateEvent::RunEnds(at) => counted.run_ends(at),
            GateEvent::Limit(span) => counted.limit(span),
            _ => {}
        }
    }

    fn item(&mut self, item: Item<'_>) {
        match item {
            Item::Notice(notice) => self.seen.notice(&notice),
            Item::Error(message) => self.seen.error(&message),
            Item::ChannelEnd(channel) => {
                self.seen.text = true;
                self.counted.sink.leave(channel);
            }
            Item::End => self.seen.end = true,
            _ => {}
        }
    }
}
