//! Calls of the driver to the reader of markers: text, and the kind of each region.

use super::Context;
use super::scan::Scan;
use crate::engine::json::lexer::leading_white;
use crate::engine::markdown::line::Line;
#[cfg(feature = "dialects")]
use crate::engine::marker::Region;
#[cfg(not(feature = "dialects"))]
use crate::engine::no_markers::Region;

impl Scan<'_> {
    /// The bytes from index `at` on are of a region.
    #[inline]
    pub(super) fn region(&mut self, at: usize, region: Region) {
        if self.engine.markers.is_some() {
            self.switch_region(at, region);
        }
    }

    #[cold]
    fn switch_region(&mut self, at: usize, region: Region) {
        self.emit_text_until(self.offset(at));
        if let Some(markers) = &mut self.engine.markers {
            markers.switch(region, self.sink);
        }
    }

    /// A code span ends with its line, before index `at`.
    #[inline]
    pub(super) fn end_open_code(&mut self, at: usize) {
        if self.engine.markers.is_none() {
            return;
        }
        self.emit_text_until(self.offset(at));
        if let Some(markers) = &mut self.engine.markers {
            markers.end_open_code(self.sink);
        }
    }

    /// A fenced block has ended before index `at`, where `line` is the state of the text.
    pub(super) fn end_block_region(&mut self, at: usize, line: Line) {
        if self.engine.markers.is_some() {
            self.emit_text_until(self.offset(at));
        }
        if let Some(markers) = &mut self.engine.markers {
            markers.end_block(line, self.sink);
        }
    }

    /// The open value is read on from index `at`: unless it may still turn out to be none, its bytes are JSON. So the bracket
    /// and the white space after it always count as text, wherever the chunk ends.
    #[cold]
    pub(super) fn begin_json_region(&mut self, at: usize) {
        let Some(markers) = &self.engine.markers else {
            return;
        };
        if !markers.is_prose() || matches!(self.engine.context, Context::Block(_)) {
            return;
        }
        let start = self.engine.reader.start();
        let from = at.max(self.index_after(start));
        let Some(rest) = self.input.chunk.get(from..) else {
            return;
        };
        let at = from + leading_white(rest);
        let Some(&byte) = self.input.chunk.get(at) else {
            return;
        };
        if self.engine.reader.is_object() && !matches!(byte, b'"' | b'}') {
            return;
        }
        if self.engine.json.hold_records && self.engine.reader.is_object() {
            self.emit_text_until(start);
            if let Some(markers) = &mut self.engine.markers {
                markers.switch(Region::Json, self.sink);
            }
        } else {
            self.switch_region(at, Region::Json);
        }
    }

    /// Returns the index up to which the open value is read, from index `at` on, before its text is emitted: where a citation gets too
    /// long, which is reported before the events of what follows.
    pub(super) fn json_until(&mut self, at: usize) -> usize {
        let len = self.input.chunk.len();
        let room = |scan: &Self| match &scan.engine.markers {
            Some(markers) if !scan.is_held_from(markers.position()) => markers.json_room(),
            _ => usize::MAX,
        };
        if room(self) == usize::MAX {
            return len;
        }
        self.emit_text_until(self.offset(at));
        len.min(at.saturating_add(room(self).max(1)))
    }

    /// Returns `true` if bytes at a stream offset or later are held. What was held from before it on, such as the beginning of an annotation,
    /// has been emitted since.
    fn is_held_from(&self, at: u64) -> bool {
        let held = self.engine.held;
        held.is_some() && held.start(at) >= at
    }

    /// Index after the byte at stream offset `start`, which may be in an earlier chunk.
    fn index_after(&self, start: u64) -> usize {
        (start + 1).saturating_sub(self.input.base) as usize
    }

    /// The open value ended before index `end`.
    pub(super) fn end_json_region(&mut self, end: usize) {
        let in_json = match &self.engine.markers {
            Some(markers) => {
                !markers.is_prose() && !matches!(self.engine.context, Context::Block(_))
            }
            None => false,
        };
        if in_json {
            self.switch_region(end, Region::Prose);
        }
    }
}
