//! The text of a stream with its annotations kept, removed or replaced.

use smallvec::SmallVec;

use crate::engine::chars::{MOST_REMOVED, removable_tail};
use crate::event::{Event, TextChunk};
use crate::handler::{Handler, IntoHandler, Replacement};
#[cfg(feature = "dialects")]
use crate::marker::Marker;
use crate::parser::Parser;

/// Rewrites a stream: keeps, removes or replaces its annotations.
///
/// The rewritten text goes to [`Handler::text`] as soon as it is certain. Held back is only what can still become an
/// annotation, and whitespace that would be removed with one that follows. [`Handler::annotation`] and
/// [`Handler::record`] decide what is written in the place of each annotation and record; a closure removes them all.
///
/// An annotation is removed with the whitespace right before it, at most 64 bytes, line ends included. Where the
/// next sentence has no space of its own, the two sentences touch:
///
/// | in | out |
/// |---|---|
/// | `It is so. [substrate.grep] Really.` | `It is so. Really.` |
/// | `"A.\n\n [substrate.grep]B."` | `"A.B."` |
///
/// ```
/// use provstream::{Parser, Rewriter};
///
/// let mut clean = Vec::new(); // a `Vec<u8>` is a handler that collects the text
/// let mut rewriter = Rewriter::new(Parser::new());
/// for chunk in ["It is so. [subst", "rate.grep] Really."] {
///     rewriter.push(chunk.as_bytes(), &mut clean);
/// }
/// rewriter.finish(&mut clean);
/// assert_eq!(clean, b"It is so. Really.");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rewriter {
    parser: Parser,
    out: Out,
}

/// Output of a rewriter, and whitespace that is not written yet.
#[derive(Clone, Debug, Default)]
struct Out {
    /// Whitespace that the parser emitted and that is not yet written: at most 64 bytes.
    white: SmallVec<[u8; MOST_REMOVED]>,
    /// The offset of the next byte in the rewritten stream.
    position: u64,
}

impl Rewriter {
    /// Creates a rewriter from a parser at the start of a stream.
    #[must_use]
    pub fn new(parser: Parser) -> Self {
        Self {
            out: Out {
                white: SmallVec::new(),
                position: parser.position(),
            },
            parser,
        }
    }

    /// Takes the next bytes of the model's own output.
    pub fn push<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let (out, mut handler) = (&mut self.out, handler.into_handler());
        self.parser
            .push(chunk, |event: Event<'_>| out.take(event, &mut handler));
        self.release(&mut handler);
    }

    /// Takes the next bytes if they are written as they are and at once, with nothing held back before or after them, and the
    /// parser has only to append them; gives their offset in the rewritten stream. Otherwise nothing is taken, and the same
    /// bytes are to be [pushed](Self::push).
    ///
    /// Callers that have the bytes already, such as proxies, need no copy of them then.
    ///
    /// ```
    /// use provstream::{Parser, Rewriter};
    ///
    /// let mut rewriter = Rewriter::new(Parser::new());
    /// rewriter.push(b"It rained", ());
    /// assert_eq!(rewriter.push_unchanged(b" here."), Some(9));
    /// // An annotation that follows would be removed with the space.
    /// assert_eq!(rewriter.push_unchanged(b" It "), None);
    /// ```
    #[inline]
    #[must_use = "without an offset, nothing is taken"]
    pub fn push_unchanged(&mut self, chunk: &[u8]) -> Option<u64> {
        let ends_white = matches!(chunk.last(), Some(b' ' | b'\t' | b'\r' | b'\n'));
        if ends_white || !self.out.white.is_empty() {
            return None;
        }
        self.parser.append_unchanged(chunk)?;
        let start = self.out.position;
        self.out.position += chunk.len() as u64;
        Some(start)
    }

    /// Takes bytes that are not the model's own; see [`Parser::push_untrusted`].
    pub fn push_untrusted<M>(&mut self, chunk: &[u8], handler: impl IntoHandler<M>) {
        let (out, mut handler) = (&mut self.out, handler.into_handler());
        self.parser
            .push_untrusted(chunk, |event: Event<'_>| out.take(event, &mut handler));
        self.release(&mut handler);
    }

    /// Marks a place where something other than text comes; see [`Parser::push_break`]. What was held back is written.
    pub fn push_break<M>(&mut self, handler: impl IntoHandler<M>) {
        let (out, mut handler) = (&mut self.out, handler.into_handler());
        self.parser
            .push_break(|event: Event<'_>| out.take(event, &mut handler));
        out.flush(0, &mut handler);
    }

    /// Writes what was held back at the end of the stream.
    pub fn finish<M>(&mut self, handler: impl IntoHandler<M>) {
        let (out, mut handler) = (&mut self.out, handler.into_handler());
        self.parser
            .finish(|event: Event<'_>| out.take(event, &mut handler));
        out.flush(0, &mut handler);
        handler.end();
    }

    /// Resets to the start of a stream with the same settings.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.out.white.clear();
        self.out.position = self.parser.position();
    }

    /// Returns the inner parser.
    #[must_use]
    pub const fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Compares a text that begins with the sources as `other` did; see [`Parser::repeat_sources`].
    #[cfg(feature = "dialects")]
    pub fn repeat_sources(&mut self, other: &Self) {
        self.parser.repeat_sources(&other.parser);
    }

    /// Returns the release point as an offset of the stripped stream, that is of the text without
    /// annotations and records, like [`clean_span`](crate::provenance::Assertion::clean_span). If
    /// the rewriter writes something in the place of annotations, its own text has other offsets.
    ///
    /// ```
    /// use provstream::{Parser, Rewriter};
    ///
    /// let mut rewriter = Rewriter::new(Parser::new());
    /// rewriter.push(b"It rained. [substrate.grep] It snowed", ());
    /// assert_eq!(rewriter.undecided_from(), 11);
    /// ```
    #[must_use]
    pub fn undecided_from(&mut self) -> u64 {
        self.parser.release_point_and_clean().1
    }

    /// Reads a short chunk like [`Parser::append_if_stable`]; `write` takes the rewritten text.
    #[inline]
    pub(crate) fn append_if_stable(&mut self, chunk: &[u8], write: impl FnMut(&[u8])) -> bool {
        match self.parser.append_if_stable(chunk) {
            Some(true) => self.out.take_calm(chunk, write),
            Some(false) => {}
            None => return false,
        }
        true
    }

    pub(crate) const fn parser_mut(&mut self) -> &mut Parser {
        &mut self.parser
    }

    /// Returns the number of bytes that were read, are not written and may still be.
    pub(crate) fn unwritten_len(&self) -> usize {
        self.out.white.len() + self.parser.buffered_len()
    }

    /// Returns the inner parser; held whitespace is dropped.
    #[must_use]
    pub fn into_parser(self) -> Parser {
        self.parser
    }

    fn release(&mut self, handler: &mut impl Handler) {
        if !self.out.white.is_empty() {
            let keep = self.parser.strippable_whitespace();
            self.out.flush(keep, handler);
        }
    }
}

impl Out {
    /// Writes an event, keeping back the whitespace that the text so far ends with.
    fn take(&mut self, event: Event<'_>, handler: &mut impl Handler) {
        match event {
            Event::Text(text) => {
                let bytes = text.bytes();
                let tail = removable_tail(bytes);
                let (now, later) = bytes.split_at(bytes.len() - tail);
                if now.is_empty() {
                    self.flush(MOST_REMOVED - tail, handler);
                } else {
                    self.flush(0, handler);
                    self.write(now, handler);
                }
                self.white.extend_from_slice(later);
            }
            Event::Annotation(annotation) => {
                self.flush(annotation.whitespace_before(), handler);
                match handler.annotation(&annotation) {
                    Replacement::Remove => self.white.clear(),
                    Replacement::Keep => {
                        self.flush(0, handler);
                        self.write(annotation.raw(), handler);
                    }
                    Replacement::Text(text) => {
                        self.flush(0, handler);
                        self.write(&text, handler);
                    }
                }
            }
            Event::Record(record) => {
                self.flush(0, handler);
                match handler.record(&record) {
                    Replacement::Remove => {}
                    Replacement::Keep => self.write(record.raw(), handler),
                    Replacement::Text(text) => self.write(&text, handler),
                }
            }
            #[cfg(feature = "dialects")]
            Event::Marker(marker) => self.take_marker(&marker, handler),
            other => handler.event(other),
        }
    }

    // Out of line: most events are text.
    #[cfg(feature = "dialects")]
    #[cold]
    #[inline(never)]
    fn take_marker(&mut self, marker: &Marker<'_>, handler: &mut impl Handler) {
        self.flush(marker.whitespace_before(), handler);
        match handler.marker(marker) {
            Replacement::Remove => self
                .white
                .truncate(self.white.len() - marker.whitespace_before()),
            Replacement::Keep => {
                self.flush(0, handler);
                self.write(marker.raw(), handler);
            }
            Replacement::Text(text) => {
                self.flush(0, handler);
                self.write(&text, handler);
            }
        }
        self.flush(0, handler);
    }

    /// Writes a chunk of text whose only white space is spaces, of fewer bytes than can be kept back.
    fn take_calm(&mut self, chunk: &[u8], mut write: impl FnMut(&[u8])) {
        let text = chunk.iter().rposition(|&byte| byte != b' ');
        let (now, later) = chunk.split_at(text.map_or(0, |last| last + 1));
        if !self.white.is_empty() {
            let room = MOST_REMOVED - later.len();
            let len = if now.is_empty() {
                self.white.len().saturating_sub(room)
            } else {
                self.white.len()
            };
            write(&self.white[..len]);
            self.position += len as u64;
            if len == self.white.len() {
                self.white.clear();
            } else {
                self.white.drain(..len);
            }
        }
        write(now);
        self.position += now.len() as u64;
        for &byte in later {
            self.white.push(byte);
        }
    }

    fn write(&mut self, bytes: &[u8], handler: &mut impl Handler) {
        // A replacement may be empty.
        if !bytes.is_empty() {
            handler.text(TextChunk::new(bytes, self.position));
            self.position += bytes.len() as u64;
        }
    }

    /// Writes all but the last `keep` bytes of `white`.
    #[inline]
    fn flush(&mut self, keep: usize, handler: &mut impl Handler) {
        let now = self.white.len().saturating_sub(keep);
        if now > 0 {
            handler.text(TextChunk::new(&self.white[..now], self.position));
            self.position += now as u64;
            self.white.drain(..now);
        }
    }
}
