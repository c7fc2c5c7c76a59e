//! One chunk, from its first byte to its last.

use memchr::{memchr, memchr3};

use super::{Context, Engine, span, text_event};
use crate::Span;
use crate::engine::annotation::candidate::{Candidate, CandidateStep, NEAR};
use crate::engine::annotation::usual::usual;
use crate::engine::bytes::{BRACE, OPENERS};
use crate::engine::chars::{BYTE_ORDER_MARK, is_escaped, removable_tail};
use crate::engine::held::HoldStart;
use crate::engine::json::lexer::leading_white;
use crate::engine::markdown::code::Fence;
use crate::engine::markdown::line::Line;
#[cfg(feature = "dialects")]
use crate::engine::marker::Region;
#[cfg(not(feature = "dialects"))]
use crate::engine::no_markers::Region;
use crate::engine::unknown::may_stand_alone;
use crate::engine::window::white_tail;
use crate::engine::{Input, Sink};
use crate::event::{Diagnostic, DiagnosticCode, Event};
use crate::steps;

/// A chunk on its way through the engine.
///
/// Invariants: `base` is the stream offset of `chunk[0]`; the window holds what is needed of the stream up to its end, which
/// lies at `base` or, where text was stitched to it, inside the chunk; after that the chunk itself is read. Offsets in the
/// window and in the chunk differ by less than `usize::MAX`, also on 32 bits: a slice has at most `isize::MAX` bytes, and
/// the window is bounded.
pub(super) struct Scan<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) input: Input<'a>,
    /// Everything before this stream offset has been emitted.
    pub(super) emitted: u64,
    /// Index up to which the chunk was searched for brackets, backticks and tildes; with dialects, also
    /// for braces.
    opener: usize,
    /// Index up to which the chunk was searched for braces, without dialects.
    brace: usize,
    /// The bytes of a barred line before this index hold no line feed.
    pub(super) barred_from: usize,
    pub(super) sink: &'a mut Sink<'a>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(engine: &'a mut Engine, input: &Input<'a>, sink: &'a mut Sink<'a>) -> Self {
        let emitted = engine.held.start(input.base);
        Self {
            engine,
            input: *input,
            emitted,
            opener: 0,
            brace: 0,
            barred_from: 0,
            sink,
        }
    }

    /// Creates a scan with an empty chunk at the end of what was read.
    pub(super) fn at_end(
        engine: &'a mut Engine,
        input: &Input<'a>,
        sink: &'a mut Sink<'a>,
    ) -> Self {
        let base = engine.position();
        let input = Input {
            chunk: &[],
            base,
            ..*input
        };
        Self::new(engine, &input, sink)
    }

    /// Reads the chunk from index `at` to its end.
    pub(super) fn read(&mut self, mut at: usize) {
        while at < self.input.chunk.len() {
            if self.engine.json.open {
                at = self.json(at);
                continue;
            }
            self.extend_leading_white(at);
            let from = at;
            at = match self.engine.context {
                Context::Text => self.scan_text(at),
                Context::Candidate { start } => self.resume_candidate(start),
                Context::Opening { fence, block } => self.opening(at, fence, block),
                Context::CodeSpan {
                    fence,
                    closing,
                    block,
                } => self.code_span(at, fence, closing, block),
                Context::Info(fence) => self.info(at, fence),
                Context::Block(block) => self.block(at, block),
                Context::BeforeValue | Context::AfterValue | Context::Skipped => {
                    self.outside_value(at)
                }
            };
            steps::count(at - from);
        }
        self.end_of_chunk();
    }

    /// Skips a byte order mark at the very start, which counts as white space: the text, or the first value, begins after
    /// it. Returns the index from which on the chunk is to be read.
    pub(super) fn skip_bom(&mut self) -> usize {
        let is_sequence = self.engine.is_sequence();
        let mut at = 0;
        while let Some(expected) = BYTE_ORDER_MARK.get(usize::from(self.engine.bom_matched))
            && let Some(byte) = self.input.chunk.get(at)
        {
            if byte != expected || is_sequence && self.engine.untrusted {
                self.no_bom();
                break;
            }
            self.engine.bom_matched += 1;
            at += 1;
            if self.engine.bom_matched == 3 && !is_sequence {
                let end = self.engine.start + 3;
                self.engine.window.restart(end, Line::new_block(false), 0);
                self.engine.strip_from = end;
                self.engine.text_start = end;
                self.engine.json.leading_white_end = end;
            }
        }
        if is_sequence { at } else { 0 }
    }

    /// Handles a missing byte order mark. In a stream of JSON alone, bytes that begin like one are
    /// invalid.
    pub(super) fn no_bom(&mut self) {
        let whole = BYTE_ORDER_MARK.len() as u8;
        let begun = core::mem::replace(&mut self.engine.bom_matched, whole);
        if self.engine.is_sequence() && begun > 0 && begun < whole {
            self.syntax(self.engine.start);
            self.engine.context = Context::Skipped;
        }
    }

    pub(super) fn diagnose(&mut self, code: DiagnosticCode, span: Span) {
        self.settle_markers();
        (self.sink)(Event::Diagnostic(Diagnostic::new(code, span)));
    }

    /// Stream offset of an index in the chunk.
    pub(super) const fn offset(&self, at: usize) -> u64 {
        self.input.base + at as u64
    }

    /// Index in the chunk of a stream offset that lies in it.
    pub(super) const fn index(&self, offset: u64) -> usize {
        self.input.index(offset)
    }

    /// Index in the chunk after the bytes that the window holds.
    pub(super) fn unstitched(&self) -> usize {
        let end = self.engine.window.end().max(self.input.base);
        self.index(end)
    }

    /// Emits all text up to a stream offset.
    pub(super) fn emit_text_until(&mut self, upto: u64) {
        let from = self.emitted;
        if upto <= from {
            return;
        }
        let buffered = self.input.base.clamp(from, upto);
        if from < buffered {
            let engine = &mut *self.engine;
            let bytes = &engine.window.raw_from(from)[..(buffered - from) as usize];
            match &mut engine.markers {
                Some(markers) => markers.text(bytes, self.sink),
                None => (self.sink)(text_event(bytes, from)),
            }
        }
        if buffered < upto {
            let chunk = self.input.chunk;
            let piece = &chunk[self.index(buffered)..self.index(upto)];
            self.emit_text(piece, buffered);
        }
        self.emitted = upto;
    }

    /// Emits text of the stream that starts at offset `start`.
    #[inline]
    pub(super) fn emit_text(&mut self, bytes: &[u8], start: u64) {
        match &mut self.engine.markers {
            Some(markers) => markers.text(bytes, self.sink),
            None => (self.sink)(text_event(bytes, start)),
        }
    }

    /// Emits the text up to stream offset `at` if markers are looked for, so that it comes before
    /// the next event.
    #[inline]
    pub(super) fn emit_text_until_with_markers(&mut self, at: u64) {
        if self.engine.markers.is_some() {
            self.emit_text_until(at);
        }
    }

    /// Reports the citations that are certain, before an event.
    #[inline]
    pub(super) fn settle_markers(&mut self) {
        if let Some(markers) = &mut self.engine.markers {
            markers.settle(self.sink);
        }
    }

    /// Extends the white space at the start of the stream or fenced block, if it reaches index
    /// `at`.
    #[inline]
    pub(super) fn extend_leading_white(&mut self, at: usize) {
        let end = self.engine.json.leading_white_end;
        if end >= self.offset(at)
            && let Some(rest) = self.input.chunk.get(self.index(end)..)
        {
            self.engine.json.leading_white_end += leading_white(rest) as u64;
        }
    }

    /// Reads ordinary text up to the next byte that may open something, and begins what it opens.
    /// Returns the index to read on from.
    fn scan_text(&mut self, at: usize) -> usize {
        let mut at = at;
        if self.engine.pending.is_some() || self.engine.gap.has_unknown() {
            at = self.gap(at);
            if at == self.input.chunk.len() {
                return at;
            }
        }
        if self.engine.untrusted {
            self.note_untrusted(at);
            return self.input.chunk.len();
        }
        let here = self.next_opener(at);
        let Some(&byte) = self.input.chunk.get(here) else {
            return self.input.chunk.len();
        };
        match byte {
            b'{' if self.may_be_object(here) => self.start_json(here),
            b'{' => here + 1,
            b'~' => {
                let Some(quoted) = self.line_prefix(here) else {
                    return here + 1;
                };
                self.opening(here, Fence::begun(byte, quoted), true)
            }
            _ if self.escaped(here) => here + 1,
            b'`' => {
                let quoted = self.line_prefix(here);
                let fence = Fence::begun(byte, quoted == Some(true));
                let may_open_block = quoted.is_some();
                self.region(here, Region::Code { may_open_block });
                self.opening(here, fence, quoted.is_some())
            }
            _ if self.begins_array(here) => self.start_json(here),
            _ => self.start_candidate(here),
        }
    }

    /// Returns `true` if a value begins with the bracket at index `here`; remembers the bracket if
    /// the next chunk must decide.
    #[inline]
    pub(super) fn begins_array(&mut self, here: usize) -> bool {
        self.engine.json.leading_white_end == self.offset(here) && self.leading_may_be_array(here)
    }

    /// Index of the next byte from `at` on that may open a candidate, code or a value, or the chunk's length.
    #[inline]
    fn next_opener(&mut self, at: usize) -> usize {
        if self.engine.markers.is_some() {
            return self.next_opener_beside_markers(at);
        }
        if !self.engine.json.on {
            return self.opener_before(at, self.input.chunk.len());
        }
        // In pieces, so that the second search finds the bytes in the cache.
        let mut from = at;
        loop {
            let end = self.input.chunk.len().min(from + PIECE);
            let here = self.opener_before(from, end);
            let here = self.brace_before(from, here);
            if here < end || end == self.input.chunk.len() {
                return here;
            }
            from = end;
        }
    }

    /// Index of the next byte from `at` on that may open something, found in one search with the bytes that may begin a marker.
    /// The text before it is emitted, since what was found about it holds only for the last part that was searched.
    #[cold]
    fn next_opener_beside_markers(&mut self, at: usize) -> usize {
        let known = self.opener.max(at);
        let (chunk, base, json) = (self.input.chunk, self.input.base, self.engine.json.on);
        if let Some(markers) = &mut self.engine.markers
            && chunk.get(known).is_some_and(|byte| !OPENERS.contains(byte))
        {
            self.opener = markers.find_opener(chunk, known, base, json);
            if self.opener < chunk.len() {
                self.emit_text_until(self.offset(self.opener));
            }
            return self.opener;
        }
        known
    }

    /// Index of the next bracket, backtick or tilde in `at..end` of the chunk, or `end`.
    #[inline]
    fn opener_before(&mut self, at: usize, end: usize) -> usize {
        let known = self.opener.max(at);
        if known < end && !OPENERS.contains(&self.input.chunk[known]) {
            let [bracket, tick, tilde] = OPENERS;
            let found = memchr3(bracket, tick, tilde, &self.input.chunk[known..end]);
            self.opener = found.map_or(end, |found| known + found);
            steps::count(self.opener - known);
            return self.opener;
        }
        known.min(end)
    }

    /// Index of the next brace in `at..end` of the chunk, or `end`.
    #[inline]
    fn brace_before(&mut self, at: usize, end: usize) -> usize {
        let known = self.brace.max(at);
        if known < end && self.input.chunk[known] != BRACE {
            let found = memchr(BRACE, &self.input.chunk[known..end]);
            self.brace = found.map_or(end, |found| known + found);
            steps::count(self.brace - known);
            return self.brace;
        }
        known.min(end)
    }

    fn note_untrusted(&mut self, at: usize) {
        steps::count(self.input.chunk.len() - at);
        let text = self.input.chunk[at..]
            .iter()
            .rposition(|byte| !byte.is_ascii_whitespace());
        if let Some(last) = text {
            self.engine.untrusted_text_end = self.offset(at + last + 1);
        }
    }

    /// Returns `true` if the byte at `here` is after an odd number of backslashes.
    fn escaped(&self, here: usize) -> bool {
        let before = &self.input.chunk[self.unstitched()..here];
        match before.last() {
            Some(b'\\') => {}
            Some(_) => return false,
            None => {}
        }
        let window = &self.engine.window;
        let raw = window.raw();
        let odd_before = is_escaped(raw, raw.len(), window.line().odd_backslashes);
        is_escaped(before, before.len(), odd_before)
    }

    /// Returns the number of bytes of white space before stream offset `at` that stripping removes with an annotation there.
    pub(super) fn white_before(&self, at: u64) -> usize {
        let window = &self.engine.window;
        let white = if at <= window.end() {
            window.white_before(at)
        } else {
            let before = &self.input.chunk[self.unstitched()..self.index(at)];
            match removable_tail(before) {
                white if white < before.len() => white,
                _ => white_tail(before, window.white_before(window.end())),
            }
        };
        let most = at.saturating_sub(self.engine.strip_from);
        (white as u64).min(most) as usize
    }

    /// Starts a candidate at the bracket at `here`.
    fn start_candidate(&mut self, here: usize) -> usize {
        let start = self.offset(here);
        let bytes = &self.input.chunk[here..];
        let max = self.input.limits.max_annotation();
        if let Some((reading, len)) = usual(bytes, max, self.input.vocabulary) {
            self.annotation(span(start, len as u64), &reading, false);
            return here + len;
        }
        self.engine.candidate = Candidate::new();
        let step = self
            .engine
            .candidate
            .feed(bytes, max, self.input.vocabulary);
        let end = here + self.engine.candidate.read();
        match step {
            CandidateStep::More => self.engine.context = Context::Candidate { start },
            CandidateStep::Closed => self.close_candidate(start, end),
            // Fast path of `abandon`: it would do nothing.
            CandidateStep::Dropped if self.is_outside_gap() && !may_stand_alone(bytes) => {}
            ended => self.abandon(start, Some((ended, end))),
        }
        end
    }

    /// Continues a candidate that started in an earlier chunk.
    fn resume_candidate(&mut self, start: u64) -> usize {
        let max = self.input.limits.max_annotation();
        let before = (self.engine.window.end() - start) as usize;
        self.engine.candidate.advance_to(before);
        // One byte more than it may have shows whether it is too long.
        let more = self.input.chunk.len().min(max + 1 - before.min(max));
        if more > self.engine.window.free() {
            self.slide();
        }
        self.engine.window.append(&self.input.chunk[..more]);
        let bytes = self.engine.window.raw_from(start);
        let step = self
            .engine
            .candidate
            .feed(bytes, max, self.input.vocabulary);
        let end = self.engine.candidate.read() - before;
        self.engine.window.truncate(self.offset(end));
        self.end_candidate(start, step, end);
        end
    }

    /// Result of the bytes up to an index in the chunk for the candidate that started at `start`.
    pub(super) fn end_candidate(&mut self, start: u64, step: CandidateStep, end: usize) {
        match step {
            CandidateStep::More => {}
            CandidateStep::Closed => self.close_candidate(start, end),
            ended => self.abandon(start, Some((ended, end))),
        }
    }

    /// The candidate that started at `start` is not an annotation; it ended at an index in the chunk, or with the stream or
    /// the own text.
    pub(super) fn abandon(&mut self, start: u64, ended: Option<(CandidateStep, usize)>) {
        self.engine.context = Context::Text;
        self.emit_text_until_with_markers(start);
        if !self.begin_unknown(start, ended) {
            self.complete_assertion();
        }
        let end = ended.map_or(self.input.base, |(_, at)| self.offset(at));
        if start < self.input.base {
            // Emit the candidate's bytes now: the window that has them may be restarted before the
            // chunk ends.
            self.emit_text_until(end);
            self.engine.held = HoldStart::NOTHING;
        }
        self.emit_text_until_with_markers(end);
        let code = match ended {
            Some((CandidateStep::Dropped, _)) => return,
            Some((CandidateStep::TooLong, _)) => DiagnosticCode::LimitAnnotation,
            None if !self.engine.candidate.has_started() => return,
            _ => DiagnosticCode::Unterminated,
        };
        self.diagnose(code, Span::new(start, end));
    }

    /// Emits what need not be buffered and keeps what may be needed of the chunk.
    fn end_of_chunk(&mut self) {
        let end = self.input.end();
        self.end_bar();
        let mut buffered = end;
        match self.engine.context {
            _ if self.engine.json.open => {
                buffered = self.buffered_json(end).unwrap_or(end);
                self.release_json(buffered);
                let engine = &mut *self.engine;
                engine.reader.retain(&self.input, self.sink);
                if buffered < end && engine.is_sequence() {
                    engine.reader.end_run();
                }
            }
            Context::Candidate { start } if self.may_close(start) => buffered = start,
            _ => {}
        }
        self.emit_text_until(buffered);
        if !self.engine.is_sequence() {
            self.stitch(self.input.chunk.len());
        } else if !self.engine.json.open {
            self.engine.reader.rest(end);
        }
        self.engine.held = HoldStart::between(buffered, end);
    }

    /// Returns `true` if the candidate that started at `start` can still end within the limit.
    fn may_close(&self, start: u64) -> bool {
        let max = self.input.limits.max_annotation();
        let candidate = &self.engine.candidate;
        if candidate.read() + NEAR < max {
            return true;
        }
        let bytes = if start >= self.input.base {
            &self.input.chunk[self.index(start)..]
        } else {
            self.engine.window.raw_from(start)
        };
        candidate.can_close_at(bytes, self.input.vocabulary) <= max
    }
}

/// Number of bytes that are searched for one kind of opener before they are searched for the other.
const PIECE: usize = 8 << 10;
