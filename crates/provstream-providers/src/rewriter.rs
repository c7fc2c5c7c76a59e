//! Rewrites a provider's response: removes or replaces the annotations in its text.

use super::framer::Framer;
use super::pass_members::PassMembers;
use super::report::ReadReport;
use super::rewriting::{Passed, State};
use super::sse::DEFAULT_MAX_EVENT;
use super::{Format, IntoStreamHandler, Reasoning, StreamHandler};
use provstream::{Parser, Rewriter};

/// Rewrites a provider's response, streamed or not: keeps, removes or replaces the annotations in its text.
///
/// Only the text of deltas, the members that repeat it, and the offsets into it change (`docs/providers.md` has the
/// list). A delta without change keeps its bytes, including escapes; a delta that loses all its text stays, with an
/// empty string. Text that was held because it could have become an annotation, and did not, is written in the
/// channel's next delta or, at the channel's end, in an added event with the identifiers of the last one. An event is
/// written when it is complete; an event that ends a channel with held text is written when no more of the text can
/// follow.
///
/// Events that are not JSON or exceed the limit are written unchanged, with their annotations.
/// [`report`](Self::report) counts them.
#[derive(Clone, Debug)]
pub struct StreamRewriter {
    waiting: RewriterSettings,
    /// Nothing before the first bytes, so that a rewriter that waits for them takes little memory.
    running: Option<Box<Running>>,
}

/// A response in the middle of it.
#[derive(Clone, Debug)]
#[repr(C, align(64))] // The framer is not needed for most events, and what is takes no more cache lines than it must.
struct Running {
    state: State<Rewriter>,
    framer: Framer,
}

/// The settings of a rewriter.
#[derive(Clone, Debug)]
struct RewriterSettings {
    format: Option<Format>,
    reasoning: Reasoning,
    passes: PassMembers,
    max_event: usize,
    /// Prototype of the channels' rewriters, until the response begins.
    fresh: Option<Box<Rewriter>>,
}

/// The report on an empty response.
static NOTHING: ReadReport = ReadReport::new();

impl StreamRewriter {
    /// A rewriter of responses of this format, whose channels are each read by a parser set up like `parser`, which is at
    /// the start of a stream.
    #[must_use]
    pub fn new(format: Format, parser: Parser) -> Self {
        Self::of(Some(format), parser)
    }

    /// Creates a rewriter that detects the format from the events. Events before the first evidence are written
    /// unchanged.
    #[must_use]
    pub fn detect(parser: Parser) -> Self {
        Self::of(None, parser)
    }

    fn of(format: Option<Format>, parser: Parser) -> Self {
        Self {
            waiting: RewriterSettings {
                format,
                reasoning: Reasoning::default(),
                passes: PassMembers::default(),
                max_event: DEFAULT_MAX_EVENT,
                fresh: Some(Box::new(Rewriter::new(parser))),
            },
            running: None,
        }
    }

    /// Sets the limit of one event in bytes; [`DEFAULT_MAX_EVENT`] by default. Must be called before the first push.
    #[must_use]
    pub fn with_max_event(mut self, bytes: usize) -> Self {
        self.waiting.max_event = bytes;
        self
    }

    /// Sets the treatment of reasoning; [`Leave`](Reasoning::Leave) by default. Must be called before the first push.
    #[must_use]
    pub fn with_reasoning(mut self, mode: Reasoning) -> Self {
        self.waiting.reasoning = mode;
        if let Some(running) = &mut self.running {
            running.state.set_reasoning(mode);
        }
        self
    }

    /// Sets members that are not counted as unread. By default, strings that may be text, in members that the format
    /// does not have, stay unchanged and are [counted](ReadReport::unread_members). Must be called before the first
    /// push.
    #[must_use]
    pub fn with_pass_members(mut self, members: impl Into<PassMembers>) -> Self {
        self.waiting.passes = members.into();
        if let Some(running) = &mut self.running {
            running.state.reader.passes = self.waiting.passes.clone();
        }
        self
    }

    /// The format: what was asked for, or what the events showed so far.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match &self.running {
            None => self.waiting.format,
            Some(running) => running.state.reader.format(),
        }
    }

    /// Returns the counts of what was read so far.
    #[must_use]
    pub fn report(&self) -> &ReadReport {
        let running = self.running.as_ref();
        running.map_or(&NOTHING, |running| &running.state.reader.report)
    }

    /// Bytes taken so far: the offset of the next one in the response.
    #[must_use]
    pub fn position(&self) -> u64 {
        let running = self.running.as_ref();
        running.map_or(0, |running| {
            running.framer.position() + running.state.uncounted()
        })
    }

    /// Bytes that are kept of an event that is not complete. All of them are read at its end, which takes time in proportion.
    #[must_use]
    pub fn open_len(&self) -> usize {
        let running = self.running.as_ref();
        running.map_or(0, |running| running.framer.open_len())
    }

    /// Takes the next bytes of the response.
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoStreamHandler<M>) {
        let (waiting, mut handler) = (&mut self.waiting, handler.into_stream_handler());
        let Running { state, framer } = &mut **self.running.get_or_insert_with(|| waiting.begin());
        let mut rest = chunk;
        while !rest.is_empty() {
            let taken = state.push(framer, rest, &mut handler);
            rest = &rest[taken..];
        }
    }

    /// Pushes a chunk, like `push`, unless the output is exactly this chunk and this is certain at once: then the
    /// handler does not get the bytes, and the result is `true`. So a proxy can send the buffer that it has, without
    /// a copy.
    ///
    /// This is so for most chunks of one event. Whether it is so for a chunk depends on the chunks before it.
    #[must_use = "if it is true, the chunk is what is written"]
    pub fn push_or_pass<M>(&mut self, chunk: &[u8], handler: impl IntoStreamHandler<M>) -> bool {
        let mut handler = handler.into_stream_handler();
        let first = match &mut self.running {
            Some(running) => running.state.take_usual(chunk, &mut handler),
            None => None,
        };
        let taken = match first {
            Some(Passed::AsItIs(len)) if len == chunk.len() => return true,
            Some(Passed::AsItIs(len)) => {
                handler.bytes(&chunk[..len]);
                len
            }
            Some(Passed::Written(len)) => len,
            None => 0,
        };
        if taken < chunk.len() {
            self.push(&chunk[taken..], handler);
        }
        false
    }

    /// Writes what was held back at the end of the response. Before another one, [`reset`](Self::reset) the rewriter.
    pub fn finish<M>(&mut self, handler: impl IntoStreamHandler<M>) {
        self.finish_to(&mut handler.into_stream_handler());
    }

    fn finish_to(&mut self, handler: &mut dyn StreamHandler) {
        let waiting = &mut self.waiting;
        let Running { state, framer } = &mut **self.running.get_or_insert_with(|| waiting.begin());
        state.catch_up(framer);
        framer.finish(&mut |kind, mut piece| {
            state.take(kind, &mut piece, handler);
        });
        state.finish(handler);
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        if let Some(running) = &mut self.running {
            running.framer.reset();
            running.state.reset();
        }
    }
}

impl RewriterSettings {
    fn begin(&mut self) -> Box<Running> {
        let fresh = self.fresh.take().unwrap_or_default();
        let mut state = State::with_fresh(self.format, fresh);
        state.set_reasoning(self.reasoning);
        state.reader.passes = self.passes.clone();
        let framer = Framer::new(DEFAULT_MAX_EVENT).with_max_event(self.max_event);
        Box::new(Running { state, framer })
    }
}
