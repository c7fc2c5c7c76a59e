//! Ends of reasoning within an event.

use std::collections::BTreeMap;

use crate::Channel;
use crate::found::Found;
use crate::steps::each;
use crate::text_id::TextId;

/// The reasoning that something comes after.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReasoningEnds {
    All,
    /// The reasoning of all channels with this index.
    Index(u32),
    /// The reasoning of this channel.
    Channel(Channel),
}

/// The reasoning that something that an event says comes after.
pub(super) fn ends(found: &Found) -> Option<ReasoningEnds> {
    match found {
        Found::Text(_, text, _) if text.is_empty() => None,
        Found::Text(id, ..) | Found::Whole(id, ..) | Found::Break(id) | Found::End(id) => {
            Some(ReasoningEnds::Index(id.index()))
        }
        Found::ReasoningEnd(channel) | Found::Tool(channel, _) | Found::ToolJson(channel, _) => {
            Some(ReasoningEnds::Index(channel.index()))
        }
        Found::ReasoningPartEnd(channel) => Some(ReasoningEnds::Channel(*channel)),
        Found::Error(_, Some(choice)) => Some(ReasoningEnds::Index(*choice)),
        Found::BreakAll | Found::Done | Found::Error(_, None) => Some(ReasoningEnds::All),
        _ => None,
    }
}

/// The places of the last things that an event says that come after reasoning.
#[derive(Clone, Debug, Default)]
pub(super) struct LastEnds {
    all: Option<usize>,
    of_index: BTreeMap<u32, usize>,
}

impl LastEnds {
    pub(super) fn of(found: &[Found]) -> Self {
        let mut last = Self::default();
        let is_reasoning = |one: &Found| matches!(one, Found::Reasoning(..));
        if !each(found.iter()).any(is_reasoning) {
            return last;
        }
        for (place, one) in each(found.iter()).enumerate() {
            match ends(one) {
                Some(ReasoningEnds::All) => last.all = Some(place),
                Some(ReasoningEnds::Index(index)) => {
                    last.of_index.insert(index, place);
                }
                // No event has reasoning beside it.
                Some(ReasoningEnds::Channel(_)) | None => {}
            }
        }
        last
    }

    /// Returns `true` if the event ends this reasoning text after the fact at index `place`.
    pub(super) fn is_after(&self, place: usize, id: TextId) -> bool {
        let of_index = self.of_index.get(&id.index()).copied();
        self.all.max(of_index) > Some(place)
    }
}
