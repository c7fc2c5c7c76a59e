//! Conversion of byte offsets in a stream to code points of Python.

use std::collections::VecDeque;

use provstream::{OffsetMap, Span};

use crate::place::Place;

/// Distance back from the end of the stream up to which code points are known: 1 MiB. Unlimited for
/// a stream in memory.
pub(crate) const WINDOW: usize = 1 << 20;

/// Most recorded removals with multi-byte characters.
const MAX_REMOVALS: usize = 4_096;

/// Reason why an offset cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The character at the offset is incomplete: retry after the next push.
    Early,
    /// The offset is too far back.
    Late,
}

/// Converts spans of reported events.
pub(crate) trait Locate {
    /// Converts a span of the stream.
    fn place(&self, span: Span) -> Result<Place, Unknown>;

    /// Converts a span to the text without annotations, in which it is at `clean`.
    fn clean_place(&self, span: Span, clean: Span) -> Result<Place, Unknown>;

    /// Records that bytes were removed from the stream: an annotation with the white space before
    /// it, or a record.
    fn remove(&mut self, span: Span) {
        let _ = span;
    }
}

impl Locate for Offsets {
    fn place(&self, span: Span) -> Result<Place, Unknown> {
        Place::from(span, self.code_points(span))
    }

    fn clean_place(&self, span: Span, clean: Span) -> Result<Place, Unknown> {
        Place::from(clean, self.clean(span, clean))
    }

    fn remove(&mut self, span: Span) {
        self.note_removed(span);
    }
}

/// Offsets of a text without annotations, if the annotated text is unknown.
#[derive(Debug)]
pub(crate) struct CleanOffsets(Offsets);

impl CleanOffsets {
    pub(crate) fn new() -> Self {
        Self(Offsets::new(WINDOW))
    }

    /// Adds text at an offset. Offset 0 begins another text.
    pub(crate) fn push(&mut self, text: &[u8], start: u64) {
        if start < self.0.position || self.0.ended {
            self.0.reset();
        }
        self.0.push(text);
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self) {
        self.0.finish();
    }
}

impl Locate for CleanOffsets {
    fn place(&self, span: Span) -> Result<Place, Unknown> {
        Ok(Place::bytes_only(span))
    }

    fn clean_place(&self, _: Span, clean: Span) -> Result<Place, Unknown> {
        let offsets = &self.0;
        let found = match offsets.code_points(clean) {
            // What is not taken yet may not be ASCII.
            _ if clean.end() > offsets.position && offsets.ended => Err(Unknown::Late),
            _ if clean.end() > offsets.position => Err(Unknown::Early),
            found => found,
        };
        Place::from(clean, found)
    }
}

/// Converts byte ranges to code point ranges.
///
/// Up to the first byte that is not ASCII both are equal, and nothing is stored.
#[derive(Debug)]
pub(crate) struct Offsets {
    position: u64,
    /// Offset of the first byte that is not ASCII, and a map from there on.
    wide: Option<(u64, OffsetMap)>,
    window: usize,
    /// Byte offsets of characters that are two code points in Python (surrogate pairs); `forgotten`
    /// counts dropped ones.
    joined: VecDeque<u64>,
    forgotten: u64,
    removed: RemovedBytes,
    ended: bool,
}

/// Bytes removed so far, and their surplus over the removed code points.
#[derive(Debug, Default)]
struct RemovedBytes {
    bytes: u64,
    surplus: u64,
    /// Total of removed bytes and total surplus, after each removal with a surplus.
    steps: VecDeque<(u64, u64)>,
    /// `true` if steps were dropped: nothing is known before the first one.
    cut: bool,
}

impl Offsets {
    /// Creates a converter for a stream, with code points known up to `window` bytes back.
    pub(crate) fn new(window: usize) -> Self {
        Self {
            position: 0,
            wide: None,
            window,
            joined: VecDeque::new(),
            forgotten: 0,
            removed: RemovedBytes::default(),
            ended: false,
        }
    }

    /// Adds the next bytes. Call it before the parser processes them.
    #[inline]
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.wide.is_some() || !chunk.is_ascii() {
            self.push_wide(chunk);
        }
        self.position += chunk.len() as u64;
    }

    #[cold]
    fn push_wide(&mut self, chunk: &[u8]) {
        let (_, map) = self
            .wide
            .get_or_insert_with(|| (self.position, OffsetMap::with_window(self.window)));
        map.push(chunk);
        let oldest = self.position.saturating_sub(self.window as u64);
        while self.joined.front().is_some_and(|&at| at < oldest) {
            self.joined.pop_front();
            self.forgotten += 1;
        }
    }

    /// Ends the stream. Call it before the parser's `finish`.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
        if let Some((_, map)) = &mut self.wide {
            map.finish();
        }
    }

    /// Resets to the start of a stream.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.window);
    }

    /// Records that the character `at` bytes after the current position is two code points.
    pub(crate) fn join_at(&mut self, at: u64) {
        self.joined.push_back(self.position + at);
    }

    fn note_removed(&mut self, span: Span) {
        self.removed.bytes += span.len();
        if self.wide.is_none() {
            return;
        }
        let points = match self.characters(span) {
            Ok((start, end)) => end - start,
            Err(_) => span.len(),
        };
        let removed = &mut self.removed;
        if points < span.len() {
            removed.surplus += span.len() - points;
            removed.steps.push_back((removed.bytes, removed.surplus));
            if removed.steps.len() > MAX_REMOVALS && self.window == WINDOW {
                removed.steps.pop_front();
                removed.cut = true;
            }
        }
    }

    /// Converts a byte range of the stream. A range that begins or ends inside a character is
    /// extended to the whole character.
    pub(crate) fn code_points(&self, span: Span) -> Result<(u64, u64), Unknown> {
        let (start, end) = self.characters(span)?;
        let joined = |at: u64| self.joined_before(at).ok_or(Unknown::Late);
        Ok((start + joined(span.start())?, end + joined(span.end())?))
    }

    /// Converts a byte range of the stream to code points of the text without annotations, in which
    /// it is at `clean`.
    pub(crate) fn clean(&self, span: Span, clean: Span) -> Result<(u64, u64), Unknown> {
        if self.wide.is_none() {
            return Ok((clean.start(), clean.end()));
        }
        let (start, end) = self.characters(span)?;
        let moved = |point: u64, at: u64, clean: u64| -> Result<u64, Unknown> {
            let bytes = at - clean;
            let surplus = self.removed.surplus_at(bytes).ok_or(Unknown::Late)?;
            Ok(point - (bytes - surplus))
        };
        Ok((
            moved(start, span.start(), clean.start())?,
            moved(end, span.end(), clean.end())?,
        ))
    }

    /// Converts a byte range, counting surrogate pairs as one.
    fn characters(&self, span: Span) -> Result<(u64, u64), Unknown> {
        let Some((prefix, map)) = &self.wide else {
            return Ok((span.start(), span.end()));
        };
        if span.end() <= *prefix {
            return Ok((span.start(), span.end()));
        }
        let find = |start: u64| {
            map.code_points(Span::new(start - prefix, span.end() - prefix))
                .ok_or_else(|| self.why(span.end()))
        };
        if span.start() <= *prefix {
            return Ok((span.start(), prefix + find(span.end() - 1)?.end()));
        }
        let found = find(span.start())?;
        Ok((prefix + found.start(), prefix + found.end()))
    }

    /// Returns the reason why the map cannot convert an offset.
    fn why(&self, at: u64) -> Unknown {
        if !self.ended && at + 4 > self.position {
            Unknown::Early
        } else {
            Unknown::Late
        }
    }

    /// Returns the number of surrogate pairs before an offset, or `None` if that was dropped.
    fn joined_before(&self, at: u64) -> Option<u64> {
        if self.forgotten > 0 && at + (self.window as u64) < self.position {
            return None;
        }
        let here = self.joined.partition_point(|&joined| joined < at);
        Some(self.forgotten + here as u64)
    }
}

impl RemovedBytes {
    /// Returns the surplus after a total of `bytes` removed bytes, or `None` if that was dropped.
    fn surplus_at(&self, bytes: u64) -> Option<u64> {
        match self.steps.partition_point(|&(removed, _)| removed <= bytes) {
            0 if self.cut => None,
            0 => Some(0),
            at => self.steps.get(at - 1).map(|&(_, surplus)| surplus),
        }
    }
}
