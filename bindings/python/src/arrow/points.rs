//! Bytes of a text in memory to its code points.

use provstream::{OffsetMap, Span};

use super::columns::Place;
use super::texts::Kind;

/// Counts code points up to places in a text, of which each is near the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// Up to here all bytes are ASCII.
    ascii: usize,
    /// The whole text so far is.
    is_ascii: bool,
    /// A place, and the characters that begin before it.
    at: usize,
    begun: u64,
    /// Knows the places of a text that is not UTF-8.
    map: Option<Box<OffsetMap>>,
}

impl Points {
    /// For an empty text.
    pub(super) fn new() -> Self {
        Self {
            is_ascii: true,
            ..Self::default()
        }
    }

    /// For a text that is complete, and UTF-8 or not.
    ///
    /// In a column of strings all are UTF-8. If one is not, each byte but those that continue a character counts as one.
    pub(super) fn of(text: &[u8], kind: Kind) -> Self {
        let mut points = Self::new();
        points.extend(text);
        if kind == Kind::Bytes && !points.is_ascii && std::str::from_utf8(text).is_err() {
            let mut map = OffsetMap::with_window(text.len());
            map.push(text);
            map.finish();
            points.map = Some(Box::new(map));
        }
        points
    }

    /// More of the text, in UTF-8, before anything in it is asked for.
    pub(super) fn extend(&mut self, more: &[u8]) {
        if self.is_ascii {
            self.is_ascii = more.is_ascii();
            if self.is_ascii {
                self.ascii += more.len();
                self.at = self.ascii;
                self.begun = self.ascii as u64;
            }
        }
    }

    /// The place of a span of the text. A span that begins or ends inside a character takes in all of it.
    #[inline]
    pub(super) fn place(&mut self, text: &[u8], span: Span) -> Place {
        let points = if span.end() <= self.ascii as u64 {
            span
        } else {
            self.count(text, span)
        };
        Place {
            bytes: span,
            points,
        }
    }

    fn count(&mut self, text: &[u8], span: Span) -> Span {
        if let Some(map) = &self.map {
            return map.code_points(span).unwrap_or(span);
        }
        let begun = self.begun_before(text, span.start());
        let start = begun - u64::from(is_inside(text, span.start()));
        if span.is_empty() {
            return Span::new(start, start);
        }
        Span::new(start, self.begun_before(text, span.end()))
    }

    /// How many characters begin before a place.
    fn begun_before(&mut self, text: &[u8], place: u64) -> u64 {
        let place = usize::try_from(place).map_or(text.len(), |place| place.min(text.len()));
        if place >= self.at {
            self.begun += begins(&text[self.at..place]);
        } else {
            self.begun -= begins(&text[place..self.at]);
        }
        self.at = place;
        self.begun
    }
}

/// Characters that begin in some bytes.
// Most spans are shorter than what pays off with wider registers.
fn begins(bytes: &[u8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // A one for each byte of a word that continues a character (bits 10 first), added up in the highest byte.
    let continued = |word: u64| ((word >> 7 & !word >> 6 & ONES).wrapping_mul(ONES)) >> 56;
    let (words, rest) = bytes.as_chunks();
    let words = words
        .iter()
        .map(|&word| continued(u64::from_le_bytes(word)));
    let rest = rest.iter().filter(|&&byte| is_continuation(byte)).count();
    bytes.len() as u64 - words.sum::<u64>() - rest as u64
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn is_inside(text: &[u8], place: u64) -> bool {
    let byte = usize::try_from(place).ok().and_then(|at| text.get(at));
    byte.is_some_and(|&byte| is_continuation(byte))
}
