//! Server-sent events. Source: WHATWG HTML standard 9.2.5 and 9.2.6.

use core::ops::Range;
use core::time::Duration;
use std::borrow::Cow;

use memchr::memchr2;

use super::fields::name_and_value;
use super::frame::Frame;
use provstream::Span;
use provstream::TextChunk;

/// Most bytes of one event unless set otherwise: 32 MiB, which is more than the events with generated images have.
pub const DEFAULT_MAX_EVENT: usize = 32 << 20;

const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// Cuts a stream of server-sent events into its events, in whatever pieces it arrives.
///
/// Lines end with CR, LF or CR LF. An event is given at its blank line, at the CR of it if that ends it, without waiting
/// for an LF. Comments go through at the end of their line where no event has begun. The bytes of all pieces together are
/// the stream.
///
/// ```
/// use provstream_providers::{SseDecoder, SsePiece};
///
/// let mut decoder = SseDecoder::new();
/// let mut found = Vec::new();
/// for chunk in [&b": hello\r"[..], b"\nevent: add\r\nda", b"ta: 1\r\ndata: 2\r\n\r", b"\n"] {
///     decoder.push(chunk, |piece| {
///         if let SsePiece::Event(event) = piece {
///             found.push((event.name().into_owned(), event.text().into_owned()));
///         }
///     });
/// }
/// assert_eq!(found, [("add".to_owned(), "1\n2".to_owned())]);
/// ```
#[derive(Clone, Debug)]
pub struct SseDecoder {
    max_event: usize,
    /// How many bytes of a byte order mark begin the stream so far; `None` once that is decided.
    bom: Option<usize>,
    /// The bytes of the open block, as long as it is not too long.
    open: Vec<u8>,
    /// Where the open block begins.
    start: u64,
    position: u64,
    line: Line,
    /// The last byte was a CR, so that an LF belongs to its line end.
    after_cr: bool,
    /// A line of the open block is more than a comment.
    has_field: bool,
    /// The open block is too long, and its bytes are handed on.
    passing: bool,
    last_event_id: Vec<u8>,
    retry: Option<Duration>,
    head: Head,
}

/// What an event has before its data, for those after it that have the same.
#[derive(Clone, Debug, Default)]
struct Head {
    /// The lines before the one of data, and that one up to its value; empty without an event to compare with.
    bytes: Vec<u8>,
    /// Where in them the type of the event is.
    name: Range<u8>,
    /// The type is `error`.
    is_error: bool,
}

/// Most bytes of a [`Head`].
const MAX_HEAD: usize = 96;

/// What the open line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Blank,
    Comment,
    Field,
}

/// What bytes mean to the block they belong to.
enum Step {
    /// It goes on.
    Open,
    /// They are all of it, and no event.
    Alone,
    /// It ends.
    End,
}

/// A piece of an SSE stream. The bytes of all pieces in order are the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SsePiece<'a> {
    /// An event, at the end of its blank line.
    Event(SseEvent<'a>),
    /// Bytes that are no part of an event: comments, blank lines, fields without data, the byte order mark.
    Other(TextChunk<'a>),
    /// Bytes of an event that is longer than the limit, in pieces that depend on how the stream is cut.
    Passed(TextChunk<'a>),
    /// The whole of the event whose bytes were [`Passed`](Self::Passed) before; has no bytes of its own.
    Oversized(Span),
    /// What the stream ends with in the middle of an event; to a client it is no event (`HTML 9.2.6`).
    Unterminated(TextChunk<'a>),
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    pub(super) frame: Frame<'a>,
    name: &'a [u8],
    id: &'a [u8],
}

impl SseEvent<'_> {
    /// Its type, `message` if none was given, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self.name {
            b"" => Cow::Borrowed("message"),
            name => String::from_utf8_lossy(name),
        }
    }

    /// Its data, the lines joined with LF; not checked to be UTF-8.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.frame.data
    }

    /// Its data with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.frame.data)
    }

    /// The last event ID as of this event, empty if there is none, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn id(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.id)
    }

    /// Its bytes as they stand in the stream, from behind what comes before to the end of its blank line.
    #[must_use]
    pub const fn raw(&self) -> &[u8] {
        self.frame.raw
    }

    /// Where its bytes stand in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.frame.span()
    }
}

impl SseDecoder {
    /// A decoder at the start of a stream, with [`DEFAULT_MAX_EVENT`].
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_event: DEFAULT_MAX_EVENT,
            bom: Some(0),
            open: Vec::new(),
            start: 0,
            position: 0,
            line: Line::Blank,
            after_cr: false,
            has_field: false,
            passing: false,
            last_event_id: Vec::new(),
            retry: None,
            head: Head {
                bytes: Vec::new(),
                name: 0..0,
                is_error: false,
            },
        }
    }

    /// The same with at most `bytes` for one event, everything from its first byte to the end of its blank line.
    #[must_use]
    pub const fn with_max_event(mut self, bytes: usize) -> Self {
        self.max_event = bytes;
        self
    }

    /// Takes the next bytes and gives what is certain with them.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(SsePiece<'_>)) {
        self.push_all(chunk, &mut sink);
    }

    pub(super) fn push_all(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) {
        let mut rest = self.take_bom(chunk, sink);
        while !rest.is_empty() {
            let len = self.push_first(rest, sink);
            rest = &rest[len..];
        }
    }

    /// Takes the first bytes of a chunk that belong together, at most one event; how many they are.
    pub(super) fn push_some(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> usize {
        let rest = self.take_bom(chunk, sink);
        let before = chunk.len() - rest.len();
        match rest {
            [] => before,
            rest => before + self.push_first(rest, sink),
        }
    }

    /// The same of bytes after a byte order mark.
    #[inline]
    fn push_first(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> usize {
        if let Some(len) = self.whole_event(rest, sink) {
            return len;
        }
        let (len, step) = self.step(rest);
        self.take(&rest[..len], &step, sink);
        len
    }

    /// What comes before and after the data of an event, if one may begin here that is like the last one; the event is complete
    /// with it.
    #[inline]
    pub(super) fn around(&self) -> Option<(&[u8], &'static [u8])> {
        (self.is_between() && !self.head.bytes.is_empty()).then_some((&self.head.bytes, b"\n\n"))
    }

    /// Passes over events that the caller has read, each of which begins and ends as [`around`](Self::around) said.
    #[inline]
    pub(super) const fn pass_events(&mut self, len: u64) {
        self.position += len;
        self.start = self.position;
    }

    /// Whether nothing is open that the next bytes may belong to.
    #[inline]
    const fn is_between(&self) -> bool {
        self.open.is_empty()
            && matches!(self.line, Line::Blank)
            && !self.passing
            && !self.has_field
            && self.bom.is_none()
            && !self.after_cr
    }

    /// Gives what the stream ends with. Before another stream, [`reset`](Self::reset) the decoder; bytes pushed without
    /// that go on with the same stream, with nothing open.
    pub fn finish(&mut self, mut sink: impl FnMut(SsePiece<'_>)) {
        self.finish_all(&mut sink);
    }

    pub(super) fn finish_all(&mut self, sink: &mut dyn FnMut(SsePiece<'_>)) {
        self.no_bom(self.bom.unwrap_or(0));
        if self.passing {
            sink(SsePiece::Oversized(Span::new(self.start, self.position)));
        }
        if !self.open.is_empty() {
            let text = TextChunk::new(&self.open, self.start);
            if self.has_field || self.line == Line::Field {
                sink(SsePiece::Unterminated(text));
            } else {
                sink(SsePiece::Other(text));
            }
        }
        self.line = Line::Blank;
        self.after_cr = false;
        self.begin_block();
    }

    /// Back to the start of a stream with the same settings; the memory is kept.
    pub fn reset(&mut self) {
        let (open, id) = (
            core::mem::take(&mut self.open),
            core::mem::take(&mut self.last_event_id),
        );
        // The head depends on no state.
        let head = core::mem::take(&mut self.head);
        *self = Self::new().with_max_event(self.max_event);
        (self.open, self.last_event_id, self.head) = (open, id, head);
        self.open.clear();
        self.last_event_id.clear();
    }

    /// Bytes taken so far: the stream offset of the next one.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Bytes that are kept of an event that is not complete.
    pub(super) const fn open_len(&self) -> usize {
        self.open.len()
    }

    /// How long a client is asked to wait before it reconnects, if the stream said so.
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Passes over a byte order mark at the very start, and gives the bytes behind it.
    #[inline]
    fn take_bom<'c>(&mut self, chunk: &'c [u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> &'c [u8] {
        match self.bom {
            None => chunk,
            Some(_) => self.take_open_bom(chunk, sink),
        }
    }

    #[cold]
    fn take_open_bom<'c>(
        &mut self,
        chunk: &'c [u8],
        sink: &mut dyn FnMut(SsePiece<'_>),
    ) -> &'c [u8] {
        let mut rest = chunk;
        while let (Some(matched), Some((&byte, later))) = (self.bom, rest.split_first()) {
            if byte != BOM[matched] {
                self.no_bom(matched);
                break;
            }
            rest = later;
            self.position += 1;
            self.bom = Some(matched + 1);
            if matched + 1 == BOM.len() {
                self.bom = None;
                self.start = self.position;
                sink(SsePiece::Other(TextChunk::new(BOM, 0)));
            }
        }
        rest
    }

    /// The first `matched` bytes of the stream are no byte order mark after all.
    fn no_bom(&mut self, matched: usize) {
        self.bom = None;
        if matched > 0 {
            self.open.extend_from_slice(&BOM[..matched]);
            self.line = Line::Field;
        }
    }

    /// How many of the bytes belong together, at most one line, and what they mean.
    fn step(&mut self, rest: &[u8]) -> (usize, Step) {
        if core::mem::take(&mut self.after_cr) && rest.first() == Some(&b'\n') {
            let alone = self.open.is_empty();
            return (1, if alone { Step::Alone } else { Step::Open });
        }
        let end = memchr2(b'\r', b'\n', rest);
        let content = &rest[..end.unwrap_or(rest.len())];
        if let (Line::Blank, Some(&first)) = (self.line, content.first()) {
            self.line = if first == b':' {
                Line::Comment
            } else {
                Line::Field
            };
        }
        let Some(end) = end else {
            return (rest.len(), Step::Open);
        };
        self.after_cr = rest[end] == b'\r';
        let step = match core::mem::replace(&mut self.line, Line::Blank) {
            Line::Blank => Step::End,
            Line::Comment if !self.has_field => Step::Alone,
            _ => {
                self.has_field = true;
                Step::Open
            }
        };
        (end + 1, step)
    }

    fn take(&mut self, taken: &[u8], step: &Step, sink: &mut dyn FnMut(SsePiece<'_>)) {
        let at = self.position;
        self.position += taken.len() as u64;
        if !self.passing && self.open.len() + taken.len() > self.max_event {
            self.passing = true;
            if !self.open.is_empty() {
                sink(SsePiece::Passed(TextChunk::new(&self.open, self.start)));
                self.open.clear();
            }
        }
        if self.passing {
            sink(SsePiece::Passed(TextChunk::new(taken, at)));
            // A comment that is too long belongs to what follows it, so that nothing depends on where it was noticed.
            if !matches!(step, Step::End) {
                return;
            }
            sink(SsePiece::Oversized(Span::new(self.start, self.position)));
        } else {
            self.keep(taken);
            match step {
                Step::Open => return,
                Step::Alone => sink(SsePiece::Other(TextChunk::new(&self.open, self.start))),
                Step::End => self.dispatch(sink),
            }
        }
        self.begin_block();
    }

    /// Appends bytes to the open block, which gets little more memory than most events need, and grows by a quarter if that is not
    /// enough.
    fn keep(&mut self, taken: &[u8]) {
        const USUAL: usize = 1 << 12;
        const STEP: usize = 64;
        let len = self.open.len() + taken.len();
        if len > self.open.capacity() {
            let more = if len < USUAL {
                STEP
            } else {
                self.open.len() / 4
            };
            self.open.reserve_exact(taken.len().max(more));
        }
        self.open.extend_from_slice(taken);
    }

    fn begin_block(&mut self) {
        give_back(&mut self.open);
        self.start = self.position;
        self.passing = false;
        self.has_field = false;
    }

    /// Gives the event that begins the bytes, if all of it is there and nothing comes before it; how long it is.
    ///
    /// The fast path: it knows events whose first line is a field, and gives them as the slow path does.
    fn whole_event(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> Option<usize> {
        let begins = !matches!(rest.first(), Some(b':' | b'\r' | b'\n') | None);
        if !self.is_between() || !begins {
            return None;
        }
        if let Some(len) = self.like_last(rest, sink) {
            return Some(len);
        }
        let block = Block::read(rest, false)?;
        if block.len > self.max_event {
            return None;
        }
        let raw = &rest[..block.len];
        self.position += block.len as u64;
        self.after_cr = raw.ends_with(b"\r");
        self.head.keep(raw, &block);
        self.give(raw, block, sink);
        self.begin_block();
        Some(raw.len())
    }

    /// The same for an event that begins like the last one and has one line of data, the last of its lines.
    #[inline]
    fn like_last(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> Option<usize> {
        let from = self.head.bytes.len();
        let data = rest.strip_prefix(&*self.head.bytes)?;
        // The space after the colon is no part of the value.
        if from == 0 || (data.first() == Some(&b' ') && self.head.bytes.ends_with(b":")) {
            return None;
        }
        let end = memchr2(b'\r', b'\n', data)?;
        let len = from + end + 2;
        if !data[end..].starts_with(b"\n\n") || len > self.max_event {
            return None;
        }
        let (raw, start) = (&rest[..len], self.start);
        self.position += len as u64;
        self.start = self.position;
        let name = usize::from(self.head.name.start)..usize::from(self.head.name.end);
        let mut frame = Frame::of_line(raw, start, from..from + end);
        frame.is_named_error = self.head.is_error;
        sink(SsePiece::Event(SseEvent {
            name: &raw[name],
            id: &self.last_event_id,
            frame,
        }));
        Some(len)
    }

    /// Gives the open block, which is complete.
    fn dispatch(&mut self, sink: &mut dyn FnMut(SsePiece<'_>)) {
        let mut open = core::mem::take(&mut self.open);
        match Block::read(&open, true) {
            Some(block) => {
                if block.has_more_data {
                    // The data are joined in memory of their own.
                    open.shrink_to_fit();
                }
                self.head.keep(&open, &block);
                self.give(&open, block, sink);
            }
            None => sink(SsePiece::Other(TextChunk::new(&open, self.start))),
        }
        self.open = open;
    }

    fn give(&mut self, raw: &[u8], block: Block, sink: &mut dyn FnMut(SsePiece<'_>)) {
        if let Some(id) = &block.id {
            self.last_event_id.clear();
            self.last_event_id.extend_from_slice(&raw[id.clone()]);
        }
        self.retry = block.retry.or(self.retry);
        let Some(frame) = block.frame(raw, self.start) else {
            return sink(SsePiece::Other(TextChunk::new(raw, self.start)));
        };
        sink(SsePiece::Event(SseEvent {
            name: &raw[block.name],
            id: &self.last_event_id,
            frame,
        }));
    }

    /// What the stream ends within, as the event that some clients take it for; `None` if it has no data and reports no error.
    pub(super) fn unterminated(text: TextChunk<'_>) -> Option<Frame<'_>> {
        let block = Block::read(text.bytes(), true)?;
        let start = text.span().start();
        let event = block.frame(text.bytes(), start);
        event.or_else(|| block.failure(text.bytes(), start))
    }

    /// Lines without data, as the error that they report, if they do.
    pub(super) fn failure(text: TextChunk<'_>) -> Option<Frame<'_>> {
        let is_field = !matches!(text.bytes().first(), Some(b':' | b'\r' | b'\n') | None);
        let block = Block::read(text.bytes(), true).filter(|_| is_field)?;
        block.failure(text.bytes(), text.span().start())
    }
}

impl Head {
    /// Keeps what an event has before its data, if nothing but the data is to be read of one that has the same.
    fn keep(&mut self, raw: &[u8], block: &Block) {
        self.bytes.clear();
        let (Some(line), false) = (&block.data, block.has_more_data) else {
            return;
        };
        let is_last = raw[line.end..] == *b"\n\n";
        // Without a colon the name of the field would go on with what comes next.
        let has_colon = matches!(raw[..line.start], [.., b':'] | [.., b':', b' ']);
        if has_colon
            && is_last
            && line.start <= MAX_HEAD
            && block.id.is_none()
            && block.retry.is_none()
        {
            self.bytes.extend_from_slice(&raw[..line.start]);
            // It is in these bytes, as no line follows that of the data.
            self.name = block.name.start as u8..block.name.end as u8;
            self.is_error = is_error(&raw[block.name.clone()]);
        }
    }
}

/// The fields of a block of lines.
struct Block {
    /// Its length to the end of the blank line; of a CR LF there, only the CR.
    len: usize,
    /// The first line of data.
    data: Option<Range<usize>>,
    /// There are more.
    has_more_data: bool,
    name: Range<usize>,
    id: Option<Range<usize>>,
    retry: Option<Duration>,
    /// The value of a field `error`, which some servers end a stream with.
    error: Option<Range<usize>>,
}

impl Block {
    /// Reads the block that begins the bytes. One without a blank line is all of them if they are `complete`.
    fn read(bytes: &[u8], complete: bool) -> Option<Self> {
        let mut block = Self {
            len: bytes.len(),
            data: None,
            has_more_data: false,
            name: 0..0,
            id: None,
            retry: None,
            error: None,
        };
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let end = match memchr2(b'\r', b'\n', rest) {
                Some(len) => at + len,
                None if !complete => return None,
                None => {
                    block.field(bytes, at..bytes.len());
                    return Some(block);
                }
            };
            if end == at && !complete {
                block.len = at + 1;
                return Some(block);
            }
            block.field(bytes, at..end);
            at = end + 1;
            if bytes[end] == b'\r' {
                match bytes.get(at) {
                    Some(b'\n') => at += 1,
                    Some(_) => {}
                    None if !complete => return None,
                    None => {}
                }
            }
        }
    }

    /// The event of these bytes, if it has data.
    fn frame<'a>(&self, raw: &'a [u8], start: u64) -> Option<Frame<'a>> {
        let line = self.data.clone()?;
        let mut frame = match self.has_more_data {
            true => Frame::of_lines(raw, start),
            false => Frame::of_line(raw, start, line),
        };
        frame.is_named_error = is_error(&raw[self.name.clone()]);
        Some(frame)
    }

    /// The error that these bytes, which have no data, report in a field or by their type.
    fn failure<'a>(&self, raw: &'a [u8], start: u64) -> Option<Frame<'a>> {
        let name = self.name.clone();
        let of_type = is_error(&raw[name.clone()]).then_some(name.end..name.end);
        let data = self.error.clone().or(of_type)?;
        let mut frame = Frame::of_line(raw, start, data);
        frame.is_named_error = true;
        Some(frame)
    }

    #[inline]
    fn field(&mut self, bytes: &[u8], line: Range<usize>) {
        let (name, value) = name_and_value(bytes, line);
        match name {
            b"data" if self.data.is_some() => self.has_more_data = true,
            b"data" => self.data = Some(value),
            b"event" => self.name = value,
            b"id" if !bytes[value.clone()].contains(&0) => self.id = Some(value),
            b"retry" => self.retry = milliseconds(&bytes[value]).or(self.retry),
            b"error" => self.error = Some(value),
            _ => {}
        }
    }
}

/// Whether the type of an event is `error`. `HTML 9.2.6`
fn is_error(name: &[u8]) -> bool {
    name.trim_ascii() == b"error"
}

/// Empties a buffer, and gives back memory that an unusually long event needed.
pub(super) fn give_back(open: &mut Vec<u8>) {
    const USUAL: usize = 1 << 16;
    if open.capacity() > USUAL {
        *open = Vec::new();
    }
    open.clear();
}

/// A number of milliseconds in ASCII digits alone.
fn milliseconds(digits: &[u8]) -> Option<Duration> {
    let plain = digits.iter().all(u8::is_ascii_digit);
    let text = core::str::from_utf8(digits).ok().filter(|_| plain)?;
    text.parse().ok().map(Duration::from_millis)
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new()
    }
}
