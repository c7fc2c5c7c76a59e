//! Copies of texts, and texts that are forgotten.

use super::State;
use crate::StreamHandler;
use crate::found::{Found, Repeats, Str};
use crate::frame::Frame;
use crate::item::{Notice, NoticeCode};
use crate::steps::each;
use crate::text::TextRewriter;
use crate::text_id::{Member, TextId};
use crate::whole::WholeWritten;
use crate::words::Words;

/// Fewest letters and digits of a delta that is a copy: shorter ones occur twice in ordinary text.
const SHORTEST: u64 = 4;

impl<R: TextRewriter> State<R> {
    /// Ends a text to which more may come, before it is forgotten: what is held back of it has reached a limit.
    pub(super) fn make_room(&mut self, id: TextId, handler: &mut dyn StreamHandler) {
        if let Some(text) = self.texts.get_mut(id) {
            text.is_at_limit = R::WITHHOLDS_UNREAD;
        }
        self.end(id, true, handler);
    }

    /// Drops a text of which no more comes.
    pub(super) fn forget(&mut self, id: TextId) {
        let place = self.texts.find(id);
        // One that ended in the beginning of an annotation is waited for.
        let is_over =
            |place: &usize| id.member == Member::Message || !self.texts[*place].is_in_beginning();
        if let Some(place) = place.filter(is_over) {
            // The decisions about a message are those about the content.
            self.has_forgotten |=
                id.member != Member::Message && self.texts[place].rewriter.withholds();
            self.drop_text(place);
        }
    }

    /// Removes a text.
    pub(super) fn drop_text(&mut self, place: usize) {
        let mut text = self.texts.remove(place);
        if self.fresh.is_none() && self.texts.len() == 0 {
            // What the next text begins with.
            text.rewriter.renew();
            self.fresh = Some(Box::new(text.rewriter));
        }
    }

    /// Finds deltas that are copies: at the end of a text, some servers repeat all of it in one more delta, and the text that
    /// an item begins with may be that of another one. Only a gate has to know, because the copy has no annotations.
    pub(super) fn find_copies(
        &mut self,
        frame: &Frame<'_>,
        odd: Option<NoticeCode>,
        found: &mut Vec<Found>,
    ) {
        if let Some(guard) = &mut self.guard {
            // Copies may take as long as the rest of the stream does.
            guard.effort = guard.effort.saturating_sub(64 * frame.raw.len() as u64);
        }
        if odd == Some(NoticeCode::LimitChannels) {
            // It is not known whose content the event has.
            found.retain(|one| !one.is_content());
        }
        self.find_members(found);
        for one in each(found.iter_mut()) {
            if let Found::Text(id, text, piece) = *one
                && (piece.is_at_end || !piece.is_repeatable)
                && !(piece.is_again || text.is_empty())
                && (!piece.is_joined || self.has_forgotten && self.is_streamed())
                && self.is_copy(frame, (id, text), !piece.is_repeatable)
            {
                *one = Found::Whole(id, text, Repeats::All);
            }
        }
    }

    /// Returns `true` if a delta has all words of its text so far, some of which are withheld. If it is the first one of its text,
    /// returns `true` if it has all words of another text of its channel, or, with `is_initial`, of any text: an item begins with it.
    #[cold]
    fn is_copy(&mut self, frame: &Frame<'_>, (id, text): (TextId, Str), is_initial: bool) -> bool {
        let is_first = self.texts.find(id).is_none();
        if is_first && self.has_forgotten {
            return true;
        }
        let mut words = None;
        for of in each(self.texts.as_mut_slice().iter_mut()) {
            let is_beside = is_first && (is_initial || of.id.channel == id.channel);
            if of.id != id && !is_beside || of.seams.is_some() {
                continue;
            }
            if is_beside {
                of.rewriter.look_ahead();
                if of.rewriter.end().is_some() {
                    // Nothing may be left of a text that the policy ended.
                    return true;
                }
            }
            // Most deltas at an end are shorter than what is decided.
            if (text.range().len() as u64) < of.rewriter.words(false).letters() {
                continue;
            }
            let (words, has_bracket) = words.get_or_insert_with(|| {
                let mut words = Words::default();
                let content = text.content(&frame.data);
                let decoded = provstream::json::decode(content, text.escaped);
                words.add(decoded.text.as_bytes());
                (words, decoded.text.contains('['))
            });
            of.rewriter.look_ahead();
            let so_far = of.rewriter.words(true);
            // A bracket may be one of an annotation that the copy has itself.
            let is_same = match has_bracket {
                true => so_far.is_like(words),
                false => so_far.reads_like(words),
            };
            // Ordinary text may repeat itself; only what is withheld of it matters.
            let is_meant = of.id != id || of.rewriter.withholds();
            if words.letters() >= SHORTEST && is_same && is_meant {
                return true;
            }
        }
        false
    }

    /// Returns the decided words of a text that a full text repeats, and `true` if a gate holds some of the text back.
    pub(super) fn look_ahead(&mut self, id: TextId, repeats: Repeats) -> (Option<Words>, bool) {
        let Some(text) = self.texts.get_mut(id) else {
            return (None, false);
        };
        let is_all = repeats == Repeats::All;
        if is_all {
            text.rewriter.look_ahead();
        }
        let words = text.rewriter.words(is_all);
        (Some(words), R::WITHHOLDS_UNREAD && text.is_holding())
    }

    /// Takes the effort for a copy, and reports one that was emptied because of a limit, or of which a gate withholds what the
    /// text does not have: the events are those of the text.
    pub(super) fn note_copy(
        &mut self,
        frame: &Frame<'_>,
        written: &WholeWritten,
        (is_repeated, may_be_forgotten): (bool, bool),
        handler: &mut dyn StreamHandler,
    ) {
        if let Some(guard) = &mut self.guard {
            guard.effort = written.effort;
        }
        let whole = self.whole.as_deref();
        if is_repeated
            && whole.is_some_and(|copy| copy.withholds_more(self.texts.iter().as_slice()))
        {
            self.notice(Notice::new(NoticeCode::WithheldData, frame.span()), handler);
        }
        if written.is_exhausted || written.is_emptied && may_be_forgotten {
            self.notice(
                Notice::new(NoticeCode::LimitChannels, frame.span()),
                handler,
            );
        }
    }
}
