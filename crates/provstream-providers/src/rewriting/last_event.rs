//! The event that a stream ends within.

use smallvec::SmallVec;

use super::State;
use super::line_end::LineEnd;
use super::pending::EventPlan;
use crate::StreamHandler;
use crate::found::Found;
use crate::frame::{Frame, Kind};
use crate::steps::{count, each};
use crate::text::{Text, TextRewriter};

impl<R: TextRewriter> State<R> {
    /// Begins with an event: counts its bytes, and notes its line end. `is_final`: the stream ends within it.
    pub(super) fn begin_event(&mut self, raw: &[u8], is_final: bool) {
        count(raw.len());
        self.deltas = 0;
        self.line_end = match LineEnd::of(raw) {
            // The stream ends within a line end.
            Some(LineEnd::Cr) if is_final && self.line_end == LineEnd::CrLf => LineEnd::CrLf,
            found => found.unwrap_or(self.line_end),
        };
    }

    /// Writes an event. `is_holding`: the stream ends within it, and text of earlier events was held back that goes on in it.
    pub(super) fn write_rewritten(
        &mut self,
        frame: &mut Frame<'_>,
        pending: &EventPlan,
        (found, is_holding): (&[Found], bool),
        handler: &mut dyn StreamHandler,
    ) {
        let completes = is_holding && self.changes_text(found) && is_whole_line(frame.raw);
        self.write_event(frame, pending, handler);
        if completes {
            self.write_blank_line(frame.raw, handler);
        }
    }

    /// Returns `true` if text of earlier events is held back that goes on in an event.
    pub(super) fn holds_before(&self, found: &[Found]) -> bool {
        each(found.iter()).any(|found| match found {
            Found::Text(id, ..) => self.texts.get(*id).is_some_and(Text::is_holding),
            _ => false,
        })
    }

    /// Returns `true` if a text of an event changes, but for one that is removed.
    fn changes_text(&self, found: &[Found]) -> bool {
        let texts = each(found.iter()).filter_map(|found| match found {
            Found::Text(_, text, _) => Some(text.range()),
            _ => None,
        });
        let mut texts: SmallVec<[_; 2]> = texts.collect();
        texts.sort_unstable_by_key(|text| text.start);
        let mut edits = self.edits.iter().filter(|edit| !edit.by().is_empty());
        edits.any(|edit| {
            let start = edit.place().start;
            let before = texts.partition_point(|text| text.start <= start);
            before > 0 && start <= texts[before - 1].end
        })
    }

    /// Writes the blank line of an event that the stream ends within. Many clients do not read an event without it, but have to get the
    /// text of earlier events that is in this one now.
    #[cold]
    fn write_blank_line(&mut self, raw: &[u8], handler: &mut dyn StreamHandler) {
        let line_end = self.line_end.as_str().as_bytes();
        match (raw.last(), self.envelope, self.line_end) {
            (_, Kind::Lines | Kind::Array | Kind::Body | Kind::Encoded, _) => return,
            (Some(b'\r'), _, LineEnd::CrLf) => self.write(b"\n", handler),
            (Some(b'\r' | b'\n'), ..) => {}
            _ => self.write(line_end, handler),
        }
        self.write(line_end, handler);
    }
}

/// Returns `true` unless bytes end within a line that is not one of data.
fn is_whole_line(raw: &[u8]) -> bool {
    let line = raw.rsplit(|byte| matches!(byte, b'\r' | b'\n')).next();
    line.is_none_or(|line| line.is_empty() || line.starts_with(b"data:"))
}
