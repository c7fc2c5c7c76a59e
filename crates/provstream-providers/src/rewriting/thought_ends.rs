//! Ends of reasoning within an event.

use std::collections::BTreeMap;

use crate::Channel;
use crate::found::Found;
use crate::steps::each;

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

/// The pieces of reasoning in an event that something ends before the next piece of their text.
#[derive(Clone, Debug, Default)]
pub(super) struct LastPieces {
    /// Places of the pieces, sorted.
    places: Vec<usize>,
}

impl LastPieces {
    /// Finds the pieces. Members have an order or not, and nothing is read after the event or not.
    pub(super) fn of(found: &[Found], (is_ordered, is_whole): (bool, bool)) -> Self {
        let mut places = Vec::new();
        let is_reasoning = |one: &Found| matches!(one, Found::Reasoning(..));
        if !each(found.iter()).any(is_reasoning) {
            return Self { places };
        }
        // The nearest ends after the place that is looked at: those of all reasoning, and those of an index.
        let (mut all, mut of_index) = (is_whole.then_some(found.len()), BTreeMap::new());
        let end = |one: &Found, place, all: &mut Option<usize>, of_index: &mut BTreeMap<_, _>| {
            match ends(one) {
                Some(ReasoningEnds::All) => *all = Some(place),
                Some(ReasoningEnds::Index(index)) => {
                    of_index.insert(index, place);
                }
                // No event has reasoning beside it.
                Some(ReasoningEnds::Channel(_)) | None => {}
            }
        };
        if !is_ordered {
            let after = found.len();
            each(found.iter()).for_each(|one| end(one, after, &mut all, &mut of_index));
        }
        let mut next_pieces = BTreeMap::new();
        for (place, one) in each(found.iter()).enumerate().rev() {
            if let Found::Reasoning(id, ..) = one {
                let next = next_pieces.insert(*id, place).unwrap_or(usize::MAX);
                let ends = [all, of_index.get(&id.index()).copied()];
                if ends.into_iter().flatten().any(|end| end < next) {
                    places.push(place);
                }
            } else if is_ordered {
                end(one, place, &mut all, &mut of_index);
            }
        }
        places.reverse();
        Self { places }
    }

    pub(super) fn has(&self, place: usize) -> bool {
        self.places.binary_search(&place).is_ok()
    }
}
