//! Applies the facts of an event to its texts.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::State;
use super::channels::Texts;
use super::pending::EventPlan;
use crate::StreamHandler;
use crate::found::{Found, Repeats, Str};
use crate::frame::Frame;
use crate::item::Item;
use crate::message;
use crate::steps::each;
use crate::template::EventTemplate;
use crate::text::TextRewriter;
use crate::text_id::{Member, TextId};

/// Maximum number of texts of an event whose templates are learned by a pass over the event. Further texts get the
/// template of another one.
const MAX_TEMPLATES: usize = 8;

impl<R: TextRewriter> State<R> {
    /// Applies all facts of an event. A gate decides about a text before its repetitions.
    pub(super) fn apply_all(
        &mut self,
        frame: &Frame<'_>,
        found: &[Found],
        pending: &mut EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        if self.reader.ends_reading {
            // A block that holds text back has text.
            if !each(found.iter()).any(|one| matches!(one, Found::Text(..))) {
                for one in each(found.iter()) {
                    match *one {
                        Found::CutOff(id) => self.cut_off(id),
                        Found::End(id) => self.end(id, true, handler),
                        _ => {}
                    }
                }
            }
            self.blocks.close();
            self.settle_all(handler);
        }
        let has_repeats = R::WITHHOLDS_UNREAD && found.iter().any(Found::is_repeat);
        let repeats = |one: &Found| has_repeats && one.is_repeat();
        let first = self.twins.as_ref().map(|twins| twins.first());
        let first = first.unwrap_or_default();
        for place in each(first.iter().copied()) {
            self.apply(frame, &found[place], (found, place), pending, handler);
        }
        for (place, one) in each(found.iter()).enumerate() {
            if !repeats(one) && first.binary_search(&place).is_err() {
                self.apply(frame, one, (found, place), pending, handler);
            }
        }
        if has_repeats {
            for (place, one) in each(found.iter()).enumerate() {
                if repeats(one) && first.binary_search(&place).is_err() {
                    self.apply(frame, one, (found, place), pending, handler);
                }
            }
        }
        // Texts that ended in the same event are not waited for.
        let texts = &self.texts;
        let is_holding = |id| texts.get(id).is_some_and(|text| text.is_holding());
        pending.waits.retain(|(id, _)| is_holding(*id));
    }

    /// Returns `true` if the events of a text have a template, which an end of a block takes away, or the text has not begun.
    fn has_template(&self, id: TextId) -> bool {
        let state = self.texts.get(id);
        state.is_none_or(|state| !state.template.is_empty())
    }

    /// Applies one fact of an event; `all` are its facts, and `place` is the index of this one.
    #[expect(
        clippy::too_many_arguments,
        reason = "its parts are borrowed one by one"
    )]
    fn apply(
        &mut self,
        frame: &Frame<'_>,
        found: &Found,
        (all, place): (&[Found], usize),
        pending: &mut EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        match *found {
            Found::Text(id, text, piece) => {
                let is_last = pending.last_texts.binary_search(&place).is_ok();
                self.note_twins(&frame.data, all, place);
                self.begin_text(frame, (id, text, piece), pending, handler);
                if self.text(frame, (id, text), (is_last, piece.is_again), place, handler) {
                    pending.change(id.channel);
                }
                if piece.is_repeatable && !(text.is_empty() && self.has_template(id)) {
                    pending.repeatable(id, text);
                }
            }
            Found::Whole(id, text, repeats) => {
                if self.whole(frame, (id, text, repeats), Some(pending), handler) {
                    pending.change(id.channel);
                }
            }
            Found::Quote(_, text) if R::WITHHOLDS_UNREAD => {
                self.empty(text);
            }
            Found::Quote(id, text) => {
                // Offsets are into the text, not into a passage of it.
                self.whole(frame, (id, text, Repeats::All), None, handler);
            }
            Found::Reasoning(_, text, false) | Found::ReasoningWhole(_, text, false) => {
                self.reader.report.add_reasoning(text.range().len());
            }
            Found::Break(id) => self.end(id, true, handler),
            Found::BreakAll => {
                for place in each(0..self.texts.len()) {
                    self.end(self.texts[place].id, true, handler);
                }
            }
            Found::Broken(channel) => handler.item(Item::Break(channel)),
            Found::Finish(id) => {
                let text = self.texts.get(id);
                if text.is_some_and(|text| text.is_holding()) {
                    pending.wait(id, all);
                }
            }
            Found::End(id) => {
                let text = self.texts.get(id);
                let is_open = text.is_some_and(|text| text.is_in_beginning());
                match is_open && !self.reader.ends_reading {
                    // More text would complete it.
                    true => pending.wait(id, all),
                    false => self.end(id, true, handler),
                }
                self.blocks.close();
            }
            Found::CutOff(id) => self.cut_off(id),
            Found::MakesRoom(id) => self.make_room(id, handler),
            Found::Ended(channel) => handler.item(Item::ChannelEnd(channel)),
            Found::Forget(id) => self.forget(id),
            Found::Logprobs(channel, value) => {
                pending.logprobs.push((channel, value));
                if R::WITHHOLDS_UNREAD {
                    // The tokens may be of text in another event.
                    pending.change(channel);
                }
            }
            Found::Echo(value, shape) => self.empty_echo(frame, value, shape),
            Found::Unread(text) if R::WITHHOLDS_UNREAD => {
                self.empty(text);
            }
            Found::Sequence(value) => self.sequence(frame, value, pending),
            Found::Offset(channel, value, of_prompt) => {
                pending.offsets.push((channel, value, of_prompt));
            }
            Found::Error(error, _) => {
                let message = message::of(error.bytes(&frame.data));
                handler.item(Item::Error(Cow::Borrowed(&message)));
            }
            Found::Done => handler.item(Item::End),
            Found::Unread(_)
            | Found::Tool(..)
            | Found::ToolJson(..)
            | Found::Element(_)
            | Found::Reasoning(..)
            | Found::ReasoningWhole(..)
            | Found::ReasoningEnd(_)
            | Found::ReasoningPartEnd(_) => {}
        }
    }
}

/// Learns an event as the template of events that are added for held text of these channels. Each channel is given
/// with its last string in the event.
pub(super) fn keep_templates<R: TextRewriter>(
    frame: &Frame<'_>,
    texts: &mut Texts<R>,
    last: impl Iterator<Item = (TextId, Str)>,
) {
    let mut kept: SmallVec<[(Member, usize, EventTemplate); 1]> = SmallVec::new();
    for (id, text) in last {
        let state = texts.get_mut(id);
        let Some(state) = state.filter(|state| state.is_holding()) else {
            continue;
        };
        // The event has the same members for other numbers.
        let place = kept.iter().position(|(member, ..)| *member == id.member);
        let place = place.unwrap_or_else(|| {
            kept.push((id.member, 0, EventTemplate::new()));
            kept.len() - 1
        });
        let (_, passes, last) = &mut kept[place];
        if *passes < MAX_TEMPLATES {
            state.template.keep(frame, text.range());
            *passes += 1;
            if *passes == MAX_TEMPLATES {
                last.clone_from(&state.template);
            }
        } else {
            state.template.keep_other(last);
        }
    }
}
