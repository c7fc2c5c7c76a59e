//! Cutting a stream into events, in whichever envelope they come.

use smallvec::SmallVec;

use super::frame::{Kind, StreamPiece};
use super::item::NoticeCode;
use super::lines::{JsonFramer, LineStep};
use super::sse::{SseDecoder, SsePiece};
use provstream::{Span, TextChunk};

/// The envelope is shown by the first byte that is neither white space nor of a byte order mark: `{` lines of JSON or one
/// JSON value, `[` one array, a byte that no text begins with a compressed body, any other server-sent events.
#[derive(Clone, Debug)]
pub(super) struct Framer {
    max_event: usize,
    /// The bytes before that, at most as many as an event may have; with more it is server-sent events.
    leading: SmallVec<[u8; 8]>,
    envelope: Envelope,
}

/// Receiver of the pieces of the stream, each with the kind of its envelope.
type PieceSink<'s> = &'s mut dyn FnMut(Kind, StreamPiece<'_>);

#[derive(Clone, Debug)]
enum Envelope {
    Unknown,
    Sse(SseDecoder),
    Json(JsonFramer),
    /// Not text; with the number of bytes read.
    Encoded(NoticeCode, u64),
}

impl Framer {
    pub(super) fn new(max_event: usize) -> Self {
        Self {
            max_event,
            leading: SmallVec::new(),
            envelope: Envelope::Unknown,
        }
    }

    pub(super) fn with_max_event(mut self, bytes: usize) -> Self {
        // Places in an event are counted in 32 bits.
        self.max_event = bytes.min(u32::MAX as usize / 2);
        self
    }

    pub(super) fn position(&self) -> u64 {
        match &self.envelope {
            Envelope::Unknown => self.leading.len() as u64,
            Envelope::Sse(sse) => sse.position(),
            Envelope::Json(json) => json.position,
            Envelope::Encoded(_, bytes) => *bytes,
        }
    }

    /// Bytes that are kept of an event that is not complete.
    pub(super) fn open_len(&self) -> usize {
        match &self.envelope {
            Envelope::Unknown => self.leading.len(),
            Envelope::Sse(sse) => sse.open_len(),
            Envelope::Json(json) => json.open_len(),
            Envelope::Encoded(..) => 0,
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8], sink: PieceSink<'_>) {
        let mut rest = chunk;
        while !rest.is_empty() {
            if let Envelope::Sse(sse) = &mut self.envelope {
                return sse.push_all(rest, &mut |piece| sink(Kind::Sse, piece.into()));
            }
            let taken = self.push_some(rest, sink);
            rest = &rest[taken..];
        }
    }

    /// Reads at most one event from the start of a chunk. Returns the number of bytes read.
    pub(super) fn push_some(&mut self, chunk: &[u8], sink: PieceSink<'_>) -> usize {
        match &mut self.envelope {
            Envelope::Sse(sse) => sse.push_some(chunk, &mut |piece| sink(Kind::Sse, piece.into())),
            Envelope::Json(json) => json.push_some(chunk, sink),
            Envelope::Encoded(_, taken) => {
                sink(
                    Kind::Encoded,
                    StreamPiece::Other(TextChunk::new(chunk, *taken)),
                );
                *taken += chunk.len() as u64;
                chunk.len()
            }
            Envelope::Unknown => self.lead(chunk, sink),
        }
    }

    /// Returns the bytes before and after the data of an event with the last event's framing, if one may begin here.
    pub(super) fn around(&self) -> Option<(&[u8], &'static [u8])> {
        match &self.envelope {
            Envelope::Sse(sse) => sse.around(),
            Envelope::Json(json) => json.is_at_line().then_some((b"", b"\n")),
            Envelope::Encoded(..) | Envelope::Unknown => None,
        }
    }

    /// Skips `len` bytes of events that the caller has read, each of which begins and ends as
    /// [`around`](Self::around) returned.
    #[inline]
    pub(super) const fn pass_events(&mut self, len: u64) {
        match &mut self.envelope {
            Envelope::Sse(sse) => sse.pass_events(len),
            Envelope::Json(json) => json.pass_events(len),
            Envelope::Encoded(..) | Envelope::Unknown => {}
        }
    }

    /// Most bytes of an event.
    pub(super) const fn max_event(&self) -> usize {
        self.max_event
    }

    /// Takes bytes as long as they do not show the envelope; how many they are.
    fn lead(&mut self, chunk: &[u8], sink: PieceSink<'_>) -> usize {
        let mut rest = chunk;
        while let (Envelope::Unknown, Some((&byte, later))) = (&self.envelope, rest.split_first()) {
            let may_lead = byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(&byte);
            // The first byte of Zstandard is one of text as well, and that of gzip one of Brotli.
            let may_be_encoded = matches!(byte, b'(' | 0x1F) && self.leading.is_empty();
            if (may_lead || may_be_encoded) && self.leading.len() < self.max_event {
                self.leading.push(byte);
                rest = later;
            } else {
                self.begin(byte, sink);
            }
        }
        chunk.len() - rest.len()
    }

    pub(super) fn finish(&mut self, sink: PieceSink<'_>) {
        if matches!(self.envelope, Envelope::Unknown) {
            self.begin(b'\n', sink);
        }
        match &mut self.envelope {
            Envelope::Sse(sse) => sse.finish_all(&mut |piece| {
                let piece = match piece.into() {
                    // An incomplete line or event at the end: an event written after it would become part of it.
                    StreamPiece::Other(text) => StreamPiece::Close(text),
                    piece => piece,
                };
                sink(Kind::Sse, piece);
            }),
            Envelope::Json(json) => json.finish(sink),
            Envelope::Encoded(code, bytes) => {
                sink(
                    Kind::Encoded,
                    StreamPiece::Encoded(*code, Span::new(0, *bytes)),
                );
            }
            Envelope::Unknown => {}
        }
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.max_event);
    }

    /// The first byte that shows the envelope is `byte`.
    fn begin(&mut self, byte: u8, sink: PieceSink<'_>) {
        let encoded = match (self.leading.as_slice(), byte) {
            (b"\x1F", 0x8B) => Some(NoticeCode::GzipBody),
            ([0x1F, ..], _) => Some(NoticeCode::BinaryBody),
            (b"(", 0xB5) => Some(NoticeCode::ZstdBody),
            (_, 0..0x20 | 0x7F..=0xC1 | 0xF5..) if !byte.is_ascii_whitespace() => {
                Some(NoticeCode::BinaryBody)
            }
            _ => None,
        };
        let is_json = matches!(byte, b'{' | b'[') && !self.leading.starts_with(b"(");
        self.envelope = match encoded {
            Some(code) => Envelope::Encoded(code, 0),
            None if is_json => Envelope::Json(JsonFramer::new(self.max_event, byte == b'[')),
            None => Envelope::Sse(SseDecoder::new().with_max_event(self.max_event)),
        };
        let leading = core::mem::take(&mut self.leading);
        match &mut self.envelope {
            // So that the leading white space belongs to no event.
            Envelope::Json(json) => json.take(&leading, LineStep::Between, sink),
            _ => self.push(&leading, sink),
        }
    }
}

impl<'a> From<SsePiece<'a>> for StreamPiece<'a> {
    #[inline]
    fn from(piece: SsePiece<'a>) -> Self {
        match piece {
            SsePiece::Event(event) => Self::Event(event.frame),
            // Not every client waits for data.
            SsePiece::Other(text) => match SseDecoder::without_data(text) {
                Some(frame) => Self::Event(frame),
                None => Self::Other(text),
            },
            SsePiece::Passed(text) => Self::Passed(text),
            SsePiece::Oversized(span) => Self::Oversized(span),
            SsePiece::Unterminated(text) => match SseDecoder::unterminated(text) {
                Some(frame) => Self::Unterminated(frame),
                None => Self::Other(text),
            },
        }
    }
}
