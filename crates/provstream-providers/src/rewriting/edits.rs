//! The strings and values of an event that change.

use core::ops::Range;

use crate::escape::push_content;

/// The strings and values of an event that change.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits {
    /// Where in the event's data, and where in `bytes` is what takes its place.
    pub(super) places: Vec<(Range<u32>, Range<u32>)>,
    pub(super) bytes: Vec<u8>,
}

impl Edits {
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.bytes.clear();
    }

    /// What was appended to `bytes` from `start` on takes the place of a range of the data.
    pub(super) fn add(&mut self, place: Range<usize>, start: usize) {
        let place = place.start as u32..place.end as u32;
        if self.places.is_empty() {
            // Most events have one text.
            self.places.reserve_exact(1);
        }
        self.places
            .push((place, start as u32..self.bytes.len() as u32));
    }

    /// Replaces what takes the place of a range.
    pub(super) fn renew(&mut self, place: &Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        let is_there = |edit: &&mut (Range<u32>, Range<u32>)| edit.0.start as usize == place.start;
        if let Some((_, range)) = self.places.iter_mut().find(is_there) {
            *range = start as u32..self.bytes.len() as u32;
        }
    }

    /// Appends to what takes the place of a string with this content.
    pub(super) fn append(&mut self, place: Range<usize>, content: &[u8], text: &[u8]) {
        let is_there = |edit: &&(Range<u32>, Range<u32>)| edit.0.start as usize == place.start;
        let by = self.places.iter().find(is_there).map(|(_, by)| by.clone());
        let start = self.bytes.len();
        match &by {
            Some(by) => self
                .bytes
                .extend_from_within(by.start as usize..by.end as usize),
            None => self.bytes.extend_from_slice(content),
        }
        push_content(&mut self.bytes, text);
        match by {
            Some(_) => {
                let by = start as u32..self.bytes.len() as u32;
                let mut places = self.places.iter_mut();
                if let Some((_, range)) = places.find(|edit| edit.0.start as usize == place.start) {
                    *range = by;
                }
            }
            None => self.add(place, start),
        }
    }

    /// Whether nothing takes the place of a range.
    pub(super) fn empties(&self, place: &Range<usize>) -> bool {
        let mut places = self.places.iter();
        places.any(|(of, by)| of.start as usize == place.start && by.is_empty())
    }

    pub(super) fn replace(&mut self, place: Range<usize>, by: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(by);
        self.add(place, start);
    }
}
