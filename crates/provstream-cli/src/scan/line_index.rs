//! Lines and columns of offsets in a text that is not kept.

use std::collections::VecDeque;
use std::fmt;

use provstream::OffsetMap;

/// Bytes before the end in which lines and columns are known.
const WINDOW: usize = 1 << 20;

/// Most line starts that are retained.
const MAX_LINES: usize = 1 << 16;

/// Retained line starts of a text.
#[derive(Debug)]
pub(crate) struct LineIndex {
    offsets: OffsetMap,
    /// Offset of the next byte in the whole text, as the parser counts.
    position: u64,
    /// Offset at which `offsets` begins.
    base: u64,
    /// Number of the first line in `starts`.
    first: u64,
    starts: VecDeque<u64>,
}

/// Position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Line and column, in code points, both from 1.
    Line(u64, u64),
    /// Offset in bytes.
    Byte(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line, column) => write!(f, "{line}:{column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

impl LineIndex {
    /// Creates an index of a text that begins at `position`, in line number `line`.
    pub(crate) fn new(position: u64, line: u64) -> Self {
        Self {
            offsets: OffsetMap::with_window(WINDOW),
            position,
            base: position,
            first: line,
            starts: VecDeque::from([position]),
        }
    }

    /// Appends bytes of the text.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.offsets.push(chunk);
        for at in memchr::memchr_iter(b'\n', chunk) {
            if self.starts.len() == MAX_LINES {
                self.starts.pop_front();
                self.first += 1;
            }
            self.starts.push_back(self.position + at as u64 + 1);
        }
        self.position += chunk.len() as u64;
    }

    /// Returns line and column of an offset, or the offset if they are no longer known.
    pub(crate) fn position(&self, offset: u64) -> Position {
        let after = self.starts.partition_point(|&start| start <= offset);
        let column = after.checked_sub(1).and_then(|index| {
            let start = self.starts[index];
            let span = provstream::Span::new(start - self.base, offset - self.base);
            let points = self.offsets.code_points(span)?;
            Some((self.first + index as u64, points.len() + 1))
        });
        column.map_or(Position::Byte(offset), |(line, column)| {
            Position::Line(line, column)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points() {
        for size in 1..8 {
            let mut index = LineIndex::new(10, 3);
            "é😀a\n\nb c"
                .as_bytes()
                .chunks(size)
                .for_each(|piece| index.push(piece));
            for (offset, line, column) in [
                (10, 3, 1),
                (12, 3, 2),
                (16, 3, 3),
                (18, 4, 1),
                (19, 5, 1),
                (21, 5, 3),
            ] {
                assert_eq!(
                    index.position(offset),
                    Position::Line(line, column),
                    "{offset}"
                );
            }
        }
    }

    #[test]
    fn what_is_far_back_has_an_offset() {
        let mut index = LineIndex::new(0, 1);
        index.push("\n".repeat(MAX_LINES + 10).as_bytes());
        assert_eq!(index.position(3), Position::Byte(3));
        assert_eq!(index.position(20), Position::Line(21, 1));
        index.push("x".repeat(3 * WINDOW).as_bytes());
        assert_eq!(index.position(20), Position::Byte(20));
    }
}
