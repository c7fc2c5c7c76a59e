//! From the bytes of a streamed response to what it says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::formats::Found;
use super::frame::{Frame, Piece};
use super::framer::Framer;
use super::halves;
use super::item::{Delta, Item, Notice, NoticeCode};
use super::reader::{MAX_CHANNELS, Reader};
use super::sse::DEFAULT_MAX_EVENT;
use super::{Channel, Format};

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
    state: State,
}

/// What a decoder knows between two events.
#[derive(Clone, Debug)]
struct State {
    reader: Reader,
    halves: Halves,
    /// Bytes of an event that is too long are coming.
    passing: bool,
}

/// The high surrogates that texts ended with so far; at most twice as many as there may be channels.
#[derive(Clone, Debug, Default)]
struct Halves(BTreeMap<(Kind, Channel), u16>);

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
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

    /// A decoder of streams whose format the first event tells. Events before that are passed by, unless they report
    /// an error.
    #[must_use]
    pub fn detect() -> Self {
        Self::of(None)
    }

    fn of(format: Option<Format>) -> Self {
        Self {
            framer: Framer::new(DEFAULT_MAX_EVENT),
            state: State {
                reader: Reader::new(format),
                halves: Halves::default(),
                passing: false,
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

    /// Takes the next bytes and gives what is certain with them.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(Item<'_>)) {
        let state = &mut self.state;
        self.framer
            .push(chunk, &mut |_, piece| state.read(&piece, &mut sink));
    }

    /// Gives what the end of the stream makes certain. Before another stream, [`reset`](Self::reset) the decoder.
    pub fn finish(&mut self, mut sink: impl FnMut(Item<'_>)) {
        let state = &mut self.state;
        self.framer
            .finish(&mut |_, piece| state.read(&piece, &mut sink));
        state.close(&mut sink);
        state.halves.flush_all(&mut sink);
    }

    /// Back to the start of a stream with the same settings.
    pub fn reset(&mut self) {
        self.framer.reset();
        self.state.reader.reset();
        self.state.halves.0.clear();
        self.state.passing = false;
    }
}

impl State {
    fn read(&mut self, piece: &Piece<'_>, sink: &mut dyn FnMut(Item<'_>)) {
        match piece {
            Piece::Event(frame) => self.read_event(frame, sink),
            Piece::Passed(_) => {
                // It may have text of any channel.
                if !core::mem::replace(&mut self.passing, true) {
                    self.close(sink);
                }
            }
            Piece::Oversized(span) => {
                self.passing = false;
                sink(Item::Notice(Notice::new(NoticeCode::OversizedEvent, *span)));
            }
            Piece::Unterminated(text) => {
                let notice = Notice::new(NoticeCode::UnterminatedEvent, text.span());
                sink(Item::Notice(notice));
            }
            Piece::Other(_) | Piece::Close(_) => {}
        }
    }

    fn read_event(&mut self, frame: &Frame<'_>, sink: &mut dyn FnMut(Item<'_>)) {
        let said = self.reader.read(&frame.data);
        if said.found.is_empty() && !said.malformed && !said.too_many {
            sink(Item::Other(frame.span()));
        }
        for found in said.found {
            self.tell(found, sink);
        }
        let mut notice = |code| sink(Item::Notice(Notice::new(code, frame.span())));
        if said.malformed {
            notice(NoticeCode::MalformedEvent);
        }
        if said.too_many {
            notice(NoticeCode::LimitChannels);
        }
    }

    /// Ends all channels that are open.
    fn close(&mut self, sink: &mut dyn FnMut(Item<'_>)) {
        for channel in self.reader.close() {
            self.tell(Found::ChannelEnd(channel), sink);
        }
    }

    fn tell(&mut self, found: Found<'_>, sink: &mut dyn FnMut(Item<'_>)) {
        let halves = &mut self.halves;
        match found {
            Found::Text(channel, content, _) => halves.decode(Kind::Text, channel, content, sink),
            Found::Reasoning(channel, content) => {
                halves.decode(Kind::Reasoning, channel, content, sink);
            }
            Found::ToolCall(channel, content) => {
                halves.decode(Kind::ToolCall, channel, content, sink);
            }
            Found::ToolCallJson(channel, json) => {
                sink(Item::ToolCall(Delta::new(channel, Cow::Borrowed(json))));
            }
            Found::ChannelEnd(channel) => {
                halves.flush(Kind::Text, channel, sink);
                sink(Item::ChannelEnd(channel));
            }
            Found::Error(message) => sink(Item::Error(message)),
            Found::End => {
                halves.flush_all(sink);
                sink(Item::End);
            }
            Found::Repeat(..) | Found::BadNumber => {}
        }
    }
}

impl Halves {
    fn decode(
        &mut self,
        kind: Kind,
        channel: Channel,
        content: &str,
        sink: &mut dyn FnMut(Item<'_>),
    ) {
        let key = (kind, channel);
        let mut piece = halves::decode(content, self.0.remove(&key));
        if let Some(high) = piece.high {
            // Channels of text are counted elsewhere.
            if kind == Kind::Text || self.0.len() < MAX_CHANNELS {
                self.0.insert(key, high);
            } else {
                piece.text.to_mut().push(char::REPLACEMENT_CHARACTER);
            }
        }
        if !piece.text.is_empty() {
            sink(kind.item(Delta::new(channel, piece.text)));
        }
    }

    /// A half whose other one does not come.
    fn flush(&mut self, kind: Kind, channel: Channel, sink: &mut dyn FnMut(Item<'_>)) {
        if self.0.remove(&(kind, channel)).is_some() {
            sink(kind.item(Delta::new(channel, Cow::Borrowed("\u{FFFD}"))));
        }
    }

    fn flush_all(&mut self, sink: &mut dyn FnMut(Item<'_>)) {
        while let Some((&(kind, channel), _)) = self.0.first_key_value() {
            self.flush(kind, channel, sink);
        }
    }
}

impl Kind {
    const fn item(self, delta: Delta<'_>) -> Item<'_> {
        match self {
            Self::Text => Item::Text(delta),
            Self::Reasoning => Item::Reasoning(delta),
            Self::ToolCall => Item::ToolCall(delta),
        }
    }
}
