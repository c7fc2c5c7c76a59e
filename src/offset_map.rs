//! Stream offsets in other units: Unicode code points and UTF-16 code units.
//!
//! The parser counts bytes. Code that marks a span in a page or stores it as an annotation may have to count in other units:
//!
//! | unit | who counts in it | from |
//! |---|---|---|
//! | bytes of UTF-8 | Gemini (`startIndex`, `endIndex` of a segment) | [`Span`] itself |
//! | Unicode code points | W3C `TextPositionSelector` | [`OffsetMap::code_points`] |
//! | UTF-16 code units | browsers and JavaScript strings | [`OffsetMap::utf16`] |
//!
//! Fed with the bytes of the stream they answer for raw offsets. Fed with the text that a
//! [`Rewriter`](crate::Rewriter) writes when it removes every annotation
//! ([`Replacement::Remove`](crate::Replacement::Remove)) they answer for clean ones; where annotations are kept or
//! replaced, what is written has other offsets.

use core::fmt;

use crate::Span;

/// Bytes of the stream that one [`BitBlock`] describes.
const BLOCK: u64 = 512;

/// Bits of a word, each for one byte of the stream.
const WORD: u64 = 64;

/// Words of a block.
const WORDS: usize = (BLOCK / WORD) as usize;

/// Turns spans of bytes into spans of Unicode code points or UTF-16 code units, for the last bytes of a stream.
///
/// It is fed with the same bytes as the parser and does not keep them: for each of the last bytes (the window) it has two
/// bits, and it has running totals. Memory depends on the window alone, and an answer takes the same time wherever the
/// span lies. How the stream is cut changes no answer.
///
/// Each chunk goes to [`push`](Self::push) before it goes to the parser, since events point into the chunk that the
/// parser is being given; likewise [`finish`](Self::finish) comes before the parser's. A span can have left the window
/// by the time it is reported: see [`with_window`](Self::with_window).
///
/// What is not UTF-8 counts as [`String::from_utf8_lossy`] over the whole stream would have it: one U+FFFD for each
/// maximal subpart of an ill-formed sequence, one code unit in UTF-16. A byte order mark is a character like any other;
/// a reader that drops it (a browser's `TextDecoder` does) has to subtract it.
///
/// A span that starts or ends inside a character takes in the whole character. An empty span inside a character stands
/// before that character.
///
/// Source: `provenance memo 6` (the span may be given as the implementation chooses), W3C Web Annotation Data Model,
/// text position selector.
///
/// ```
/// use provstream::{OffsetMap, Span};
///
/// let mut positions = OffsetMap::new();
/// positions.push("Grüße 🎉 an alle".as_bytes());
/// let party = Span::new(8, 12);
/// assert_eq!(positions.code_points(party), Some(Span::new(6, 7)));
/// assert_eq!(positions.utf16(party), Some(Span::new(6, 8)));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct OffsetMap {
    /// A ring: the block of offset `o` is number `o / BLOCK`, at that number modulo `most`.
    blocks: Vec<BitBlock>,
    /// Most blocks the ring may have: enough for the window wherever it starts in a block.
    most: usize,
    window: u64,
    /// Bytes taken so far.
    position: u64,
    /// Code points and code units before `position`.
    totals: Totals,
    sequence: PartialCharacter,
}

/// Two bits for each of [`BLOCK`] bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct BitBlock {
    /// A character starts at this byte.
    starts: [u64; WORDS],
    /// With this byte a character ends that takes two code units in UTF-16.
    pairs: [u64; WORDS],
    /// Code points and code units before the block.
    before: Totals,
}

/// Counts of the bits before some offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    starts: u64,
    pairs: u64,
}

/// A character of which only the first bytes have come; between characters [`PartialCharacter::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartialCharacter {
    /// Continuation bytes that must still follow.
    left: u8,
    /// The least and the greatest byte that may come next.
    next: (u8, u8),
    /// The character takes two code units in UTF-16 if it is completed.
    pair: bool,
    /// Offset of its first byte.
    start: u64,
}

impl PartialCharacter {
    /// The state between characters.
    const NONE: Self = Self {
        left: 0,
        next: (0, 0),
        pair: false,
        start: 0,
    };

    /// Begins the sequence of a byte at `start`. An ASCII byte, and a byte that can begin no
    /// sequence, is complete at once.
    const fn begin(byte: u8, start: u64) -> Self {
        let (left, next) = match byte {
            0xC2..=0xDF => (1, (0x80, 0xBF)),
            0xE0 => (2, (0xA0, 0xBF)),
            0xED => (2, (0x80, 0x9F)),
            0xE1..=0xEF => (2, (0x80, 0xBF)),
            0xF0 => (3, (0x90, 0xBF)),
            0xF1..=0xF3 => (3, (0x80, 0xBF)),
            0xF4 => (3, (0x80, 0x8F)),
            _ => return Self::NONE,
        };
        Self {
            left,
            next,
            pair: left == 3,
            start,
        }
    }

    /// Takes a byte if it continues the sequence.
    const fn take(&mut self, byte: u8) -> bool {
        if self.left == 0 || byte < self.next.0 || byte > self.next.1 {
            return false;
        }
        self.left -= 1;
        self.next = (0x80, 0xBF);
        true
    }
}

/// An offset, as far as it can be answered for.
struct CertainOffset {
    before: Totals,
    /// The offset is between characters.
    boundary: bool,
}

impl OffsetMap {
    /// Bytes of the stream that are answered for unless another number is asked for: 64 KiB.
    ///
    /// That is enough for usual streams and chunks of a few KiB, not for all: see
    /// [`with_window`](Self::with_window).
    pub const DEFAULT_WINDOW: usize = 64 * 1024;

    /// Creates a map for a stream from its start, with a window of
    /// [`DEFAULT_WINDOW`](Self::DEFAULT_WINDOW) bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_window(Self::DEFAULT_WINDOW)
    }

    /// Creates a map for a stream from its start that converts offsets up to `bytes` before the end
    /// of the bytes read.
    ///
    /// An assertion is reported after all its annotations and the whitespace that follows them, and both can be of any
    /// length, whatever the [`Limits`](crate::Limits) are; and the whole chunk that completes it has been taken by then.
    /// So no window covers every case, and an answer of none has to be expected. The window should be well above the
    /// longest assertion, the annotations that usually follow one, and the longest chunk together.
    #[must_use]
    pub const fn with_window(bytes: usize) -> Self {
        Self {
            blocks: Vec::new(),
            most: bytes.div_ceil(BLOCK as usize) + 1,
            window: bytes as u64,
            position: 0,
            totals: Totals {
                starts: 0,
                pairs: 0,
            },
            sequence: PartialCharacter::NONE,
        }
    }

    /// Takes the next bytes of the stream, before the parser does.
    pub fn push(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let room = (WORD - self.position % WORD) as usize;
            let (now, later) = rest.split_at(rest.len().min(room));
            self.push_word(now);
            rest = later;
        }
    }

    /// Says that the stream has ended, so that what is still incomplete is known to be ill-formed. Comes before the
    /// parser's `finish`, which may report spans up to the end.
    ///
    /// Bytes pushed after it begin a new character.
    pub const fn finish(&mut self) {
        self.sequence = PartialCharacter::NONE;
    }

    /// Resets to the start of a stream with the same window, keeping the memory.
    pub fn reset(&mut self) {
        self.blocks.clear();
        self.position = 0;
        self.totals = Totals::default();
        self.sequence = PartialCharacter::NONE;
    }

    /// Returns the number of bytes read so far, which is the stream offset of the next byte.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the size of the window: the number of bytes before the end for which offsets are known.
    #[must_use]
    pub const fn window(&self) -> usize {
        self.window as usize
    }

    /// Returns the heap memory in bytes: about 9 for every 32 of the window.
    #[must_use]
    pub const fn heap_size(&self) -> usize {
        self.blocks.capacity() * size_of::<BitBlock>()
    }

    /// Converts a span of bytes to Unicode code points, counted from the start of the stream: the
    /// unit of the W3C text position selector.
    ///
    /// `None` when an end of the span lies before the window, after what was taken, or inside or right after a
    /// character that is not complete yet. The first can happen with any window
    /// ([`with_window`](Self::with_window)).
    #[must_use]
    pub fn code_points(&self, span: Span) -> Option<Span> {
        let start = self.place(span.start())?;
        let first = start.before.starts - u64::from(!start.boundary);
        if span.is_empty() {
            return Some(Span::new(first, first));
        }
        Some(Span::new(first, self.place(span.end())?.before.starts))
    }

    /// Converts a span of bytes to UTF-16 code units, counted from the start of the stream: the
    /// unit of browsers.
    ///
    /// None where [`code_points`](Self::code_points) is.
    #[must_use]
    pub fn utf16(&self, span: Span) -> Option<Span> {
        let units = |totals: Totals| totals.starts + totals.pairs;
        let start = self.place(span.start())?;
        let first = units(start.before) - u64::from(!start.boundary);
        if span.is_empty() {
            return Some(Span::new(first, first));
        }
        let end = self.place(span.end())?;
        let second_half = !end.boundary && self.is_in_pair(span.end());
        let last = units(end.before) + u64::from(second_half);
        Some(Span::new(first, last))
    }

    /// Takes bytes that all belong to one word.
    fn push_word(&mut self, bytes: &[u8]) {
        let (mut starts, mut pairs) = (0, 0);
        if self.sequence.left == 0 && bytes.is_ascii() {
            starts = u64::MAX >> (WORD as usize - bytes.len());
        } else {
            let mut bit = 1;
            for (&byte, offset) in bytes.iter().zip(self.position..) {
                if self.sequence.take(byte) {
                    if self.sequence.left == 0 {
                        pairs |= if self.sequence.pair { bit } else { 0 };
                        self.sequence = PartialCharacter::NONE;
                    }
                } else {
                    starts |= bit;
                    self.sequence = PartialCharacter::begin(byte, offset);
                }
                bit <<= 1;
            }
        }
        let (at, word, bit) = self.slot(self.position);
        if self.position.is_multiple_of(BLOCK) {
            let block = BitBlock {
                starts: [0; WORDS],
                pairs: [0; WORDS],
                before: self.totals,
            };
            if at == self.blocks.len() {
                self.grow();
                self.blocks.push(block);
            } else {
                self.blocks[at] = block;
            }
        }
        let block = &mut self.blocks[at];
        block.starts[word] |= starts << bit;
        block.pairs[word] |= pairs << bit;
        self.totals.starts += u64::from(starts.count_ones());
        self.totals.pairs += u64::from(pairs.count_ones());
        self.position += bytes.len() as u64;
    }

    /// Makes room for a block, never for more than `most`.
    fn grow(&mut self) {
        if self.blocks.len() == self.blocks.capacity() {
            let more = self.blocks.len().max(1);
            let most = self.most - self.blocks.len();
            self.blocks.reserve_exact(more.min(most));
        }
    }

    /// Returns the block, word and bit of an offset.
    fn slot(&self, offset: u64) -> (usize, usize, u64) {
        let block = offset / BLOCK % self.most as u64;
        let word = offset % BLOCK / WORD;
        (block as usize, word as usize, offset % WORD)
    }

    /// Returns `true` if a character starts at a byte of the window.
    fn is_start(&self, offset: u64) -> bool {
        let (block, word, bit) = self.slot(offset);
        self.blocks[block].starts[word] & (1 << bit) != 0
    }

    /// Returns `true` if the character around an offset inside of it takes two code units in UTF-16.
    fn is_in_pair(&self, offset: u64) -> bool {
        for offset in offset..self.position {
            let (block, word, bit) = self.slot(offset);
            if self.blocks[block].pairs[word] & (1 << bit) != 0 {
                return true;
            }
            if self.is_start(offset) {
                return false;
            }
        }
        false
    }

    /// Returns the counts at an offset; `None` before the window and where they are not decided yet.
    fn place(&self, offset: u64) -> Option<CertainOffset> {
        let decided = if self.sequence.left > 0 {
            self.sequence.start
        } else {
            self.position
        };
        let oldest = self.position.saturating_sub(self.window);
        if !(oldest..=decided).contains(&offset) {
            return None;
        }
        if offset == self.position {
            return Some(CertainOffset {
                before: self.totals,
                boundary: true,
            });
        }
        let (at, word, bit) = self.slot(offset);
        let block = &self.blocks[at];
        let count = |bits: &[u64]| {
            let whole: u32 = bits[..word].iter().map(|word| word.count_ones()).sum();
            let part = bits[word] & ((1 << bit) - 1);
            u64::from(whole + part.count_ones())
        };
        let before = Totals {
            starts: block.before.starts + count(&block.starts),
            pairs: block.before.pairs + count(&block.pairs),
        };
        Some(CertainOffset {
            before,
            boundary: self.is_start(offset),
        })
    }
}

impl Default for OffsetMap {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for OffsetMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffsetMap")
            .field("window", &self.window)
            .field("position", &self.position)
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}
