//! The texts of an answer, each of which is a part of the page.

use std::io;

use provstream::{
    Action, Event, GateEnd, GateHandler, Handler, Question, Span, TextChunk, Unannotated,
};
use provstream_providers::{Channel, ChannelPosition};
use provstream_report::{Part, Report, Transcript};

use super::spool::Spool;
use crate::failure::Failure;
use crate::gated::GateSink;

/// What the temporary file is called in messages.
const SPOOL: &str = "a temporary file";

/// Shows the texts that go through a gate.
pub(super) struct Texts {
    report: Report,
    spool: Spool,
    texts: Vec<Text>,
    /// The text that the calls are about; none in places that repeat one.
    current: Option<usize>,
    is_json: bool,
    error: Option<io::Error>,
}

/// One text, and its place in the spool, which is that in the list.
enum Text {
    Open {
        channel: Option<Channel>,
        /// The channel has ended; what follows may be another text.
        has_ended: bool,
        transcript: Box<Transcript>,
    },
    Closed(Box<Part>),
}

impl Texts {
    /// The texts of a provider's response.
    pub(super) fn of_channels(report: Report) -> Self {
        Self {
            report,
            spool: Spool::new(),
            texts: Vec::new(),
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

    fn open(&mut self, channel: Option<Channel>) {
        let name = channel.map(|channel| channel.to_string());
        let mut transcript = self.report.transcript(name.as_deref());
        if self.is_json {
            transcript = transcript.with_code();
        }
        self.current = Some(self.spool.add());
        self.texts.push(Text::Open {
            channel,
            has_ended: false,
            transcript: Box::new(transcript),
        });
    }

    /// The text that something at this offset belongs to.
    fn at(&mut self, offset: u64) -> Option<&mut Transcript> {
        let place = self.current?;
        if let Text::Open {
            channel,
            has_ended: true,
            transcript,
        } = &self.texts[place]
            && offset < transcript.position()
        {
            let channel = *channel;
            self.close(place);
            self.open(channel);
        }
        match &mut self.texts[self.current?] {
            Text::Open { transcript, .. } => Some(transcript),
            Text::Closed(_) => None,
        }
    }

    fn close(&mut self, place: usize) {
        if let Text::Open { transcript, .. } = &self.texts[place] {
            let transcript = transcript.clone();
            match transcript.finish(self.spool.writer(place)) {
                Ok(part) => self.texts[place] = Text::Closed(Box::new(part)),
                Err(error) => self.error = self.error.take().or(Some(error)),
            }
        }
    }

    /// All parts, with what their bodies are in.
    pub(super) fn into_parts(mut self) -> Result<(Report, Vec<Part>, Spool), Failure> {
        for place in 0..self.texts.len() {
            self.close(place);
        }
        self.check()?;
        let parts = self.texts.into_iter().filter_map(|text| match text {
            Text::Closed(part) => Some(*part),
            Text::Open { .. } => None,
        });
        Ok((self.report, parts.collect(), self.spool))
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
            && let Text::Open { transcript, .. } = &mut self.texts[place]
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
        self.current = None;
        if position.is_repeated {
            return;
        }
        let entered = Some(position.channel);
        let known = self
            .texts
            .iter()
            .rposition(|text| matches!(text, Text::Open { channel, .. } if *channel == entered));
        match known {
            None => self.open(entered),
            Some(place) => {
                self.current = Some(place);
                if let Text::Open { transcript, .. } = &mut self.texts[place] {
                    transcript.resume();
                }
            }
        }
    }

    fn leave(&mut self, left: Channel) {
        for text in self.texts.iter_mut().rev() {
            if let Text::Open {
                channel, has_ended, ..
            } = text
                && *channel == Some(left)
            {
                *has_ended = true;
            }
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
