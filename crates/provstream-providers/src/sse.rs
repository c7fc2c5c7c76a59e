//! Server-sent events. Source: WHATWG HTML standard 9.2.5 and 9.2.6.

use core::ops::Range;
use core::time::Duration;
use std::borrow::Cow;

use memchr::memchr2;

use super::fields::name_and_value;
use super::frame::Frame;
use provstream::Span;
use provstream::TextChunk;

/// Default limit of one event: 32 MiB, which is more than events with generated images need.
pub const DEFAULT_MAX_EVENT: usize = 32 << 20;

const BOM: &[u8; 3] = b"\xEF\xBB\xBF";

/// Splits a stream of server-sent events into its events, whatever its chunks.
///
/// Lines end with CR, LF or CR LF. An event is emitted at the end of its blank line. If that ends with CR, it is emitted at
/// the CR, without waiting for an LF, unless an LF came after the CR before, so that an event of a stream with CR LF has
/// all of its blank line. A comment outside an event is emitted at the end of its line in the same way. The bytes of all
/// pieces together are the stream.
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
    /// Number of bytes of a byte order mark that matched at the start of the stream; `None` after the decision.
    bom: Option<usize>,
    /// Bytes of the open block, unless it exceeds the limit.
    open: Vec<u8>,
    /// Stream offset of the open block's first byte.
    start: u64,
    position: u64,
    line: LineKind,
    /// The last byte was a CR; an LF that follows belongs to the same line end.
    after_cr: bool,
    /// An LF came after the last CR whose next byte was read.
    ends_crlf: bool,
    /// Effect of the last line, which ends with CR, once the next byte is read.
    waiting: Option<LineEffect>,
    /// A line of the open block is more than a comment.
    has_field: bool,
    /// The open block exceeds the limit, and its bytes are passed through.
    passing: bool,
    last_event_id: Vec<u8>,
    retry: Option<Duration>,
    head: Head,
}

/// Bytes of an event before its data, to recognise later events with the same beginning.
#[derive(Clone, Debug, Default)]
struct Head {
    /// Lines before the one of data, and that line up to its value; empty without an event to compare with.
    bytes: Vec<u8>,
    /// Range of the event's type in `bytes`.
    name: Range<u8>,
    /// The type is `error`.
    is_error: bool,
}

/// Maximum length of a [`Head`] in bytes.
const MAX_HEAD: usize = 96;

/// Kind of the open line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Blank,
    Comment,
    Field,
}

/// Effect of some bytes on the open block.
#[derive(Clone, Copy, Debug)]
enum LineEffect {
    /// The block continues.
    Open,
    /// The bytes are the whole block, and not an event.
    Alone,
    /// The block ends.
    End,
}

/// A piece of an SSE stream. The bytes of all pieces in order are the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SsePiece<'a> {
    /// An event, at the end of its blank line.
    Event(SseEvent<'a>),
    /// Bytes that do not belong to an event: comments, blank lines, fields without data, the byte order mark.
    Other(TextChunk<'a>),
    /// Bytes of an event that exceeds the limit, in pieces that depend on the chunks.
    Passed(TextChunk<'a>),
    /// End of an event whose bytes were [`Passed`](Self::Passed) before, with its span; has no bytes of its own.
    Oversized(Span),
    /// Bytes of an incomplete event at the end of the stream. Clients ignore it (`HTML 9.2.6`).
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
    /// Returns the event's type, `message` if the field is missing, with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self.name {
            b"" => Cow::Borrowed("message"),
            name => String::from_utf8_lossy(name),
        }
    }

    /// Returns the event's data, the lines joined with LF; not checked to be UTF-8.
    #[must_use]
    pub fn data(&self) -> &[u8] {
        &self.frame.data
    }

    /// Returns the event's data with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.frame.data)
    }

    /// Returns the last event ID as of this event, empty if there is none, with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn id(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.id)
    }

    /// Returns the event's bytes in the stream, from the end of the previous piece to the end of the blank line.
    #[must_use]
    pub const fn raw(&self) -> &[u8] {
        self.frame.raw
    }

    /// Returns the event's span in the stream.
    #[must_use]
    pub const fn span(&self) -> Span {
        self.frame.span()
    }
}

impl SseDecoder {
    /// Creates a decoder with [`DEFAULT_MAX_EVENT`].
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_event: DEFAULT_MAX_EVENT,
            bom: Some(0),
            open: Vec::new(),
            start: 0,
            position: 0,
            line: LineKind::Blank,
            after_cr: false,
            ends_crlf: false,
            waiting: None,
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

    /// Sets the limit of one event to `bytes`, counted from its first byte to the end of its blank line.
    #[must_use]
    pub const fn with_max_event(mut self, bytes: usize) -> Self {
        self.max_event = bytes;
        self
    }

    /// Reads the next bytes, and calls `sink` for each piece that they complete.
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

    /// Reads the first bytes of a chunk, at most one event, and returns their number.
    pub(super) fn push_some(&mut self, chunk: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> usize {
        let rest = self.take_bom(chunk, sink);
        let before = chunk.len() - rest.len();
        match rest {
            [] => before,
            rest => before + self.push_first(rest, sink),
        }
    }

    /// Reads the first event or line of `rest`, which follows a byte order mark or none, and returns its length.
    #[inline]
    fn push_first(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> usize {
        match self.whole_event(rest, sink) {
            Some(len) => len,
            None => self.push_line(rest, sink),
        }
    }

    /// Reads at most one line of `rest`, and returns its length.
    #[inline(never)]
    fn push_line(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> usize {
        let (len, step) = self.step(rest);
        self.take(&rest[..len], step, sink);
        len
    }

    /// Returns the bytes before and after the data of an event that begins like the last one; `None` if no such event
    /// may begin here. The event is complete after these bytes.
    #[inline]
    pub(super) fn around(&self) -> Option<(&[u8], &'static [u8])> {
        (self.is_between() && !self.head.bytes.is_empty()).then_some((&self.head.bytes, b"\n\n"))
    }

    /// Skips `len` bytes of events that the caller has read, each of which begins and ends as
    /// [`around`](Self::around) returned.
    #[inline]
    pub(super) const fn pass_events(&mut self, len: u64) {
        self.position += len;
        self.start = self.position;
    }

    /// Returns `true` if the next byte begins an event.
    #[inline]
    const fn is_between(&self) -> bool {
        self.open.is_empty()
            && matches!(self.line, LineKind::Blank)
            && !self.passing
            && !self.has_field
            && self.bom.is_none()
            && !self.after_cr
    }

    /// Ends the stream, and calls `sink` for what is still open. Before another stream, [`reset`](Self::reset) the
    /// decoder; bytes pushed without that continue the same stream, with nothing open.
    pub fn finish(&mut self, mut sink: impl FnMut(SsePiece<'_>)) {
        self.finish_all(&mut sink);
    }

    pub(super) fn finish_all(&mut self, sink: &mut dyn FnMut(SsePiece<'_>)) {
        self.no_bom(self.bom.unwrap_or(0));
        if let Some(effect) = self.waiting.take() {
            self.take(b"", effect, sink);
        }
        if self.passing {
            sink(SsePiece::Oversized(Span::new(self.start, self.position)));
        }
        if !self.open.is_empty() {
            let text = TextChunk::new(&self.open, self.start);
            if self.has_field || self.line == LineKind::Field {
                sink(SsePiece::Unterminated(text));
            } else {
                sink(SsePiece::Other(text));
            }
        }
        self.line = LineKind::Blank;
        self.after_cr = false;
        self.begin_block();
    }

    /// Resets the decoder to the start of a stream. Settings and memory are kept.
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

    /// Returns the number of bytes read so far, which is the stream offset of the next one.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of bytes that are buffered of an incomplete event.
    pub(super) const fn open_len(&self) -> usize {
        self.open.len()
    }

    /// Returns the time that a client is asked to wait before it reconnects, if the stream has set one.
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Skips a byte order mark at the start of the stream, and returns the bytes after it.
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

    /// Handles the first `matched` bytes of the stream as ordinary bytes, because they are not a byte order mark.
    fn no_bom(&mut self, matched: usize) {
        self.bom = None;
        if matched > 0 {
            self.open.extend_from_slice(&BOM[..matched]);
            self.line = LineKind::Field;
        }
    }

    /// Returns the number of bytes to read next, at most one line, and their effect. It is 0 where the next byte shows that
    /// the last line is over.
    fn step(&mut self, rest: &[u8]) -> (usize, LineEffect) {
        if core::mem::take(&mut self.after_cr) {
            let is_lf = rest.first() == Some(&b'\n');
            self.ends_crlf = is_lf;
            match self.waiting.take() {
                Some(effect) => return (usize::from(is_lf), effect),
                None if !is_lf => {}
                None if self.open.is_empty() => return (1, LineEffect::Alone),
                None => return (1, LineEffect::Open),
            }
        }
        let end = memchr2(b'\r', b'\n', rest);
        let content = &rest[..end.unwrap_or(rest.len())];
        if let (LineKind::Blank, Some(&first)) = (self.line, content.first()) {
            self.line = if first == b':' {
                LineKind::Comment
            } else {
                LineKind::Field
            };
        }
        let Some(end) = end else {
            return (rest.len(), LineEffect::Open);
        };
        self.after_cr = rest[end] == b'\r';
        let step = match core::mem::replace(&mut self.line, LineKind::Blank) {
            LineKind::Blank => LineEffect::End,
            LineKind::Comment if !self.has_field => LineEffect::Alone,
            _ => {
                self.has_field = true;
                LineEffect::Open
            }
        };
        if self.after_cr && self.ends_crlf && !matches!(step, LineEffect::Open) {
            self.waiting = Some(step);
            return (end + 1, LineEffect::Open);
        }
        (end + 1, step)
    }

    fn take(&mut self, taken: &[u8], step: LineEffect, sink: &mut dyn FnMut(SsePiece<'_>)) {
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
            if !taken.is_empty() {
                sink(SsePiece::Passed(TextChunk::new(taken, at)));
            }
            // A comment that is too long belongs to what follows it, so that nothing depends on where it was noticed.
            if !matches!(step, LineEffect::End) {
                return;
            }
            sink(SsePiece::Oversized(Span::new(self.start, self.position)));
        } else {
            self.keep(taken);
            match step {
                LineEffect::Open => return,
                LineEffect::Alone => sink(SsePiece::Other(TextChunk::new(&self.open, self.start))),
                LineEffect::End => self.dispatch(sink),
            }
        }
        self.begin_block();
    }

    /// Appends bytes to the open block. Its capacity exceeds the length by at most 64 bytes, or a quarter from 4 KiB
    /// on.
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

    /// Emits the event at the start of `rest`, if it is complete and nothing is open, and returns its length.
    ///
    /// Fast path: handles events whose first line is a field, with the same result as the slow path.
    #[inline(always)] // A call costs 4 % of decoding an event.
    fn whole_event(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> Option<usize> {
        let begins = !matches!(rest.first(), Some(b':' | b'\r' | b'\n') | None);
        if !self.is_between() || !begins {
            return None;
        }
        let like_last = self.like_last(rest, sink);
        like_last.or_else(|| self.unlike_last(rest, sink))
    }

    /// Emits the event at the start of `rest` if it is complete, whatever the last one was, and returns its length.
    #[inline(never)]
    fn unlike_last(&mut self, rest: &[u8], sink: &mut dyn FnMut(SsePiece<'_>)) -> Option<usize> {
        let block = SseBlock::read(rest, Some(self.ends_crlf))?;
        if block.len > self.max_event {
            return None;
        }
        let raw = &rest[..block.len];
        self.position += block.len as u64;
        self.after_cr = raw.ends_with(b"\r");
        self.ends_crlf = block.ends_crlf;
        self.head.keep(raw, &block);
        self.give(raw, block, sink);
        self.begin_block();
        Some(raw.len())
    }

    /// Emits an event that begins like the last one and has one line of data, which is its last line. Returns its
    /// length.
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
        frame.name = name.clone();
        frame.is_named_error = self.head.is_error;
        frame.has_last_name = true;
        sink(SsePiece::Event(SseEvent {
            name: &raw[name],
            id: &self.last_event_id,
            frame,
        }));
        Some(len)
    }

    /// Emits the open block, which is complete.
    fn dispatch(&mut self, sink: &mut dyn FnMut(SsePiece<'_>)) {
        let mut open = core::mem::take(&mut self.open);
        match SseBlock::read(&open, None) {
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

    fn give(&mut self, raw: &[u8], block: SseBlock, sink: &mut dyn FnMut(SsePiece<'_>)) {
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

    /// Returns the incomplete event at the end of the stream as some clients read it; `None` if it has no data and
    /// reports no error.
    pub(super) fn unterminated(text: TextChunk<'_>) -> Option<Frame<'_>> {
        let block = SseBlock::read(text.bytes(), None)?;
        let start = text.span().start();
        let event = block.frame(text.bytes(), start);
        event.or_else(|| block.without_data(text.bytes(), start))
    }

    /// Returns the event that lines without data are to some clients, if any: an error that a field reports, or a JSON
    /// object without a field.
    pub(super) fn without_data(text: TextChunk<'_>) -> Option<Frame<'_>> {
        let is_field = !matches!(text.bytes().first(), Some(b':' | b'\r' | b'\n') | None);
        let block = SseBlock::read(text.bytes(), None).filter(|_| is_field)?;
        block.without_data(text.bytes(), text.span().start())
    }
}

impl Head {
    /// Stores the bytes before an event's data, if another event with these bytes can differ only in its data.
    fn keep(&mut self, raw: &[u8], block: &SseBlock) {
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
            // The type is in these bytes, because no line follows that of the data.
            self.name = block.name.start as u8..block.name.end as u8;
            self.is_error = is_error(&raw[block.name.clone()]);
        }
    }
}

/// The fields of a block of lines.
struct SseBlock {
    /// Length to the end of the blank line.
    len: usize,
    /// An LF came after the last CR whose next byte is in the block.
    ends_crlf: bool,
    /// The first line of data.
    data: Option<Range<usize>>,
    /// The block has more than one line of data.
    has_more_data: bool,
    name: Range<usize>,
    id: Option<Range<usize>>,
    retry: Option<Duration>,
    /// Value of a field `error`, with which some servers end a stream.
    error: Option<Range<usize>>,
}

impl SseBlock {
    /// Reads the block at the start of `bytes`, which is all of them. If `first` says whether an LF came after the last CR
    /// before them, the block ends with the first blank line, and is `None` without one.
    fn read(bytes: &[u8], first: Option<bool>) -> Option<Self> {
        let complete = first.is_none();
        let mut block = Self {
            len: bytes.len(),
            ends_crlf: first.unwrap_or(false),
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
            let is_cr = bytes[end] == b'\r';
            if end == at && !complete {
                block.len = at + 1;
                if is_cr && block.ends_crlf {
                    block.ends_crlf = *bytes.get(block.len)? == b'\n';
                    block.len += usize::from(block.ends_crlf);
                }
                return Some(block);
            }
            block.field(bytes, at..end);
            at = end + 1;
            if is_cr {
                match bytes.get(at) {
                    Some(&next) => {
                        block.ends_crlf = next == b'\n';
                        at += usize::from(block.ends_crlf);
                    }
                    None if !complete => return None,
                    None => {}
                }
            }
        }
    }

    /// Returns the event of these bytes, if it has data.
    fn frame<'a>(&self, raw: &'a [u8], start: u64) -> Option<Frame<'a>> {
        let line = self.data.clone()?;
        let mut frame = match self.has_more_data {
            true => Frame::of_lines(raw, start),
            false => Frame::of_line(raw, start, line),
        };
        frame.name = self.name.clone();
        frame.is_named_error = is_error(frame.event_name());
        Some(frame)
    }

    /// Returns the event that a block without data is to some clients: a JSON object, as which Gemini reports an error in
    /// mid-stream and which its SDK reads, or an error that a field or the type of the event reports.
    fn without_data<'a>(&self, raw: &'a [u8], start: u64) -> Option<Frame<'a>> {
        if raw.starts_with(b"{") {
            return Some(Frame::of_line(raw, start, 0..raw.trim_ascii_end().len()));
        }
        let name = self.name.clone();
        let of_type = is_error(&raw[name.clone()]).then_some(name.end..name.end);
        let data = self.error.clone().or(of_type)?;
        let mut frame = Frame::of_line(raw, start, data);
        frame.name = name;
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

/// Returns `true` if the type of an event is `error`. `HTML 9.2.6`
fn is_error(name: &[u8]) -> bool {
    name.trim_ascii() == b"error"
}

/// Clears a buffer, and releases the memory of an unusually long event.
pub(super) fn give_back(open: &mut Vec<u8>) {
    const USUAL: usize = 1 << 16;
    if open.capacity() > USUAL {
        *open = Vec::new();
    }
    open.clear();
}

/// Parses a number of milliseconds, of ASCII digits only.
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
