//! Ends of texts and channels in an event.

use smallvec::SmallVec;

use super::{FactReader, OpenTextSelector};
use crate::blocks::BlockEvent;
use crate::event::WalkedEvent;
use crate::found::{Found, Raw, Repeats};
use crate::steps::{count, each};
use crate::text_id::TextId;
use crate::walk::Shape;
use crate::walk::automaton::ROOT;
use crate::walk::table::{ChannelOf, Role};
use crate::{Channel, Format};

impl FactReader {
    /// Ends all texts that are open; their ends are added to what was found.
    pub(crate) fn close(&mut self) {
        self.end(OpenTextSelector::All);
    }

    /// No client reads on after the end of the stream.
    pub(super) fn done(&mut self) {
        self.ends_reading = true;
        self.close();
        self.last();
    }

    /// The provider says that the stream is over.
    fn last(&mut self) {
        if !core::mem::replace(&mut self.ended, true) {
            self.found.push(Found::Done);
        }
    }

    /// Adds an error that all of an event is, if it has none of its own.
    pub(super) fn report_error(&mut self, data: &[u8]) {
        if !self.found.iter().any(|one| matches!(one, Found::Error(..))) {
            self.fail(Raw::new(0..data.len()), None);
        }
    }

    /// Adds an error of the stream, or of a choice. Nothing that is open goes on after it.
    fn fail(&mut self, error: Raw, choice: Option<u32>) {
        let of = choice.map_or(OpenTextSelector::All, OpenTextSelector::Index);
        let event = self.report.events();
        let texts = each(self.open[self.places(of)].iter());
        // A text that goes on from block to block has not ended with one of them.
        let goes_on = self
            .format
            .is_some_and(|format| format.automaton().table.one_text);
        let unfinished =
            texts.filter(|open| goes_on || !open.is_finishing || open.finished_in == event);
        self.found
            .extend(unfinished.map(|open| Found::CutOff(open.id)));
        match choice {
            None => {
                self.ends_reading = true;
                self.close();
            }
            Some(_) => {
                let texts = each(self.open[self.places(of)].iter());
                self.found.extend(texts.map(|open| Found::Break(open.id)));
                self.end(of);
            }
        }
        self.found.push(Found::Error(error, choice));
    }

    /// Adds the ends that an event brings, after all else in it.
    #[cold]
    pub(super) fn take_ends(&mut self, event: &WalkedEvent<'_>, is_named_error: bool) {
        let (mut is_done, mut is_last) = (false, false);
        let mut error = None;
        let mut failed = Failed::new();
        let whole = Raw::new(0..event.data.len());
        for capture in each(event.walk.captures.iter()).filter(|capture| !capture.superseded) {
            let is_event = capture.node == ROOT;
            for rule in event.rules(capture) {
                let id = event.text_id(capture, rule);
                let is_all = rule.row.channel == ChannelOf::All;
                let is_true = || {
                    is_event
                        || capture.shape == Shape::Object
                        || event.data[capture.range()] == *b"true"
                };
                match rule.row.role {
                    Role::Finish if is_event || event.is_finish(capture) => {
                        let of = self.texts_of(event, id, is_all);
                        self.finish(of);
                        if !is_event && event.is_failure(capture) {
                            add_failed(&mut failed, self.named(event, id), None);
                        }
                    }
                    Role::End if is_event || event.is_end(capture) && !self.has_delta() => {
                        let of = self.texts_of(event, id, is_all);
                        self.end(of);
                    }
                    Role::EndAll => self.end(OpenTextSelector::Index(id.index())),
                    Role::BlockEnd => self.end_block(event, id.channel),
                    Role::MessageStart => self.numbering.begin_message(),
                    Role::Error if is_event || event.is_set(capture) => {
                        // The number of an error stands beside its words.
                        let raw = match capture.shape {
                            Shape::Scalar => whole,
                            _ => Raw::of(capture),
                        };
                        error = error.filter(|_| is_event).or(Some(raw));
                    }
                    Role::ErrorName => error = error.or(Some(Raw::of(capture))),
                    Role::ErrorCode if event.is_error_code(capture) => {
                        error = error.or(Some(whole));
                    }
                    Role::ErrorKind if event.is_failure(capture) => error = error.or(Some(whole)),
                    Role::ChoiceError if event.is_set(capture) => {
                        let error = Some(Raw::of(capture));
                        add_failed(&mut failed, self.named(event, id), error);
                    }
                    Role::Done if is_true() => is_done = true,
                    Role::Last if is_true() => is_last = true,
                    _ => {}
                }
            }
        }
        if is_named_error && let Some((_, of_choice)) = failed.first() {
            error = error.or(*of_choice).or(Some(whole));
        }
        match error {
            Some(error) => self.fail(error, None),
            None => {
                for (choice, error) in failed {
                    self.fail(error.unwrap_or(whole), Some(choice));
                }
            }
        }
        if is_done {
            self.done();
        }
        if is_last {
            self.finish(OpenTextSelector::All);
            self.last();
        }
        self.settle_repeats();
    }

    /// Returns `true` if the event has a delta. Then no member of it is a whole response, which ends all texts.
    fn has_delta(&self) -> bool {
        let is_delta =
            |found: &Found| matches!(found, Found::Text(.., piece) if piece.is_repeatable);
        each(self.found.iter()).any(is_delta)
    }

    /// Ends the texts that are joined from parts of the event.
    #[cold]
    pub(super) fn end_joined(&mut self) {
        if self.is_gated && self.format == Some(Format::GeminiInteractions) {
            // An interaction has steps or, in an older form, outputs. If it has both, one repeats the other.
            for found in each(self.found.iter_mut()) {
                if let Found::Whole(_, text, _) = *found {
                    self.report.add_member("outputs[].text");
                    *found = Found::Unread(text);
                }
            }
        }
        let joined = self
            .full
            .as_mut()
            .map(|full| core::mem::take(&mut full.joined));
        for id in joined.into_iter().flatten() {
            self.end(OpenTextSelector::Channel(id.channel));
        }
    }

    /// A block ends, and with it its text, unless the next block goes on with it.
    pub(super) fn end_block(&mut self, event: &WalkedEvent<'_>, channel: Channel) {
        let key = self.block_key(event, channel);
        match self.numbering.end_block(key) {
            Some((text, true)) => self.end_text_of_block(text),
            Some((text, false)) => self.finish(OpenTextSelector::Channel(text.channel)),
            None => {}
        }
    }

    /// All blocks so far come before the next one.
    pub(super) fn end_blocks(&mut self) {
        for text in self.numbering.end_blocks() {
            self.end_text_of_block(text);
        }
    }

    /// No block goes on with a text.
    fn end_text_of_block(&mut self, text: TextId) {
        self.end(OpenTextSelector::Channel(text.channel));
        self.found.push(Found::Forget(text));
    }

    #[cold]
    pub(super) fn end_bare_block(&mut self, event: &WalkedEvent<'_>) {
        let scope = event.walk.scopes.first();
        if let Some(number) = scope.and_then(|scope| scope.numbers[0]) {
            self.block = Some(BlockEvent::Stop);
            self.end_block(event, Channel::new(number));
        }
    }

    /// Marks repetitions of texts that end in the same event as complete, and deltas as the last ones.
    pub(super) fn settle_repeats(&mut self) {
        let mut ends: SmallVec<[TextId; 4]> =
            each(self.found.iter()).filter_map(Found::ended).collect();
        count(ends.len());
        ends.sort_unstable();
        for found in each(self.found.iter_mut()) {
            match found {
                Found::Whole(id, _, repeats @ Repeats::SoFar) if ends.binary_search(id).is_ok() => {
                    *repeats = Repeats::All;
                }
                Found::Text(id, _, piece) => piece.is_at_end |= ends.binary_search(id).is_ok(),
                _ => {}
            }
        }
    }

    /// The texts that a value is about.
    fn texts_of(&mut self, event: &WalkedEvent<'_>, id: TextId, is_all: bool) -> OpenTextSelector {
        match is_all {
            true => OpenTextSelector::All,
            false => OpenTextSelector::Channel(self.named(event, id).channel),
        }
    }

    pub(super) fn finish(&mut self, of: OpenTextSelector) {
        let (event, places) = (self.report.events(), self.places(of));
        for open in each(self.open[places].iter_mut()) {
            self.finishing += usize::from(!open.is_finishing);
            open.is_finishing = true;
            // Of several reasons in an event one is enough.
            if open.finished_in != event {
                open.finished_in = event;
                self.found.push(Found::Finish(open.id));
            }
        }
    }

    pub(super) fn end(&mut self, of: OpenTextSelector) {
        let places = self.places(of);
        let next = self.open.get(places.end).map(|open| open.id.channel);
        count(self.open.len() - places.start);
        let mut over = self.open.drain(places).peekable();
        while let Some(open) = over.next() {
            self.finishing -= usize::from(open.is_finishing);
            self.found.push(Found::End(open.id));
            let channel = open.id.channel;
            let next = over.peek().map(|open| open.id.channel).or(next);
            if next != Some(channel) {
                self.found.push(Found::Ended(channel));
            }
        }
    }
}

/// Choices that failed, and the error of each that has one of its own.
type Failed = SmallVec<[(u32, Option<Raw>); 1]>;

/// Adds a choice that failed, once.
fn add_failed(failed: &mut Failed, of: TextId, error: Option<Raw>) {
    let choice = of.index();
    match failed.last_mut() {
        Some((last, known)) if *last == choice => *known = error.or(*known),
        _ => failed.push((choice, error)),
    }
}
