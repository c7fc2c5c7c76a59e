//! Free text with bracketed annotations: from bytes to events.
//!
//! One pass over each chunk, in place. Nothing is copied until the chunk ends; then the tail that later events may need
//! goes into the [`Window`]. No decision depends on where a chunk ends.

mod attach;
mod gap;
mod json;
mod retain;
mod scan;
mod undecided;

use smallvec::SmallVec;
use wide::u8x16;

use self::attach::{Pending, Target};
use self::gap::Gap;
use self::json::Json;
use self::scan::Scan;
use super::json::{JsonReader, split_buffered};
use super::window::Window;
use super::{Setup, Sink};
use crate::engine::annotation::candidate::{Candidate, Step};
use crate::engine::block::{BLOCK, eq, load, mask};
use crate::engine::chars::{BYTE_ORDER_MARK, MOST_REMOVED};
use crate::engine::markdown::code::{Fence, FenceLine};
use crate::engine::markdown::line::Line;
use crate::event::{Event, TextChunk};
use crate::provenance::packed::Record;
use crate::{Limits, Span};

/// So near to the longest annotation, what is buffered of a candidate depends on how much is left.
const NEAR: usize = 16;

/// Which rules hold for the next byte.
#[derive(Clone, Copy, Debug)]
enum Context {
    Text,
    /// In an annotation candidate that started at this offset.
    Candidate {
        start: u64,
    },
    /// In the run of backticks that opens a code span or, with `fence`, may open a fenced block (quoted or not).
    Ticks {
        run: u64,
        fence: Option<bool>,
    },
    /// In a code span, `closing` backticks into a run; with `fence` it may turn out to open a fenced block.
    CodeSpan {
        run: u64,
        closing: u64,
        fence: Option<bool>,
    },
    /// In a run of tildes that may open a fenced block.
    Tildes {
        run: u64,
        quoted: bool,
    },
    /// After the opening run of a fenced block, on its first line.
    Info(Fence),
    /// In a fenced block.
    Fence {
        fence: Fence,
        line: FenceLine,
        line_start: u64,
        /// Content was dropped from the window.
        cut: bool,
    },
}

impl Context {
    /// After a whole run of tildes at the start of a line.
    const fn after_tildes(run: u64, quoted: bool) -> Self {
        if run >= 3 {
            Self::Info(Fence {
                marker: b'~',
                run,
                quoted,
            })
        } else {
            Self::Text
        }
    }
}

/// The state of one stream of free text.
#[derive(Clone, Debug)]
pub(crate) struct TextEngine {
    /// Stream offset of the first byte.
    start: u64,
    window: Window,
    records: SmallVec<[Record; 1]>,
    context: Context,
    candidate: Candidate,
    /// The text that an annotation would belong to if only white space came before it.
    target: Option<Target>,
    /// An assertion whose annotations may not be all there yet; its text is `target`.
    pending: Option<Pending>,
    gap: Gap,
    /// Bytes before `position` that have not been emitted; they are a candidate's.
    buffered: usize,
    /// The fast path may be tried: ordinary own text, nothing pending.
    plain: bool,
    /// The bytes that may open something.
    opens: &'static [bool; 256],
    /// Bytes that stripping removes, so far.
    removed: u64,
    /// End of the last annotation, or start of the own text around `position`, whichever is later.
    strip_from: u64,
    /// After the last byte of untrusted text that is not white space.
    untrusted_text_end: u64,
    /// Bytes of a byte order mark seen at the very start; 3 once it is decided.
    mark: u8,
    untrusted: bool,
    json: Json,
    reader: JsonReader,
}

impl TextEngine {
    /// Free text whose first byte has stream offset `start`, with JSON values in it or not, of which records are buffered
    /// back or not.
    pub(crate) fn new(limits: &Limits, start: u64, json: bool, hold_records: bool) -> Self {
        Self {
            start,
            window: Window::new(retain::most(limits), start),
            records: SmallVec::new(),
            context: Context::Text,
            candidate: Candidate::new(),
            target: None,
            pending: None,
            gap: Gap::default(),
            buffered: 0,
            plain: false,
            opens: if json { &OPENS_JSON } else { &OPENS },
            removed: 0,
            strip_from: start,
            untrusted_text_end: 0,
            mark: 0,
            untrusted: false,
            json: Json::new(start, json, hold_records),
            reader: JsonReader::new(),
        }
    }

    /// Back to the start of a stream, keeping the memory.
    pub(crate) fn reset(&mut self, limits: &Limits) {
        let mut window = core::mem::replace(&mut self.window, Window::new(0, 0));
        let mut records = core::mem::take(&mut self.records);
        let mut reader = core::mem::replace(&mut self.reader, JsonReader::new());
        reader.forget_findings();
        let mut removed = core::mem::take(&mut self.json.removed);
        window.clear(self.start);
        records.clear();
        removed.clear();
        *self = Self {
            window,
            records,
            reader,
            ..Self::new(limits, self.start, self.json.on, self.json.hold_records)
        };
        self.json.removed = removed;
    }

    /// Stream offset of the next byte, which is the window's end between pushes.
    pub(crate) const fn position(&self) -> u64 {
        self.window.end()
    }

    /// Bytes that can still become an annotation and were not emitted.
    pub(crate) const fn buffered_len(&self) -> usize {
        self.buffered
    }

    /// Bytes of heap in use.
    pub(crate) fn heap(&self) -> usize {
        let records = if self.records.spilled() {
            self.records.capacity() * size_of::<Record>()
        } else {
            0
        };
        let removed = self.json.removed.capacity() * size_of::<Span>();
        self.window.heap() + records + removed + self.reader.heap()
    }

    /// Takes a chunk that is not long in ordinary text without anything of interest, and returns its offset; `None` if it is
    /// not that simple.
    #[inline(always)]
    pub(crate) fn push_plain(&mut self, chunk: &[u8]) -> Option<u64> {
        if !self.plain || may_open(chunk, self.opens) {
            return None;
        }
        let start = self.window.end();
        self.window.append_in_place(chunk).then_some(start)
    }

    /// Takes a chunk of the model's own text that lies within one label, name or value of an open candidate; `false` if it is
    /// not that simple.
    ///
    /// Untrusted text ends a candidate; and where such a place is reached, the bracket has been found to begin no array, and no
    /// line feed that could matter to JSON can come.
    #[inline]
    pub(crate) fn push_in_candidate(&mut self, max_annotation: usize, chunk: &[u8]) -> bool {
        let read = self.candidate.read() + chunk.len();
        if !matches!(self.context, Context::Candidate { .. })
            || self.buffered == 0
            || read + NEAR > max_annotation
            || !self.candidate.goes_on_with(chunk)
            || !self.window.append_in_place(chunk)
        {
            return false;
        }
        self.candidate.skip(chunk.len());
        self.buffered += chunk.len();
        true
    }

    /// Takes a chunk of a few bytes that continues an open candidate; returns `false` if the slow path is needed.
    fn push_candidate(&mut self, setup: Setup<'_>, chunk: &[u8]) -> bool {
        let Context::Candidate { start } = self.context else {
            return false;
        };
        let max = setup.limits.max_annotation();
        let end = self.window.end();
        if self.untrusted
            || self.buffered == 0
            || self.candidate.read() + chunk.len() + NEAR > max
            || !self.window.append_in_place(chunk)
        {
            return false;
        }
        let mut candidate = self.candidate.clone();
        let bytes = self.window.raw_from(start);
        if candidate.feed(bytes, max, setup.vocabulary) != Step::More {
            self.window.truncate(end);
            return false;
        }
        self.candidate = candidate;
        self.buffered += chunk.len();
        true
    }

    /// Takes a chunk of the model's own text, or of untrusted text.
    pub(crate) fn push(
        &mut self,
        setup: Setup<'_>,
        chunk: &[u8],
        untrusted: bool,
        sink: &mut Sink<'_>,
    ) {
        if chunk.is_empty()
            || (!untrusted
                && self.json.array.is_none()
                && !self.json.barred
                && (self.push_candidate(setup, chunk) || self.push_in_string(chunk, sink)))
        {
            return;
        }
        self.plain = false;
        if untrusted != self.untrusted {
            self.end_own_or_untrusted(setup, sink);
            self.untrusted = untrusted;
            if !untrusted {
                self.strip_from = self.position();
            }
        }
        let mut rest = chunk;
        loop {
            // Where a piece ends is one more place at which a bracket may wait for what follows it.
            let white = self.decide_array(setup, rest, sink).unwrap_or(0);
            rest = &rest[white..];
            if !self.json.open {
                break;
            }
            let Some((now, later)) = split_buffered(setup.limits, self.buffered, rest) else {
                break;
            };
            self.scan(setup, now, sink);
            rest = later;
        }
        self.scan(setup, rest, sink);
        self.plain = matches!(self.context, Context::Text)
            && self.pending.is_none()
            && !untrusted
            && usize::from(self.mark) == BYTE_ORDER_MARK.len()
            && !self.json.open
            && !self.json.barred
            && self.json.array.is_none()
            && self.json.lead != self.position();
    }

    fn scan(&mut self, setup: Setup<'_>, chunk: &[u8], sink: &mut Sink<'_>) {
        let base = self.position();
        self.find_mark(chunk);
        Scan::new(self, setup, chunk, base, sink).run();
        debug_assert_eq!(self.position(), base + chunk.len() as u64);
    }

    /// Reports what is open at the end of the stream.
    pub(crate) fn finish(&mut self, setup: Setup<'_>, sink: &mut Sink<'_>) {
        self.plain = false;
        self.end_own_or_untrusted(setup, sink);
        Scan::at_end(self, setup, sink).complete();
    }

    /// How many of the bytes emitted last are white space that an annotation which follows would remove.
    pub(crate) fn removable(&self, limits: &Limits) -> usize {
        // A bracket after one that may begin an array makes it one, unless that is too deep.
        if self.json.array.is_some() && self.buffered == 0 && limits.max_depth() > 1 {
            return 0;
        }
        if self.json.open && matches!(self.context, Context::Text) {
            let most = self.removable_in_json();
            return self.removable_up_to(most);
        }
        // Where code must end with its line first, the line feed is one of the bytes that are removed.
        let most = match self.context {
            Context::Text | Context::Ticks { .. } | Context::Tildes { .. } => MOST_REMOVED,
            Context::Candidate { .. } => MOST_REMOVED,
            Context::CodeSpan { fence, .. } if fence != Some(false) => MOST_REMOVED - 1,
            Context::Info(fence) if fence.quoted => MOST_REMOVED - 1,
            Context::Fence { fence, line, .. } => match line {
                FenceLine::Prefix { quote: false } | FenceLine::Mixed if fence.quoted => {
                    MOST_REMOVED
                }
                FenceLine::Tail { .. } => MOST_REMOVED - 1,
                _ if fence.quoted => MOST_REMOVED - 1,
                _ => 0,
            },
            Context::CodeSpan { .. } | Context::Info(_) => 0,
        };
        self.removable_up_to(most)
    }

    fn removable_up_to(&self, most: usize) -> usize {
        if most == 0 || self.untrusted {
            return 0;
        }
        let emitted = self.position() - self.buffered as u64;
        if emitted < self.window.base() {
            return 0;
        }
        let white = self.window.white_before(emitted) as u64;
        white.min(emitted - self.strip_from).min(most as u64) as usize
    }

    /// Ends what cannot continue across a change between own and untrusted text, or the end of the stream.
    fn end_own_or_untrusted(&mut self, setup: Setup<'_>, sink: &mut Sink<'_>) {
        self.json.array = None;
        if self.json.open {
            Scan::at_end(self, setup, sink).end_open_json();
        }
        match self.context {
            Context::Candidate { start } => {
                Scan::at_end(self, setup, sink).abandon(start, None);
            }
            Context::Ticks { .. } | Context::CodeSpan { .. } => self.context = Context::Text,
            Context::Tildes { run, quoted } => self.context = Context::after_tildes(run, quoted),
            Context::Fence { ref mut line, .. }
                if matches!(line, FenceLine::Run { .. } | FenceLine::Tail { .. }) =>
            {
                *line = FenceLine::Code;
            }
            Context::Text | Context::Info(_) | Context::Fence { .. } => {}
        }
    }

    /// A byte order mark at the very start counts as white space: the text begins after it.
    fn find_mark(&mut self, chunk: &[u8]) {
        for &byte in chunk {
            let Some(&expected) = BYTE_ORDER_MARK.get(usize::from(self.mark)) else {
                return;
            };
            if byte != expected {
                self.mark = 3;
                return;
            }
            self.mark += 1;
            if self.mark == 3 {
                let end = self.start + 3;
                self.window.restart(end, Line::new_block(false), 0);
                self.strip_from = end;
                self.json.lead = end;
            }
        }
    }
}

/// Longer chunks are read the other way, which looks at 32 bytes at a time where the processor can.
const LONG: usize = 512;

/// Whether a chunk holds a byte that may open something. Empty and long chunks are not looked at.
#[inline]
fn may_open(chunk: &[u8], opens: &[bool; 256]) -> bool {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk()) {
        if chunk.len() <= 8 {
            return any_opens(*first, opens) || (chunk.len() > 4 && any_opens(*last, opens));
        }
    } else {
        return chunk.is_empty() || chunk.iter().any(|&byte| opens[usize::from(byte)]);
    }
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk())
        && chunk.len() <= 16
    {
        return may_open_in(u64::from_le_bytes(*first)) || may_open_in(u64::from_le_bytes(*last));
    }
    let Some(last) = chunk.last_chunk().filter(|_| chunk.len() <= LONG) else {
        return true;
    };
    let (blocks, _) = chunk.as_chunks();
    let opens = blocks
        .iter()
        .fold(opening(last), |opens, block| opens | opening(block));
    mask(opens) != 0
}

/// Where a block has a byte that may open something; as in [`may_open_in`], braces too.
#[inline]
fn opening(block: &[u8; BLOCK]) -> u8x16 {
    let block = load(block);
    eq(block, b'[') | eq(block, b'`') | eq(block, b'~') | eq(block, b'{')
}

/// Whether one of four bytes may open something.
#[inline]
fn any_opens([a, b, c, d]: [u8; 4], opens: &[bool; 256]) -> bool {
    opens[usize::from(a)] | opens[usize::from(b)] | opens[usize::from(c)] | opens[usize::from(d)]
}

static OPENS: [bool; 256] = opens(false);
static OPENS_JSON: [bool; 256] = opens(true);

const fn opens(json: bool) -> [bool; 256] {
    let mut table = [false; 256];
    table[b'[' as usize] = true;
    table[b'`' as usize] = true;
    table[b'~' as usize] = true;
    table[b'{' as usize] = json;
    table
}

/// Whether one of the bytes of a word may open something.
#[inline]
const fn may_open_in(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    const fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & TOPS
    }
    let bracket = zeros(word ^ (ONES * b'[' as u64));
    let tick = zeros(word ^ (ONES * b'`' as u64));
    let tilde = zeros(word ^ (ONES * b'~' as u64));
    // A brace is looked for even where it opens nothing: the other way then takes the chunk.
    let brace = zeros(word ^ (ONES * b'{' as u64));
    bracket | tick | tilde | brace != 0
}

/// A piece of text for the sink.
fn text(bytes: &[u8], start: u64) -> Event<'_> {
    Event::Text(TextChunk::new(bytes, start))
}

const fn span(start: u64, len: u64) -> Span {
    Span::new(start, start + len)
}
