//! Reasoning, where it is not left as it is.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::State;
use super::channels::Texts;
use super::insert::Inserted;
use super::keep_templates;
use super::pending::EventPlan;
use super::thought_ends::{LastPieces, ReasoningEnds, ends};
use super::thought_twins::ThoughtTwins;
use crate::Format;
use crate::StreamHandler;
use crate::channel::MAX_CHANNELS;
use crate::found::{Found, Str};
use crate::frame::{Frame, Kind};
use crate::item::NoticeCode;
use crate::reasoning::Reasoning;
use crate::steps::each;
use crate::text::{self, Text, TextDelta, TextRewriter};
use crate::text_id::TextId;
use crate::whole::{self, WholeText};

/// Treatment of reasoning, with the reasoning texts that are open.
#[derive(Clone, Debug)]
pub(super) struct Thoughts<R> {
    pub(super) mode: Reasoning,
    /// The event is the last one, so that nothing can be added after it.
    pub(super) is_final: bool,
    /// The event has reasoning of one text more than there may be.
    pub(super) is_full: bool,
    /// At most [`MAX_CHANNELS`].
    pub(super) texts: Texts<R>,
    /// For a gate: members that repeat others.
    pub(super) twins: ThoughtTwins<R>,
}

impl<R> Thoughts<R> {
    /// Nothing if reasoning is left as it is.
    pub(super) fn new(mode: Reasoning) -> Option<Box<Self>> {
        (mode != Reasoning::Leave).then(|| {
            Box::new(Self {
                mode,
                is_final: false,
                is_full: false,
                texts: Texts::default(),
                twins: ThoughtTwins::default(),
            })
        })
    }

    /// Resets the state to the start of a response.
    pub(super) fn clear(&mut self) {
        self.texts.clear();
        self.twins = ThoughtTwins::default();
    }
}

/// Reasoning that has ended, and what it held back.
struct Ended<R> {
    text: Text<R>,
    rest: Vec<u8>,
}

impl<R: TextRewriter> State<R> {
    /// Rewrites or empties the reasoning of an event, which is the last of a stream that ends within it or not, and ends what
    /// the event comes after.
    #[cold]
    pub(super) fn rewrite_thoughts(
        &mut self,
        (frame, is_final): (&Frame<'_>, bool),
        all: &[Found],
        pending: &mut EventPlan,
        handler: &mut dyn StreamHandler,
    ) {
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.is_final = is_final;
        }
        self.note_thought_twins(&frame.data, all);
        // There the order of members means nothing.
        let is_ordered = !matches!(
            self.reader.format(),
            Some(Format::OpenAiChat | Format::Ollama)
        );
        let last = LastPieces::of(all, (is_ordered, self.is_whole()));
        let mut last_pieces = BTreeMap::new();
        for (place, found) in each(all.iter()).enumerate() {
            if is_ordered {
                self.end_thoughts(ends(found), true, handler);
            }
            let (id, changed) = match *found {
                Found::Reasoning(id, text, is_again) => {
                    last_pieces.insert(id, text);
                    let piece = ThoughtPiece {
                        id,
                        text,
                        is_again,
                        is_last: last.has(place),
                        place,
                    };
                    (id, self.thought(frame, piece, handler))
                }
                // What was decided about it is not known any more.
                Found::ReasoningWhole(id, text, true) if R::WITHHOLDS_UNREAD => {
                    (id, self.empty(text))
                }
                Found::ReasoningWhole(id, text, _) => {
                    (id, self.whole_thought(frame, (id, text), handler))
                }
                _ => continue,
            };
            if changed {
                pending.change(id.channel);
            }
        }
        self.settle_thoughts_of_event(&frame.data, all, pending);
        if !is_ordered {
            for found in each(all.iter()) {
                self.end_thoughts(ends(found), true, handler);
            }
        }
        if let Some(thoughts) = &mut self.thoughts {
            keep_templates(frame, &mut thoughts.texts, each(last_pieces.into_iter()));
        }
        if is_final {
            // Nothing can be added after it.
            self.end_thoughts(Some(ReasoningEnds::All), true, handler);
        }
    }

    /// Rewrites or empties a piece of reasoning; whether it changes.
    fn thought(
        &mut self,
        frame: &Frame<'_>,
        piece: ThoughtPiece,
        handler: &mut dyn StreamHandler,
    ) -> bool {
        let ThoughtPiece { id, text, .. } = piece;
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        self.announce_thought(id, piece.is_again, handler);
        let Some(place) = self.begin_thought(id) else {
            return R::WITHHOLDS_UNREAD && self.empty(text);
        };
        let goes_on = self.goes_on() || self.awaits_thought(id, piece.place);
        let (Some(thoughts), start) = (&mut self.thoughts, self.edits.bytes.len()) else {
            return false;
        };
        let state = &mut thoughts.texts[place];
        state.is_again = piece.is_again;
        state.goes_on = goes_on;
        let delta = TextDelta {
            content: text.content(&frame.data),
            escaped: text.escaped,
            is_last: piece.is_last,
        };
        let edit = &mut self.edits.bytes;
        let (_, changed) = state.push(&delta, &mut self.scratch, edit, handler);
        if changed {
            self.edits.add(text.range(), start);
        }
        changed
    }

    /// The place of a text of reasoning, which begins if it has not; `None` if there are too many.
    fn begin_thought(&mut self, id: TextId) -> Option<usize> {
        let known = |thoughts: &Thoughts<R>| thoughts.texts.find(id);
        if let Some(place) = self.thoughts.as_deref().and_then(known) {
            return Some(place);
        }
        let rewriter = self.begin_next(text::reasoning(id))?;
        let thoughts = self.thoughts.as_mut()?;
        if thoughts.texts.len() == MAX_CHANNELS {
            thoughts.is_full = true;
            return None;
        }
        Some(thoughts.texts.add(Text::new(id, rewriter, None)))
    }

    /// Rewrites or empties reasoning that is a string of its own; whether it changes.
    fn whole_thought(
        &mut self,
        frame: &Frame<'_>,
        (id, text): (TextId, Str),
        handler: &mut dyn StreamHandler,
    ) -> bool {
        if self.mode() == Reasoning::Drop {
            return self.empty(text);
        }
        self.announce_thought(id, false, handler);
        let start = self.edits.bytes.len();
        if !self.restart_whole(id, text::reasoning(id), false) {
            return false;
        }
        let Some(rewriter) = &mut self.whole else {
            return false;
        };
        let whole = WholeText {
            only: None,
            id,
            data: &frame.data,
            text,
            more: false,
            is_begun: false,
            // A gate reports what it decides.
            is_repeated: !R::WITHHOLDS_UNREAD,
            may_go_on: false,
            is_uncertain: false,
            effort: 0,
            words: None,
            texts: &mut [],
            removed: None,
        };
        let edit = &mut self.edits.bytes;
        let written =
            whole::rewrite_whole(&mut **rewriter, whole, &mut self.scratch, edit, handler);
        if let Some(thoughts) = &mut self.thoughts {
            thoughts.twins.end((id, Some(text)), rewriter);
        }
        if written.changed {
            self.edits.add(text.range(), start);
        }
        written.changed
    }

    /// Ends reasoning, and writes what it held back in events of its own, which another one follows or not.
    #[cold]
    pub(super) fn end_thoughts(
        &mut self,
        which: Option<ReasoningEnds>,
        is_before_event: bool,
        handler: &mut dyn StreamHandler,
    ) {
        let place = |thoughts: &Thoughts<R>| match which? {
            ReasoningEnds::All => thoughts.texts.oldest(|_| true),
            ReasoningEnds::Index(index) => thoughts.texts.find_index(index),
            ReasoningEnds::Channel(channel) => {
                thoughts.texts.oldest(|text| text.id.channel == channel)
            }
        };
        let mut ended: SmallVec<[Ended<R>; 0]> = SmallVec::new();
        while let Some(thoughts) = &mut self.thoughts
            && let Some(place) = place(thoughts)
        {
            let mut text = thoughts.texts.remove(place);
            self.announce_thought(text.id, text.is_again, handler);
            let rest = text.finish(&mut self.scratch, handler).to_vec();
            if let Some(thoughts) = &mut self.thoughts {
                thoughts.twins.end((text.id, None), &text.rewriter);
            }
            ended.push(Ended { text, rest });
        }
        for Ended { text, rest } in each(ended.iter_mut()) {
            self.settle_thought((text.id, None), rest);
        }
        ended.retain(|ended| !ended.rest.is_empty());
        self.insert_thoughts(&ended, is_before_event, handler);
    }

    /// Writes what ended reasoning held back: that of the members of one event in one event.
    fn insert_thoughts(
        &mut self,
        ended: &[Ended<R>],
        is_before_event: bool,
        handler: &mut dyn StreamHandler,
    ) {
        let is_beside =
            |one: &Ended<R>, other: &Ended<R>| one.text.template.is_of_event(&other.text.template);
        for (place, first) in each(ended.iter()).enumerate() {
            if each(ended[..place].iter()).any(|before| is_beside(before, first)) {
                continue;
            }
            let others = each(ended[place + 1..].iter()).filter(|other| is_beside(first, other));
            let others = others.map(|other| (other.text.template.text_start(), &*other.rest));
            let others: SmallVec<[(u32, &[u8]); 1]> = others.collect();
            let of = Inserted {
                id: first.text.id,
                template: &first.text.template,
                block: None,
                is_text: false,
                others: &others,
            };
            self.insert(of, &first.rest, None, is_before_event, handler);
        }
    }

    /// Returns the diagnostic about an event with more reasoning texts than allowed, which is also reported.
    #[cold]
    pub(super) fn too_many_thoughts(&mut self) -> Option<NoticeCode> {
        let thoughts = self.thoughts.as_mut()?;
        if !core::mem::take(&mut thoughts.is_full) {
            return None;
        }
        self.reader.report.add_notice(NoticeCode::LimitChannels);
        Some(NoticeCode::LimitChannels)
    }

    fn mode(&self) -> Reasoning {
        let thoughts = self.thoughts.as_ref();
        thoughts.map_or(Reasoning::Leave, |thoughts| thoughts.mode)
    }

    /// Returns `true` if the event is the whole response, so nothing can be added after it.
    fn is_whole(&self) -> bool {
        let is_final = self
            .thoughts
            .as_ref()
            .is_some_and(|thoughts| thoughts.is_final);
        match self.envelope {
            _ if is_final => true,
            Kind::Body => true,
            Kind::Lines => !matches!(
                self.reader.format(),
                Some(Format::Ollama | Format::BedrockConverse)
            ),
            _ => false,
        }
    }

    fn announce_thought(&mut self, id: TextId, is_again: bool, handler: &mut dyn StreamHandler) {
        // What is not reported is in the same place as what is.
        if !is_again {
            self.announce(text::reasoning(id), handler);
        }
    }
}

/// A piece of reasoning.
#[derive(Clone, Copy, Debug)]
struct ThoughtPiece {
    id: TextId,
    text: Str,
    /// The delta repeats one in another member.
    is_again: bool,
    /// Something comes after it that ends the reasoning.
    is_last: bool,
    /// Index of its fact.
    place: usize,
}
