//! The parser: bytes in, events out.

use core::fmt;

use crate::engine::driver::Engine;
#[cfg(feature = "dialects")]
use crate::engine::marker::Markers;
use crate::engine::{Input, ReleasePoint};
use crate::event::{Event, TextChunk};
use crate::handler::{Handler, IntoHandler};
use crate::provenance::Vocabulary;
use crate::{Limits, Mode};

/// A parser of one stream, fed with chunks of any size.
///
/// Events borrow from the chunk, or from the parser's small window where something straddles chunks, and are valid until
/// the sink returns: [`Event::into_owned`] keeps one. In the steady
/// state nothing is allocated, but for the values of an annotation that have escapes and for what is not UTF-8. How the
/// stream is cut changes no event, offset or diagnostic, only the pieces into which text is cut. No input is an error,
/// and memory is bounded by the [`Limits`] whatever the length.
///
/// ```
/// use provstream::{Event, Parser};
///
/// let mut parser = Parser::new();
/// let mut found = Vec::new();
/// let mut sink = |event: Event<'_>| {
///     if let Event::Assertion(assertion) = event {
///         found.push(assertion.into_owned());
///     }
/// };
/// for chunk in ["The file has an ent", "ry. [substrate.gr", "ep; ts=2026-05-28T11:40:00Z]"] {
///     parser.push(chunk.as_bytes(), &mut sink);
/// }
/// parser.finish(&mut sink); // reports what the end of the stream completes
/// assert_eq!(found[0].text(), "The file has an entry.");
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    limits: Limits,
    vocabulary: Vocabulary,
    engine: Engine,
}

impl Parser {
    /// Creates a parser in mode [`Mode::Auto`] with the memo's vocabulary and the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Creates a parser that looks for the markers of some dialects, too; see [`ParserBuilder::dialects`].
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn with_dialects(dialects: crate::Dialects) -> Self {
        Self::builder().dialects(dialects).build()
    }

    /// Sets up a parser with other limits, vocabulary or mode.
    pub fn builder() -> ParserBuilder {
        ParserBuilder::default()
    }

    /// Takes the next bytes of the model's own output and reports what becomes certain with them.
    ///
    /// Most events are text. A closure that matches on `&event` and calls a function of its own for all other kinds is
    /// short enough for the compiler to inline it into the caller's loop.
    #[inline]
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let mut handler = handler.into_handler();
        match self.append_plain(chunk) {
            Some(start) => handler.text(TextChunk::new(chunk, start)),
            None if self.append_plain_held(chunk) => {}
            None => handler.feed(&mut |sink| self.push_scanned(chunk, false, sink)),
        }
    }

    /// The fast path: takes the next bytes if all of them are text, and returns their offset; `None` if these bytes must be read next.
    // `inline(always)`, here and in what it calls: without it, a 4-byte push costs a third more instructions when called
    // from several places.
    #[inline(always)]
    pub(crate) fn append_plain(&mut self, chunk: &[u8]) -> Option<u64> {
        self.engine.append_plain(chunk)
    }

    /// Takes the next bytes like [`append_plain`](Self::append_plain), or nothing of them.
    #[inline]
    pub(crate) fn append_unchanged(&mut self, chunk: &[u8]) -> Option<u64> {
        self.engine.append_unchanged(chunk)
    }

    /// Returns the class of bytes that can be appended without reading them.
    #[cfg(test)]
    pub(crate) const fn plain_class(&self) -> crate::engine::bytes::ByteClasses {
        self.engine.plain_class()
    }

    /// Takes a chunk that continues a run that is held back.
    // Out of line: with few arguments, and apart from the rest, it saves no register.
    #[inline(never)]
    pub(crate) fn append_plain_held(&mut self, chunk: &[u8]) -> bool {
        self.engine.append_plain_held(chunk)
    }

    /// Takes bytes that are not the model's own, such as quoted tool output or what a user wrote.
    ///
    /// They are emitted as text and can be the text of an assertion in free text, but never open an annotation, a code
    /// span, a fence or a JSON value. At each change between the model's own and untrusted text, a candidate annotation or
    /// JSON value that is open ends as at the end of the stream.
    ///
    /// This protects the events of *this* parser. The text itself is not changed, so that a forged annotation in it is
    /// live again for whoever parses the output later, [`Rewriter`](crate::Rewriter) included. For text that goes to
    /// another reader, [`escape`](crate::provenance::escape) it before it is pushed.
    pub fn push_untrusted<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let mut handler = handler.into_handler();
        handler.feed(&mut |sink| self.push_own_or_untrusted(chunk, true, sink));
    }

    /// Takes the next bytes, own or untrusted, of any kind.
    #[inline(never)]
    pub(crate) fn push_own_or_untrusted(
        &mut self,
        chunk: &[u8],
        untrusted: bool,
        sink: &mut dyn FnMut(Event<'_>),
    ) {
        if untrusted || !self.append_plain_held(chunk) {
            self.push_scanned(chunk, untrusted, sink);
        }
    }

    // Out of line: the fast paths need few of its registers.
    #[inline(never)]
    pub(crate) fn push_scanned(
        &mut self,
        chunk: &[u8],
        untrusted: bool,
        sink: &mut dyn FnMut(Event<'_>),
    ) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(self.engine.begin_piece().min(rest.len()));
            let input = Input {
                limits: &self.limits,
                vocabulary: &self.vocabulary,
                chunk: now,
                base: self.engine.position(),
            };
            self.engine.push(&input, untrusted, sink);
            rest = later;
        }
    }

    /// Marks a place where something other than text comes in the answer, such as a tool call, an image or a source, so that
    /// no annotation after it can be about text before it.
    ///
    /// What is open ends as at the [end](Self::finish) of the stream, so nothing is held back over the break, and what comes
    /// after it is read like the start of a stream, with offsets that go on. An annotation that comes first there belongs to
    /// nothing: its assertion is empty and an [orphan](crate::provenance::Assertion::is_orphan), with the diagnostic
    /// [`DiagnosticCode::Orphan`](crate::DiagnosticCode::Orphan).
    ///
    /// ```
    /// use provstream::{Event, Parser};
    ///
    /// let mut orphans = 0;
    /// let mut sink = |event: Event<'_>| {
    ///     if let Event::Assertion(assertion) = event {
    ///         orphans += u32::from(assertion.is_orphan());
    ///     }
    /// };
    /// let mut parser = Parser::new();
    /// parser.push(b"The build is green. ", &mut sink);
    /// parser.push_break(&mut sink); // the model calls a tool
    /// parser.push(b"[unverified-inference] It will stay so.", &mut sink);
    /// parser.finish(&mut sink);
    /// assert_eq!(orphans, 1);
    /// ```
    pub fn push_break<M>(&mut self, handler: impl IntoHandler<M>) {
        let mut handler = handler.into_handler();
        handler.feed(&mut |sink| self.break_with(sink));
    }

    pub(crate) fn break_with(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        self.engine.end_piece();
        let input = Input {
            limits: &self.limits,
            vocabulary: &self.vocabulary,
            chunk: &[],
            base: self.engine.position(),
        };
        self.engine.push_break(&input, sink);
    }

    /// Reports what is still open at the end of the stream: an assertion whose annotation came last is complete only here, and a
    /// candidate annotation or a JSON value that is open is
    /// [`DiagnosticCode::Unterminated`](crate::DiagnosticCode::Unterminated). An asserted object is complete at its closing
    /// brace, and one that is open here is not reported.
    ///
    /// Before another stream, [`reset`](Self::reset) the parser; bytes pushed without that go on with the same stream,
    /// offsets included, with nothing open.
    pub fn finish<M>(&mut self, handler: impl IntoHandler<M>) {
        let mut handler = handler.into_handler();
        handler.feed(&mut |sink| self.finish_with(sink));
        handler.end();
    }

    fn finish_with(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        self.engine.end_piece();
        let input = Input {
            limits: &self.limits,
            vocabulary: &self.vocabulary,
            chunk: &[],
            base: self.engine.position(),
        };
        self.engine.finish(&input, sink);
    }

    /// Resets to the start of a stream with the same settings, keeping the memory.
    pub fn reset(&mut self) {
        self.engine.reset(&self.limits);
    }

    /// Returns the stream offset of the next byte: the number of bytes read so far, plus the [start
    /// offset](ParserBuilder::start_offset).
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.engine.position()
    }

    /// Returns the number of bytes read but not yet emitted: those that can still become an
    /// annotation, at most [`Limits::max_annotation`], or, if JSON records are
    /// [held](ParserBuilder::hold_records), a record, at most [`Limits::max_record`]. Otherwise
    /// nothing is held because of JSON.
    #[must_use]
    pub fn buffered_len(&self) -> usize {
        self.engine.buffered_len()
    }

    /// Returns `true` if the text so far ends in the beginning of an annotation, a record or a marker. A whole marker is no
    /// beginning, even if more text may make it longer, as `[2]` does after `[1]`.
    #[must_use]
    pub fn is_in_beginning(&self) -> bool {
        self.engine.is_in_beginning()
    }

    /// Returns the number of bytes of whitespace, emitted last, that an annotation after them would remove: 0 to 64. Code that
    /// strips annotations holds these back; [`Rewriter`](crate::Rewriter) does.
    #[must_use]
    pub fn strippable_whitespace(&self) -> usize {
        self.engine.removable(&self.limits)
    }

    /// Returns the release point: the least stream offset at which an incomplete assertion (in JSON
    /// its [extent](crate::provenance::Assertion::extent)) may begin, whatever follows. All text
    /// before it can be shown, discarded or kept for good.
    ///
    /// It never moves back, and it is at most [`position`](Self::position). No continuation, of model text or untrusted
    /// text, makes an assertion that begins before it. Unless it is the position, or the stream
    /// ends inside a character, some continuation makes an assertion that begins at it.
    ///
    /// Callers that never ask pay nothing. The cost of asking after each chunk follows the length of the chunks, except
    /// in a sentence or block of code that is longer than [`Limits::max_assertion`]: there it follows that limit.
    ///
    /// ```
    /// use provstream::Parser;
    ///
    /// let mut parser = Parser::new();
    /// parser.push(b"It rained. See p", ());
    /// assert_eq!(parser.undecided_from(), 11); // no annotation can be about "It rained."
    /// parser.push(b". 55 [substrate.grep]", ());
    /// assert_eq!(parser.undecided_from(), 11); // another annotation may follow
    /// parser.push(b" Then", ());
    /// assert_eq!(parser.undecided_from(), 38);
    /// ```
    #[must_use]
    pub fn undecided_from(&mut self) -> u64 {
        self.engine.release_point(&self.limits).at
    }

    /// Returns the release point, and its offset in the stripped stream.
    pub(crate) fn release_point_and_clean(&mut self) -> (ReleasePoint, u64) {
        let found = self.engine.release_point(&self.limits);
        (found, found.at - self.engine.removed_before(found.at))
    }

    /// Returns a stream offset up to which no text from the release point on is too long; `None` if
    /// the next bytes may be.
    pub(crate) fn uncut_until(&self, point: ReleasePoint) -> Option<u64> {
        self.engine.uncut_until(point, &self.limits)
    }

    /// Returns the stream offset of the JSON value that is open in free text, outside a fenced block.
    pub(crate) fn bare_value(&self) -> Option<u64> {
        self.engine.bare_value()
    }

    /// Reads a chunk of a few bytes of model text if it leaves the release point where it was when
    /// last computed. Returns whether the chunk is text, or `None` if it must be pushed.
    #[inline]
    pub(crate) fn append_if_stable(&mut self, chunk: &[u8]) -> Option<bool> {
        self.engine.append_if_stable(chunk)
    }

    /// Returns `true` in the modes that read only JSON values.
    pub(crate) const fn reads_json_alone(&self) -> bool {
        self.engine.is_sequence()
    }

    /// Returns the heap memory of this stream in bytes.
    #[must_use]
    pub fn heap_size(&self) -> usize {
        self.engine.heap()
    }

    /// Returns the dialects whose markers are looked for.
    #[cfg(feature = "dialects")]
    #[must_use]
    pub fn dialects(&self) -> Option<&crate::Dialects> {
        self.engine.dialects()
    }

    /// Compares a text that begins with the versions of the [sources](ParserBuilder::sources) that `other` had at the same offsets.
    /// To be called before a copy of the text that `other` has read; [`reset`](Self::reset) ends it.
    #[cfg(feature = "dialects")]
    pub fn repeat_sources(&mut self, other: &Self) {
        self.engine.repeat_sources(&other.engine);
    }

    /// Returns the limits in force.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the vocabulary in force.
    #[must_use]
    pub const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

/// Settings of a [`Parser`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ParserBuilder {
    limits: Limits,
    vocabulary: Vocabulary,
    mode: Mode,
    hold_records: bool,
    start: u64,
    #[cfg(feature = "dialects")]
    dialects: Option<crate::Dialects>,
    #[cfg(feature = "dialects")]
    sources: Option<std::sync::Arc<dyn crate::Sources>>,
}

impl ParserBuilder {
    /// Looks for the markers of some dialects in free text, too: they are reported as [`Event::Marker`], their assertions as
    /// [`Event::Citation`], and a [`Rewriter`](crate::Rewriter) removes them.
    ///
    /// Without dialects there are no such events, and nothing else changes.
    #[cfg(feature = "dialects")]
    pub fn dialects(mut self, dialects: crate::Dialects) -> Self {
        self.dialects = Some(dialects);
        self
    }

    /// Sets the list of sources with which the identifiers of markers are compared.
    #[cfg(feature = "dialects")]
    pub fn sources(mut self, sources: std::sync::Arc<dyn crate::Sources>) -> Self {
        self.sources = Some(sources);
        self
    }

    /// Sets the limits.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the vocabulary, which is the memo's by default.
    pub fn vocabulary(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = vocabulary;
        self
    }

    /// Sets the mode of reading the stream.
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets whether JSON records are held back and reported as [`Event::Record`] instead of being emitted as text, so that they
    /// can be removed. Off by default.
    ///
    /// A record is a JSON value whose root is an asserted object or a MARC object. Every object at the root of a value
    /// is then held back until it ends, at most [`Limits::max_record`] bytes; a longer record is emitted as text, with
    /// [`DiagnosticCode::LimitPending`](crate::DiagnosticCode::LimitPending). [`Mode::Text`] has no records.
    pub const fn hold_records(mut self, hold: bool) -> Self {
        self.hold_records = hold;
        self
    }

    /// Sets the stream offset of the first byte, for text that is part of a longer stream. 0 by
    /// default, at most [`MAX_START_OFFSET`](Self::MAX_START_OFFSET).
    ///
    /// All spans, clean ones too, and [`Parser::position`] count from there, also after a [`reset`](Parser::reset). Nothing
    /// else changes: the text is read as if its first byte were the first of a stream, so a byte order mark there is
    /// whitespace. [`OffsetMap`](crate::OffsetMap) counts from 0.
    ///
    /// # Errors
    /// [`OffsetError`] when `offset` is greater than that.
    ///
    /// ```
    /// use provstream::{Event, Parser};
    ///
    /// let mut parser = Parser::builder().start_offset(1 << 40)?.build();
    /// parser.push(b"It is so.", |event: Event<'_>| {
    ///     if let Event::Text(text) = event {
    ///         assert_eq!(text.span().start(), 1 << 40);
    ///     }
    /// });
    /// assert_eq!(parser.position(), (1 << 40) + 9);
    /// # Ok::<(), provstream::OffsetError>(())
    /// ```
    pub fn start_offset(mut self, offset: u64) -> Result<Self, OffsetError> {
        if offset > Self::MAX_START_OFFSET {
            return Err(OffsetError { offset });
        }
        self.start = offset;
        Ok(self)
    }

    /// The greatest offset that a stream can start at: 2^63.
    ///
    /// From there on 2^63 - 1 bytes have an offset, more than can be read: at 100 GB/s that takes nearly three years. So
    /// no offset overflows.
    pub const MAX_START_OFFSET: u64 = 1 << 63;

    /// Creates the parser.
    #[must_use]
    pub fn build(self) -> Parser {
        #[cfg_attr(
            not(feature = "dialects"),
            expect(unused_mut, reason = "only markers change it")
        )]
        let mut engine = Engine::new(&self.limits, self.start, self.mode, self.hold_records);
        #[cfg(feature = "dialects")]
        if let Some(dialects) = self.dialects {
            let markers = Markers::new(dialects, self.sources, &self.limits, self.start);
            engine.set_markers(markers);
        }
        Parser {
            engine,
            limits: self.limits,
            vocabulary: self.vocabulary,
        }
    }
}

/// A start offset beyond [`ParserBuilder::MAX_START_OFFSET`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OffsetError {
    offset: u64,
}

impl OffsetError {
    /// Returns the rejected offset in bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for OffsetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, most) = (self.offset, ParserBuilder::MAX_START_OFFSET);
        write!(
            f,
            "expected a start offset of at most {most}, found {offset}"
        )
    }
}

impl std::error::Error for OffsetError {}
