//! The driver: from bytes to events, in free text with bracketed annotations and in streams of JSON values.
//!
//! One pass over each chunk, in place. Nothing is copied until the chunk ends; then the tail that later events may need
//! goes into the [`Window`]. No decision depends on where a chunk ends.

mod attach;
mod code;
mod gap;
mod json;
mod markers;
mod retain;
mod scan;
mod sequence;
mod undecided;

use smallvec::SmallVec;

use self::attach::{Pending, Target};
use self::gap::Gap;
use self::json::Json;
use self::scan::Scan;
use self::undecided::Findings;
use super::bytes::{TEXT, TEXT_AND_JSON};
use super::held::HoldStart;
use super::json::JsonReader;
#[cfg(feature = "dialects")]
use super::marker::{Markers, Region};
#[cfg(not(feature = "dialects"))]
use super::no_markers::{Markers, Region};
use super::unknown;
use super::window::Window;
use super::{Input, Sink};
use crate::engine::annotation::candidate::{Candidate, CandidateStep, NEAR};
use crate::engine::chars::{BYTE_ORDER_MARK, MOST_REMOVED};
use crate::engine::markdown::code::{Fence, FenceLine};
use crate::event::{Event, TextChunk};
use crate::provenance::packed::Record;
use crate::{Limits, Mode, Span};

/// Rules for the next byte.
#[derive(Clone, Copy, Debug)]
enum Context {
    /// Rules of ordinary text.
    Text,
    /// In an annotation candidate that started at this offset.
    Candidate { start: u64 },
    /// In a run of backticks or tildes that opens a code span or, with `block`, may open a fenced block.
    Opening { fence: Fence, block: bool },
    /// In a code span, `closing` backticks into a run; with `block` it may turn out to open a fenced block.
    CodeSpan {
        fence: Fence,
        closing: u64,
        block: bool,
    },
    /// After the opening run of a fenced block, on its first line.
    Info(Fence),
    /// In a fenced block.
    Block(Block),
    /// In a stream of JSON values, before the next one.
    BeforeValue,
    /// After the value of a line.
    AfterValue,
    /// The rest of the line is not read.
    Skipped,
}

/// A fenced block that is open.
#[derive(Clone, Copy, Debug)]
struct Block {
    fence: Fence,
    line: FenceLine,
    line_start: u64,
    /// Content was dropped from the window.
    cut: bool,
}

impl Context {
    /// After a whole run of backticks or tildes that [opens](Self::Opening) something.
    const fn after_run(fence: Fence, block: bool) -> Self {
        match fence.marker {
            b'`' => Self::CodeSpan {
                fence,
                closing: 0,
                block: block && fence.run >= 3,
            },
            _ if fence.run >= 3 => Self::Info(fence),
            _ => Self::Text,
        }
    }
}

/// The state of one stream.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    mode: Mode,
    /// Stream offset of the first byte.
    start: u64,
    /// Stream offset at which the current text begins: the start of the stream, the end of a byte order
    /// mark, or the last break.
    text_start: u64,
    window: Window,
    records: SmallVec<[Record; 1]>,
    context: Context,
    candidate: Candidate,
    /// The text that an annotation would belong to if only white space came before it.
    target: Option<Target>,
    /// An assertion whose annotations may not be all there yet; its text is `target`.
    pending: Option<Pending>,
    gap: Gap,
    /// Bytes that have not been emitted: those of a candidate or a record.
    held: HoldStart,
    /// Bytes that stripping removes, so far.
    removed: u64,
    /// End of the last annotation, or start of the own text around `position`, whichever is later.
    strip_from: u64,
    /// After the last byte of untrusted text that is not white space.
    untrusted_text_end: u64,
    /// Bytes of a byte order mark seen at the very start; 3 once it is decided.
    bom_matched: u8,
    untrusted: bool,
    /// Only white space was read since a break.
    after_break: bool,
    json: Json,
    reader: JsonReader,
    findings: Option<Box<Findings>>,
    /// Reader of the markers of citations, with dialects.
    markers: Option<Box<Markers>>,
}

impl Engine {
    /// A stream whose first byte has stream offset `start`. JSON records in it are held back or not.
    pub(crate) fn new(limits: &Limits, start: u64, mode: Mode, hold_records: bool) -> Self {
        let context = match mode {
            Mode::Text | Mode::Auto => Context::Text,
            Mode::Json | Mode::Ndjson => Context::BeforeValue,
        };
        Self {
            mode,
            start,
            text_start: start,
            window: Window::new(retain::most(limits), start),
            records: SmallVec::new(),
            context,
            candidate: Candidate::new(),
            target: None,
            pending: None,
            gap: Gap::default(),
            held: HoldStart::NOTHING,
            removed: 0,
            strip_from: start,
            untrusted_text_end: 0,
            bom_matched: 0,
            untrusted: false,
            after_break: false,
            json: Json::new(start, mode, hold_records),
            reader: JsonReader::new(start),
            findings: None,
            markers: None,
        }
    }

    /// Returns the dialects whose markers are looked for.
    #[cfg(feature = "dialects")]
    pub(crate) fn dialects(&self) -> Option<&crate::dialect::Dialects> {
        self.markers.as_deref().map(Markers::dialects)
    }

    /// Compares a text that begins with the sources as `other` did, of whose text it is a copy.
    #[cfg(feature = "dialects")]
    pub(crate) fn repeat_sources(&mut self, other: &Self) {
        if let (Some(markers), Some(other)) = (&mut self.markers, &other.markers) {
            markers.repeat_sources(other);
        }
    }

    /// More bytes come next. Returns how many are compared with the same version of the sources.
    pub(crate) fn begin_piece(&mut self) -> usize {
        let at = self.position();
        let markers = self.markers.as_mut();
        markers.map_or(usize::MAX, |markers| markers.begin_piece(at))
    }

    /// A break or the end comes next.
    pub(crate) fn end_piece(&mut self) {
        let at = self.position();
        if let Some(markers) = &mut self.markers {
            markers.end_piece(at);
        }
    }

    /// Looks for markers of citations, too. In a stream of JSON values there are none.
    #[cfg(feature = "dialects")]
    pub(crate) fn set_markers(&mut self, markers: Markers) {
        if !self.is_sequence() {
            self.markers = Some(Box::new(markers));
        }
    }

    /// Back to the start of a stream, keeping the memory.
    pub(crate) fn reset(&mut self, limits: &Limits) {
        self.restart_at(limits, self.start);
        if let Some(markers) = &mut self.markers {
            markers.reset(self.start);
        }
    }

    /// Begins a stream whose first byte has offset `start`, keeping the memory.
    fn restart_at(&mut self, limits: &Limits, start: u64) {
        let fresh = Self::new(limits, start, self.mode, self.json.hold_records);
        let mut before = core::mem::replace(self, fresh);
        before.window.clear(start);
        before.records.clear();
        before.reader.rest(start);
        before.json.removed.clear();
        if let Some(findings) = &mut before.findings {
            **findings = Findings::default();
        }
        self.window = before.window;
        self.records = before.records;
        self.reader = before.reader;
        self.json.removed = before.json.removed;
        self.findings = before.findings;
        self.markers = before.markers;
    }

    /// Returns `true` if the stream has nothing but JSON values.
    pub(crate) const fn is_sequence(&self) -> bool {
        matches!(self.mode, Mode::Json | Mode::Ndjson)
    }

    /// Stream offset of the next byte, which is the end of the window, or of what is kept of a value, between pushes.
    pub(crate) const fn position(&self) -> u64 {
        if self.is_sequence() {
            self.reader.position()
        } else {
            self.window.end()
        }
    }

    /// Bytes that can still become an annotation and were not emitted.
    pub(crate) fn buffered_len(&self) -> usize {
        match &self.markers {
            Some(markers) if !self.window.emits_run() => {
                (self.position() - markers.position()) as usize
            }
            _ => self.held.len(self.position()),
        }
    }

    /// Returns `true` if something is buffered that is not a whole marker.
    pub(crate) fn is_in_beginning(&self) -> bool {
        let len = self.buffered_len();
        let markers = self.markers.as_ref();
        len > 0 && !markers.is_some_and(|markers| markers.hold_whole_marker(len))
    }

    /// Text that was emitted in a run, which the reader of markers has not seen.
    fn unseen<'w>(window: &'w Window, markers: &Markers) -> &'w [u8] {
        match window.emits_run() {
            true => window.raw_from(markers.position()),
            false => &[],
        }
    }

    /// Passes the text that was emitted in a run to the reader of markers.
    #[inline]
    fn sync_markers(&mut self) {
        if let Some(markers) = &mut self.markers {
            let unseen = Self::unseen(&self.window, markers);
            if !unseen.is_empty() {
                markers.catch_up(unseen);
            }
        }
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        let records = if self.records.spilled() {
            self.records.capacity() * size_of::<Record>()
        } else {
            0
        };
        let removed = self.json.removed.capacity() * size_of::<Span>();
        let findings = self.findings.as_ref().map_or(0, |_| size_of::<Findings>());
        let markers = self.markers.as_ref().map_or(0, |markers| markers.heap());
        self.window.heap() + records + removed + self.reader.heap() + findings + markers
    }

    /// Returns the class of bytes that can be appended without reading them.
    #[cfg(test)]
    pub(crate) const fn plain_class(&self) -> super::bytes::ByteClasses {
        if self.is_sequence() {
            self.reader.plain_class()
        } else {
            self.window.plain_class()
        }
    }

    /// Appends a chunk of plain text, which leaves the state as it is, and returns its stream offset;
    /// `None` if this chunk must be [pushed](Self::push) next. Some of it may have been read then.
    // `inline(always)`: see `Parser::append_plain`.
    #[inline(always)]
    pub(crate) fn append_plain(&mut self, chunk: &[u8]) -> Option<u64> {
        // In a stream of JSON values the window is empty, and takes nothing.
        match self.window.buffer_mut().append_plain(chunk) {
            None if self.is_sequence() => self.reader.append_plain(chunk),
            taken => taken,
        }
    }

    /// Appends a chunk like [`append_plain`](Self::append_plain), or takes nothing of it.
    #[inline]
    pub(crate) fn append_unchanged(&mut self, chunk: &[u8]) -> Option<u64> {
        match self.window.buffer_mut().append_plain(chunk) {
            None if self.is_sequence() => self.reader.append_to_string(chunk),
            taken => taken,
        }
    }

    /// Appends a chunk that only continues the open candidate, whose bytes are held back. Returns
    /// `false` if the chunk must be read.
    pub(crate) fn append_plain_held(&mut self, chunk: &[u8]) -> bool {
        self.window.buffer_mut().append_plain_held(chunk)
    }

    /// Notes which bytes leave the state as it is after a push: in ordinary own text with nothing pending, those that
    /// open nothing; in a candidate, those that continue its label, name or value.
    ///
    /// In such a state of a candidate, the bracket is known not to begin a JSON array, and no line feed that could
    /// matter to JSON can come.
    fn update_run(&mut self, limits: &Limits) {
        match self.context {
            Context::Text if self.is_in_plain_text() => {
                let class = match &self.markers {
                    Some(markers) => markers.plain_class(),
                    None if self.json.on => TEXT_AND_JSON,
                    None => TEXT,
                };
                self.window.set_run(class, usize::MAX, false);
            }
            Context::Candidate { .. } if self.held.is_some() && !self.untrusted => {
                let most = limits
                    .max_annotation()
                    .saturating_sub(self.candidate.read() + NEAR);
                self.window.set_run(self.candidate.byte_class(), most, true);
            }
            _ => self.window.end_run(),
        }
    }

    fn is_in_plain_text(&self) -> bool {
        self.pending.is_none()
            && !self.untrusted
            && usize::from(self.bom_matched) == BYTE_ORDER_MARK.len()
            && !self.json.open
            && !self.json.barred
            && self.json.array.is_none()
            && !self.gap.has_unknown()
            && self.json.leading_white_end != self.position()
    }

    /// Appends and reads a chunk that continues the open candidate, if it fits the run's room. Returns `false` if the slow
    /// path is needed.
    fn append_to_candidate(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) -> bool {
        let Context::Candidate { start } = self.context else {
            return false;
        };
        let before = (input.base - start) as usize;
        let buffer = self.window.buffer_mut();
        let Some(bytes) = buffer.append_within_run(input.chunk) else {
            return false;
        };
        let bytes = &bytes[bytes.len() - input.chunk.len() - before..];
        let max = input.limits.max_annotation();
        self.candidate.advance_to(before);
        let step = self.candidate.feed(bytes, max, input.vocabulary);
        if step == CandidateStep::More {
            buffer.set_held_class(self.candidate.byte_class());
        } else {
            let end = self.candidate.read() - before;
            self.window.truncate(input.base + end as u64);
            let mut scan = Scan::new(self, input, sink);
            scan.end_candidate(start, step, end);
            scan.read(end);
            self.update_run(input.limits);
        }
        true
    }

    /// Reads a chunk of the model's own text, or of untrusted text.
    pub(crate) fn push(&mut self, input: &Input<'_>, untrusted: bool, sink: &mut Sink<'_>) {
        if input.chunk.is_empty() {
            return;
        }
        if self.is_sequence() {
            let is_in_value = self.json.open && !self.json.hold_records;
            if is_in_value && untrusted == self.untrusted {
                self.push_in_value(input, sink);
            } else {
                self.push_pieces(input, untrusted, sink);
            }
            return;
        }
        self.sync_markers();
        let may_be_short = !untrusted && self.json.array.is_none() && !self.json.barred;
        if may_be_short && self.append_to_candidate(input, sink) {
            return;
        }
        if !may_be_short || !self.append_to_json(input.chunk, sink) {
            self.push_pieces(input, untrusted, sink);
        }
        self.update_run(input.limits);
    }

    fn push_pieces(&mut self, input: &Input<'_>, untrusted: bool, sink: &mut Sink<'_>) {
        if untrusted != self.untrusted {
            self.end_own_or_untrusted(input, sink);
            self.untrusted = untrusted;
            if let Some(markers) = &mut self.markers
                && !matches!(self.context, Context::Block(_))
            {
                let region = match self.context {
                    _ if untrusted => Region::Untrusted,
                    // The opening line of a fenced block goes on.
                    Context::Info(_) => code::OPENING_LINE,
                    _ => Region::Prose,
                };
                markers.switch(region, sink);
            }
            if !untrusted {
                self.strip_from = input.base;
            }
        }
        let mut rest = *input;
        loop {
            // A bracket at the end of a piece, as at the end of a chunk, may wait for the next byte
            // to decide whether it begins an array.
            if let Some(start) = self.json.array {
                rest = rest.split_at(self.decide_array(start, &rest, sink)).1;
            }
            // A value is no longer buffered where it gets too long for that.
            let room = match self.buffered_len() {
                buffered if buffered > 0 && self.json.open => {
                    (input.limits.max_record() + 1).saturating_sub(buffered)
                }
                _ => 0,
            };
            if !(1..rest.chunk.len()).contains(&room) {
                return self.scan(&rest, sink);
            }
            let (now, later) = rest.split_at(room);
            self.scan(&now, sink);
            rest = later;
        }
    }

    fn scan(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        debug_assert_eq!(self.position(), input.base);
        let mut scan = Scan::new(self, input, sink);
        let from = scan.skip_bom();
        scan.read(from);
        debug_assert_eq!(self.position(), input.end());
    }

    /// Reports what is open at the end of the stream. Bytes pushed after it are a separate text.
    pub(crate) fn finish(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        self.push_break(input, sink);
        self.after_break = false;
    }

    /// Reports what is open at a break. Bytes pushed after it are a separate text.
    pub(crate) fn push_break(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        self.sync_markers();
        self.window.end_run();
        let opens_block = match self.context {
            Context::Info(_) => true,
            Context::CodeSpan { block, .. } => block,
            Context::Opening { fence, block } => block && fence.run >= 3,
            _ => false,
        };
        if let Some(markers) = &mut self.markers
            && opens_block
        {
            markers.drop_opening_line();
        }
        self.end_own_or_untrusted(input, sink);
        if !self.is_sequence() {
            Scan::at_end(self, input, sink).complete_assertion();
        }
        if let Some(markers) = &mut self.markers {
            markers.finish(sink);
        }
        // What was reported about the text before, and written, stays.
        let (start, removed) = (self.start, self.removed);
        self.restart_at(input.limits, self.position());
        (self.start, self.removed) = (start, removed);
        if self.position() > start {
            self.bom_matched = BYTE_ORDER_MARK.len() as u8;
        }
        self.after_break = true;
    }

    /// Prepares the search for unknowns in the slot at the end of a text that starts at stream offset `at`; `at_window_start` if
    /// that is where the window starts.
    fn unknown_search<'t>(
        &self,
        text: &'t [u8],
        at: u64,
        at_window_start: bool,
        limits: &Limits,
    ) -> unknown::UnknownSearch<'t> {
        let after_white = || self.window.is_after_white() || at == self.text_start;
        unknown::UnknownSearch {
            text,
            floor: self.strip_from.saturating_sub(at) as usize,
            after_white: at_window_start.then(after_white),
            max: limits.max_annotation(),
            reach: limits.max_assertion(),
            chain: 0..0,
        }
    }

    /// Returns the number of bytes emitted last that are white space, which an annotation after them would remove.
    pub(crate) fn removable(&self, limits: &Limits) -> usize {
        if let Some(markers) = &self.markers {
            return markers.removable(Self::unseen(&self.window, markers));
        }
        // If a bracket waits as a possible array, another one would make it an array, unless that
        // is too deep; then nothing is removed.
        if self.json.array.is_some() && !self.held.is_some() && limits.max_depth() > 1 {
            return 0;
        }
        if self.json.open && matches!(self.context, Context::Text) {
            let most = self.removable_in_json();
            return self.removable_up_to(most);
        }
        // Where code must end with its line first, the line feed is one of the bytes that are removed.
        let most = match self.context {
            Context::Text | Context::Opening { .. } | Context::Candidate { .. } => MOST_REMOVED,
            Context::CodeSpan { fence, block, .. } if fence.quoted || !block => MOST_REMOVED - 1,
            Context::Info(fence) if fence.quoted => MOST_REMOVED - 1,
            Context::Block(Block { fence, line, .. }) => match line {
                FenceLine::Prefix { quote: false } | FenceLine::Mixed if fence.quoted => {
                    MOST_REMOVED
                }
                FenceLine::Tail { .. } => MOST_REMOVED - 1,
                _ if fence.quoted => MOST_REMOVED - 1,
                _ => 0,
            },
            Context::CodeSpan { .. } | Context::Info(_) => 0,
            // A stream of JSON values has no bracketed annotations.
            Context::BeforeValue | Context::AfterValue | Context::Skipped => 0,
        };
        self.removable_up_to(most)
    }

    fn removable_up_to(&self, most: usize) -> usize {
        if most == 0 || self.untrusted {
            return 0;
        }
        let emitted = self.held.start(self.position());
        if emitted < self.window.base() {
            return 0;
        }
        let white = self.window.white_before(emitted) as u64;
        white.min(emitted - self.strip_from).min(most as u64) as usize
    }

    /// Ends what cannot continue across a change between own and untrusted text, or the end of the stream.
    fn end_own_or_untrusted(&mut self, input: &Input<'_>, sink: &mut Sink<'_>) {
        self.json.array = None;
        if self.is_sequence() && self.bom_matched > 0 {
            Scan::at_end(self, input, sink).no_bom();
        }
        if self.json.open {
            Scan::at_end(self, input, sink).end_open_json();
        }
        if !self.is_sequence() {
            Scan::at_end(self, input, sink).end_unknown();
        }
        match self.context {
            Context::Candidate { start } => {
                Scan::at_end(self, input, sink).abandon(start, None);
            }
            Context::Opening { fence, block } if fence.marker == b'~' => {
                self.context = Context::after_run(fence, block);
            }
            Context::Opening { .. } | Context::CodeSpan { .. } => {
                let is_closed = matches!(self.context, Context::CodeSpan { fence, closing, .. } if closing == fence.run);
                self.context = Context::Text;
                if let Some(markers) = &mut self.markers {
                    if !is_closed {
                        markers.end_open_code(sink);
                    }
                    markers.switch(Region::Prose, sink);
                }
            }
            Context::Block(ref mut block)
                if matches!(block.line, FenceLine::Run { .. } | FenceLine::Tail { .. }) =>
            {
                block.line = FenceLine::Code;
            }
            _ => {}
        }
    }
}

/// A piece of text for the sink.
fn text_event(bytes: &[u8], start: u64) -> Event<'_> {
    Event::Text(TextChunk::new(bytes, start))
}

const fn span(start: u64, len: u64) -> Span {
    Span::new(start, start + len)
}

/// The bytes of a span of the stream that lies in the window or in the chunk.
#[inline]
fn stream_bytes<'a>(window: &'a Window, input: &Input<'a>, span: Span) -> &'a [u8] {
    let len = span.len() as usize;
    if span.start() >= input.base {
        &input.chunk[input.index(span.start())..][..len]
    } else {
        &window.raw_from(span.start())[..len]
    }
}
