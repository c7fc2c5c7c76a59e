//! Stream offsets as numbers of chunks.

use core::fmt;
use core::ops::Range;
use std::collections::VecDeque;

use crate::Span;

/// Finds the chunk of a stream that an offset lies in, for the last chunks.
///
/// Where each chunk is one token, this points at tokens, which `provenance memo 6` names as a way to give a span. Unlike
/// everything else here it depends on how the stream was cut: that is what it is about. Chunks are numbered from 0.
///
/// An empty chunk counts as one, since a token may be empty; it holds no byte, so no offset lies in it, but it is part of
/// a range of chunks that begins before and ends after it.
///
/// Each chunk goes to [`push`](Self::push) before it goes to the parser. Since annotations and the whitespace after
/// them can take any number of chunks before their assertion is reported, no window covers every case.
///
/// ```
/// use provstream::{ChunkIndex, Span};
///
/// let mut tokens = ChunkIndex::new();
/// for token in ["It", "", " rains", "."] {
///     tokens.push(token.as_bytes());
/// }
/// assert_eq!(tokens.chunk_at(2), Some(2));
/// assert_eq!(tokens.chunks(Span::new(0, 4)), Some(0..3));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ChunkIndex {
    /// Offsets of the first bytes of the last chunks, never decreasing.
    starts: VecDeque<u64>,
    window: usize,
    chunks: u64,
    position: u64,
}

impl ChunkIndex {
    /// Chunks that are remembered unless another number is asked for.
    pub const DEFAULT_WINDOW: usize = 4_096;

    /// For a stream from its start, remembering the last [`DEFAULT_WINDOW`](Self::DEFAULT_WINDOW) chunks.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_window(Self::DEFAULT_WINDOW)
    }

    /// For a stream from its start, remembering the last `chunks` chunks.
    #[must_use]
    pub const fn with_window(chunks: usize) -> Self {
        Self {
            starts: VecDeque::new(),
            window: chunks,
            chunks: 0,
            position: 0,
        }
    }

    /// Takes the next chunk, which may be empty, before the parser does.
    pub fn push(&mut self, chunk: &[u8]) {
        if self.window > 0 {
            if self.starts.len() == self.window {
                self.starts.pop_front();
            } else if self.starts.len() == self.starts.capacity() {
                let more = self.starts.len().max(16);
                let most = self.window - self.starts.len();
                self.starts.reserve_exact(more.min(most));
            }
            self.starts.push_back(self.position);
        }
        self.chunks += 1;
        self.position += chunk.len() as u64;
    }

    /// Back to the start of a stream with the same window; the memory is kept.
    pub fn reset(&mut self) {
        self.starts.clear();
        self.chunks = 0;
        self.position = 0;
    }

    /// Chunks taken so far: the number of the next one.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.chunks
    }

    /// Bytes taken so far: the stream offset of the next one.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// How many chunks are remembered.
    #[must_use]
    pub const fn window(&self) -> usize {
        self.window
    }

    /// Bytes of heap in use.
    #[must_use]
    pub fn heap_size(&self) -> usize {
        self.starts.capacity() * size_of::<u64>()
    }

    /// The number of the chunk that holds the byte at `offset`; none when that chunk is no longer remembered or the byte
    /// was not taken yet.
    #[must_use]
    pub fn chunk_at(&self, offset: u64) -> Option<u64> {
        if offset >= self.position {
            return None;
        }
        let up_to = self.starts.partition_point(|&start| start <= offset) as u64;
        let first = self.chunks - self.starts.len() as u64;
        (up_to > 0).then(|| first + up_to - 1)
    }

    /// The numbers of the chunks from the one with a span's first byte up to the one with its last.
    ///
    /// An empty span gives an empty range at the chunk that holds the byte after it, or at [`count`](Self::count) if
    /// that byte was not taken yet. None when the span reaches back to a chunk that is no longer remembered or goes on
    /// after what was taken.
    #[must_use]
    pub fn chunks(&self, span: Span) -> Option<Range<u64>> {
        if span.is_empty() {
            let at = if span.start() == self.position {
                self.chunks
            } else {
                self.chunk_at(span.start())?
            };
            return Some(at..at);
        }
        Some(self.chunk_at(span.start())?..self.chunk_at(span.end() - 1)? + 1)
    }
}

impl Default for ChunkIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ChunkIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkIndex")
            .field("window", &self.window)
            .field("chunks", &self.chunks)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
