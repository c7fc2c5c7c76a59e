//! Events like the one before, from their bytes to what is written, in one pass.

use super::alone::Alone;
use super::line_end::LineEnd;
use super::{State, USUAL};
use crate::StreamHandler;
use crate::again::Text;
use crate::frame::Frame;
use crate::framer::Framer;
use crate::text::{Delta, TextRewriter};
use provstream::TextChunk;

/// What an event like the last one goes on with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    /// The place of its text.
    place: u16,
    /// The pattern for events that are added is such an event, and such events differ in their text alone.
    has_template: bool,
}

/// What became of an event like the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It is to be written as it is.
    AsItIs(usize),
    /// What it becomes is written.
    Written(usize),
}

impl<R: TextRewriter> State<R> {
    /// Takes the event that begins the bytes, if it is like the one before, and nothing waits for what it says.
    ///
    /// The fast path: most events of a stream differ from the one before in a few characters of text, and most of these are
    /// written as they are. With many streams, what an event costs is the memory that it touches, code included. So one pass over
    /// the bytes does what framing, reading and rewriting do with such an event, and no more; any other is left to those.
    #[inline]
    pub(crate) fn take_usual(
        &mut self,
        framer: &mut Framer,
        bytes: &[u8],
        handler: &mut impl StreamHandler,
    ) -> Option<Passed> {
        let usual = self.usual?;
        let (before, after) = framer.around()?;
        let rest = bytes.strip_prefix(before)?;
        let (text, len, is_ascii) = self.reader.again.read_first(rest)?;
        let data = before.len()..before.len() + len;
        let len = data.end + after.len();
        if !bytes[data.end..].starts_with(after) || len > framer.max_event() {
            return None;
        }
        let content = text.at.content(rest);
        if content.is_empty() || !(is_ascii || core::str::from_utf8(content).is_ok()) {
            return None;
        }
        let place = usize::from(usual.place);
        if place >= self.texts.len() {
            return None;
        }
        let start = framer.position();
        framer.pass_event(len);
        self.reader.report.add_event();
        self.line_end = LineEnd::default();
        self.note_sequence(rest, text.sequence);
        let state = self.texts.get_mut(place)?;
        if let Some(offset) = state.push_unchanged(content, is_ascii) {
            self.reader.report.add_text(content.len());
            handler.text(TextChunk::new(content, offset));
            return Some(Passed::AsItIs(len));
        }
        let frame = Frame::of_line(&bytes[..len], start, data);
        Some(match self.change_usual(&frame, usual, text, handler) {
            true => Passed::Written(len),
            false => Passed::AsItIs(len),
        })
    }

    /// Rewrites such an event, whose text may change; whether it was written.
    #[inline(never)]
    fn change_usual(
        &mut self,
        frame: &Frame<'_>,
        usual: Usual,
        text: Text,
        handler: &mut impl StreamHandler,
    ) -> bool {
        let Some(state) = self.texts.get_mut(usize::from(usual.place)) else {
            return false;
        };
        self.edits.clear();
        let delta = Delta {
            content: text.at.content(&frame.data),
            escaped: false,
            is_last: false,
        };
        let edit = &mut self.edits.bytes;
        let (read, is_changed) = state.push(&delta, &mut self.scratch, edit, handler);
        self.reader.report.add_text(read);
        // Of a longer event, the pattern has not all.
        let is_short = frame.raw.len() <= USUAL;
        let has_template = usual.has_template && is_short;
        if text.repeatable && state.note_holding() && !has_template {
            state.template.keep(frame, text.at.range());
            let has_template = is_short && self.reader.again.varies_in_text_alone();
            self.usual = Some(Usual {
                has_template,
                ..usual
            });
        }
        let place = frame.in_raw(text.at.range()).filter(|_| is_changed);
        if let Some(place) = place {
            self.write_changed(frame, place, handler);
        }
        self.trim();
        is_changed
    }

    /// Notes whether an event like the one that was just rewritten can be [taken](Self::take_usual) at once: nothing waits for
    /// what it says.
    pub(super) fn note_usual(&mut self, alone: &Alone) {
        let mut texts = self.texts.iter();
        let place = texts.position(|text| text.channel == alone.channel);
        let is_calm = |place: &usize| {
            !R::WITHHOLDS_UNREAD
                && !alone.text.is_empty()
                && self.counting.is_settled()
                && self.texts[*place].is_calm()
                && self.deferred.is_empty()
                && !self.deferred.is_waiting()
        };
        let place = place.filter(is_calm);
        let usual = |place| Usual {
            place,
            has_template: false,
        };
        self.usual = place.and_then(|place| u16::try_from(place).ok().map(usual));
    }
}
