//! Members that repeat each other's reasoning, about which a gate decides together.

use std::collections::BTreeMap;

use super::State;
use crate::channel::MAX_CHANNELS;
use crate::copy_changes::CopyChanges;
use crate::escape::push_content;
use crate::found::{Found, Str};
use crate::reasoning::Reasoning;
use crate::remembering::Unfound;
use crate::steps::{count, each};
use crate::text::TextRewriter;
use crate::text_id::TextId;

use super::pending::EventPlan;
use super::twins::LastDeltas;

/// Most texts of reasoning that are remembered after their end.
const MAX_ENDED: usize = 16;

/// A text of reasoning; a string of its own if it has a place in the event.
type ThoughtId = (TextId, Option<Str>);

/// Reasoning in several members of a choice.
#[derive(Clone, Debug)]
pub(super) struct ThoughtTwins<R> {
    /// Indices with several members in an event; `true` if these were not equal in every event.
    of_index: BTreeMap<u32, bool>,
    /// Texts that have ended and of which something is withheld.
    ended: Vec<(ThoughtId, R)>,
    /// The current event may end the response.
    is_at_end: bool,
    /// For each index, the last deltas of the current event.
    deltas: BTreeMap<u32, LastDeltas>,
}

impl<R> Default for ThoughtTwins<R> {
    fn default() -> Self {
        Self {
            of_index: BTreeMap::new(),
            ended: Vec::new(),
            is_at_end: false,
            deltas: BTreeMap::new(),
        }
    }
}

impl<R: TextRewriter> ThoughtTwins<R> {
    /// Remembers a text that has ended, if something of it is withheld.
    pub(super) fn end(&mut self, id: ThoughtId, rewriter: &R) {
        if !rewriter.withholds() {
            return;
        }
        if self.ended.len() == MAX_ENDED {
            self.ended.remove(0);
        }
        self.ended.push((id, rewriter.clone()));
    }
}

/// The pieces of reasoning of a choice in an event.
struct EventPieces {
    first: (TextId, Str),
    /// Another text has a piece, too.
    has_others: bool,
    /// Each text has one piece, and all are equal.
    is_equal: bool,
}

impl EventPieces {
    const fn of(id: TextId, text: Str) -> Self {
        Self {
            first: (id, text),
            has_others: false,
            is_equal: true,
        }
    }

    fn add(&mut self, (id, text): (TextId, Str), data: &[u8]) {
        let (first, of_first) = self.first;
        if text != of_first {
            count(text.range().len());
            self.has_others |= id != first;
            self.is_equal &= id != first && text.equals(of_first, data);
        }
    }
}

impl<R: TextRewriter> State<R> {
    /// Notes whether the members of an event that have reasoning of a choice are equal.
    pub(super) fn note_thought_twins(&mut self, data: &[u8], all: &[Found]) {
        let is_streamed = self.is_streamed();
        let Some(thoughts) = self.thoughts.as_deref_mut() else {
            return;
        };
        if !R::WITHHOLDS_UNREAD || thoughts.mode == Reasoning::Drop {
            return;
        }
        let twins = &mut thoughts.twins;
        twins.is_at_end = each(all.iter()).any(|one| {
            matches!(
                one,
                Found::Finish(_) | Found::End(_) | Found::Ended(_) | Found::Done
            )
        });
        if !is_streamed {
            // Each response has reasoning of its own.
            twins.ended.retain(|((_, at), _)| at.is_none());
        }
        let mut pieces: BTreeMap<u32, EventPieces> = BTreeMap::new();
        twins.deltas.clear();
        for (place, found) in each(all.iter()).enumerate() {
            if let Found::Reasoning(id, text, _) = *found {
                let deltas = twins.deltas.entry(id.index());
                deltas
                    .and_modify(|deltas| deltas.add(id, place))
                    .or_insert(LastDeltas::of(id, place));
                let pieces = pieces
                    .entry(id.index())
                    .or_insert(EventPieces::of(id, text));
                pieces.add((id, text), data);
            }
        }
        for (
            index,
            EventPieces {
                has_others,
                is_equal,
                ..
            },
        ) in pieces
        {
            let has_room = twins.of_index.len() < MAX_CHANNELS;
            if let Some(is_apart) = twins.of_index.get_mut(&index) {
                *is_apart |= !(has_others && is_equal);
            } else if has_others && has_room {
                twins.of_index.insert(index, !is_equal);
            }
        }
    }

    /// Returns `true` if another member of a choice may still decide about reasoning that is in both.
    pub(super) fn awaits_thought(&self, id: TextId, place: usize) -> bool {
        let Some(thoughts) = self.thoughts.as_deref() else {
            return false;
        };
        let is_apart = thoughts.twins.of_index.get(&id.index()) == Some(&true);
        let deltas = thoughts.twins.deltas.get(&id.index());
        let other = deltas.and_then(|deltas| deltas.other_than(id));
        if is_apart && other > Some(place) {
            return true;
        }
        let mut others = each(thoughts.texts.iter());
        is_apart && others.any(|of| of.id.index() == id.index() && of.id != id && of.is_holding())
    }

    /// Changes what is written of reasoning by the decisions about the same words in other reasoning of its choice.
    pub(super) fn settle_thought(&mut self, (id, at): ThoughtId, out: &mut Vec<u8>) {
        let (Some(thoughts), Some(guard)) = (&mut self.thoughts, &mut self.guard) else {
            return;
        };
        let twins = &mut thoughts.twins;
        let is_equal = twins.of_index.get(&id.index()) == Some(&false);
        let mut settled = CopyChanges::after(guard.effort);
        for text in each(thoughts.texts.iter_mut()) {
            if text.id.index() == id.index() && text.id != id && !is_equal {
                text.rewriter
                    .settle_elsewhere(Unfound::Keeps, out, &mut settled);
            }
        }
        for ((of, of_at), rewriter) in each(twins.ended.iter_mut()) {
            let is_other = of.index() == id.index()
                && (*of != id || *of_at != at || at.is_none() && twins.is_at_end);
            if is_other {
                rewriter.settle_elsewhere(Unfound::Keeps, out, &mut settled);
            }
        }
        guard.effort = settled.effort();
        settled.drop_marks();
        settled.cut(out);
        settled.replace_in(out, b"");
        settled.refuse(out);
    }

    /// Changes the reasoning of an event by the decisions about the same words in other members.
    pub(super) fn settle_thoughts_of_event(
        &mut self,
        data: &[u8],
        all: &[Found],
        pending: &mut EventPlan,
    ) {
        let Some(thoughts) = self.thoughts.as_deref() else {
            return;
        };
        let is_alone = thoughts.texts.len() < 2 && thoughts.twins.ended.is_empty();
        if !R::WITHHOLDS_UNREAD || thoughts.mode == Reasoning::Drop || is_alone {
            return;
        }
        let edits = self.edits.iter().enumerate();
        let edits: BTreeMap<usize, usize> = edits
            .map(|(place, edit)| (edit.place().start, place))
            .collect();
        for found in each(all.iter()) {
            let (id, text, at) = match *found {
                Found::Reasoning(id, text, _) => (id, text, None),
                Found::ReasoningWhole(id, text, false) => (id, text, Some(text)),
                _ => continue,
            };
            let edit = edits.get(&text.range().start).copied();
            let (content, escaped) = match edit {
                Some(edit) => (self.edits.content(edit), true),
                None => (text.content(data), text.escaped),
            };
            let before = provstream::json::decode(content, escaped).text;
            let before = before.as_bytes().to_vec();
            let mut out = before.clone();
            self.settle_thought((id, at), &mut out);
            if out == before {
                continue;
            }
            let start = self.edits.bytes.len();
            push_content(&mut self.edits.bytes, &out);
            match edit {
                Some(edit) => self.edits.renew_at(edit, start),
                None => self.edits.add(text.range(), start),
            }
            pending.change(id.channel);
        }
    }
}
