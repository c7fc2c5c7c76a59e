//! JSON values in free text: where they are read, and their effect on the text around them.

use super::scan::Scan;
use super::{Context, Engine, span, text_event};
use crate::engine::annotation::candidate::CandidateStep;
use crate::engine::chars::MOST_REMOVED;
use crate::engine::held::HoldStart;
use crate::engine::json::lexer::{LineStart, ValueStatus, is_white, leading_white};
use crate::engine::markdown::code::FenceLine;
use crate::engine::{Input, Sink};
use crate::event::{DiagnosticCode, Event, JsonRecord};
use crate::{Mode, Span};
use memchr::memchr;
use std::collections::VecDeque;

/// State of reading JSON values.
#[derive(Clone, Debug)]
pub(super) struct Json {
    /// JSON values in free text are read.
    pub(super) on: bool,
    /// Records are held back.
    pub(super) hold_records: bool,
    /// A value is open.
    pub(super) open: bool,
    /// No value is read before the next line feed, because one exceeded the maximum depth.
    pub(super) barred: bool,
    /// Stream offset after the white space at the start of the stream or of the last fenced block.
    pub(super) leading_white_end: u64,
    /// Stream offset of a bracket that begins an array if an element follows the white space after
    /// it.
    pub(super) array: Option<u64>,
    /// In a stream of JSON alone, the stream offset after the last byte reported as invalid.
    pub(super) reported: u64,
    /// Spans of the removed records of the last fenced block, as far as they may be within its
    /// text.
    pub(super) removed: VecDeque<Span>,
}

impl Json {
    pub(super) fn new(start: u64, mode: Mode, hold_records: bool) -> Self {
        Self {
            on: mode == Mode::Auto,
            hold_records: hold_records && mode != Mode::Text,
            open: false,
            barred: false,
            leading_white_end: start,
            array: None,
            reported: start,
            removed: VecDeque::new(),
        }
    }

    /// Counts the removed bytes of the last fenced block from stream offset `at` on.
    pub(super) fn removed_after(&self, at: u64) -> u64 {
        let after = |span: &Span| span.end().saturating_sub(span.start().max(at));
        self.removed.iter().map(after).sum()
    }
}

impl Engine {
    /// Decides, with the next chunk of model text, whether the bracket at `start` begins an array.
    /// If it does, opens the value; returns the length of the white space after the bracket.
    pub(super) fn decide_array(
        &mut self,
        start: u64,
        input: &Input<'_>,
        sink: &mut Sink<'_>,
    ) -> usize {
        let white = leading_white(input.chunk);
        let Some(&first) = input.chunk.get(white) else {
            return 0;
        };
        self.json.array = None;
        if !begins_element(first) {
            return 0;
        }
        if white > 0 {
            self.scan(&input.split_at(white).0, sink);
        }
        if let Context::Candidate { start } = self.context {
            let dropped = Some((CandidateStep::Dropped, 0));
            Scan::at_end(self, input, sink).abandon(start, dropped);
        }
        self.reader.begin(input.limits, start, false, true);
        let bracket = Input {
            chunk: b"[",
            base: start,
            ..*input
        };
        self.reader.read(&bracket, 0, false, sink);
        self.json.open = true;
        white
    }

    /// Reads a chunk of a few bytes that continues a string of a value; returns `false` if the
    /// chunk needs the slow path.
    pub(super) fn append_to_json(&mut self, chunk: &[u8], sink: &mut Sink<'_>) -> bool {
        let end = self.window.end();
        if !self.json.open
            || self.untrusted
            || self.markers.is_some()
            || !self.window.append_in_place(chunk)
        {
            return false;
        }
        if self.reader.append_plain(chunk).is_none() {
            self.window.truncate(end);
            return false;
        }
        if !self.held.is_some() {
            sink(text_event(chunk, end));
        }
        true
    }

    /// Counts the bytes emitted last that would be removed with an annotation at which the open
    /// value becomes invalid.
    pub(super) fn removable_in_json(&self) -> usize {
        if self.held.is_some() {
            0
        } else if self.reader.lexer().bracket_stops() {
            MOST_REMOVED
        } else if self.reader.lexer().is_in_string() {
            // A control character has to end the string first.
            MOST_REMOVED - 1
        } else {
            0
        }
    }
}

const fn begins_element(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b']')
}

impl Scan<'_> {
    /// Returns `true` if a value may begin with the brace at index `here`, as far as the chunk
    /// tells.
    pub(super) fn may_be_object(&mut self, here: usize) -> bool {
        let after = &self.input.chunk[here + 1..];
        let next = match after.first() {
            Some(&byte) if !is_white(byte) => Some(byte),
            _ => after.get(leading_white(after)).copied(),
        };
        !matches!(next, Some(byte) if !matches!(byte, b'"' | b'}')) && !self.is_barred(here)
    }

    /// Returns `true` if the bracket at index `here`, which only white space precedes, begins an array; remembers it if the next
    /// chunk must decide.
    pub(super) fn leading_may_be_array(&mut self, here: usize) -> bool {
        let start = self.offset(here);
        if !self.engine.json.on || self.is_barred(here) {
            return false;
        }
        let after = &self.input.chunk[here + 1..];
        match after.get(leading_white(after)) {
            Some(&byte) => begins_element(byte),
            None => {
                self.engine.json.array = Some(start);
                false
            }
        }
    }

    /// Returns `true` if a value exceeded the maximum depth earlier in the line of index `here`.
    fn is_barred(&mut self, here: usize) -> bool {
        if self.engine.json.barred {
            if here > self.barred_from
                && memchr(b'\n', &self.input.chunk[self.barred_from..here]).is_some()
            {
                self.engine.json.barred = false;
            } else {
                self.barred_from = here;
            }
        }
        self.engine.json.barred
    }

    /// Checks at the end of a chunk whether the line without values has ended.
    pub(super) fn end_bar(&mut self) {
        if self.engine.json.barred {
            let rest = &self.input.chunk[self.barred_from..];
            self.engine.json.barred = memchr(b'\n', rest).is_none();
        }
    }

    /// Begins a value at index `here`.
    #[inline]
    pub(super) fn start_json(&mut self, here: usize) -> usize {
        let single_line = match self.engine.context {
            Context::Block(block) => block.fence.quoted,
            _ => self.engine.mode == Mode::Ndjson,
        };
        let (start, in_text) = (self.offset(here), !self.engine.is_sequence());
        let reader = &mut self.engine.reader;
        reader.begin(self.input.limits, start, single_line, in_text);
        self.engine.json.open = true;
        here
    }

    /// Continues the open value.
    pub(super) fn json(&mut self, at: usize) -> usize {
        let buffered = self.engine.held.is_some();
        self.begin_json_region(at);
        let upto = self.json_until(at);
        let input = self.input.split_at(upto).0;
        let reader = &mut self.engine.reader;
        let (end, step) = reader.read(&input, at, buffered, self.sink);
        if step != ValueStatus::More {
            self.end_json(end, step);
            self.end_json_region(end);
        } else if end < self.input.chunk.len() {
            self.emit_text_until(self.offset(end));
        }
        end
    }

    /// Ends the open value at the end of the stream or of the model text.
    pub(super) fn end_open_json(&mut self) {
        let reader = &self.engine.reader;
        let is_sequence = self.engine.is_sequence();
        // In a stream of values, a number may end here. In free text, a `{` or `[` that may not have been meant
        // as JSON is not reported.
        let is_sound = if is_sequence {
            reader.lexer().is_whole_at_end()
        } else {
            reader.lexer().is_undecided()
        };
        if !is_sound {
            let span = Span::new(reader.start(), self.input.base);
            self.diagnose(DiagnosticCode::Unterminated, span);
        }
        self.end_json(0, ValueStatus::More);
        self.end_json_region(0);
        self.engine.held = HoldStart::NOTHING;
        if is_sequence {
            self.engine.reader.rest(self.input.base);
        }
    }

    /// Ends the open value before index `end`, where it was complete, became invalid, or the model
    /// text ended.
    #[inline]
    pub(super) fn end_json(&mut self, end: usize, step: ValueStatus) {
        self.engine.json.open = false;
        if step == ValueStatus::TooDeep {
            self.diagnose(DiagnosticCode::LimitDepth, span(self.offset(end), 1));
        }
        if self.engine.is_sequence() {
            self.after_value(end, step);
            self.end_hold(end, step);
        } else {
            self.end_hold(end, step);
            self.end_in_text(end, step);
        }
    }

    /// Continues the free text after a value that ended before index `end`.
    fn end_in_text(&mut self, end: usize, step: ValueStatus) {
        if step == ValueStatus::TooDeep {
            self.engine.json.barred = true;
            self.barred_from = end;
        }
        let at = self.offset(end);
        let start = self.engine.reader.lexer().line_at(at);
        if let Context::Block(block) = &mut self.engine.context {
            block.line = FenceLine::Code;
            if let LineStart::Blank {
                start,
                carriage_return,
            } = start
            {
                block.line_start = start;
                if !carriage_return {
                    block.line = FenceLine::Prefix { quote: false };
                }
            }
        } else if self.engine.reader.has_reported() {
            self.json_boundary(end, start);
        }
    }

    /// Begins a text block at index `end`, after a value in which an object was reported.
    fn json_boundary(&mut self, end: usize, start: LineStart) {
        let mut line;
        if self.engine.window.raw().is_empty() {
            line = *self.engine.window.line();
            line.advance(&self.input.chunk[self.unstitched()..end]);
        } else {
            self.stitch(end);
            let window = &self.engine.window;
            line = *window.line();
            line.advance(window.raw());
        }
        // After a value, the rest of its line has no line prefix.
        line.content |= start == LineStart::Content;
        line.text = false;
        line.open_before = false;
        let at = self.offset(end);
        let white = self.white_before(at);
        self.drop_target();
        self.engine.window.restart(at, line, white);
    }

    /// Removes the value that ended before index `end` if it is a held record, otherwise emits it.
    #[inline]
    fn end_hold(&mut self, end: usize, step: ValueStatus) {
        if self.engine.json.hold_records {
            self.end_held(end, step == ValueStatus::Complete);
        }
    }

    fn end_held(&mut self, end: usize, complete: bool) {
        let (start, end) = (self.engine.reader.start(), self.offset(end));
        let span = Span::new(start, end);
        let record = complete && self.engine.reader.is_record();
        if !record || span.len() > self.input.limits.max_record() as u64 {
            self.release_json(end);
            if record {
                self.diagnose(DiagnosticCode::LimitPending, span);
            }
            return;
        }
        self.emit_text_until(start);
        if let Some(markers) = &mut self.engine.markers {
            markers.removed(0, span.len(), self.sink);
        }
        let raw = self.engine.reader.whole(&self.input, end);
        (self.sink)(Event::Record(JsonRecord::new(raw, start)));
        self.emitted = end;
        let engine = &mut *self.engine;
        engine.removed += span.len();
        engine.strip_from = end;
        if let Context::Block(_) = engine.context {
            // Records further back than `max_assertion` cannot be in the block's assertion.
            let far = end.saturating_sub(self.input.limits.max_assertion() as u64);
            let removed = &mut engine.json.removed;
            while removed.front().is_some_and(|before| before.end() <= far) {
                removed.pop_front();
            }
            removed.push_back(span);
        }
    }

    /// Emits the held bytes of the open value, and all text up to stream offset `upto`.
    pub(super) fn release_json(&mut self, upto: u64) {
        let from = self.emitted;
        if from < self.input.base.min(upto) && self.engine.held.is_some() {
            let engine = &mut *self.engine;
            let buffered = engine.reader.kept(from, self.input.base);
            match &mut engine.markers {
                Some(markers) => markers.text(buffered, self.sink),
                None => (self.sink)(text_event(buffered, from)),
            }
            self.emitted = self.input.base;
        }
        self.emit_text_until(upto);
    }

    /// Returns the stream offset from which on the open value is held at the end of a chunk, if it
    /// is.
    pub(super) fn buffered_json(&self, end: u64) -> Option<u64> {
        let reader = &self.engine.reader;
        let buffered = self.engine.json.hold_records
            && reader.is_object()
            && end - reader.start() <= self.input.limits.max_record() as u64;
        buffered.then(|| reader.start())
    }
}
