//! Where annotations were removed from a text, so that offsets into it can follow.

use core::ops::Range;

use super::Format;
use super::citation::Unit;
use provstream::Replacement;

/// Most places that are kept. Offsets before the first of the last ones are moved as if they were at it.
const MAX_PLACES: usize = 1 << 12;

/// The places in a text where annotations were, in the unit of the format's offsets.
#[derive(Clone, Debug)]
pub(super) struct Removed {
    unit: Unit,
    /// Units written.
    written: u64,
    /// Units of the text before, as far as it was written or removed.
    taken: u64,
    /// What the replacement that comes next takes the place of.
    pending: u64,
    places: Vec<Place>,
}

/// A passage of the text before that something else, or nothing, was written for.
///
/// A stream keeps many of them, so its offsets have 32 bits; after so many units no more places are kept.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    end: u32,
    /// Where it is in the text written, and where what was written for it ends.
    clean_start: u32,
    clean_end: u32,
}

impl Removed {
    /// Nothing yet, where a format has offsets into its text.
    pub(super) const fn of(format: Option<Format>) -> Option<Self> {
        let unit = match format {
            Some(
                Format::OpenAiChat
                | Format::OpenAiResponses
                | Format::OpenAiAssistants
                | Format::Cohere,
            ) => Unit::CodePoints,
            Some(Format::Gemini | Format::GeminiInteractions) => Unit::Utf8Bytes,
            _ => return None,
        };
        Some(Self {
            unit,
            written: 0,
            taken: 0,
            pending: 0,
            places: Vec::new(),
        })
    }

    fn units(&self, text: &[u8]) -> u64 {
        match self.unit {
            Unit::Utf8Bytes => text.len() as u64,
            // Every byte that does not continue a character begins one.
            _ => text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64,
        }
    }

    /// Text was written as it is, or what was announced as a replacement.
    #[inline]
    pub(super) fn wrote(&mut self, text: &[u8]) {
        let units = self.units(text);
        self.written += units;
        let replaced = self.pending.min(units);
        self.pending -= replaced;
        self.taken += units - replaced;
    }

    /// An annotation follows that is replaced.
    pub(super) fn replaces(&mut self, raw: &[u8], white_space: usize, by: &Replacement) {
        let raw_units = self.units(raw);
        // White space before an annotation is ASCII.
        let white_space = white_space as u64;
        let (cut, kept, written) = match by {
            Replacement::Remove => (white_space + raw_units, 0, 0),
            Replacement::Text(text) => (raw_units, white_space, self.units(text)),
            _ => return,
        };
        if self.places.len() == MAX_PLACES {
            self.places.drain(..MAX_PLACES / 2);
        }
        let (start, clean_start) = (self.taken + kept, self.written + kept);
        self.places.extend(Place::new(
            start..start + cut,
            clean_start..clean_start + written,
        ));
        // The white space that is kept is written next, and then the replacement.
        self.taken += cut;
        self.pending = written;
    }

    /// Where a place in the text before is in the text written.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        let after = self
            .places
            .partition_point(|place| u64::from(place.start) < offset);
        match after.checked_sub(1).and_then(|last| self.places.get(last)) {
            Some(place) => match offset.checked_sub(u64::from(place.end)) {
                Some(beyond) => u64::from(place.clean_end) + beyond,
                None => u64::from(place.clean_start),
            },
            None => offset,
        }
    }
}

impl Place {
    /// A passage of the text before, and what was written for it.
    fn new(text: Range<u64>, clean: Range<u64>) -> Option<Self> {
        Some(Self {
            start: u32::try_from(text.start).ok()?,
            end: u32::try_from(text.end).ok()?,
            clean_start: u32::try_from(clean.start).ok()?,
            clean_end: u32::try_from(clean.end).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_follow_the_text() {
        let mut removed = Removed::of(Some(Format::Cohere)).expect("code points");
        // "É so. [x]B [y] c", the first removed with its space, the second replaced by "(1)".
        removed.wrote("É so.".as_bytes());
        removed.replaces(b"[x]", 1, &Replacement::Remove);
        removed.wrote(b"B");
        removed.replaces(b"[y]", 1, &Replacement::from_static("(1)"));
        removed.wrote(b" ");
        removed.wrote(b"(1)");
        removed.wrote(b" c");
        let moved: Vec<_> = (0..=16).map(|offset| removed.moved(offset)).collect();
        assert_eq!(
            moved,
            [0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 6, 7, 7, 7, 10, 11, 12]
        );
    }
}
