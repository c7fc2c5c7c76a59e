//! Lines and columns of offsets in a text that is not kept.

use std::collections::VecDeque;
use std::fmt;

use provstream::OffsetMap;

/// Bytes that can be looked back for a line and a column; of what is farther back only the offset is known.
const WINDOW: usize = 1 << 20;

/// Most line starts that are kept.
const MOST_LINES: usize = 1 << 16;

/// Line starts of the text so far, as far as they are kept.
#[derive(Debug)]
pub(crate) struct Places {
    offsets: OffsetMap,
    /// Offset of the next byte in the whole text, as the parser counts.
    position: u64,
    /// Offset at which `offsets` begins.
    base: u64,
    /// The number of the first line in `starts`.
    first: u64,
    starts: VecDeque<u64>,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Line and column, in code points, both from 1.
    Line(u64, u64),
    /// Offset in bytes.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line, column) => write!(f, "{line}:{column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

impl Places {
    /// A text that begins at this offset, with a line of this number.
    pub(crate) fn new(position: u64, line: u64) -> Self {
        Self {
            offsets: OffsetMap::with_window(WINDOW),
            position,
            base: position,
            first: line,
            starts: VecDeque::from([position]),
        }
    }

    /// Takes the next bytes of the text.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.offsets.push(chunk);
        for at in memchr::memchr_iter(b'\n', chunk) {
            if self.starts.len() == MOST_LINES {
                self.starts.pop_front();
                self.first += 1;
            }
            self.starts.push_back(self.position + at as u64 + 1);
        }
        self.position += chunk.len() as u64;
    }

    /// Line and column of an offset, or the offset itself where they are no longer known.
    pub(crate) fn of(&self, offset: u64) -> Place {
        let after = self.starts.partition_point(|&start| start <= offset);
        let column = after.checked_sub(1).and_then(|index| {
            let start = self.starts[index];
            let span = provstream::Span::new(start - self.base, offset - self.base);
            let points = self.offsets.code_points(span)?;
            Some((self.first + index as u64, points.len() + 1))
        });
        column.map_or(Place::Byte(offset), |(line, column)| {
            Place::Line(line, column)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points() {
        for size in 1..8 {
            let mut places = Places::new(10, 3);
            "é😀a\n\nb c"
                .as_bytes()
                .chunks(size)
                .for_each(|piece| places.push(piece));
            for (offset, line, column) in [
                (10, 3, 1),
                (12, 3, 2),
                (16, 3, 3),
                (18, 4, 1),
                (19, 5, 1),
                (21, 5, 3),
            ] {
                assert_eq!(places.of(offset), Place::Line(line, column), "{offset}");
            }
        }
    }

    #[test]
    fn what_is_far_back_has_an_offset() {
        let mut places = Places::new(0, 1);
        places.push("\n".repeat(MOST_LINES + 10).as_bytes());
        assert_eq!(places.of(3), Place::Byte(3));
        assert_eq!(places.of(20), Place::Line(21, 1));
        places.push("x".repeat(3 * WINDOW).as_bytes());
        assert_eq!(places.of(20), Place::Byte(20));
    }
}
