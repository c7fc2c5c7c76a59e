//! Gates a provider's response: writes only the text that a policy releases.

use super::copy_changes::CopyChanges;
use super::framer::Framer;
use super::pass_members::PassMembers;
use super::reasoning::Reasoning;
use super::remembering::{Remembering, Unfound};
use super::report::ReadReport;
use super::rewriting::State;
use super::sink::{OutputCollector, StreamHandler};
use super::sse::DEFAULT_MAX_EVENT;
use super::text::{Text, TextRewriter};
use super::whole::MAX_SETTLED;
use super::words::Words;
use super::{Channel, ChannelPosition, Format, IntoStreamHandler};
use provstream::{Gate, GateEnd, GateHandler, Handler, Parser, Policy, TextChunk};

/// Has a policy decide about the assertions in a provider's response, streamed or not, before anyone reads them.
///
/// Each channel has a [`Gate`] of its own, with a clone of the policy. What changes in the response is what a
/// [`StreamRewriter`](super::StreamRewriter) changes: deltas have the text that is released by then, and may be empty. A
/// channel that the policy [ends](GateEnd) has the refusal as its last text, and empty deltas after that, so that the
/// response stays one that clients can read. Places that repeat the text of a channel repeat the decisions about it; those
/// that repeat a passage or tokens of it, such as the text of a citation and `logprobs`, are emptied.
///
/// Reasoning passes through as it is unless [`with_reasoning`](Self::with_reasoning) is set, and tool calls always do. What
/// cannot be read is withheld, and [`report`](Self::report) counts it: events that are not JSON objects, lines of server-sent
/// events that are neither data nor a field without text, and bytes between the values of a JSON body. Comments are emptied.
/// So that nothing else passes for a response, everything is held back until an event shows the format, and withheld once
/// events show another one than the one asked for. Offsets into the text that the provider states, such as those of its
/// citations, follow it. Those into withheld text become the place where it was, and an event with offsets into text that is
/// held back is held back with it.
#[derive(Clone, Debug)]
pub struct StreamGate<P> {
    framer: Framer,
    state: State<Channeled<P>>,
    /// A call has begun, and has not returned if another one begins: the policy or the handler panicked.
    busy: bool,
}

impl<P: Policy + Clone> StreamGate<P> {
    /// A gate for responses of this format, whose channels are each read by a parser set up like `parser`, which is at the
    /// start of a stream.
    #[must_use]
    pub fn new(format: Format, parser: Parser, policy: P) -> Self {
        Self::of(Some(format), Gate::new(parser, Remembering::new(policy)))
    }

    /// Creates a gate that detects the format from the events. Events before the first evidence are held, up to 64
    /// KiB.
    #[must_use]
    pub fn detect(parser: Parser, policy: P) -> Self {
        Self::of(None, Gate::new(parser, Remembering::new(policy)))
    }

    fn of(format: Option<Format>, gate: Gate<Remembering<P>>) -> Self {
        Self {
            framer: Framer::new(DEFAULT_MAX_EVENT),
            state: State::new(format, Channeled::new(gate)),
            busy: false,
        }
    }

    /// Sets how many bytes of text are held back for each channel; see [`Gate::with_max_held`]. To be called before
    /// anything is pushed.
    #[must_use]
    pub fn with_max_held(mut self, bytes: usize) -> Self {
        self.state
            .map_fresh(|fresh| Channeled::new(fresh.gate.with_max_held(bytes)));
        self
    }

    /// Sets the treatment of reasoning; [`Leave`](Reasoning::Leave) by default. Must be called before the first push.
    /// Reasoning may repeat text that the policy withholds. If it is gated, its channel has the name of the text's
    /// channel with `reasoning` after it: `0 reasoning`.
    #[must_use]
    pub fn with_reasoning(mut self, mode: Reasoning) -> Self {
        self.state.set_reasoning(mode);
        self
    }

    /// Has these members pass; to be called before anything is pushed. A string that may be text, in any other member that the
    /// format does not have, is emptied and [counted](ReadReport::unread_members).
    #[must_use]
    pub fn with_pass_members(mut self, members: impl Into<PassMembers>) -> Self {
        self.state.reader.passes = members.into();
        self
    }

    /// Sets the most bytes of one event; [`DEFAULT_MAX_EVENT`] unless set. To be called before anything is pushed.
    #[must_use]
    pub fn with_max_event(mut self, bytes: usize) -> Self {
        self.framer = self.framer.with_max_event(bytes);
        self
    }

    /// The format: what was asked for, or what the events showed so far.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.state.reader.format()
    }

    /// Returns the counts of what was read so far.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.state.reader.report
    }

    /// Bytes taken so far: the offset of the next one in the response.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.framer.position()
    }

    /// The channels that the policy has ended, and how.
    pub fn ended(&self) -> impl Iterator<Item = (Channel, GateEnd)> {
        let texts = self.state.texts.iter();
        let streamed =
            texts.filter_map(|text| Some((text.id.channel, text.rewriter.gate.ended()?)));
        streamed.chain(self.state.wholes_ended.iter().copied())
    }

    /// Bytes of text that are held back, of all channels together, and of events that are held back with them.
    #[must_use]
    pub fn held_len(&self) -> usize {
        let texts = self.state.texts.iter();
        let held: usize = texts.map(|text| text.rewriter.gate.held_len()).sum();
        held + self.state.deferred_len()
    }

    /// Bytes that are kept of an event that is not complete. All of them are read at its end, which takes time in proportion.
    #[must_use]
    pub fn open_len(&self) -> usize {
        self.framer.open_len()
    }

    /// Takes the next bytes of the response. If the policy or the handler panics, nothing is written any more.
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoStreamHandler<M>) {
        self.push_to(chunk, &mut handler.into_stream_handler());
    }

    fn push_to(&mut self, chunk: &[u8], handler: &mut dyn StreamHandler) {
        if core::mem::replace(&mut self.busy, true) {
            return;
        }
        let state = &mut self.state;
        self.framer.push(chunk, &mut |kind, mut piece| {
            state.take(kind, &mut piece, handler);
        });
        self.busy = false;
    }

    /// Decides about what is held back at the end of the response, wherever it ends. Before another one,
    /// [`reset`](Self::reset) the gate.
    pub fn finish<M>(&mut self, handler: impl IntoStreamHandler<M>) {
        self.finish_to(&mut handler.into_stream_handler());
    }

    fn finish_to(&mut self, handler: &mut dyn StreamHandler) {
        if core::mem::replace(&mut self.busy, true) {
            handler.report(self.report());
            return handler.end();
        }
        let state = &mut self.state;
        self.framer.finish(&mut |kind, mut piece| {
            state.take(kind, &mut piece, handler);
        });
        state.finish(handler);
        self.busy = false;
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        self.framer.reset();
        self.state.reset();
        self.busy = false;
    }
}

/// Gate of a channel.
#[derive(Clone, Debug)]
struct Channeled<P> {
    gate: Gate<Remembering<P>>,
    /// Position that was reported for the text.
    of: Option<ChannelPosition>,
    /// Words that were decided.
    words: Words,
    /// Decisions about the rest of the text, as if the text ended here.
    ahead: Option<Box<HeldText>>,
}

/// Text that a gate holds back, without annotations.
#[derive(Clone, Debug, Default)]
struct HeldText {
    text: Vec<u8>,
    words: Words,
    /// The policy ends the text.
    is_ended: bool,
}

impl Handler for HeldText {}

impl GateHandler for HeldText {
    fn released(&mut self, text: TextChunk<'_>) {
        self.removed(text);
    }

    fn removed(&mut self, text: TextChunk<'_>) {
        self.words.add(text.bytes());
        self.text.extend_from_slice(text.bytes());
    }
}

impl<P: Policy + Clone> Channeled<P> {
    fn new(gate: Gate<Remembering<P>>) -> Self {
        Self {
            gate,
            of: None,
            words: Words::default(),
            ahead: None,
        }
    }

    /// Has the gate do something with its text.
    fn with<'s>(
        &mut self,
        to: &mut OutputCollector<'s>,
        act: impl FnOnce(&mut Gate<Remembering<P>>, &mut OutputCollector<'s>),
    ) {
        self.ahead = None;
        to.words = self.words;
        act(&mut self.gate, to);
        self.words = to.words;
    }
}

impl<P: Policy + Clone> TextRewriter for Channeled<P> {
    // Text that was not read as part of a channel can be a passage of a withheld assertion, without
    // its annotation.
    const WITHHOLDS_UNREAD: bool = true;

    fn begin(&self, position: ChannelPosition) -> Self {
        let mut name = position.channel.to_string();
        if position.is_reasoning {
            name += " reasoning";
        } else if let Some(member) = position.member {
            name = format!("{name} {member}");
        }
        Self {
            of: Some(position),
            ..Self::new(self.gate.clone().with_channel(&name))
        }
    }

    fn restart(&mut self, fresh: &Self, position: ChannelPosition, before: Option<&Self>) {
        if self.of == Some(position) {
            self.gate.reset();
            *self.gate.policy_mut() = fresh.gate.policy().clone();
            self.words = Words::default();
            self.ahead = None;
        } else {
            *self = fresh.begin(position);
        }
        if let Some(before) = before {
            let policy = self.gate.policy_mut();
            policy.repeat(before.gate.policy(), before.end());
        }
    }

    #[cfg(feature = "dialects")]
    fn repeat_sources(&mut self, before: &Self) {
        self.gate.repeat_sources(&before.gate);
    }

    fn follow(&mut self, repeated: &mut Self) {
        self.gate.policy_mut().follow(repeated.gate.policy_mut());
    }

    fn push_more(&mut self, text: &[u8], to: &mut OutputCollector<'_>) {
        self.with(to, |gate, to| gate.push_more(text, to));
    }

    fn push(&mut self, text: &[u8], to: &mut OutputCollector<'_>) {
        self.with(to, |gate, to| gate.push(text, to));
    }

    fn finish(&mut self, to: &mut OutputCollector<'_>) {
        self.with(to, |gate, to| gate.finish(to));
    }

    fn push_break(&mut self, to: &mut OutputCollector<'_>) {
        self.with(to, |gate, to| gate.push_break(to));
    }

    fn settle_repeat(&mut self, unfound: Unfound, copy: &[u8], to: &mut CopyChanges) {
        let unfound = (unfound, self.end());
        self.gate.policy_mut().settle_repeat(unfound, copy, to);
    }

    fn settle_elsewhere(&mut self, unfound: Unfound, copy: &[u8], to: &mut CopyChanges) -> bool {
        self.look_ahead();
        let unfound = (unfound, self.end());
        let withholds = self.gate.policy().settle_elsewhere(unfound, copy, to);
        withholds || !self.rest().is_empty()
    }

    fn rest(&self) -> &[u8] {
        let Some(ahead) = &self.ahead else {
            return b"";
        };
        // What may still become an annotation need not be in a copy; a marker that is complete is not in the text.
        let certain = self.gate.held_len() - self.gate.buffered_len();
        ahead.text[..certain.min(ahead.text.len())].trim_ascii()
    }

    fn look_ahead(&mut self) {
        if self.gate.is_holding() && self.ahead.is_none() {
            let mut gate = self.gate.clone();
            let mut ahead = HeldText {
                words: self.words,
                text: Vec::new(),
                is_ended: false,
            };
            gate.finish(&mut ahead);
            ahead.is_ended = gate.ended().is_some();
            self.gate.policy_mut().adopt(gate.policy());
            self.ahead = Some(Box::new(ahead));
        }
    }

    fn words(&self, with_rest: bool) -> Words {
        let ahead = self.ahead.as_ref().filter(|_| with_rest);
        ahead.map_or(self.words, |ahead| ahead.words)
    }

    fn end(&self) -> Option<Words> {
        match &self.ahead {
            Some(ahead) => ahead.is_ended.then_some(ahead.words),
            None => self.gate.ended().map(|_| self.words),
        }
    }

    fn withholds(&self) -> bool {
        self.gate.ended().is_some() || self.gate.policy().withholds()
    }

    fn withholds_more(&self, texts: &[Text<Self>]) -> bool {
        let texts = texts.iter().take(MAX_SETTLED);
        let others = texts.map(|text| text.rewriter.gate.policy());
        self.gate.policy().withholds_more(others)
    }

    fn reach_limit(&mut self, to: &mut OutputCollector<'_>) {
        self.with(to, |gate, to| gate.reach_limit(to));
    }

    fn is_holding(&self) -> bool {
        self.gate.is_holding()
    }

    fn is_in_beginning(&self) -> bool {
        self.gate.is_in_beginning()
    }

    fn ended(&self) -> Option<GateEnd> {
        self.gate.ended()
    }
}
