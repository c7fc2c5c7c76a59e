//! Conversion of byte offsets to code points, for texts in memory.

use provstream::{OffsetMap, Span};
use wide::u8x16;

use super::texts::ValueKind;

/// Bytes in a block, each of which has one bit in its bitmap.
const BLOCK: usize = 64;

/// Converts byte offsets in one text to code point offsets. The text may grow at its end between
/// calls.
///
/// A text without queries costs nothing. Otherwise the text is read once, in blocks. Counting from
/// each offset to the next instead would be a loop with an unpredictable number of iterations per
/// offset.
#[derive(Debug)]
pub(super) struct Points {
    kind: ValueKind,
    /// Length of the text read so far, in bytes.
    known: usize,
    /// `true` if the text so far is ASCII.
    is_ascii: bool,
    /// Bitmaps of continuation bytes, including the block that has the end of the text. Empty while
    /// the text is ASCII.
    blocks: Vec<PointBlock>,
    /// Offset map for a text that is not UTF-8.
    map: Option<Box<OffsetMap>>,
}

/// Bitmap of the continuation bytes in a block.
#[derive(Clone, Copy, Debug)]
struct PointBlock {
    /// Number of continuation bytes in earlier blocks.
    before: u64,
    /// Bit for each byte, the first one lowest; 1 for continuation bytes, 0 beyond the text.
    bits: u64,
}

impl Points {
    /// Creates a converter for texts of a kind. A text of kind `Bytes` must not grow.
    ///
    /// In a string column all texts should be UTF-8. In one that is not, each byte that is not a
    /// continuation byte counts as one code point.
    pub(super) const fn new(kind: ValueKind) -> Self {
        Self {
            kind,
            known: 0,
            is_ascii: true,
            blocks: Vec::new(),
            map: None,
        }
    }

    /// Starts another text of this kind.
    pub(super) fn reset(&mut self, kind: ValueKind) {
        self.kind = kind;
        self.known = 0;
        self.is_ascii = true;
        self.blocks.clear();
        self.map = None;
    }

    /// Reads the text so far. Only its end may differ from the last call.
    pub(super) fn read(&mut self, text: &[u8]) {
        if text.len() == self.known {
            return;
        }
        self.is_ascii = self.is_ascii && text[self.known..].is_ascii();
        self.known = text.len();
        if self.is_ascii {
            return;
        }
        if self.kind == ValueKind::Bytes && std::str::from_utf8(text).is_err() {
            let mut map = OffsetMap::with_window(text.len());
            map.push(text);
            map.finish();
            self.map = Some(Box::new(map));
            return;
        }
        // The block that the text has ended in may have grown.
        let last = self.blocks.pop();
        let mut before = last.map_or(0, |block| block.before);
        let start = self.blocks.len() * BLOCK;
        let (whole, rest) = text[start..].as_chunks();
        self.blocks.extend(whole.iter().map(|bytes| {
            let bits = continuations(bytes);
            let block = PointBlock { before, bits };
            before += u64::from(bits.count_ones());
            block
        }));
        let bits = continuations_of_rest(text, rest.len());
        self.blocks.push(PointBlock { before, bits });
    }

    /// Returns the code point range of a byte range that was read. A range that begins or ends
    /// inside a character is extended to the whole character.
    #[inline]
    pub(super) fn of(&self, span: Span) -> Span {
        if self.is_ascii {
            return span;
        }
        if let Some(map) = &self.map {
            return map.code_points(span).unwrap_or(span);
        }
        let begun = self.begun_before(span.start());
        let start = begun - u64::from(self.is_inside(span.start()));
        if span.is_empty() {
            return Span::new(start, start);
        }
        Span::new(start, self.begun_before(span.end()))
    }

    /// Returns the number of characters that begin before a byte offset.
    #[inline]
    fn begun_before(&self, place: u64) -> u64 {
        let place = usize::try_from(place).map_or(self.known, |place| place.min(self.known));
        let PointBlock { before, bits } = self.blocks[place / BLOCK];
        let here = bits & !(u64::MAX << (place % BLOCK));
        place as u64 - before - u64::from(here.count_ones())
    }

    /// Returns `true` if the byte at an offset is a continuation byte.
    #[inline]
    fn is_inside(&self, place: u64) -> bool {
        let place = usize::try_from(place).map_or(self.known, |place| place.min(self.known));
        self.blocks[place / BLOCK].bits >> (place % BLOCK) & 1 == 1
    }
}

/// Returns the bitmap of the continuation bytes in a block, first byte lowest.
#[inline]
fn continuations(bytes: &[u8; BLOCK]) -> u64 {
    let (vectors, _) = bytes.as_chunks::<16>();
    let mut all = 0;
    for (number, vector) in vectors.iter().enumerate() {
        // 10 in the highest bits.
        let bits = u8x16::new(*vector) ^ u8x16::splat(0x80);
        let continued = bits.min(u8x16::splat(0x3F)).simd_eq(bits);
        all |= u64::from(continued.to_bitmask()) << (16 * number);
    }
    all
}

/// Returns the bitmap of the continuation bytes in the last `rest` bytes of a text, which are less
/// than a block.
#[inline]
fn continuations_of_rest(text: &[u8], rest: usize) -> u64 {
    if let Some(last) = text.last_chunk() {
        // The bytes before them are shifted out.
        return continuations(last).unbounded_shr((BLOCK - rest) as u32);
    }
    let mut padded = [0; BLOCK];
    padded[..rest].copy_from_slice(&text[text.len() - rest..]);
    continuations(&padded)
}
