//! Markers of citations in free text: what the driver emits passes through here.
//!
//! The driver decides which bytes are model text outside of code, JSON and annotations. In those bytes this module looks for
//! markers ([`scan`]), and keeps the text without them to find the sentences that they belong to ([`tracker`]).

mod around;
mod behind;
mod lists;
mod scan;
mod tracker;
mod unread;

use std::collections::VecDeque;
use std::sync::Arc;

use self::around::OpenMarkers;
use self::behind::Behind;
use self::lists::SourceLists;
use self::scan::MarkerCandidate;
use self::tracker::MarkerTracker;
use self::unread::UnreadSearch;
use super::markdown::line::Line;
use super::{OpenCitation, Sink};
use crate::dialect::{Dialects, Patterns, Set};
use crate::engine::bytes::{BRACE, ByteClasses, OPENERS};
use crate::engine::chars::BYTE_ORDER_MARK;
use crate::event::{Event, TextChunk};
use crate::marker_ids::IdText;
use crate::sources::Sources;
use crate::{Limits, Span, steps};

/// Kind of bytes that the driver emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Model text in which there may be markers.
    Prose,
    /// A code span, or the opening line of a fenced block; with `may_open_block` it may turn out to be the latter.
    Code {
        may_open_block: bool,
    },
    /// The content of a fenced block, and its closing line.
    Block,
    Json,
    Untrusted,
}

/// State of looking for markers in one stream.
#[derive(Clone, Debug)]
pub(crate) struct Markers {
    dialects: Dialects,
    sources: Option<Box<SourceLists>>,
    /// Last part of the stream that was searched and in which no marker begins.
    quiet: Span,
    reader: Reader,
}

/// State that changes while a stream is read.
#[derive(Clone, Debug)]
struct Reader {
    region: Region,
    /// Bytes that may be part of a marker, from `position` on.
    held: Vec<u8>,
    /// Stream offset after the text that was emitted.
    position: u64,
    /// Stream offset at which a byte order mark at the start would end.
    mark_end: u64,
    /// State of the candidate that begins with the held bytes.
    candidate: Option<MarkerCandidate>,
    /// Patterns that can match: end tags only if their marker is open.
    live: Patterns,
    /// The text ends with an odd number of backslashes.
    odd_backslashes: bool,
    behind: Behind,
    /// SP and HTAB that the text ends with, and all white space that an annotation would remove: at most 64.
    blanks: u8,
    white: u8,
    ids: IdText,
    open: OpenMarkers,
    unread: UnreadSearch,
    tracker: MarkerTracker,
    removed: Removed,
}

/// Ranges of the stream that stripping removes: markers, annotations and records, with the white space before them.
#[derive(Clone, Debug)]
struct Removed {
    /// The last ranges, in order, each with the number of bytes removed before it.
    ranges: VecDeque<(Span, u64)>,
    /// Number of bytes before the end within which ranges are kept.
    reach: u64,
}

impl Removed {
    /// Adds the `len` bytes before stream offset `end`; `before` bytes were removed before.
    fn push(&mut self, end: u64, len: u64, before: u64) {
        let start = end - len;
        while self
            .ranges
            .front()
            .is_some_and(|(span, _)| span.end() + self.reach < end)
        {
            self.ranges.pop_front();
        }
        match self.ranges.back_mut() {
            Some((last, _)) if last.end() == start => *last = Span::new(last.start(), end),
            _ => self.ranges.push_back((Span::new(start, end), before)),
        }
    }

    /// Returns the number of bytes before a stream offset that are removed, of `all`.
    fn before(&self, at: u64, all: u64) -> u64 {
        let later = self.ranges.partition_point(|(span, _)| span.start() < at);
        match later.checked_sub(1).and_then(|last| self.ranges.get(last)) {
            Some((span, before)) => before + at.min(span.end()) - span.start(),
            None => self.ranges.front().map_or(all, |(_, before)| *before),
        }
    }
}

/// Borrowed dialects and sources.
#[derive(Clone, Copy)]
struct With<'a> {
    set: &'a Set,
    sources: Option<&'a dyn Sources>,
}

impl Markers {
    pub(crate) fn new(
        dialects: Dialects,
        sources: Option<Arc<dyn Sources>>,
        limits: &Limits,
        start: u64,
    ) -> Self {
        let live = !dialects.set().ends;
        Self {
            quiet: Span::new(0, 0),
            dialects,
            sources: sources.map(|live| Box::new(SourceLists::new(live))),
            reader: Reader {
                region: Region::Prose,
                held: Vec::new(),
                position: start,
                mark_end: start + BYTE_ORDER_MARK.len() as u64,
                candidate: None,
                live,
                odd_backslashes: false,
                behind: Behind::new(),
                blanks: 0,
                white: 0,
                ids: IdText::default(),
                open: OpenMarkers::default(),
                unread: UnreadSearch::default(),
                tracker: MarkerTracker::new(start, limits),
                removed: Removed {
                    ranges: VecDeque::new(),
                    // An assertion is not farther back than the window reaches.
                    reach: 2
                        * (limits.max_assertion() + limits.max_pending() + limits.max_annotation())
                            as u64,
                },
            },
        }
    }

    /// Back to the start of a stream at `start`, keeping the memory.
    pub(crate) fn reset(&mut self, start: u64) {
        let reader = &mut self.reader;
        reader.tracker.reset(start);
        reader.removed.ranges.clear();
        reader.mark_end = start + BYTE_ORDER_MARK.len() as u64;
        self.quiet = Span::new(0, 0);
        self.restart(start);
        if let Some(sources) = &mut self.sources {
            sources.reset();
        }
    }

    /// Compares a text that begins with the sources as `other` did at the same offsets, of whose text it is a copy.
    pub(crate) fn repeat_sources(&mut self, other: &Self) {
        if let (Some(sources), Some(other)) = (&mut self.sources, &other.sources) {
            sources.repeat(other);
        }
    }

    /// Bytes from a stream offset on come next. Returns how many are compared with the same version of the sources.
    pub(crate) fn begin_piece(&mut self, at: u64) -> usize {
        let sources = self.sources.as_mut();
        sources.map_or(usize::MAX, |sources| sources.go_to(at))
    }

    /// A break or the end comes at a stream offset.
    pub(crate) fn end_piece(&mut self, at: u64) {
        if let Some(sources) = &mut self.sources {
            sources.end_at(at);
        }
    }

    /// Returns the reader, and what it compares text with.
    fn with(&mut self) -> (&mut Reader, With<'_>) {
        let with = With {
            set: self.dialects.set(),
            sources: self.sources.as_ref().map(|sources| sources.current()),
        };
        (&mut self.reader, with)
    }

    /// Reads the bytes from `start` on like the start of a stream.
    fn restart(&mut self, start: u64) {
        let reader = &mut self.reader;
        reader.region = Region::Prose;
        reader.held.clear();
        reader.position = start;
        reader.candidate = None;
        reader.live = !self.dialects.set().ends;
        reader.odd_backslashes = false;
        reader.behind.clear();
        reader.blanks = 0;
        reader.white = 0;
        reader.open.clear();
        reader.unread.begin(start);
    }

    pub(crate) const fn dialects(&self) -> &Dialects {
        &self.dialects
    }

    /// Returns the stream offset after the text that was emitted.
    pub(crate) const fn position(&self) -> u64 {
        self.reader.position
    }

    /// Returns `true` if the bytes that come next may be markers.
    pub(crate) fn is_prose(&self) -> bool {
        self.reader.region == Region::Prose
    }

    /// Returns how many bytes of JSON can come before a citation gets too long; `usize::MAX` outside of JSON.
    pub(crate) fn json_room(&self) -> usize {
        match self.reader.region {
            Region::Json => self.reader.tracker.room(),
            _ => usize::MAX,
        }
    }

    /// Returns `true` if `len` bytes are held, which are a whole marker and perhaps blanks after it.
    pub(crate) fn hold_whole_marker(&self, len: usize) -> bool {
        let held = &self.reader.held;
        let candidate = self.reader.candidate.as_ref();
        let whole = candidate.and_then(|candidate| candidate.whole_len());
        let after = whole.and_then(|whole| held.get(whole..));
        held.len() == len
            && after.is_some_and(|after| after.iter().all(|byte| matches!(byte, b' ' | b'\t')))
    }

    /// Returns the heap memory in bytes.
    pub(crate) fn heap(&self) -> usize {
        let reader = &self.reader;
        size_of::<Self>()
            + self.sources.as_ref().map_or(0, |sources| sources.heap())
            + reader.held.capacity()
            + reader.ids.heap()
            + reader.tracker.heap()
            + reader.open.heap()
            + reader.removed.ranges.capacity() * size_of::<(Span, u64)>()
    }

    /// Returns the number of bytes before a stream offset that stripping removes.
    pub(crate) fn removed_before(&self, at: u64) -> u64 {
        let reader = &self.reader;
        reader.removed.before(at, reader.tracker.removed())
    }

    /// Finds where the earliest citation may begin that is not complete, whatever follows.
    pub(crate) fn open_citation(&mut self) -> OpenCitation {
        let reader = &mut self.reader;
        let end = reader.tracker.end();
        let open = reader.tracker.open_sentence();
        let (stream, clean) = match open.start < end {
            true => (reader.tracker.stream_offset(open.start), open.start),
            false => (reader.position, end),
        };
        let around = reader.open.start().unwrap_or((reader.position, end));
        let (stream, clean) = (stream, clean).min(around);
        OpenCitation {
            stream,
            clean,
            cut: open.cut,
            uncut_until: reader.position + open.uncut_until.saturating_sub(end),
        }
    }

    /// Returns how many bytes of the white space that was emitted last may be removed; `run` is the text that was emitted
    /// without being [noted](Self::catch_up).
    pub(crate) fn removable(&self, run: &[u8]) -> usize {
        let reader = &self.reader;
        match reader.region {
            Region::Untrusted => 0,
            _ if !reader.held.is_empty() => reader.blanks.into(),
            _ => add(reader.white, run, is_white).into(),
        }
    }

    /// Returns the class of the bytes that only are more text after which nothing is decided; 0 if every byte must be read.
    pub(crate) fn plain_class(&self) -> ByteClasses {
        let reader = &self.reader;
        let is_calm = reader.region == Region::Prose
            && reader.held.is_empty()
            && reader.open.len() == 0
            && reader.tracker.is_idle();
        match is_calm {
            true => self.dialects.set().run,
            false => 0,
        }
    }

    /// Finds the first byte from index `from` of the chunk on that opens a candidate annotation or code or, with `json`, a value;
    /// gives its index, or the length of the chunk. `base` is the stream offset of the chunk.
    pub(crate) fn find_opener(
        &mut self,
        chunk: &[u8],
        from: usize,
        base: u64,
        json: bool,
    ) -> usize {
        let mut at = from;
        loop {
            let here = at + self.dialects.set().all_openers.find(&chunk[at..]);
            steps::count(here - at);
            self.note_quiet(Span::new(base + at as u64, base + here as u64));
            match chunk.get(here) {
                Some(byte) if !(OPENERS.contains(byte) || json && *byte == BRACE) => {
                    at = here + 1;
                }
                _ => return here,
            }
        }
    }

    /// No marker begins in a part of the stream; the one that was noted before is kept if it has to be emitted before it.
    fn note_quiet(&mut self, part: Span) {
        if part.start() == self.quiet.end() {
            self.quiet = Span::new(self.quiet.start(), part.end());
        } else if self.quiet.end() <= self.reader.position {
            self.quiet = part;
        }
    }

    /// Notes text that was emitted in a run.
    pub(crate) fn catch_up(&mut self, run: &[u8]) {
        self.reader.note(run);
    }

    /// Takes text of the present region.
    pub(crate) fn text(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let quiet = self.quiet;
        let (reader, with) = self.with();
        if reader.region == Region::Prose {
            let mut rest = bytes;
            if reader.held.is_empty() && quiet.start() <= reader.position {
                let quiet = quiet.end().saturating_sub(reader.position);
                let (now, later) = bytes.split_at(bytes.len().min(quiet as usize));
                reader.pass(now, with, sink);
                rest = later;
            }
            if !rest.is_empty() {
                reader.prose(rest, with, sink);
            }
        } else {
            reader.look(bytes, with.set);
            reader.pass(bytes, with, sink);
        }
        if self.quiet.end() <= self.reader.position {
            self.quiet = Span::new(0, 0);
        }
        self.settle(sink);
    }

    /// Text that comes next is of another region.
    pub(crate) fn switch(&mut self, region: Region, sink: &mut Sink<'_>) {
        if region == self.reader.region {
            return;
        }
        let next: &[u8] = match region {
            Region::Code { .. } => b"`",
            Region::Json => b"{",
            _ => b"",
        };
        self.end_candidate(next, region == Region::Untrusted, sink);
        let before = core::mem::replace(&mut self.reader.region, region);
        let reader = &mut self.reader;
        if before == Region::Json {
            reader.end_unread(sink);
        }
        // What may have opened a block turned out to be code.
        let is_same_code =
            matches!(before, Region::Code { .. }) && matches!(region, Region::Code { .. });
        if !is_same_code {
            reader.unread.begin(reader.position);
        }
        match region {
            Region::Prose | Region::Untrusted => {
                if before == Region::Untrusted || region == Region::Untrusted {
                    reader.blanks = 0;
                    reader.white = 0;
                }
            }
            Region::Block => {
                reader.tracker.drop_opening_line();
                self.settle_all(sink);
                self.reader.tracker.pause();
            }
            Region::Code { .. } | Region::Json => {}
        }
        self.reader.tracker.suspended = matches!(
            region,
            Region::Json
                | Region::Code {
                    may_open_block: true
                }
        );
        self.settle(sink);
    }

    /// A code span ends with its line.
    pub(crate) fn end_open_code(&mut self, sink: &mut Sink<'_>) {
        self.reader.end_unread(sink);
    }

    /// The text ends in the opening line of a fenced block, which is no part of the text before it.
    pub(crate) fn drop_opening_line(&mut self) {
        self.reader.unread.begin(self.reader.position);
        self.reader.tracker.drop_opening_line();
    }

    /// A fenced block has ended; `line` is the state of the text so far.
    pub(crate) fn end_block(&mut self, line: Line, sink: &mut Sink<'_>) {
        self.switch(Region::Prose, sink);
        self.reader.tracker.resume(line);
    }

    /// An annotation of `len` bytes follows, with `white` bytes of white space that are removed with it; or a record.
    pub(crate) fn removed(&mut self, white: usize, len: u64, sink: &mut Sink<'_>) {
        self.end_candidate(b"", false, sink);
        self.settle(sink);
        let reader = &mut self.reader;
        reader.skip(white, len);
    }

    /// Reports the citations that are certain.
    pub(crate) fn settle(&mut self, sink: &mut Sink<'_>) {
        let (reader, with) = self.with();
        reader.tracker.settle(with, sink);
    }

    /// Reports all citations: nothing joins them.
    fn settle_all(&mut self, sink: &mut Sink<'_>) {
        let (reader, with) = self.with();
        reader.tracker.settle_all(with, sink);
    }

    /// Ends everything at a break or the end of the stream.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) {
        self.end_candidate(b"", true, sink);
        self.reader.end_unread(sink);
        self.settle_all(sink);
        self.end_open(sink);
        let position = self.reader.position;
        self.reader.tracker.begin();
        self.reader.mark_end = 0;
        self.restart(position);
    }
}

impl Reader {
    fn emit(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        if !bytes.is_empty() {
            sink(Event::Text(TextChunk::new(bytes, self.position)));
            self.note(bytes);
        }
    }

    /// Notes text that was emitted.
    fn note(&mut self, bytes: &[u8]) {
        let left = self.mark_end.saturating_sub(self.position) as usize;
        let (mark, text) = bytes.split_at(left.min(bytes.len()));
        if !mark.is_empty() {
            self.note_text(mark);
            // A byte order mark is white space before the text.
            if self.position == self.mark_end && self.behind.bytes() == BYTE_ORDER_MARK {
                self.behind.clear();
                self.tracker.skip_all();
            }
        }
        if !text.is_empty() {
            self.note_text(text);
        }
    }

    fn note_text(&mut self, bytes: &[u8]) {
        self.position += bytes.len() as u64;
        let slashes = bytes
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        let odd = slashes % 2 == 1;
        self.odd_backslashes = odd ^ (slashes == bytes.len() && self.odd_backslashes);
        self.behind.push(bytes);
        self.white = add(self.white, bytes, is_white);
        self.blanks = add(self.blanks, bytes, |byte| matches!(byte, b' ' | b'\t'));
        if self.region == Region::Untrusted {
            self.white = 0;
            self.blanks = 0;
        }
        if self.open.len() > 0 {
            let start = self.position - bytes.len() as u64;
            let clean = start - self.tracker.removed();
            self.open
                .push(bytes, start, clean, self.tracker.max_assertion());
        }
        self.tracker.push(bytes);
    }

    /// Emits text, after which the citations that it makes too long are reported.
    fn pass(&mut self, bytes: &[u8], with: With<'_>, sink: &mut Sink<'_>) {
        let mut rest = bytes;
        loop {
            let room = self.tracker.room();
            if rest.len() < room {
                return self.emit(rest, sink);
            }
            let (now, later) = rest.split_at(room);
            self.emit(now, sink);
            self.tracker.settle(with, sink);
            if self.tracker.room() == 0 {
                self.tracker.cut_off(with, sink);
            }
            rest = later;
        }
    }

    /// Skips bytes that are not part of the text, with the `white` bytes before them.
    fn skip(&mut self, white: usize, len: u64) {
        self.position += len;
        let all = len + white as u64;
        self.removed
            .push(self.position, all, self.tracker.removed());
        let has_line_end = white > usize::from(self.blanks);
        self.odd_backslashes = false;
        self.behind.restart();
        self.white = 0;
        self.blanks = 0;
        self.open.remove(white);
        self.tracker.remove(white, len, has_line_end);
    }
}

const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Number of bytes of a kind that the text ends with after `bytes`, at most 64.
fn add(before: u8, bytes: &[u8], is: impl Fn(u8) -> bool) -> u8 {
    let most = crate::engine::chars::MOST_REMOVED;
    let len = bytes
        .iter()
        .rev()
        .take(most)
        .take_while(|&&byte| is(byte))
        .count();
    let all = if len == bytes.len() {
        len + usize::from(before)
    } else {
        len
    };
    all.min(most) as u8
}
