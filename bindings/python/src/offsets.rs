//! Bytes of a stream to code points of Python.

use std::collections::VecDeque;

use provstream::{OffsetMap, Span};

use crate::place::Place;

/// How far back code points are known, unless the whole stream is there: 1 MiB.
pub(crate) const WINDOW: usize = 1 << 20;

/// Removals with characters of several bytes that are remembered.
const MOST_REMOVALS: usize = 4_096;

/// Why a place has no code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// A character at its end is not complete: to be asked again after the next push.
    Early,
    /// It is too far back.
    Late,
}

/// Finds the places of what is reported.
pub(crate) trait Locate {
    /// The place of a span of the stream.
    fn place(&self, span: Span) -> Result<Place, Unknown>;

    /// The place in the text without annotations: `clean` is where `span` is in it.
    fn clean_place(&self, span: Span, clean: Span) -> Result<Place, Unknown>;

    /// Bytes were removed from the stream: an annotation with the white space before it, or a record.
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

/// The offsets of a text without annotations, where the text with them is not known.
#[derive(Debug)]
pub(crate) struct CleanOffsets(Offsets);

impl CleanOffsets {
    pub(crate) fn new() -> Self {
        Self(Offsets::new(WINDOW))
    }

    /// Takes text at an offset, which is 0 where a text begins once more.
    pub(crate) fn push(&mut self, text: &[u8], start: u64) {
        if start < self.0.position || self.0.ended {
            self.0.reset();
        }
        self.0.push(text);
    }

    /// The text has ended.
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

/// Turns spans of bytes into spans of code points.
///
/// Up to the first byte that is not ASCII both are the same, and nothing is kept.
#[derive(Debug)]
pub(crate) struct Offsets {
    position: u64,
    /// The offset of the first byte that is not ASCII, and what follows from there.
    wide: Option<(u64, OffsetMap)>,
    window: usize,
    /// The offsets of characters that are two code points of Python, surrogates, and how many of them were forgotten.
    joined: VecDeque<u64>,
    forgotten: u64,
    removed: Removed,
    ended: bool,
}

/// How many more bytes than code points were removed.
#[derive(Debug, Default)]
struct Removed {
    bytes: u64,
    surplus: u64,
    /// Bytes removed and the surplus, after each removal that has one.
    steps: VecDeque<(u64, u64)>,
    /// Steps were forgotten: nothing is known before the first.
    cut: bool,
}

impl Offsets {
    /// For a stream; `window` is how many bytes back places are known.
    pub(crate) fn new(window: usize) -> Self {
        Self {
            position: 0,
            wide: None,
            window,
            joined: VecDeque::new(),
            forgotten: 0,
            removed: Removed::default(),
            ended: false,
        }
    }

    /// Takes the next bytes, before the parser does.
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

    /// The stream has ended; comes before the parser's `finish`.
    pub(crate) fn finish(&mut self) {
        self.ended = true;
        if let Some((_, map)) = &mut self.wide {
            map.finish();
        }
    }

    /// Back to the start of a stream.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.window);
    }

    /// The character `at` bytes after what was taken is two code points.
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
            if removed.steps.len() > MOST_REMOVALS && self.window == WINDOW {
                removed.steps.pop_front();
                removed.cut = true;
            }
        }
    }

    /// The code points of a span of the stream. A span that starts or ends inside a character takes in the whole character.
    pub(crate) fn code_points(&self, span: Span) -> Result<(u64, u64), Unknown> {
        let (start, end) = self.characters(span)?;
        let joined = |at: u64| self.joined_before(at).ok_or(Unknown::Late);
        Ok((start + joined(span.start())?, end + joined(span.end())?))
    }

    /// The code points of a span of the text without annotations: `clean` is where `span` is in it.
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

    /// The characters of a span, where those of two code points count as one.
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

    /// Why the map has no answer for an offset.
    fn why(&self, at: u64) -> Unknown {
        if !self.ended && at + 4 > self.position {
            Unknown::Early
        } else {
            Unknown::Late
        }
    }

    /// How many characters before an offset are two code points; `None` where that is forgotten.
    fn joined_before(&self, at: u64) -> Option<u64> {
        if self.forgotten > 0 && at + (self.window as u64) < self.position {
            return None;
        }
        let here = self.joined.partition_point(|&joined| joined < at);
        Some(self.forgotten + here as u64)
    }
}

impl Removed {
    /// The surplus when this many bytes had been removed; `None` where that is forgotten.
    fn surplus_at(&self, bytes: u64) -> Option<u64> {
        match self.steps.partition_point(|&(removed, _)| removed <= bytes) {
            0 if self.cut => None,
            0 => Some(0),
            at => self.steps.get(at - 1).map(|&(_, surplus)| surplus),
        }
    }
}
