//! Decodes the bytes of a streamed response to items.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Format;
use super::channel::MAX_CHANNELS;
use super::counting::{IndexDetector, Indices, PieceVerdict};
use super::found::{Found, Repeats, Str};
use super::frame::{Frame, Kind, StreamPiece};
use super::framer::Framer;
use super::halves;
use super::item::{Delta, Item, Notice, NoticeCode};
use super::message;
use super::reader::FactReader;
use super::report::ReadReport;
use super::sse::DEFAULT_MAX_EVENT;
use super::steps::each;
use super::text_id::TextId;

/// Reads a streamed response in whatever pieces it arrives, and gives what its events say.
///
/// The events may be server-sent, lines of JSON or elements of one JSON array: the first byte of the stream that is not
/// white space tells, for every format.
///
/// ```
/// use provstream_providers::{Decoder, Format, Item};
///
/// let stream = r#"{"message":{"content":"Hel"},"done":false}
/// {"message":{"content":"lo \ud83d"},"done":false}
/// {"message":{"content":"\ude00"},"done":true}"#;
/// let mut decoder = Decoder::detect();
/// let mut text = String::new();
/// let mut sink = |item: Item<'_>| {
///     if let Item::Text(delta) = item {
///         text.push_str(delta.text());
///     }
/// };
/// for chunk in stream.as_bytes().chunks(5) {
///     decoder.push(chunk, &mut sink);
/// }
/// decoder.finish(&mut sink);
/// assert_eq!(text, "Hello 😀");
/// assert_eq!(decoder.format(), Some(Format::Ollama));
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    framer: Framer,
    state: DecoderState,
}

/// State of a decoder between two events.
#[derive(Clone, Debug)]
struct DecoderState {
    reader: FactReader,
    counting: IndexDetector,
    halves: Halves,
    /// Bytes of an event that is too long are coming.
    passing: bool,
    /// The next delta begins a text after something else that came after text.
    after_break: bool,
    /// Memory for one delta after the other.
    decoded: Vec<u8>,
}

/// Bytes that the text of an event commonly has; memory for more is given back.
const USUAL: usize = 1 << 12;

/// The high surrogates that texts ended with so far; at most twice as many as there may be channels.
#[derive(Clone, Debug, Default)]
struct Halves(BTreeMap<TextKey, u16>);

/// A text.
type TextKey = (DecodedTextKind, TextId);

/// Kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DecodedTextKind {
    Text,
    Reasoning,
    ToolCall,
}

impl Decoder {
    /// A decoder of streams of this format.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self::of(Some(format))
    }

    /// A decoder of streams whose format is found out from the events. Those before the first evidence are skipped, unless
    /// they report an error.
    #[must_use]
    pub fn detect() -> Self {
        Self::of(None)
    }

    fn of(format: Option<Format>) -> Self {
        Self {
            framer: Framer::new(DEFAULT_MAX_EVENT),
            state: DecoderState {
                reader: FactReader::new(format),
                counting: IndexDetector::default(),
                halves: Halves::default(),
                passing: false,
                after_break: false,
                decoded: Vec::new(),
            },
        }
    }

    /// Sets the limit of one event in bytes; [`DEFAULT_MAX_EVENT`] by default. Must be called before the first push.
    #[must_use]
    pub fn with_max_event(mut self, bytes: usize) -> Self {
        self.framer = self.framer.with_max_event(bytes);
        self
    }

    /// The format: the one asked for, or the one detected so far.
    #[must_use]
    pub const fn format(&self) -> Option<Format> {
        self.state.reader.format()
    }

    /// Returns the counts of what was read so far.
    #[must_use]
    pub const fn report(&self) -> &ReadReport {
        &self.state.reader.report
    }

    /// Bytes taken so far: the offset of the next one in the stream of events.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.framer.position()
    }

    /// Takes the next bytes and gives what is certain with them.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(Item<'_>)) {
        let state = &mut self.state;
        self.framer.push(chunk, &mut |kind, piece| {
            state.take(kind, &piece, &mut sink);
        });
    }

    /// Gives what the end of the stream makes certain. Before another stream, [`reset`](Self::reset) the decoder.
    pub fn finish(&mut self, mut sink: impl FnMut(Item<'_>)) {
        let state = &mut self.state;
        self.framer.finish(&mut |kind, piece| {
            state.take(kind, &piece, &mut sink);
        });
        if !state.counting.is_settled() {
            let counts = state.counting.finish();
            state.settle(counts, &mut sink);
        }
        state.close(&mut sink);
        state.halves.flush_all(&mut sink);
    }

    /// Back to the start of a stream with the same settings.
    pub fn reset(&mut self) {
        self.framer.reset();
        self.state.reader.reset();
        self.state.counting = IndexDetector::default();
        self.state.halves.0.clear();
        self.state.passing = false;
        self.state.after_break = false;
    }
}

impl DecoderState {
    fn take(&mut self, kind: Kind, piece: &StreamPiece<'_>, sink: &mut dyn FnMut(Item<'_>)) {
        if self.counting.is_settled() || self.is_read_now(kind, piece, sink) {
            self.take_now(kind, piece, sink);
        }
    }

    /// Returns `true` if a piece can be processed now: it need not be held until it is known whether choice indices
    /// name channels.
    #[cold]
    fn is_read_now(
        &mut self,
        kind: Kind,
        piece: &StreamPiece<'_>,
        sink: &mut dyn FnMut(Item<'_>),
    ) -> bool {
        let verdict = self.counting.judge(kind, piece, self.reader.format());
        if let PieceVerdict::Settled(indices) = verdict {
            self.settle(indices, sink);
        }
        verdict != PieceVerdict::Hold
    }

    /// Reads what was held back.
    fn settle(&mut self, indices: Indices, sink: &mut dyn FnMut(Item<'_>)) {
        self.reader.set_indices(indices);
        for (kind, piece) in self.counting.take_held().pieces() {
            self.take_now(kind, &piece, sink);
        }
    }

    #[inline]
    fn take_now(&mut self, kind: Kind, piece: &StreamPiece<'_>, sink: &mut dyn FnMut(Item<'_>)) {
        match piece {
            StreamPiece::Event(frame) => self.read(kind, frame, false, sink),
            StreamPiece::Passed(_) => {
                // It may have text of any channel.
                if !core::mem::replace(&mut self.passing, true) {
                    self.close(sink);
                }
            }
            StreamPiece::Oversized(span) => {
                self.passing = false;
                self.notice(Notice::new(NoticeCode::OversizedEvent, *span), sink);
            }
            StreamPiece::Unterminated(frame) => self.read(kind, frame, true, sink),
            StreamPiece::Encoded(code, span) => self.notice(Notice::new(*code, *span), sink),
            StreamPiece::Stray(span) => {
                self.notice(Notice::new(NoticeCode::WithheldData, *span), sink);
            }
            StreamPiece::Other(_) | StreamPiece::Close(_) => {}
        }
    }

    fn notice(&mut self, notice: Notice, sink: &mut dyn FnMut(Item<'_>)) {
        self.reader.report.add_notice(notice.code());
        sink(Item::Notice(notice));
    }

    fn read(
        &mut self,
        kind: Kind,
        frame: &Frame<'_>,
        is_final: bool,
        sink: &mut dyn FnMut(Item<'_>),
    ) {
        let is_streamed = matches!(kind, Kind::Sse | Kind::Array);
        if !frame.has_last_name {
            self.reader.set_name(frame.event_name());
        }
        self.reader.is_error = kind == Kind::Sse && frame.is_named_error;
        let mut odd = self.reader.read(&frame.data, is_streamed);
        if is_final && odd == Some(NoticeCode::MalformedEvent) {
            odd = Some(NoticeCode::UnterminatedEvent);
        }
        let found = core::mem::take(&mut self.reader.found);
        if found.is_empty() && odd.is_none() {
            sink(Item::Other(frame.span()));
        }
        if each(found.iter()).any(|one| matches!(one, Found::Unread(_))) {
            self.notice(Notice::new(NoticeCode::UnreadMember, frame.span()), sink);
        }
        for one in each(found.iter()) {
            self.apply(*one, &frame.data, sink);
        }
        self.reader.found = found;
        self.reader.trim();
        if self.decoded.capacity() > USUAL {
            self.decoded = Vec::new();
        }
        if let Some(code) = odd {
            self.notice(Notice::new(code, frame.span()), sink);
        }
    }

    /// Ends all channels that are open.
    fn close(&mut self, sink: &mut dyn FnMut(Item<'_>)) {
        self.reader.found.clear();
        self.reader.close();
        let found = core::mem::take(&mut self.reader.found);
        for one in &found {
            self.apply(*one, &[], sink);
        }
        self.reader.found = found;
    }

    fn apply(&mut self, found: Found, data: &[u8], sink: &mut dyn FnMut(Item<'_>)) {
        match found {
            Found::Text(id, text, piece) if !piece.is_again => {
                self.after_break = piece.is_after_break;
                self.delta((DecodedTextKind::Text, id), text, data, sink);
            }
            Found::Whole(id, text, Repeats::Nothing) => {
                self.delta((DecodedTextKind::Text, id), text, data, sink);
                self.halves.flush((DecodedTextKind::Text, id), sink);
                sink(Item::ChannelEnd(id.channel));
            }
            Found::Reasoning(_, _, true) => {}
            Found::ReasoningWhole(id, text, false) => {
                self.reader.report.add_reasoning(text.range().len());
                self.delta((DecodedTextKind::Reasoning, id), text, data, sink);
                self.halves.flush((DecodedTextKind::Reasoning, id), sink);
            }
            Found::Reasoning(id, text, false) => {
                self.reader.report.add_reasoning(text.range().len());
                self.delta((DecodedTextKind::Reasoning, id), text, data, sink);
            }
            Found::Tool(channel, text) => {
                self.delta(
                    (DecodedTextKind::ToolCall, TextId::new(channel)),
                    text,
                    data,
                    sink,
                );
            }
            Found::ToolJson(channel, json) => {
                let json = String::from_utf8_lossy(json.bytes(data));
                sink(Item::ToolCall(Delta::new(TextId::new(channel), json)));
            }
            Found::Break(id) | Found::End(id) | Found::MakesRoom(id) => {
                self.halves.flush((DecodedTextKind::Text, id), sink);
            }
            Found::BreakAll => self.halves.flush_texts(sink),
            Found::Broken(channel) => sink(Item::Break(channel)),
            Found::Ended(channel) => sink(Item::ChannelEnd(channel)),
            Found::Error(error, _) => {
                let message = message::of(error.bytes(data));
                sink(Item::Error(Cow::Borrowed(&message)));
            }
            Found::Done => {
                self.halves.flush_all(sink);
                sink(Item::End);
            }
            Found::Text(..)
            | Found::Whole(..)
            | Found::Quote(..)
            | Found::Forget(_)
            | Found::Finish(_)
            | Found::CutOff(_)
            | Found::Logprobs(..)
            | Found::Sequence(_)
            | Found::Element(_)
            | Found::ReasoningWhole(..)
            | Found::ReasoningEnd(_)
            | Found::ReasoningPartEnd(_)
            | Found::Echo(..)
            | Found::Unread(_)
            | Found::Offset(..) => {}
        }
    }

    fn delta(&mut self, key: TextKey, text: Str, data: &[u8], sink: &mut dyn FnMut(Item<'_>)) {
        let content = text.content(data);
        let is_simple = self.halves.0.is_empty() && !halves::ends_high(content);
        let before = if is_simple {
            None
        } else {
            self.halves.0.remove(&key)
        };
        let text = if is_simple || (before.is_none() && !halves::ends_high(content)) {
            provstream::json::decode_in(content, text.escaped, &mut self.decoded).text
        } else {
            self.halves.decode(key, content, before)
        };
        if key.0 == DecodedTextKind::Text {
            self.reader.report.add_text(text.len());
        }
        if !text.is_empty() {
            let delta = Delta::new(key.1, text);
            let is_after_break = core::mem::take(&mut self.after_break);
            sink(key.0.item(delta.after_break(is_after_break)));
        }
    }
}

impl Halves {
    /// The text of a content after the high surrogate that the one before ended with.
    fn decode(&mut self, key: TextKey, content: &[u8], before: Option<u16>) -> Cow<'static, str> {
        let content = String::from_utf8_lossy(content);
        let mut piece = halves::decode(&content, before);
        if let Some(high) = piece.high {
            // Channels of text are counted elsewhere.
            if key.0 == DecodedTextKind::Text || self.0.len() < MAX_CHANNELS {
                self.0.insert(key, high);
            } else {
                piece.text.to_mut().push(char::REPLACEMENT_CHARACTER);
            }
        }
        Cow::Owned(piece.text.into_owned())
    }

    /// A half whose other one does not come.
    fn flush(&mut self, key: TextKey, sink: &mut dyn FnMut(Item<'_>)) {
        if self.0.remove(&key).is_some() {
            sink(key.0.item(Delta::new(key.1, Cow::Borrowed("\u{FFFD}"))));
        }
    }

    fn flush_texts(&mut self, sink: &mut dyn FnMut(Item<'_>)) {
        let of_text = |keys: &BTreeMap<TextKey, u16>| {
            let (&key, _) = keys.first_key_value()?;
            (key.0 == DecodedTextKind::Text).then_some(key)
        };
        while let Some(key) = of_text(&self.0) {
            self.flush(key, sink);
        }
    }

    fn flush_all(&mut self, sink: &mut dyn FnMut(Item<'_>)) {
        while let Some((&key, _)) = self.0.first_key_value() {
            self.flush(key, sink);
        }
    }
}

impl DecodedTextKind {
    const fn item(self, delta: Delta<'_>) -> Item<'_> {
        match self {
            Self::Text => Item::Text(delta),
            Self::Reasoning => Item::Reasoning(delta),
            Self::ToolCall => Item::ToolCall(delta),
        }
    }
}
