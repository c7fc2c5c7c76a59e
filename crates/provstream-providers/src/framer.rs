//! Cutting a stream into events, in whichever envelope they come.

use smallvec::SmallVec;

use super::frame::Piece;
use super::lines::{JsonFramer, Step};
use super::sse::{SseDecoder, SsePiece};

/// The envelope is that which the first byte tells that is neither white space nor of a byte order mark: `{` lines of
/// JSON, `[` one array, any other server-sent events.
#[derive(Clone, Debug)]
pub(super) struct Framer {
    max_event: usize,
    /// The bytes before that, at most as many as an event may have; with more it is server-sent events.
    leading: SmallVec<[u8; 8]>,
    envelope: Envelope,
}

/// Takes pieces, each with what the stream's events are put together by.
type Sink<'s> = &'s mut dyn FnMut(Kind, Piece<'_>);

#[derive(Clone, Debug)]
enum Envelope {
    Unknown,
    Sse(SseDecoder),
    Json(JsonFramer),
}

impl Framer {
    pub(super) fn new(max_event: usize) -> Self {
        Self {
            max_event,
            leading: SmallVec::new(),
            envelope: Envelope::Unknown,
        }
    }

    pub(super) const fn with_max_event(mut self, bytes: usize) -> Self {
        self.max_event = bytes;
        self
    }

    pub(super) fn position(&self) -> u64 {
        match &self.envelope {
            Envelope::Unknown => self.leading.len() as u64,
            Envelope::Sse(sse) => sse.position(),
            Envelope::Json(json) => json.position,
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8], sink: Sink<'_>) {
        let mut rest = chunk;
        while let (Envelope::Unknown, Some((&byte, later))) = (&self.envelope, rest.split_first()) {
            let may_lead = byte.is_ascii_whitespace() || b"\xEF\xBB\xBF".contains(&byte);
            if may_lead && self.leading.len() < self.max_event {
                self.leading.push(byte);
                rest = later;
            } else {
                self.begin(byte, sink);
            }
        }
        self.pass(rest, sink);
    }

    pub(super) fn finish(&mut self, sink: Sink<'_>) {
        if matches!(self.envelope, Envelope::Unknown) {
            self.begin(0, sink);
        }
        match &mut self.envelope {
            Envelope::Sse(sse) => sse.finish_all(&mut |piece| sink(Kind::Sse, piece.into())),
            Envelope::Json(json) => {
                let kind = json.kind();
                json.finish(&mut |piece| sink(kind, piece));
            }
            Envelope::Unknown => {}
        }
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.max_event);
    }

    /// The first byte that tells is `byte`.
    fn begin(&mut self, byte: u8, sink: Sink<'_>) {
        self.envelope = match byte {
            b'{' | b'[' => Envelope::Json(JsonFramer::new(self.max_event, byte == b'[')),
            _ => Envelope::Sse(SseDecoder::new().with_max_event(self.max_event)),
        };
        let leading = core::mem::take(&mut self.leading);
        match &mut self.envelope {
            // So that it is in no event.
            Envelope::Json(json) => {
                let kind = json.kind();
                json.take(&leading, Step::Between, &mut |piece| sink(kind, piece));
            }
            _ => self.pass(&leading, sink),
        }
    }

    fn pass(&mut self, bytes: &[u8], sink: Sink<'_>) {
        match &mut self.envelope {
            Envelope::Sse(sse) => sse.push_all(bytes, &mut |piece| sink(Kind::Sse, piece.into())),
            Envelope::Json(json) => {
                let kind = json.kind();
                json.push(bytes, &mut |piece| sink(kind, piece));
            }
            Envelope::Unknown => {}
        }
    }
}

/// How the events of a stream are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sse,
    /// One JSON value a line.
    Lines,
    /// The elements of one JSON array.
    Array,
}

impl<'a> From<SsePiece<'a>> for Piece<'a> {
    fn from(piece: SsePiece<'a>) -> Self {
        match piece {
            SsePiece::Event(event) => Self::Event(event.frame),
            SsePiece::Other(text) => Self::Other(text),
            SsePiece::Passed(text) => Self::Passed(text),
            SsePiece::Oversized(span) => Self::Oversized(span),
            SsePiece::Unterminated(text) => Self::Unterminated(text),
        }
    }
}
