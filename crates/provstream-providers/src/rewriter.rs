//! The same event stream with the annotations in its text removed or replaced.

use std::borrow::Cow;
use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::formats::{Found, Shape};
use super::frame::{Frame, Piece};
use super::framer::{Framer, Kind};
use super::insert::Pattern;
use super::item::{Item, Notice, NoticeCode};
use super::json;
use super::reader::Reader;
use super::sse::DEFAULT_MAX_EVENT;
use super::text::{self, Text};
use super::{Channel, Format, StreamSink};
use provstream::Parser;
use provstream::Rewriter;

/// Writes a streamed response with the annotations in its text kept, removed or replaced.
///
/// What changes is the text of deltas and of the places that repeat it (`docs/providers.md` has the list); every other
/// byte stays. A delta without change keeps its bytes, escapes as they are, and one that loses all its text stays with an
/// empty string. Text that was held back because it could have become an annotation, and did not, comes in the channel's
/// next delta; at its end, in one event more before the one that ends it. An event is written when it is complete.
///
/// Events that are no JSON, unterminated or longer than the limit are written as they are, and so is what stands under a
/// number of a channel that is none.
#[derive(Clone, Debug)]
pub struct StreamRewriter {
    framer: Framer,
    state: State,
}

/// What the rewriter knows between two events.
#[derive(Clone, Debug)]
struct State {
    reader: Reader,
    /// What each channel begins with.
    fresh: Rewriter,
    channels: BTreeMap<Channel, Text>,
    envelope: Kind,
    line_end: &'static str,
    /// The last byte written ended a line.
    at_line_start: bool,
    /// The last byte written that is not white space ended an object.
    after_element: bool,
    /// Bytes of an event that is too long are coming.
    passing: bool,
    /// The event with its text rewritten; empty between events.
    out: Vec<u8>,
}

/// A string of an event and what takes its place.
type Edit<'a> = (&'a str, Vec<u8>);

impl StreamRewriter {
    /// A rewriter of streams of this format, whose channels are each read by a parser set up like `parser`, which is at the
    /// start of a stream.
    #[must_use]
    pub fn new(format: Format, parser: Parser) -> Self {
        Self::of(Some(format), parser)
    }

    /// The same for streams whose format the first event tells; events before that are written as they are.
    #[must_use]
    pub fn detect(parser: Parser) -> Self {
        Self::of(None, parser)
    }

    fn of(format: Option<Format>, parser: Parser) -> Self {
        Self {
            framer: Framer::new(DEFAULT_MAX_EVENT),
            state: State {
                reader: Reader::new(format),
                fresh: Rewriter::new(parser),
                channels: BTreeMap::new(),
                envelope: Kind::Sse,
                line_end: "\n",
                at_line_start: true,
                after_element: false,
                passing: false,
                out: Vec::new(),
            },
        }
    }

    /// The same with at most `bytes` for one event in the stream; [`DEFAULT_MAX_EVENT`] unless set. To be called before
    /// anything is pushed.
    #[must_use]
    pub fn with_max_event(mut self, bytes: usize) -> Self {
        self.framer = self.framer.with_max_event(bytes);
        self
    }

    /// The format: what was asked for, or what the stream has told by now.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.state.reader.format()
    }

    /// Bytes taken so far: the offset of the next one in the stream of events.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.framer.position()
    }

    /// Takes the next bytes of the response.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl StreamSink) {
        let state = &mut self.state;
        self.framer
            .push(chunk, &mut |kind, piece| state.take(kind, &piece, sink));
    }

    /// Writes what was held back at the end of the response. Before another one, [`reset`](Self::reset) the rewriter.
    pub fn finish(&mut self, sink: &mut impl StreamSink) {
        let state = &mut self.state;
        self.framer
            .finish(&mut |kind, piece| state.take(kind, &piece, sink));
        state.close(false, sink);
    }

    /// Back to the start of a response with the same settings.
    pub fn reset(&mut self) {
        self.framer.reset();
        self.state.reader.reset();
        self.state.channels.clear();
        self.state.line_end = "\n";
        self.state.at_line_start = true;
        self.state.after_element = false;
        self.state.passing = false;
    }
}

impl State {
    fn take(&mut self, envelope: Kind, piece: &Piece<'_>, sink: &mut impl StreamSink) {
        self.envelope = envelope;
        match piece {
            Piece::Event(frame) => self.rewrite(frame, sink),
            Piece::Other(text) => self.pass(text.bytes(), sink),
            Piece::Passed(text) => {
                // It may have text of any channel, which comes behind what is held.
                if !core::mem::replace(&mut self.passing, true) {
                    self.close(true, sink);
                }
                self.pass(text.bytes(), sink);
            }
            Piece::Oversized(span) => {
                self.passing = false;
                sink.item(Item::Notice(Notice::new(NoticeCode::OversizedEvent, *span)));
            }
            Piece::Unterminated(text) => {
                // Behind it an event would be a part of it.
                self.close(true, sink);
                self.pass(text.bytes(), sink);
                let notice = Notice::new(NoticeCode::UnterminatedEvent, text.span());
                sink.item(Item::Notice(notice));
            }
            Piece::Close(text) => {
                self.close(false, sink);
                self.pass(text.bytes(), sink);
            }
        }
    }

    /// Writes bytes of the stream.
    fn pass(&mut self, bytes: &[u8], sink: &mut impl StreamSink) {
        if let Some(&last) = bytes.last() {
            // In lines of JSON a CR is white space.
            self.at_line_start = last == b'\n' || last == b'\r' && self.envelope == Kind::Sse;
            self.after_element = match bytes.trim_ascii_end().last() {
                Some(&last) => last == b'}',
                None => self.after_element,
            };
            sink.bytes(bytes);
        }
    }

    fn rewrite(&mut self, frame: &Frame<'_>, sink: &mut impl StreamSink) {
        self.line_end = match frame.raw {
            [.., b'\r', b'\n'] | [.., b'\r', b'\n', b'\r'] => "\r\n",
            [.., b'\r'] => "\r",
            _ => "\n",
        };
        let said = self.reader.read(&frame.data);
        let mut edits: SmallVec<[Edit<'_>; 2]> = SmallVec::new();
        if said.found.is_empty() && !said.malformed && !said.too_many {
            sink.item(Item::Other(frame.span()));
        }
        let last = last_texts(&said.found);
        let can_be_pattern = said.found.len() == 1;
        for (place, found) in said.found.iter().enumerate() {
            match found {
                Found::Text(channel, content, shape) => {
                    // Text that ends in this event gets what is held, if a client has to read it anyway.
                    let is_last = last.get(channel) == Some(&place);
                    let text = self.channel(*channel);
                    text.shape = *shape;
                    let edit = text.push(*channel, content, is_last, sink);
                    edits.extend(edit.map(|edit| (*content, edit)));
                    if can_be_pattern && *shape != Shape::Start {
                        text.note_pattern(frame, content);
                    }
                }
                Found::Repeat(channel, content) => {
                    let edit = text::repeat(self.fresh.clone(), *channel, content, sink);
                    edits.extend(edit.map(|edit| (*content, edit)));
                }
                Found::ChannelEnd(channel) => self.end(*channel, true, sink),
                Found::Error(message) => sink.item(Item::Error(Cow::Borrowed(message))),
                Found::End => sink.item(Item::End),
                _ => {}
            }
        }
        let mut notice = |code| sink.item(Item::Notice(Notice::new(code, frame.span())));
        if said.malformed {
            notice(NoticeCode::MalformedEvent);
        }
        if said.too_many {
            notice(NoticeCode::LimitChannels);
        }
        self.write(frame, edits, sink);
    }

    /// Writes an event with some of its strings replaced.
    fn write(
        &mut self,
        frame: &Frame<'_>,
        edits: SmallVec<[Edit<'_>; 2]>,
        sink: &mut impl StreamSink,
    ) {
        if edits.is_empty() {
            return self.pass(frame.raw, sink);
        }
        let mut edits: Vec<_> = edits
            .into_iter()
            .filter_map(|(content, edit)| {
                let place = frame.in_raw(json::place(&frame.data, content)?)?;
                Some((place, edit))
            })
            .collect();
        edits.sort_by_key(|(place, _)| place.start);
        let mut out = core::mem::take(&mut self.out);
        let mut at = 0;
        for (place, edit) in edits {
            out.extend_from_slice(frame.raw.get(at..place.start).unwrap_or_default());
            out.extend_from_slice(&edit);
            at = place.end;
        }
        out.extend_from_slice(frame.raw.get(at..).unwrap_or_default());
        self.pass(&out, sink);
        out.clear();
        self.out = out;
    }

    fn channel(&mut self, channel: Channel) -> &mut Text {
        let fresh = &self.fresh;
        self.channels
            .entry(channel)
            .or_insert_with(|| Text::new(fresh.clone()))
    }

    /// Ends all channels that are open, and writes what they held; more of an event follows it or not.
    fn close(&mut self, is_before_event: bool, sink: &mut impl StreamSink) {
        for channel in self.reader.close() {
            self.end(channel, is_before_event, sink);
        }
    }

    /// Ends a channel, and writes what it held as an event; another one follows it or not.
    fn end(&mut self, channel: Channel, is_before_event: bool, sink: &mut impl StreamSink) {
        let text = self.channel(channel);
        let rest = text.finish(channel, sink);
        let pattern = text.take_pattern();
        if !rest.is_empty() {
            self.insert(channel, pattern, &rest, is_before_event, sink);
        }
        sink.item(Item::ChannelEnd(channel));
    }

    fn insert(
        &mut self,
        channel: Channel,
        pattern: Option<Pattern>,
        rest: &str,
        is_before_event: bool,
        sink: &mut impl StreamSink,
    ) {
        let Some(format) = self.reader.format() else {
            return;
        };
        let (envelope, line_end) = (self.envelope, self.line_end);
        let shape = self.channel(channel).shape;
        let pattern = pattern.unwrap_or_else(|| {
            Pattern::shortest(format, shape, channel).in_envelope(format, envelope, line_end)
        });
        let mut out = core::mem::take(&mut self.out);
        let before = match envelope {
            Kind::Lines if !self.at_line_start => "\n",
            Kind::Sse if !self.at_line_start => line_end,
            Kind::Array if self.after_element => ",",
            _ => "",
        };
        out.extend_from_slice(before.as_bytes());
        pattern.push(rest, &mut out);
        let after = match envelope {
            Kind::Lines if is_before_event && !out.ends_with(b"\n") => "\n",
            Kind::Array if is_before_event => ",",
            _ => "",
        };
        out.extend_from_slice(after.as_bytes());
        self.pass(&out, sink);
        out.clear();
        self.out = out;
    }
}

/// For each channel that an event ends, the place of the text that is its last in this event, if the end is behind it.
fn last_texts(found: &[Found<'_>]) -> BTreeMap<Channel, usize> {
    let mut last = BTreeMap::new();
    let is_end = |found: &Found<'_>| matches!(found, Found::ChannelEnd(_));
    if !found.iter().any(is_end) {
        return last;
    }
    let mut ends = BTreeMap::new();
    for (place, found) in found.iter().enumerate() {
        match found {
            Found::Text(channel, content, _) if !content.is_empty() => {
                last.insert(*channel, place);
            }
            Found::ChannelEnd(channel) => {
                ends.insert(*channel, place);
            }
            _ => {}
        }
    }
    last.retain(|channel, place| ends.get(channel).is_some_and(|end| end > place));
    last
}
