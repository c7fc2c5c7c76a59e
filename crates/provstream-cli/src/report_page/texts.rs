//! The texts of an answer, each of which is a part of the page.

use std::io;
use std::mem;

use provstream::{
    Action, Event, GateEnd, GateHandler, Handler, Question, Span, TextChunk, Unannotated,
};
use provstream_providers::{Channel, ChannelPosition};
use provstream_report::{Part, Report, Transcript};

use super::spool::{Bodies, Spool};
use crate::failure::Failure;
use crate::gated::{GateSink, channel_name};

/// What the temporary file is called in messages.
const SPOOL: &str = "a temporary file";

/// Shows the texts that go through a gate.
pub(super) struct Texts {
    report: Report,
    spool: Spool,
    texts: Vec<Text>,
    /// What the calls are about; none in places that repeat a text.
    entered: Option<TextOf>,
    /// Its text, once there is some of it.
    current: Option<usize>,
    is_json: bool,
    error: Option<io::Error>,
}

/// Texts that were read to their end.
pub(super) struct Shown {
    pub(super) report: Report,
    pub(super) parts: Vec<Part>,
    pub(super) bodies: Bodies,
}

/// The channel of a text, and whether it is the reasoning there.
type TextOf = (Channel, bool);

/// One text; its place in the spool is that in the list.
struct Text {
    channel: Option<TextOf>,
    /// The channel has ended; what follows may be another text.
    has_ended: bool,
    state: State,
}

enum State {
    Open(Box<Transcript>),
    /// Until it is taken.
    Closed(Option<Box<Part>>),
}

impl Texts {
    /// The texts of a provider's response.
    pub(super) fn of_channels(report: Report) -> Self {
        Self {
            report,
            spool: Spool::new(),
            texts: Vec::new(),
            entered: None,
            current: None,
            is_json: false,
            error: None,
        }
    }

    /// An input that is one text.
    pub(super) fn of_one(report: Report, is_json: bool) -> Self {
        let mut texts = Self {
            is_json,
            ..Self::of_channels(report)
        };
        texts.open(None);
        texts
    }

    fn open(&mut self, channel: Option<TextOf>) {
        let name = channel.map(|(channel, is_reasoning)| channel_name(channel, is_reasoning));
        let mut transcript = self.report.transcript(name.as_deref());
        if self.is_json {
            transcript = transcript.with_code();
        }
        self.current = Some(self.spool.add());
        self.texts.push(Text {
            channel,
            has_ended: false,
            state: State::Open(Box::new(transcript)),
        });
    }

    /// The text that something at this offset belongs to.
    fn at(&mut self, offset: u64) -> Option<&mut Transcript> {
        if self.current.is_none() && self.entered.is_some() {
            self.open(self.entered);
        }
        let place = self.current?;
        let Text {
            channel, has_ended, ..
        } = self.texts[place];
        let is_other = self
            .transcript(place)
            .is_some_and(|it| offset < it.position());
        if has_ended && is_other {
            self.close(place);
            self.open(channel);
        }
        self.transcript(self.current?)
    }

    /// The transcript at a place, if it is open.
    fn transcript(&mut self, place: usize) -> Option<&mut Transcript> {
        match &mut self.texts[place].state {
            State::Open(transcript) => Some(transcript),
            State::Closed(_) => None,
        }
    }

    fn close(&mut self, place: usize) {
        let state = &mut self.texts[place].state;
        if let State::Open(transcript) = mem::replace(state, State::Closed(None)) {
            match transcript.finish(self.spool.writer(place)) {
                Ok(part) => *state = State::Closed(Some(Box::new(part))),
                Err(error) => self.error = self.error.take().or(Some(error)),
            }
        }
    }

    /// All parts, by channel.
    pub(super) fn into_parts(mut self) -> Result<Shown, Failure> {
        let mut places: Vec<usize> = (0..self.texts.len()).collect();
        places.sort_by_key(|&place| self.texts[place].channel);
        for &place in &places {
            self.close(place);
        }
        self.check()?;
        let part = |place: usize| match &mut self.texts[place].state {
            State::Closed(part) => part.take().map(|part| (place, *part)),
            State::Open(_) => None,
        };
        let (places, parts) = places.into_iter().filter_map(part).unzip();
        Ok(Shown {
            report: self.report,
            parts,
            bodies: Bodies {
                spool: self.spool,
                places,
            },
        })
    }
}

impl Handler for Texts {
    fn event(&mut self, event: Event<'_>) {
        if let Some(transcript) = self.at(u64::MAX) {
            transcript.event(event);
        }
    }
}

impl GateHandler for Texts {
    fn released(&mut self, text: TextChunk<'_>) {
        let Some(transcript) = self.at(text.span().start()) else {
            return;
        };
        transcript.released(text);
        if let Some(place) = self.current
            && let State::Open(transcript) = &mut self.texts[place].state
        {
            let written = transcript.write_to(self.spool.writer(place));
            self.error = self.error.take().or(written.err());
        }
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        if let Some(transcript) = self.at(question.clean_span().start()) {
            transcript.decided(question, action);
        }
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        if let Some(transcript) = self.at(at) {
            transcript.run_begins(at, what);
        }
    }

    fn run_ends(&mut self, at: u64) {
        if let Some(transcript) = self.at(at) {
            transcript.run_ends(at);
        }
    }

    fn limit(&mut self, span: Span) {
        if let Some(transcript) = self.at(u64::MAX) {
            transcript.limit(span);
        }
    }
}

impl GateSink for Texts {
    fn enter(&mut self, position: ChannelPosition) {
        // Reasoning counts as repeated, but is reported once.
        let is_text = !position.is_repeated || position.is_reasoning;
        self.entered = is_text.then_some((position.channel, position.is_reasoning));
        let entered = |text: &Text| text.channel.is_some() && text.channel == self.entered;
        self.current = self.texts.iter().rposition(entered);
        if let Some(transcript) = self.current.and_then(|place| self.transcript(place)) {
            transcript.resume();
        }
    }

    fn leave(&mut self, left: Channel) {
        for text in &mut self.texts {
            text.has_ended |= text.channel.is_some_and(|(channel, _)| channel == left);
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.check()
    }

    fn check(&mut self) -> Result<(), Failure> {
        match self.error.take() {
            Some(error) => Err(Failure::Create(SPOOL.to_owned(), error)),
            None => Ok(()),
        }
    }

    /// A dry run ends nothing.
    fn ended(&mut self, _: Option<&str>, _: GateEnd) {}
}
