//! Events like the one before, from their bytes to what is written, in one pass.

use super::State;
use super::alone::Alone;
use super::line_end::LineEnd;
use crate::StreamHandler;
use crate::frame::Frame;
use crate::framer::Framer;
use crate::text::TextRewriter;
use provstream::TextChunk;

/// What became of an event like the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It is to be written as it is.
    AsItIs(usize),
    /// What it becomes is written.
    Written(usize),
}

impl<R: TextRewriter> State<R> {
    /// Takes the event that begins the bytes, if it is like the one before, and nothing that was held back depends on it.
    ///
    /// The fast path: most events of a stream differ from the one before in a few characters of text, which are written as they
    /// are. With many streams, what an event costs is the memory that it touches, code included. So one pass over the bytes
    /// does what framing, reading and rewriting do with such an event, and no more; any other is left to those.
    #[inline]
    pub(crate) fn take_usual(
        &mut self,
        framer: &mut Framer,
        bytes: &[u8],
        handler: &mut impl StreamHandler,
    ) -> Option<Passed> {
        let place = self.usual?;
        let (before, after) = framer.around()?;
        let rest = bytes.strip_prefix(before)?;
        let (text, len) = self.reader.again.read_first(rest)?;
        let len_all = before.len() + len + after.len();
        if !rest[len..].starts_with(after) || len_all > framer.max_event() {
            return None;
        }
        let content = text.at.content(rest);
        if content.is_empty() || !(content.is_ascii() || core::str::from_utf8(content).is_ok()) {
            return None;
        }
        let state = self.texts.get_mut(usize::from(place))?;
        let data = before.len()..before.len() + len;
        let start = framer.position();
        framer.pass_event(len_all);
        self.reader.report.add_event();
        self.line_end = LineEnd::default();
        let Some(offset) = state.rewriter.push_unchanged(content) else {
            let alone = Alone {
                channel: state.channel,
                text: text.at,
                is_repeatable: text.repeatable,
            };
            let frame = Frame::of_line(&bytes[..len_all], start, data);
            self.usual = None;
            self.rewrite_alone(&frame, alone, handler);
            return Some(Passed::Written(len_all));
        };
        state.passed(content);
        self.reader.report.add_text(content.len());
        handler.text(TextChunk::new(content, offset));
        Some(Passed::AsItIs(len_all))
    }

    /// Notes whether an event like the one that was just rewritten can be [taken](Self::take_usual) at once: nothing of its text
    /// is held back, and nothing waits for what comes next.
    pub(super) fn note_usual(&mut self, alone: &Alone) {
        let mut texts = self.texts.iter();
        let place = texts.position(|text| text.channel == alone.channel);
        let is_calm = |place: &usize| {
            !R::WITHHOLDS_UNREAD
                && !alone.text.is_empty()
                && self.counting.is_settled()
                && self.texts[*place].is_calm()
                && !self.deferred.is_waiting()
        };
        let place = place.filter(is_calm);
        self.usual = place.and_then(|place| u16::try_from(place).ok());
    }
}
