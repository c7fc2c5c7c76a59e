//! What is to be done with an event once all that it says is known.

use smallvec::SmallVec;

use super::edits::Edits;
use crate::Channel;
use crate::found::{Found, Raw, Str};
use crate::frame::Frame;
use crate::removed::Removed;

/// What is to be done with an event once all that it says is known.
#[derive(Default)]
pub(super) struct Pending {
    /// The places of texts that are the last of their channel.
    pub(super) last_texts: SmallVec<[usize; 2]>,
    /// The channels that it may end and of which text is held back, and where its last text of each ends.
    pub(super) waits: SmallVec<[(Channel, Option<usize>); 1]>,
    /// The channels whose text in it changed.
    pub(super) changed: SmallVec<[Channel; 2]>,
    pub(super) logprobs: SmallVec<[(Channel, Raw); 1]>,
    /// The last text of each channel that can be repeated with other text.
    pub(super) repeatable: SmallVec<[(Channel, Str); 1]>,
    /// What was removed from texts of their own.
    pub(super) whole_removed: Vec<(Channel, Removed)>,
    /// Offsets into texts.
    pub(super) offsets: SmallVec<[(Channel, Raw); 2]>,
    /// Those of them that depend on what is not decided yet, with their values.
    pub(super) undecided: SmallVec<[(Raw, Channel, u64); 2]>,
    /// Its number, and where it is.
    pub(super) sequence: Option<(Raw, u64)>,
}

impl Pending {
    /// Notes the last text of a channel that can be repeated with other text.
    pub(super) fn repeatable(&mut self, channel: Channel, text: Str) {
        match self.repeatable.iter_mut().find(|(of, _)| *of == channel) {
            Some((_, last)) => *last = text,
            None => self.repeatable.push((channel, text)),
        }
    }

    pub(super) fn change(&mut self, channel: Channel) {
        if self.changed.last() != Some(&channel) {
            self.changed.push(channel);
        }
    }

    pub(super) fn wait(&mut self, channel: Channel, found: &[Found]) {
        let texts = found.iter().rev().filter_map(|found| match found {
            Found::Text(of, text, _) if *of == channel && !text.is_empty() => {
                Some(text.range().end)
            }
            _ => None,
        });
        self.waits.push((channel, texts.into_iter().next()));
    }

    /// Adds the edits that follow from others.
    pub(super) fn edit(&self, edits: &mut Edits, frame: &Frame<'_>, added: u64) {
        let mut changed = self.changed.clone();
        changed.sort_unstable();
        for (channel, value) in &self.logprobs {
            // They repeat the tokens of the text before.
            if changed.binary_search(channel).is_ok() {
                let is_list = value.bytes(&frame.data).starts_with(b"[");
                edits.replace(value.range(), if is_list { b"[]" } else { b"null" });
            }
        }
        if let (Some((value, number)), 1..) = (self.sequence, added) {
            let number = number.saturating_add(added);
            edits.replace(value.range(), number.to_string().as_bytes());
        }
        for end in self.waits.iter().filter_map(|(_, end)| *end) {
            if edits
                .places
                .iter()
                .all(|(place, _)| place.end as usize != end)
            {
                edits.replace(end..end, b"");
            }
        }
    }
}

/// The places of the texts in an event that are the last of their channel before its end, or before something else of it.
pub(super) fn last_texts(found: &[Found]) -> SmallVec<[usize; 2]> {
    let mut last = SmallVec::new();
    if !found.iter().any(is_end) {
        return last;
    }
    // Those that end after the place that is looked at.
    let mut ending: SmallVec<[Channel; 4]> = SmallVec::new();
    let mut all_end = false;
    let mut went_on: SmallVec<[Channel; 4]> = SmallVec::new();
    for (place, found) in found.iter().enumerate().rev() {
        match found {
            Found::BreakAll => {
                all_end = true;
                went_on.clear();
            }
            Found::Break(channel) | Found::End(channel) if !ending.contains(channel) => {
                ending.push(*channel);
            }
            Found::Text(channel, text, _) if !text.is_empty() => {
                let of = ending.iter().position(|ending| ending == channel);
                let by_all = all_end && !went_on.contains(channel);
                if of.is_some() || by_all {
                    last.push(place);
                }
                if let Some(of) = of {
                    ending.swap_remove(of);
                }
                if by_all {
                    went_on.push(*channel);
                }
            }
            _ => {}
        }
    }
    last.reverse();
    last
}

const fn is_end(found: &Found) -> bool {
    matches!(found, Found::Break(_) | Found::BreakAll | Found::End(_))
}
