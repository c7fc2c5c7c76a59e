//! Keeps what a gate cannot read from passing it.

use super::Format;
use super::deferred::MAX_DEFERRED;
use super::frame::{Frame, Kind};
use super::item::NoticeCode;
use super::reader::Reader;

/// What is known about a response that may only have text that was read.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// Finds out what format the events really are of, until one has text of the format asked for.
    probe: Option<Reader>,
    /// Events before it is known what format they are of.
    unknown: Vec<u8>,
    /// The events are of another format than the one asked for, or not all of the unknown ones could be kept.
    closed: bool,
}

impl Guard {
    /// Nothing yet of a response of a format, if one was asked for.
    pub(super) fn new(asked: Option<Format>) -> Self {
        Self {
            probe: asked.map(|_| Reader::new(None)),
            unknown: Vec::new(),
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
            self.probe = None;
        }
    }

    /// Whether an event with this notice may be written.
    pub(super) fn lets_through(&self, odd: Option<NoticeCode>) -> bool {
        !self.closed && odd.is_none_or(|code| !code.is_unread())
    }

    /// What was kept of events that came before the format was known.
    pub(super) fn take_unknown(&mut self) -> Vec<u8> {
        let unknown = core::mem::take(&mut self.unknown);
        if self.closed { Vec::new() } else { unknown }
    }

    /// Whether bytes that are not text of a channel may be written; they are kept if no format is `known`.
    pub(super) fn passes(&mut self, bytes: &[u8], envelope: Kind, known: bool) -> bool {
        if self.closed || envelope == Kind::Encoded {
            return false;
        }
        if !known {
            self.unknown.extend_from_slice(bytes);
            self.closed = self.unknown.len() > MAX_DEFERRED;
        }
        known
    }
}
