//! Keeps what a gate cannot read from passing it.

use super::Format;
use super::deferred::MAX_DEFERRED;
use super::found::Found;
use super::frame::{Frame, Kind};
use super::item::NoticeCode;
use super::reader::Reader;
use provstream::Span;

/// What is known about a response that may only have text that was read.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// Finds out what format the events really are of, until one has text of the format asked for.
    probe: Option<Reader>,
    /// An event was of the format asked for; if none was asked for, the reader finds it out.
    is_shown: bool,
    /// What came before it is known what format the events are of.
    unknown: Vec<Unknown>,
    /// Bytes of that.
    unknown_len: usize,
    /// An event is being kept.
    is_in_event: bool,
    /// Where they are, if a format was asked for.
    kept: Option<Span>,
    /// What was removed since the last value of a JSON body.
    between: Option<Span>,
    /// The events are of another format than the one asked for, or not all of the unknown ones could be kept.
    closed: bool,
}

/// Bytes of a response of an unknown format.
#[derive(Clone, Debug)]
pub(super) struct Unknown {
    pub(super) bytes: Vec<u8>,
    /// The event that they are, if that was read without a format.
    pub(super) event: Option<UnknownEvent>,
}

/// An event that was read without a format.
#[derive(Clone, Debug)]
pub(super) struct UnknownEvent {
    pub(super) data: Vec<u8>,
    pub(super) span: Span,
    pub(super) is_named_error: bool,
}

impl Guard {
    /// Nothing yet of a response of a format, if one was asked for.
    pub(super) fn new(asked: Option<Format>) -> Self {
        Self {
            probe: asked.map(|_| Reader::new(None)),
            is_shown: asked.is_none(),
            unknown: Vec::new(),
            unknown_len: 0,
            is_in_event: false,
            kept: None,
            between: None,
            closed: false,
        }
    }

    /// Looks at an event that a reader of the format asked for has read.
    pub(super) fn look(&mut self, frame: &Frame<'_>, is_streamed: bool, reader: &Reader) {
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

    /// Whether the events are of the format asked for, as far as it is known.
    pub(super) const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Where the events are that were kept, and never shown to be of the format.
    pub(super) const fn take_kept(&mut self) -> Option<Span> {
        self.kept.take()
    }

    /// Notes a byte that is removed between two values of a JSON body.
    pub(super) fn note_between(&mut self, at: u64) {
        let start = self.between.map_or(at, |between| between.start());
        self.between = Some(Span::new(start, at + 1));
    }

    /// What was removed since the last value of a JSON body.
    pub(super) const fn take_between(&mut self) -> Option<Span> {
        self.between.take()
    }

    /// Whether an event with this notice may be written.
    pub(super) fn lets_through(&self, odd: Option<NoticeCode>) -> bool {
        !self.closed && odd.is_none_or(|code| !code.is_withheld())
    }

    /// What was kept of what came before the format was known.
    pub(super) fn take_unknown(&mut self) -> Vec<Unknown> {
        self.unknown_len = 0;
        let unknown = core::mem::take(&mut self.unknown);
        if self.closed { Vec::new() } else { unknown }
    }

    /// An event that was read without a format comes, and is kept.
    pub(super) fn begin_event(&mut self, event: UnknownEvent) {
        self.unknown.push(Unknown {
            bytes: Vec::new(),
            event: Some(event),
        });
        self.is_in_event = true;
    }

    /// The event is over.
    pub(super) fn end_event(&mut self) {
        self.is_in_event = false;
        // It was withheld.
        self.unknown.pop_if(|last| last.bytes.is_empty());
    }

    /// Whether bytes that are not text of a channel may be written; they are kept if no format is `known`.
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
                _ => self.unknown.push(Unknown {
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
