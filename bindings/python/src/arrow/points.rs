//! Bytes of a text in memory to its code points.

use provstream::{OffsetMap, Span};
use wide::u8x16;

use super::texts::Kind;

/// Bytes of a block: for each a bit.
const BLOCK: usize = 64;

/// Counts code points up to places in a text, which may grow at its end.
///
/// A text in which nothing is asked for costs nothing. Otherwise it is read once, in blocks. To count from one place to the next
/// would be a loop for each place, with a number of rounds that no processor foresees.
#[derive(Debug)]
pub(super) struct Points {
    kind: Kind,
    /// Bytes of the text that were looked at.
    known: usize,
    /// All of these are ASCII.
    is_ascii: bool,
    /// What continues a character, up to and with the block that the end of the text is in; empty while it is ASCII.
    blocks: Vec<Block>,
    /// Knows the places of a text that is not UTF-8.
    map: Option<Box<OffsetMap>>,
}

/// Which bytes of a block continue a character.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// How many do in the blocks before.
    before: u64,
    /// For each byte of this one whether it does, the first one in the lowest bit; bytes beyond the text do not.
    bits: u64,
}

impl Points {
    /// For texts of this kind; bytes do not grow.
    ///
    /// In a column of strings all are UTF-8. If one is not, each byte but those that continue a character counts as one.
    pub(super) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            known: 0,
            is_ascii: true,
            blocks: Vec::new(),
            map: None,
        }
    }

    /// Goes on with another text, of this kind.
    pub(super) fn reset(&mut self, kind: Kind) {
        self.kind = kind;
        self.known = 0;
        self.is_ascii = true;
        self.blocks.clear();
        self.map = None;
    }

    /// Reads the text so far. Only its end may be new.
    pub(super) fn read(&mut self, text: &[u8]) {
        if text.len() == self.known {
            return;
        }
        self.is_ascii = self.is_ascii && text[self.known..].is_ascii();
        self.known = text.len();
        if self.is_ascii {
            return;
        }
        if self.kind == Kind::Bytes && std::str::from_utf8(text).is_err() {
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
            let block = Block { before, bits };
            before += u64::from(bits.count_ones());
            block
        }));
        let bits = continuations_of_rest(text, rest.len());
        self.blocks.push(Block { before, bits });
    }

    /// The code points of a span of bytes that were read. A span that begins or ends inside a character takes in all of it.
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

    /// How many characters begin before a place.
    #[inline]
    fn begun_before(&self, place: u64) -> u64 {
        let place = usize::try_from(place).map_or(self.known, |place| place.min(self.known));
        let Block { before, bits } = self.blocks[place / BLOCK];
        let here = bits & !(u64::MAX << (place % BLOCK));
        place as u64 - before - u64::from(here.count_ones())
    }

    /// Whether the byte at a place continues a character.
    #[inline]
    fn is_inside(&self, place: u64) -> bool {
        let place = usize::try_from(place).map_or(self.known, |place| place.min(self.known));
        self.blocks[place / BLOCK].bits >> (place % BLOCK) & 1 == 1
    }
}

/// Which bytes continue a character, the first one in the lowest bit.
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

/// The same for the last bytes of a text, fewer than a block.
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
