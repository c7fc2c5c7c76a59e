//! Withholds bytes of a gated response that were not read.

use super::Format;
use super::deferred::MAX_DEFERRED;
use super::found::Found;
use super::frame::{Frame, Kind};
use super::item::NoticeCode;
use super::reader::FactReader;
use provstream::Span;

/// Decides which bytes of a gated response may be written although they are not text of a channel.
#[derive(Clone, Debug)]
pub(super) struct UnreadFilter {
    /// Detects the actual format of the events, until one has text in the requested format.
    probe: Option<FactReader>,
    /// An event was in the requested format; always `true` if none was requested.
    is_shown: bool,
    /// Bytes that came before the format was known.
    unknown: Vec<UnknownResponse>,
    /// Total length of `unknown` in bytes.
    unknown_len: usize,
    /// An event is being kept.
    is_in_event: bool,
    /// Span of the events before the first in the requested format.
    kept: Option<Span>,
    /// Nothing more may be written: the events are in another format than the requested one, or the limit for unknown
    /// bytes was exceeded.
    closed: bool,
    /// Effort for copies, less what was allowed for the events so far.
    pub(super) effort: u64,
}

/// Bytes of a response of an unknown format.
#[derive(Clone, Debug)]
pub(super) struct UnknownResponse {
    pub(super) bytes: Vec<u8>,
    /// The event, if the bytes are one that was read without a format.
    pub(super) event: Option<UnknownEvent>,
}

/// An event that was read without a format.
#[derive(Clone, Debug)]
pub(super) struct UnknownEvent {
    pub(super) data: Vec<u8>,
    pub(super) span: Span,
    pub(super) is_named_error: bool,
}

impl UnreadFilter {
    /// Creates a guard; `asked` is the requested format.
    pub(super) fn new(asked: Option<Format>) -> Self {
        Self {
            probe: asked.map(|_| FactReader::new(None)),
            is_shown: asked.is_none(),
            unknown: Vec::new(),
            unknown_len: 0,
            is_in_event: false,
            kept: None,
            closed: false,
            effort: 0,
        }
    }

    /// Inspects an event that the reader of the requested format has read.
    pub(super) fn look(&mut self, frame: &Frame<'_>, is_streamed: bool, reader: &FactReader) {
        let Some(probe) = &mut self.probe else {
            return;
        };
        probe.read(&frame.data, is_streamed);
        if let Some(found) = probe.format() {
            self.closed |= Some(found) != reader.format();
            self.is_shown = true;
            self.probe = None;
        }
        // `[DONE]` is of several formats.
        self.is_shown |= reader.found.iter().any(|one| !matches!(one, Found::Done));
        if self.is_shown {
            self.kept = None;
        } else {
            let start = self.kept.map_or(frame.start, |kept| kept.start());
            self.kept = Some(Span::new(start, frame.span().end()));
        }
    }

    /// Returns `true` if an event was in the requested format, or none was requested.
    pub(super) const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Takes the span of events that were not recognised as the requested format.
    pub(super) const fn take_kept(&mut self) -> Option<Span> {
        self.kept.take()
    }

    /// Returns `true` if an event with this diagnostic may be written.
    pub(super) fn lets_through(&self, odd: Option<NoticeCode>) -> bool {
        !self.closed && odd.is_none_or(|code| !code.is_withheld())
    }

    /// Takes the bytes that were kept before the format was known.
    pub(super) fn take_unknown(&mut self) -> Vec<UnknownResponse> {
        self.unknown_len = 0;
        let unknown = core::mem::take(&mut self.unknown);
        if self.closed { Vec::new() } else { unknown }
    }

    /// Begins an event that was read without a format; its bytes are kept.
    pub(super) fn begin_event(&mut self, event: UnknownEvent) {
        self.unknown.push(UnknownResponse {
            bytes: Vec::new(),
            event: Some(event),
        });
        self.is_in_event = true;
    }

    /// Ends the event.
    pub(super) fn end_event(&mut self) {
        self.is_in_event = false;
        // Nothing of the event may be written.
        self.unknown.pop_if(|last| last.bytes.is_empty());
    }

    /// Returns `true` if bytes that are not text of a channel may be written now. If the format is not `known`, they
    /// are kept.
    pub(super) fn passes(&mut self, bytes: &[u8], envelope: Kind, known: bool) -> bool {
        if self.closed || envelope == Kind::Encoded {
            return false;
        }
        let known = known && self.is_shown;
        if !known {
            match self.unknown.last_mut() {
                Some(last) if self.is_in_event || last.event.is_none() => {
                    last.bytes.extend_from_slice(bytes);
                }
                _ => self.unknown.push(UnknownResponse {
                    bytes: bytes.to_vec(),
                    event: None,
                }),
            }
            self.unknown_len += bytes.len();
            self.closed = self.unknown_len > MAX_DEFERRED;
        }
        known
    }
}
