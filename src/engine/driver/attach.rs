//! An annotation that was recognised: what it says, the assertion it belongs to, and when that is complete.

use core::ops::Range;
use std::borrow::Cow;

use super::gap::{Gap, UnknownBracket};
use super::scan::Scan;
use super::{Context, span, stream_bytes};
use crate::Span;
use crate::engine::chars::next_boundary;
use crate::engine::lookback::{LookbackResult, look_back, look_back_over};
use crate::engine::markdown::line::{Line, skip_block_blank, trimmed_block};
use crate::engine::unknown::ends_with_word;
use crate::event::{Bracket, BracketAnnotation, DiagnosticCode, Event};
use crate::provenance::Assertion;
use crate::provenance::assertion::{Marks, Tuple};
use crate::provenance::packed::{PackedAnnotations, Record};
use crate::provenance::reading::{Reading, ValueRange, lossy};

/// A chunk shorter than this is joined to the window before looking back, which saves looking twice.
const SHORT: usize = 512;

/// A text that was found to be what an annotation belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) span: Span,
    /// The text begins where `max_assertion` cut it off.
    pub(super) cut: bool,
    /// Its bytes are saved in the window; otherwise they lie in the chunk.
    pub(super) in_window: bool,
    /// Bytes in it that stripping removes.
    pub(super) removed: u64,
}

/// An assertion with at least one annotation that may get more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    /// Bytes of the values of its annotations.
    pub(super) values: usize,
    /// Position where the assertion is if it has no text.
    pub(super) empty: Span,
    pub(super) clean: Span,
    too_many: bool,
    left_out: bool,
    /// A break is all that comes before it.
    orphan: bool,
    /// There is an unknown in the slot.
    pub(super) unknown: bool,
}

impl Scan<'_> {
    /// Reports the annotation that the candidate at `start` has become; it ended before index `end` in
    /// the chunk.
    pub(super) fn close_candidate(&mut self, start: u64, end: usize) {
        let whole = Span::new(start, self.offset(end));
        let bytes = stream_bytes(&self.engine.window, &self.input, whole);
        let candidate = &self.engine.candidate;
        let (reading, invalid_ts) = candidate.reading(bytes, self.input.vocabulary);
        // Nearly all are ASCII, which is quicker to see.
        let bad_id = reading.observation_id.filter(|id| {
            let id = id.content(bytes);
            !id.is_ascii() && core::str::from_utf8(id).is_err()
        });
        let line_feed = candidate.has_line_feed();
        self.annotation(whole, &reading, line_feed);
        if invalid_ts.is_some() || bad_id.is_some() {
            self.value_notes(start, invalid_ts, bad_id);
        }
    }

    /// Reports the faults of values of the annotation at `start`.
    #[cold]
    fn value_notes(
        &mut self,
        start: u64,
        invalid_ts: Option<ValueRange>,
        bad_id: Option<ValueRange>,
    ) {
        let mut found = [
            invalid_ts.map(|value| (value, DiagnosticCode::InvalidTs)),
            bad_id.map(|value| (value, DiagnosticCode::InvalidUtf8)),
        ];
        found.sort_by_key(|found| found.map(|(value, _)| value.start));
        for (value, code) in found.into_iter().flatten() {
            let (from, len) = value.as_written();
            self.diagnose(code, span(start + from, len));
        }
    }

    /// Emits the annotation `reading` at the span `whole`, which ends in the chunk, and adds it to its assertion;
    /// `line_feed` if it has one.
    pub(super) fn annotation(&mut self, whole: Span, reading: &Reading, line_feed: bool) {
        let (start, end) = (whole.start(), whole.end());
        self.engine.context = Context::Text;
        self.emit_text_until(start);
        let white = self.white_before(start);
        if let Some(markers) = &mut self.engine.markers {
            markers.removed(white, whole.len(), self.sink);
        }
        let bytes = stream_bytes(&self.engine.window, &self.input, whole);
        let found = Bracket::new(*reading, bytes, self.input.vocabulary, start, white);
        (self.sink)(Event::Annotation(BracketAnnotation::borrowed(&found)));
        let unknown = core::mem::take(&mut self.engine.gap.unknown);
        let line = if let Some(pending) = &mut self.engine.pending {
            pending.unknown |= matches!(unknown, UnknownBracket::Closed(_));
            self.line_at(start)
        } else {
            let (line, unknown) = self.find_target(start);
            let mut pending = self.new_pending(start, white);
            pending.unknown = unknown;
            self.engine.pending = Some(pending);
            line
        };
        // The text before is done with, which leaves room for the values.
        if start < self.input.base {
            self.engine.window.restart_within(start, line);
        } else {
            self.engine.window.restart(start, line, 0);
        }
        self.attach(whole, reading);
        let engine = &mut *self.engine;
        engine.after_break = false;
        engine.removed += whole.len() + white as u64;
        engine.strip_from = end;
        self.emitted = end;
        let line = line.after_annotation(line_feed);
        engine.window.restart(end, line, 0);
        engine.gap = Gap::after(&line);
    }

    /// The assertion of the first of its annotations, which starts at `start` after `white` bytes of white space.
    pub(super) fn new_pending(&self, start: u64, white: usize) -> Pending {
        let engine = &self.engine;
        let empty = Span::new(start, start);
        let at = span(start - white as u64, 0);
        let clean = match (&engine.markers, engine.target) {
            (Some(markers), target) => {
                let clean = |at: u64| at - markers.removed_before(at);
                let at = target.map_or(at, |target| target.span);
                Span::new(clean(at.start()), clean(at.end()))
            }
            (None, Some(target)) => Span::new(
                target.span.start() - (engine.removed - target.removed),
                target.span.end() - engine.removed,
            ),
            (None, None) => span(at.start() - engine.removed, 0),
        };
        Pending {
            values: 0,
            empty,
            clean,
            too_many: false,
            left_out: false,
            orphan: engine.after_break && engine.target.is_none(),
            unknown: false,
        }
    }

    /// Diagnostics about an assertion that may be `cut` off, or may have `bad` characters.
    #[cold]
    fn assertion_notes(&mut self, span: Span, pending: &Pending, cut: bool, bad: bool) {
        for (holds, code) in [
            (pending.orphan, DiagnosticCode::Orphan),
            (
                span.is_empty() && !pending.orphan,
                DiagnosticCode::NoAssertion,
            ),
            (pending.unknown, DiagnosticCode::UnknownInSlot),
            (cut, DiagnosticCode::LimitAssertion),
            (pending.too_many, DiagnosticCode::LimitAnnotations),
            (bad, DiagnosticCode::InvalidUtf8),
        ] {
            if holds {
                self.diagnose(code, span);
            }
        }
    }

    /// Adds an annotation to the pending assertion, as far as the limits allow.
    fn attach(&mut self, whole: Span, reading: &Reading) {
        let limits = self.input.limits;
        let engine = &mut *self.engine;
        let Some(pending) = &mut engine.pending else {
            return;
        };
        if engine.records.len() >= limits.max_annotations() {
            pending.too_many = true;
            return;
        }
        let size: usize = reading.values().iter().map(|value| value.len()).sum();
        if pending.values + size > limits.max_pending() {
            pending.left_out = true;
            self.diagnose(DiagnosticCode::LimitPending, whole);
            return;
        }
        pending.values += size;
        let mut record = Record::new(reading, whole);
        if whole.start() < self.input.base {
            let from = (whole.start() - engine.window.base()) as usize;
            let shift = |range: Range<usize>| range.start + from..range.end + from;
            engine.window.push_arena_raw(record.values().map(shift));
            record.put(engine.window.arena_len());
        }
        engine.records.push(record);
    }

    /// Puts the values of annotations that lie in the chunk into the arena.
    pub(super) fn save_records(&mut self) {
        let engine = &mut *self.engine;
        for record in engine.records.iter_mut().filter(|record| record.in_chunk()) {
            let bytes = &self.input.chunk[self.input.index(record.start())..];
            engine
                .window
                .push_arena(record.values().map(|range| &bytes[range]));
            record.put(engine.window.arena_len());
        }
    }

    /// Looks for the text that an annotation at `start` belongs to and returns the line it is in, and whether there are unknowns in
    /// the slot between the two.
    #[inline(always)] // One caller is on the hot path, and the line is large.
    pub(super) fn find_target(&mut self, start: u64) -> (Line, bool) {
        if start > self.input.base {
            let here = self.index(start);
            let from = self.unstitched();
            let window = &self.engine.window;
            let text = &self.input.chunk[from..here];
            let start_line = window.raw().is_empty().then(|| window.line());
            if (start_line.is_some() || text.len() >= SHORT)
                && let Some(run) = self.unknowns_start(text, self.offset(from), start_line)
                && let Some((before, mut line)) = self.look_back(text, run, start_line)
            {
                let unknown = run < text.len();
                if unknown {
                    line = self.line_at(start);
                }
                let at = self.offset(from);
                self.set_target(before, at, false);
                return (line, unknown);
            }
            self.stitch(here);
        }
        let window = &self.engine.window;
        let (at, line) = (window.base(), *window.line());
        let len = (start - at) as usize;
        let text = &window.raw()[..len];
        let run = self.unknowns_start(text, at, Some(&line)).unwrap_or(len);
        let unknown = run < len;
        // With the state of the first line, `look_back` always has a result.
        let found = self.look_back(text, run, Some(&line));
        let (before, mut line) = found.unwrap_or((LookbackResult::Nothing, line));
        if unknown {
            line = self.line_at(start);
        }
        if let LookbackResult::Found { start, end, .. } = before {
            self.engine.window.save_raw(start..end, len);
        }
        self.set_target(before, at, true);
        (line, unknown)
    }

    /// Finds the unknowns in the slot at the end of `text`, which starts at stream offset `at`. Returns the index at which they
    /// begin: the length of `text` without any.
    #[inline(always)] // Nearly all texts end with a word.
    fn unknowns_start(&self, text: &[u8], at: u64, start_line: Option<&Line>) -> Option<usize> {
        if ends_with_word(text) {
            return Some(text.len());
        }
        let limits = self.input.limits;
        let before = self
            .engine
            .unknown_search(text, at, start_line.is_some(), limits);
        before.run().ok()
    }

    /// Text before an annotation right after `text`, and before the unknowns in the slot, which begin at `run`.
    #[inline(always)] // What is found is too much for registers.
    fn look_back(
        &self,
        text: &[u8],
        run: usize,
        start_line: Option<&Line>,
    ) -> Option<(LookbackResult, Line)> {
        let max = self.input.limits.max_assertion();
        if run == text.len() {
            return look_back(text, start_line, max);
        }
        look_back_over(text, run, start_line, max)
    }

    /// Sets the target to the text that `before` found; its indices count from stream offset `at`.
    pub(super) fn set_target(&mut self, before: LookbackResult, at: u64, in_window: bool) {
        self.engine.after_break &= before == LookbackResult::Blank;
        match before {
            LookbackResult::Blank => {}
            LookbackResult::Nothing => self.engine.target = None,
            LookbackResult::Found { start, end, cut } => {
                self.engine.target = Some(Target {
                    span: Span::new(at + start as u64, at + end as u64),
                    cut,
                    in_window,
                    removed: 0,
                });
            }
        }
    }

    /// The line in which `start` lies, at or after the end of the window or in its raw bytes.
    pub(super) fn line_at(&self, start: u64) -> Line {
        let window = &self.engine.window;
        let mut line = *window.line();
        let raw = window.raw();
        let known = raw.len().min((start - window.base()) as usize);
        line.advance(&raw[..known]);
        if start > window.end() {
            line.advance(&self.input.chunk[self.unstitched()..self.index(start)]);
        }
        line
    }

    /// The content of a fenced block becomes what an annotation after it belongs to; its closing line starts at
    /// `line_start` and ends before `end` in the chunk.
    pub(super) fn find_block(&mut self, end: usize, line_start: u64) {
        let in_chunk = self.engine.window.raw().is_empty() && line_start >= self.input.base;
        if !in_chunk {
            self.stitch(end);
        }
        // With what was stitched the block may have been cut.
        let Context::Block(block) = self.engine.context else {
            return;
        };
        let max = self.input.limits.max_assertion();
        let window = &self.engine.window;
        let at = window.base();
        let len = line_start.saturating_sub(at) as usize;
        let content = if in_chunk {
            &self.input.chunk[self.index(at)..self.index(line_start)]
        } else {
            &window.raw()[..len]
        };
        // Without any text since the window's start, what was saved before holds.
        if let Some((range, cut)) = block_text(content, block.fence.quoted, block.cut, max) {
            if !in_chunk {
                self.engine.window.save_raw(range.clone(), len);
            }
            let (start, end) = (range.start, range.end);
            self.set_target(LookbackResult::Found { start, end, cut }, at, !in_chunk);
        }
    }

    /// Reports the pending assertion, if there is one. No further annotation can belong to it.
    pub(super) fn complete_assertion(&mut self) {
        let Some(pending) = self.engine.pending.take() else {
            return;
        };
        self.engine.gap.unknown = UnknownBracket::None;
        self.settle_markers();
        let engine = &*self.engine;
        let (bytes, span, cut) = match engine.target {
            None => (&[][..], pending.empty, false),
            Some(target) if target.in_window => (engine.window.saved(), target.span, target.cut),
            Some(target) => {
                let from = self.input.index(target.span.start());
                let bytes = &self.input.chunk[from..from + target.span.len() as usize];
                (bytes, target.span, target.cut)
            }
        };
        let packed = PackedAnnotations {
            records: &engine.records,
            arena: engine.window.arena(),
            chunk: self.input.chunk,
            base: self.input.base,
            vocabulary: self.input.vocabulary,
        };
        let text = lossy(bytes);
        let bad = matches!(text, Cow::Owned(_));
        let marks = Marks {
            limit_hit: cut || pending.too_many || pending.left_out,
            orphan: pending.orphan,
            repeated: false,
            unknown_in_slot: pending.unknown,
        };
        let tuple = Tuple::packed(text, span, pending.clean, packed, marks);
        (self.sink)(Event::Assertion(Assertion::borrowed(&tuple)));
        if span.is_empty() || pending.orphan | pending.unknown | pending.too_many | cut | bad {
            self.assertion_notes(span, &pending, cut, bad);
        }
        self.engine.target = None;
        self.engine.records.clear();
        self.engine.window.forget();
    }
}

/// The text of a fenced block as a range of `block`, `None` if it is blank; with whether it was cut off at its start,
/// where some of it may be missing already.
pub(super) fn block_text(
    block: &[u8],
    quoted: bool,
    missing: bool,
    max: usize,
) -> Option<(Range<usize>, bool)> {
    let whole = trimmed_block(block, quoted);
    if whole.is_empty() {
        return None;
    }
    let cut = missing || whole.len() > max;
    let start = match whole.end.checked_sub(max) {
        Some(kept) if cut && whole.start <= kept => {
            let start = next_boundary(&block[..whole.end], kept);
            skip_block_blank(block, start, whole.end, quoted)
        }
        _ => whole.start,
    };
    Some((start..whole.end, cut))
}
