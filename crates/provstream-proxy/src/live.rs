//! Streams in flight, for the page of the admin endpoints.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use provstream::{Event, Handler, Span, TextChunk};
use provstream_providers::{Channel, ChannelPosition, Format, GateEvent, StreamHandler};
use provstream_report::{LivePage, LiveStream};
use provstream_route::{BodyFilter, Count, Route};

use crate::config::LiveSettings;

/// Streams in flight and some that have ended. Memory is bounded by the settings: a stream takes
/// its text and less than 4 KiB.
#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<Streams>);

#[derive(Debug, Default)]
struct Streams {
    next: u64,
    listed: BTreeMap<u64, Arc<LiveEntry>>,
    /// Number of streams in flight that are not listed.
    unlisted: u64,
    ended: VecDeque<LiveStream>,
}

/// A listed stream.
#[derive(Debug)]
struct LiveEntry {
    id: Box<str>,
    route: Box<str>,
    action: &'static str,
    started: Instant,
    state: Mutex<LiveState>,
}

/// Mutable part of a listed stream.
#[derive(Debug, Default)]
struct LiveState {
    format: Option<Format>,
    held: u64,
    sent: u64,
    assertions: u64,
    decisions: Vec<Count>,
    /// Last bytes of the text, at most `most`.
    text: VecDeque<u8>,
    most: usize,
    channel: Option<Channel>,
    /// Bytes of text so far, of all channels, and the end of the last piece in its channel.
    written: u64,
    end: u64,
    /// Offset in its channel before which the policy's text is that comes next.
    inserted: Option<u64>,
    /// Ranges in their channel of assertions whose text may come, with dispositions.
    decided: VecDeque<(Span, &'static str)>,
    /// Ranges of the text so far, with dispositions.
    marks: VecDeque<(Span, &'static str)>,
}

/// Most assertions whose text may come.
const MAX_DECIDED: usize = 16;

/// Most marks in a text.
const MAX_MARKS: usize = 64;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is shown stays what it is, whatever panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Lists a stream until it [ends](Watched::end), if the list has room.
    pub(crate) fn enter(
        self: &Arc<Self>,
        (id, started): (&str, Instant),
        route: &Route,
        settings: LiveSettings,
    ) -> Watched {
        let entry = Arc::new(LiveEntry {
            id: id.into(),
            route: route.name().into(),
            action: route.action().as_str(),
            started,
            state: Mutex::new(LiveState {
                most: settings.text,
                ..LiveState::default()
            }),
        });
        let mut streams = locked(&self.0);
        let number = if streams.listed.len() < settings.streams {
            streams.next += 1;
            let number = streams.next;
            streams.listed.insert(number, Arc::clone(&entry));
            Some(number)
        } else {
            streams.unlisted += 1;
            None
        };
        Watched {
            live: Arc::clone(self),
            entry,
            number,
            kept: settings.ended,
        }
    }

    /// Builds the page, with at most `settings.ended` streams that have ended.
    pub(crate) fn page(&self, settings: LiveSettings, is_paused: bool) -> String {
        let mut page = LivePage::new(settings.refresh).with_paused(is_paused);
        let (listed, ended) = {
            let streams = locked(&self.0);
            page.leave_out(streams.unlisted);
            let listed: Vec<_> = streams.listed.values().cloned().collect();
            let ended: Vec<_> = streams.ended.iter().take(settings.ended).cloned().collect();
            (listed, ended)
        };
        for entry in listed {
            page.push(entry.shown());
        }
        for stream in ended {
            page.push_ended(stream);
        }
        page.to_html()
    }
}

impl LiveEntry {
    fn shown(&self) -> LiveStream {
        let mut state = locked(&self.state);
        let mut stream = LiveStream::new(&self.id, &self.route, self.action)
            .with_format(state.format.map_or("", Format::as_str))
            .with_time(self.started.elapsed())
            .with_bytes(state.held, state.sent)
            .with_assertions(state.assertions)
            .with_text(state.text.make_contiguous());
        for found in &state.decisions {
            stream = stream.with_verdict(found.disposition(), found.action(), found.count());
        }
        // Offset of the first byte that is kept.
        let first = state.written - state.text.len() as u64;
        for (span, disposition) in &state.marks {
            let index = |at: u64| at.saturating_sub(first) as usize;
            stream = stream.with_mark(index(span.start())..index(span.end()), disposition);
        }
        stream
    }
}

/// Handle of a stream in the list.
#[derive(Debug)]
pub(crate) struct Watched {
    live: Arc<Live>,
    entry: Arc<LiveEntry>,
    /// Key in the list; `None` if the list was full.
    number: Option<u64>,
    /// Most retained streams that have ended.
    kept: usize,
}

impl Watched {
    /// Counts bytes sent to the client.
    pub(crate) fn sends(&self, bytes: usize) {
        if self.number.is_some() {
            locked(&self.entry.state).sent += bytes as u64;
        }
    }

    /// Updates the counts of the stream from its filter.
    pub(crate) fn note(&self, filter: &BodyFilter) {
        if self.number.is_none() {
            return;
        }
        let outcome = filter.outcome();
        let mut state = locked(&self.entry.state);
        state.format = filter.format();
        state.held = filter.held() as u64;
        state.assertions = outcome.assertions();
        state.decisions.clear();
        state.decisions.extend(outcome.decisions());
    }

    /// Returns a handler that collects the text of the stream, if the page shows it.
    pub(crate) fn reader(&self) -> Option<TextEnd> {
        let shows = self.number.is_some() && locked(&self.entry.state).most > 0;
        shows.then(|| TextEnd(Arc::clone(&self.entry)))
    }

    /// Ends the stream with a reason.
    pub(crate) fn end(self, end: &str) {
        let ended = (self.kept > 0).then(|| self.entry.shown().with_end(end));
        let mut streams = locked(&self.live.0);
        match self.number {
            Some(number) => {
                streams.listed.remove(&number);
            }
            None => streams.unlisted -= 1,
        }
        if let Some(ended) = ended {
            streams.ended.push_front(ended);
            streams.ended.truncate(self.kept);
        }
    }
}

/// Handler that keeps the end of a stream's text.
#[derive(Debug)]
pub(crate) struct TextEnd(Arc<LiveEntry>);

impl Handler for TextEnd {
    fn text(&mut self, text: TextChunk<'_>) {
        let mut state = locked(&self.0.state);
        state.mark(text.span());
        state.write(text.bytes());
    }

    /// Marks assertions that no policy judges.
    fn event(&mut self, event: Event<'_>) {
        if let Event::Assertion(assertion) = event
            && assertion.is_annotated()
            && self.0.action != "gate"
            && let Some(clean) = assertion.clean_span()
        {
            locked(&self.0.state).decide(clean, "annotated");
        }
    }
}

impl StreamHandler for TextEnd {
    fn channel(&mut self, position: ChannelPosition) {
        let mut state = locked(&self.0.state);
        if position.is_repeated || state.channel == Some(position.channel) {
            return;
        }
        state.channel = Some(position.channel);
        state.decided.clear();
        if !state.text.is_empty() {
            state.write(b"\n");
        }
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        match event {
            GateEvent::Decided(question, _) => {
                let reason = question
                    .verdict()
                    .map_or("", |verdict| verdict.reason().as_str());
                locked(&self.0.state).decide(question.clean_span(), reason);
            }
            GateEvent::Inserted(_, at) => locked(&self.0.state).inserted = Some(at),
            _ => {}
        }
    }
}

impl LiveState {
    fn write(&mut self, text: &[u8]) {
        self.written += text.len() as u64;
        let end = &text[text.len().saturating_sub(self.most)..];
        let over = (self.text.len() + end.len()).saturating_sub(self.most);
        self.text.drain(..over);
        if self.text.capacity() < self.most {
            // Once, and never more.
            self.text.reserve_exact(self.most - self.text.len());
        }
        self.text.extend(end);
    }

    /// Records an assertion, and marks what is written of it.
    fn decide(&mut self, clean: Span, disposition: &'static str) {
        let written_before = self.end.saturating_sub(clean.start());
        if written_before > 0 && written_before <= self.written {
            let start = self.written - written_before;
            let after = self.end.saturating_sub(clean.end());
            self.add_mark(
                Span::new(start, self.written.saturating_sub(after).max(start)),
                disposition,
            );
        }
        if self.decided.len() == MAX_DECIDED {
            self.decided.pop_front();
        }
        self.decided.push_back((clean, disposition));
    }

    /// Marks the parts of assertions in the piece that is written next.
    fn mark(&mut self, piece: Span) {
        let inserted = self.inserted.take();
        let is_about = |clean: Span| match inserted {
            Some(at) => clean.start() <= at && at <= clean.end(),
            None => clean.start() < piece.end() && piece.start() < clean.end(),
        };
        for (clean, disposition) in self
            .decided
            .clone()
            .into_iter()
            .filter(|(clean, _)| is_about(*clean))
        {
            let (start, end) = match inserted {
                Some(_) => (piece.start(), piece.end()),
                None => (
                    clean.start().max(piece.start()),
                    clean.end().min(piece.end()),
                ),
            };
            let index = |at: u64| self.written + (at - piece.start());
            let span = Span::new(index(start), index(end));
            self.add_mark(span, disposition);
        }
        if inserted.is_none() {
            self.end = piece.end();
            self.decided.retain(|(clean, _)| clean.end() >= piece.end());
        }
    }

    fn add_mark(&mut self, span: Span, disposition: &'static str) {
        if let Some((last, same)) = self.marks.back_mut()
            && last.end() == span.start()
            && *same == disposition
        {
            *last = Span::new(last.start(), span.end());
            return;
        }
        if self.marks.len() == MAX_MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back((span, disposition));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_bounded() {
        let mut state = LiveState {
            most: 8,
            ..LiveState::default()
        };
        for (text, expected) in [
            ("", ""),
            ("abc", "abc"),
            ("defgh", "abcdefgh"),
            ("i", "bcdefghi"),
            ("0123456789", "23456789"),
        ] {
            state.write(text.as_bytes());
            assert_eq!(state.text.make_contiguous(), expected.as_bytes());
        }
        assert_eq!(state.text.capacity(), state.most);
        // With an identifier, the name of a route, eleven decisions, and what a map and an `Arc` add.
        let counts = 11 * size_of::<Count>();
        let marks = (MAX_MARKS + MAX_DECIDED) * size_of::<(Span, &str)>();
        assert!(size_of::<LiveEntry>() + counts < 1_024 && marks < 3 * 1_024);
    }
}
