//! Events like the one before, from their bytes to what is written, in one pass.

use super::alone::Alone;
use super::line_end::LineEnd;
use super::{State, USUAL};
use crate::StreamHandler;
use crate::again::Alike;
use crate::frame::Frame;
use crate::framer::Framer;
use crate::text::TextRewriter;
use provstream::TextChunk;

/// State that the fast path needs for an event that matches the template.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    /// Index of the event's text.
    place: u16,
    /// The pattern for events that are added is such an event, and such events differ in their text alone.
    has_template: bool,
    /// Two line feeds end it, and not one.
    has_blank_line: bool,
    /// Most bytes of an event.
    most: usize,
}

impl Usual {
    /// Returns the end of an event whose data end at `data_end`, if its framing equals that of the last one.
    #[inline]
    fn end(self, bytes: &[u8], data_end: usize) -> Option<usize> {
        let end = match (self.has_blank_line, bytes.get(data_end..)?) {
            (true, [b'\n', b'\n', ..]) => data_end + 2,
            (false, [b'\n', ..]) => data_end + 1,
            _ => return None,
        };
        (end <= self.most).then_some(end)
    }
}

/// Result of the fast path for one event; both variants have the length of the event in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// The event is unchanged, and the caller writes it.
    AsItIs(usize),
    /// The rewritten event was written.
    Written(usize),
}

impl<R: TextRewriter> State<R> {
    /// Processes the event at the start of `bytes`, if it matches the template and the text is not held. Otherwise
    /// returns `None`.
    ///
    /// Fast path: most events of a stream differ from the one before in a few characters of text, most of which are
    /// written unchanged. With many streams, the memory that an event touches, code included, determines its cost. So
    /// one pass over the bytes does the work of framing, reading and rewriting such an event; the slow path handles
    /// all others, for which one copy of the code serves all handlers. The framer [catches up](Self::catch_up) later.
    #[inline]
    pub(crate) fn take_usual(
        &mut self,
        bytes: &[u8],
        handler: &mut impl StreamHandler,
    ) -> Option<Passed> {
        let usual = self.usual?;
        let alike = self.reader.again.read_first(bytes)?;
        let len = usual.end(bytes, alike.end)?;
        let content = alike.text.content(bytes);
        if content.is_empty() || !(alike.is_ascii || core::str::from_utf8(content).is_ok()) {
            return None;
        }
        let state = self.texts.at_mut(usize::from(usual.place))?;
        self.uncounted += len as u64;
        self.reader.report.add_event();
        if let Some(offset) = state.push_unchanged(content, alike.is_ascii) {
            self.reader.report.add_text(content.len());
            self.note_sequence(bytes, alike.sequence);
            handler.text(TextChunk::new(content, offset));
            return Some(Passed::AsItIs(len));
        }
        Some(
            match self.change_usual(&bytes[..len], usual, alike, handler) {
                true => Passed::Written(len),
                false => Passed::AsItIs(len),
            },
        )
    }

    /// Rewrites such an event, whose text may change; whether it was written.
    #[inline(never)]
    fn change_usual(
        &mut self,
        raw: &[u8],
        usual: Usual,
        alike: Alike,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        self.note_sequence(raw, alike.sequence);
        let Some(state) = self.texts.at_mut(usize::from(usual.place)) else {
            return false;
        };
        self.edits.clear();
        let content = alike.text.content(raw);
        let edit = &mut self.edits.bytes;
        let is_changed = state.push_plain(content, &mut self.scratch, edit, handler);
        self.reader.report.add_text(content.len());
        // A template keeps at most `USUAL` bytes.
        let is_short = raw.len() <= USUAL;
        let has_template = usual.has_template && is_short;
        if self.reader.again.is_repeatable() && state.note_holding() && !has_template {
            let lead = self.reader.again.lead();
            let text = alike.text.range();
            let frame = Frame::of_line(raw, 0, lead..alike.end);
            state
                .template
                .keep(&frame, text.start - lead..text.end - lead);
            let has_template = is_short && self.reader.again.varies_in_text_alone();
            self.usual = Some(Usual {
                has_template,
                ..usual
            });
        }
        if is_changed {
            // Nothing that was written before it is held back, and what comes next is at the start of a line as before.
            let out = self.changed(raw, alike.text.range());
            handler.bytes(&out);
            self.take_back(out);
        }
        if !is_short || self.edits.bytes.len() > USUAL {
            self.trim();
        }
        is_changed
    }

    /// Has the framer count the events that were taken without it.
    pub(crate) fn catch_up(&mut self, framer: &mut Framer) {
        let uncounted = core::mem::take(&mut self.uncounted);
        // Without such events, the framer may be in the middle of one, whose start stays.
        if uncounted > 0 {
            framer.pass_events(uncounted);
        }
    }

    /// Lets the next event be taken without the framer only if the framer is between two events, and keeps how such an event begins
    /// and ends.
    pub(super) fn settle_usual(&mut self, framer: &Framer) {
        let Some(usual) = &mut self.usual else {
            return;
        };
        match framer.around() {
            Some((before, after)) => {
                self.reader.again.set_lead(before);
                usual.has_blank_line = after.len() == 2;
                usual.most = framer.max_event();
            }
            None => self.usual = None,
        }
    }

    /// Notes whether an event like the one that was just rewritten can be [taken](Self::take_usual) at once: nothing waits for
    /// what it says. The framer has to [agree](Self::settle_usual).
    pub(super) fn note_usual(&mut self, alone: &Alone) {
        let place = self.texts.find(alone.id);
        let is_calm = |place: &usize| {
            !R::WITHHOLDS_UNREAD
                && !alone.text.is_empty()
                && matches!(self.line_end, LineEnd::Lf)
                && self.counting.is_settled()
                && self.texts[*place].is_calm()
                && self.deferred.is_empty()
                && !self.deferred.is_waiting()
        };
        let place = place.filter(is_calm);
        let usual = |place| Usual {
            place,
            has_template: false,
            has_blank_line: false,
            most: 0,
        };
        self.usual = place.and_then(|place| u16::try_from(place).ok().map(usual));
    }
}
