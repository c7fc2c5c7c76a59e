//! Adjusts offsets into a text whose annotations were removed or replaced.

use std::collections::VecDeque;

use super::Format;
use super::citation::Unit;
use super::places::ReplacementLog;
use super::steps::count;
use provstream::{Replacement, Span, TextChunk};

/// Replacements in a text, in the unit of the format's offsets.
#[derive(Clone, Debug)]
#[repr(C)] // What each delta changes comes first.
pub(super) struct OffsetShift {
    /// Units written.
    written: u64,
    /// Units of the source text that was written or removed.
    taken: u64,
    /// Units of replacements that will be written next.
    pending: u64,
    unit: Unit,
    /// Text that is held back may have several markers, so offsets into it wait.
    has_markers: bool,
    /// Text that a gate has not decided; `None` if no gate writes the text.
    gate: Option<Box<UndecidedOffsets>>,
    places: ReplacementLog,
}

/// Annotations and insertions in text that a gate holds.
#[derive(Clone, Debug, Default)]
struct UndecidedOffsets {
    /// Bytes of the text without annotations that were released or withheld.
    clean: u64,
    /// Bytes of annotations and records that were removed, as far as they are known.
    cut: u64,
    /// Annotations and records after `clean`: where they were in the text without them, and their units.
    coming: VecDeque<(u64, u64)>,
    /// Units of the policy's text that is written before what comes next, and where that is.
    inserted: Option<(u64, u64)>,
}

impl OffsetShift {
    /// Creates the state for an empty text; `None` if the format has no offsets into text.
    pub(super) fn of(format: Option<Format>, is_gated: bool) -> Option<Self> {
        let unit = match format {
            Some(Format::OpenAiChat | Format::OpenAiResponses | Format::Cohere) => Unit::CodePoints,
            Some(Format::Gemini | Format::GeminiInteractions) => Unit::Utf8Bytes,
            _ => return None,
        };
        Some(Self {
            unit,
            has_markers: false,
            gate: is_gated.then(Box::default),
            written: 0,
            taken: 0,
            pending: 0,
            places: ReplacementLog::default(),
        })
    }

    fn units(&self, text: &[u8]) -> u64 {
        count(text.len());
        match self.unit {
            Unit::Utf8Bytes => text.len() as u64,
            // Every byte that does not continue a character begins one.
            _ => text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64,
        }
    }

    /// Records that text was written unchanged, or as an announced replacement.
    #[inline]
    pub(super) fn wrote(&mut self, text: &[u8]) {
        self.wrote_units(self.units(text));
    }

    /// Records that this many units of text were written; for ASCII, units are bytes.
    #[inline]
    pub(super) const fn wrote_units(&mut self, units: u64) {
        self.written += units;
        let replaced = if self.pending < units {
            self.pending
        } else {
            units
        };
        self.pending -= replaced;
        self.taken += units - replaced;
    }

    /// Records that an annotation is replaced.
    pub(super) fn replaces(&mut self, raw: &[u8], white_space: usize, by: &Replacement) {
        let raw_units = self.units(raw);
        // White space before an annotation is ASCII.
        let white_space = white_space as u64;
        let (cut, kept, written) = match by {
            Replacement::Remove => (white_space + raw_units, 0, 0),
            Replacement::Text(text) => (raw_units, white_space, self.units(text)),
            _ => return,
        };
        self.places.push(self.taken + kept, cut, written);
        // The white space that is kept is written next, and then the replacement.
        self.taken += cut;
        self.pending = written;
    }

    /// Units of the text before, as far as it was written or removed.
    pub(super) const fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns `true` if a gate writes the text.
    pub(super) const fn is_gated(&self) -> bool {
        self.gate.is_some()
    }

    /// Has offsets into text that is held back wait until the markers in it are known.
    pub(super) const fn with_markers(mut self) -> Self {
        self.has_markers = true;
        self
    }

    /// Returns `true` if the text before this offset is not decided, which a gate or [markers](Self::with_markers) have yet to do.
    pub(super) const fn is_undecided(&self, offset: u64) -> bool {
        (self.gate.is_some() || self.has_markers) && offset > self.taken
    }

    /// Records that a gate removes an annotation or a record with the white space before it.
    pub(super) fn cut(&mut self, span: Span, raw: &[u8], white_space: u64) {
        let units = self.units(raw) + white_space;
        if let Some(gate) = &mut self.gate {
            let at = span.start().saturating_sub(white_space + gate.cut);
            gate.cut += span.len() + white_space;
            gate.coming.push_back((at, units));
        }
        self.pass_annotations();
    }

    /// Records that the next piece of the text without annotations is released or withheld.
    pub(super) fn decided(&mut self, text: &TextChunk<'_>, is_released: bool) {
        if is_released {
            self.pass_inserted();
        }
        let mut rest = text.bytes();
        while let Some(gate) = &mut self.gate
            && !rest.is_empty()
        {
            let next = gate.coming.front().map_or(u64::MAX, |(at, _)| *at);
            let len = next.saturating_sub(gate.clean).min(rest.len() as u64);
            gate.clean += len;
            let (now, later) = rest.split_at(len as usize);
            rest = later;
            let units = self.units(now);
            if is_released {
                self.written += units;
            } else if units > 0 {
                self.removes(units);
            }
            self.taken += if is_released { units } else { 0 };
            self.pass_annotations();
        }
        self.pass_inserted();
    }

    /// The policy's own text is written next. Where it takes the place of text it counts as after that text, so that what
    /// points to the text points to nothing.
    pub(super) fn inserted(&mut self, text: &str, at: u64) {
        self.pass_inserted();
        let units = self.units(text.as_bytes());
        if let Some(gate) = &mut self.gate {
            gate.inserted = Some((at, units));
        }
    }

    fn pass_inserted(&mut self) {
        let inserted = self.gate.as_mut().and_then(|gate| gate.inserted.take());
        if let Some((_, units)) = inserted {
            self.written += units;
            self.places.push(self.taken, 0, units);
        }
    }

    /// Passes over the annotations that are next to the text that was decided about.
    fn pass_annotations(&mut self) {
        while let Some(gate) = &mut self.gate
            && let Some(&(at, units)) = gate.coming.front()
            && at <= gate.clean
        {
            gate.coming.pop_front();
            self.removes(units);
        }
    }

    /// The next units of the text before are not written.
    fn removes(&mut self, units: u64) {
        self.places.push(self.taken, units, 0);
        self.taken += units;
    }

    /// Returns the offset in the written text of an offset in the source text. Undecided or withheld text of a gate
    /// has not been written; offsets in it become the end of the written text.
    pub(super) fn moved(&self, offset: u64) -> u64 {
        if self.is_gated() && self.is_undecided(offset) {
            return self.written;
        }
        self.places.moved(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_follow_the_text() {
        let mut removed = OffsetShift::of(Some(Format::Cohere), false).expect("code points");
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
