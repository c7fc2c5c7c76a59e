//! The strings and values of an event that change.

use core::ops::Range;

use crate::escape::push_content;
use crate::steps::{Each, count, each};

/// The strings and values of an event that change.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits {
    /// In the order in which they were added, until they are [sorted](Self::sort). Text that is added to a string is an edit of
    /// its own, at the end of the string.
    edits: Vec<Edit>,
    pub(super) bytes: Vec<u8>,
}

/// A string or a value that changes.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// Replaced range of the event's data.
    place: Range<u32>,
    /// Range of the replacement in the bytes of the edits.
    by: Range<u32>,
}

impl Edit {
    pub(super) const fn place(&self) -> Range<usize> {
        self.place.start as usize..self.place.end as usize
    }

    pub(super) const fn by(&self) -> Range<usize> {
        self.by.start as usize..self.by.end as usize
    }
}

impl Edits {
    pub(super) fn clear(&mut self) {
        self.edits.clear();
        self.bytes.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits, in order once they are sorted.
    pub(super) fn iter(&self) -> Each<core::slice::Iter<'_, Edit>> {
        each(self.edits.iter())
    }

    /// Puts the edits in the order of the event. Those that begin at one place stay in the order in which they were added.
    pub(super) fn sort(&mut self) {
        count(self.edits.len());
        self.edits.sort_by_key(|edit| edit.place.start);
    }

    /// Adds an edit: the bytes appended to `bytes` from `start` on replace a range of the data.
    pub(super) fn add(&mut self, place: Range<usize>, start: usize) {
        let by = start as u32..self.bytes.len() as u32;
        let place = place.start as u32..place.end as u32;
        if self.edits.is_empty() {
            // Most events have one text.
            self.edits.reserve_exact(1);
        }
        self.edits.push(Edit { place, by });
    }

    /// Replaces what takes the place of a range.
    pub(super) fn renew(&mut self, place: &Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        let is_there = |edit: &&mut Edit| edit.place.start as usize == place.start;
        if let Some(edit) = each(self.edits.iter_mut()).find(is_there) {
            edit.by = start as u32..self.bytes.len() as u32;
        }
    }

    /// Returns what takes the place of a range, by the index of its edit.
    pub(super) fn content(&self, edit: usize) -> &[u8] {
        let by = self.edits.get(edit).map(Edit::by);
        by.and_then(|by| self.bytes.get(by)).unwrap_or_default()
    }

    /// Replaces what takes the place of a range by the bytes appended from `start` on.
    pub(super) fn renew_at(&mut self, edit: usize, start: usize) {
        if let Some(edit) = self.edits.get_mut(edit) {
            edit.by = start as u32..self.bytes.len() as u32;
        }
    }

    /// Adds text to a string whose content ends at `end`.
    pub(super) fn append(&mut self, end: usize, text: &[u8]) {
        let start = self.bytes.len();
        count(text.len());
        push_content(&mut self.bytes, text);
        self.add(end..end, start);
    }

    /// Returns `true` if an edit empties a range.
    pub(super) fn empties(&self, place: &Range<usize>) -> bool {
        let mut edits = each(self.edits.iter());
        edits.any(|edit| edit.place.start as usize == place.start && edit.by.is_empty())
    }

    pub(super) fn replace(&mut self, place: Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        self.add(place, start);
    }
}
