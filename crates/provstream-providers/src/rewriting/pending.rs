//! Collects the changes to an event that depend on all of its facts.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::edits::Edits;
use crate::Channel;
use crate::deferred::DeferredNumber;
use crate::found::{Found, Raw, Str};
use crate::frame::Frame;
use crate::removed::OffsetShift;
use crate::steps::{count, each};
use crate::text_id::TextId;

/// Changes to an event that depend on all of its facts.
#[derive(Default)]
pub(super) struct EventPlan {
    /// Indices of the facts that are the last delta of their text.
    pub(super) last_texts: SmallVec<[usize; 2]>,
    /// Texts that the event may end and that are held, each with the end of its last string in the event.
    pub(super) waits: SmallVec<[(TextId, Option<usize>); 1]>,
    /// Channels whose text in the event changed.
    pub(super) changed: SmallVec<[Channel; 2]>,
    pub(super) logprobs: SmallVec<[(Channel, Raw); 1]>,
    /// Last delta of each text that can be repeated with other text, sorted by text.
    pub(super) repeatable: SmallVec<[(TextId, Str); 1]>,
    /// End of the last string of each text, computed on first use.
    text_ends: Option<BTreeMap<TextId, usize>>,
    /// Replacements in the last full text of each text, if the event has offsets.
    pub(super) whole_removed: BTreeMap<TextId, OffsetShift>,
    /// The event has offsets into texts.
    pub(super) has_offsets: bool,
    /// Offsets found so far; `true` if one counts from the start of the prompt.
    pub(super) offsets: SmallVec<[(TextId, Raw, bool); 2]>,
    /// Offsets that depend on undecided text, with their values.
    pub(super) undecided: SmallVec<[(Raw, DeferredNumber); 2]>,
    /// Starts of strings that repeat texts, each with the end that it gets unless one of the texts continues.
    pub(super) ends: SmallVec<[(usize, EndOfCopy); 0]>,
    /// Sequence number, with its range.
    pub(super) sequence: Option<(Raw, u64)>,
    /// Parts of texts that are joined from parts, in order.
    parts: SmallVec<[TextPart; 0]>,
}

/// A part of a text.
#[derive(Clone, Copy, Debug)]
struct TextPart {
    of: TextId,
    /// Position of the string in the event's data.
    at: usize,
    /// Offset of the part in the text, and its length, in the unit of the format.
    start: u64,
    units: u64,
}

/// Texts, and the end of a string that repeats them.
pub(super) type EndOfCopy = (SmallVec<[TextId; 1]>, Vec<u8>);

impl EventPlan {
    /// Collects the changes for an event with these facts.
    pub(super) fn of(found: &[Found]) -> Self {
        Self {
            last_texts: last_texts(found),
            has_offsets: found.iter().any(|one| matches!(one, Found::Offset(..))),
            ..Self::default()
        }
    }

    /// Returns `true` if nothing of the event depends on what comes after it.
    pub(super) fn is_decided(&self) -> bool {
        self.waits.is_empty() && self.undecided.is_empty()
    }

    /// Records a delta that can be repeated with other text.
    pub(super) fn repeatable(&mut self, channel: TextId, text: Str) {
        let place = self
            .repeatable
            .binary_search_by_key(&channel, |(of, _)| *of);
        match place {
            Ok(place) => self.repeatable[place].1 = text,
            Err(place) => {
                count(self.repeatable.len() - place);
                self.repeatable.insert(place, (channel, text));
            }
        }
    }

    /// Records a part of a text that is joined from parts, to whose start offsets refer.
    pub(super) fn part(&mut self, id: TextId, text: Str, units: u64) {
        let last = self.parts.last().filter(|last| last.of == id);
        let start = last.map_or(0, |last| last.start + last.units);
        self.parts.push(TextPart {
            of: id,
            at: text.range().start,
            start,
            units,
        });
    }

    /// Returns where the part begins that an offset is into.
    pub(super) fn part_start(&self, of: TextId, offset: Raw) -> u64 {
        let after = self
            .parts
            .partition_point(|part| part.at < offset.range().start);
        let part = after.checked_sub(1).and_then(|last| self.parts.get(last));
        part.filter(|part| part.of == of)
            .map_or(0, |part| part.start)
    }

    pub(super) fn change(&mut self, channel: Channel) {
        if self.changed.last() != Some(&channel) {
            self.changed.push(channel);
        }
    }

    /// Records that an event with these facts may end a text that is held.
    pub(super) fn wait(&mut self, channel: TextId, found: &[Found]) {
        let ends = self.text_ends.get_or_insert_with(|| {
            let texts = each(found.iter()).filter_map(|found| match found {
                Found::Text(of, text, _) if !text.is_empty() => Some((*of, text.range().end)),
                _ => None,
            });
            texts.collect()
        });
        self.waits.push((channel, ends.get(&channel).copied()));
    }

    /// Records the end of a string that repeats texts, which is dropped if one of them continues.
    pub(super) fn end_of_copy(&mut self, copy: Str, end: EndOfCopy) {
        let (of, text) = &end;
        if text.is_empty() {
            return;
        }
        for of in of {
            if !self.waits.iter().any(|(waiting, _)| waiting == of) {
                self.waits.push((*of, None));
            }
        }
        self.ends.push((copy.range().start, end));
    }

    /// Adds the edits that depend on other changes.
    pub(super) fn edit(&self, edits: &mut Edits, frame: &Frame<'_>, (added, is_held): (u64, bool)) {
        let mut changed = self.changed.clone();
        count(changed.len());
        changed.sort_unstable();
        for (channel, value) in each(self.logprobs.iter()) {
            // They repeat the tokens of the text before.
            if changed.binary_search(channel).is_ok() {
                let is_list = value.bytes(&frame.data).starts_with(b"[");
                edits.replace(value.range(), if is_list { b"[]" } else { b"null" });
            }
        }
        if let Some((value, number)) = self.sequence.filter(|_| added > 0 || is_held) {
            let number = number.saturating_add(added);
            edits.replace(value.range(), number.to_string().as_bytes());
        }
        for end in each(self.waits.iter()).filter_map(|(_, end)| *end) {
            // What is added to the string later is written in its place.
            edits.replace(end..end, b"");
        }
    }
}

/// The places of the texts in an event that are the last of their channel before its end, or before something else of it.
pub(super) fn last_texts(found: &[Found]) -> SmallVec<[usize; 2]> {
    let mut last = SmallVec::new();
    if !each(found.iter()).any(is_end) {
        return last;
    }
    // The channels that end after the place that is looked at, and those with text after it that all channels end after.
    let (mut ending, mut went_on) = (BTreeSet::new(), BTreeSet::new());
    let mut all_end = false;
    for (place, found) in each(found.iter()).enumerate().rev() {
        match found {
            Found::BreakAll => {
                all_end = true;
                went_on.clear();
            }
            Found::Break(channel) | Found::End(channel) | Found::MakesRoom(channel) => {
                ending.insert(*channel);
            }
            Found::Text(channel, text, _) if !text.is_empty() => {
                let is_ending = ending.remove(channel);
                if is_ending | (all_end && went_on.insert(*channel)) {
                    last.push(place);
                }
            }
            _ => {}
        }
    }
    last.reverse();
    last
}

const fn is_end(found: &Found) -> bool {
    matches!(
        found,
        Found::Break(_) | Found::BreakAll | Found::End(_) | Found::MakesRoom(_)
    )
}
