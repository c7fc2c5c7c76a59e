//! Members of a choice that repeat each other's deltas, about which a gate decides together.

use smallvec::SmallVec;

use super::State;
use crate::Channel;
use crate::channel::MAX_CHANNELS;
use crate::escape::push_content;
use crate::found::{Found, Str};
use crate::remembering::{CopyChanges, Unfound};
use crate::steps::each;
use crate::text::TextRewriter;
use crate::text_id::TextId;

/// Number of facts before and after a delta among which that of another member is looked for.
const NEXT: usize = 8;

/// Channels of which a member repeated another one from its start.
#[derive(Clone, Debug, Default)]
pub(super) struct Twins(SmallVec<[Twin; 0]>);

#[derive(Clone, Copy, Debug)]
struct Twin {
    of: Channel,
    /// A delta was in one of the members only. No server does so on purpose, and either one may have the annotations of
    /// the text that both have.
    is_apart: bool,
}

impl Twins {
    fn get_mut(&mut self, of: Channel) -> Option<&mut Twin> {
        each(self.0.iter_mut()).find(|twin| twin.of == of)
    }

    /// Returns `true` if members that were equal are not any more.
    pub(super) fn are_apart(&self, of: Channel) -> bool {
        each(self.0.iter()).any(|twin| twin.of == of && twin.is_apart)
    }
}

impl<R: TextRewriter> State<R> {
    /// Notes whether another member has the delta, too, which is the fact at index `place` of all.
    pub(super) fn note_twins(&mut self, data: &[u8], all: &[Found], place: usize) {
        let Some(Found::Text(id, text, piece)) = all.get(place) else {
            return;
        };
        if !R::WITHHOLDS_UNREAD || text.is_empty() || !(piece.is_again || self.twins.is_some()) {
            return;
        }
        let near = &all[place.saturating_sub(NEXT)..all.len().min(place + NEXT)];
        let is_both = near.iter().any(|one| match one {
            Found::Text(of, other, _) => {
                let is_beside = of.channel == id.channel && of.member != id.member;
                is_beside && text.equals(*other, data)
            }
            _ => false,
        });
        let is_again = piece.is_again;
        let twins = self.twins.get_or_insert_default();
        if let Some(twin) = twins.get_mut(id.channel) {
            twin.is_apart |= !is_both;
        } else if is_again && twins.0.len() < MAX_CHANNELS {
            twins.0.push(Twin {
                of: id.channel,
                is_apart: false,
            });
        }
    }

    /// Returns `true` if members of a channel were equal and are not any more.
    pub(super) fn are_apart(&self, channel: Channel) -> bool {
        let twins = self.twins.as_ref();
        twins.is_some_and(|twins| twins.are_apart(channel))
    }

    /// Returns `true` if another member of a channel may still decide about words that are in both.
    pub(super) fn awaits_twin(&self, id: TextId) -> bool {
        let mut others = each(self.texts.iter());
        others.any(|of| of.id.channel == id.channel && of.id != id && of.is_holding())
    }

    /// Changes what is written of a member by the decisions about the same words in the others.
    pub(super) fn settle_twin(&mut self, id: TextId, out: &mut Vec<u8>) {
        let mut settled = CopyChanges::default();
        for of in each(self.texts.iter_mut()) {
            if of.id.channel == id.channel && of.id != id {
                of.rewriter
                    .settle_elsewhere(Unfound::Keeps, out, &mut settled);
            }
        }
        settled.drop_marks();
        settled.cut(out);
        settled.replace_in(out, b"");
        settled.refuse(out);
    }

    /// Changes the content of a delta by the decisions about the same words in the other members of its channel. Its edit
    /// begins at `start` if it `is_changed` already. Returns `true` if the delta changes.
    pub(super) fn settle_twin_delta(
        &mut self,
        data: &[u8],
        (id, text): (TextId, Str),
        (start, is_changed): (usize, bool),
    ) -> bool {
        let (content, escaped) = match is_changed {
            true => (&self.edits.bytes[start..], true),
            false => (text.content(data), text.escaped),
        };
        let before = provstream::json::decode(content, escaped).text;
        let before = before.as_bytes().to_vec();
        let mut out = before.clone();
        self.settle_twin(id, &mut out);
        if out == before {
            return is_changed;
        }
        self.edits.bytes.truncate(start);
        push_content(&mut self.edits.bytes, &out);
        true
    }
}
