//! Columns of positions in a text.

use arrow_array::ArrayRef;
use provstream::Span;

use super::super::points::Points;
use super::block::{BLOCK, Numbers};
use super::lists::numbers;

/// Builder of columns with the start and end of spans, in code points and in bytes.
pub(super) struct SpanColumns {
    /// Spans whose code points are not counted yet. They are not in the columns.
    open: Vec<Span>,
    /// `start`, `end`, `byte_start`, `byte_end`.
    columns: [Numbers<i64>; 4],
    len: usize,
}

impl SpanColumns {
    /// Creates a builder with capacity for `room` spans.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            open: Vec::new(),
            columns: [(); 4].map(|()| Numbers::with_room(room)),
            len: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, span: Span) {
        self.open.push(span);
    }

    /// Counts the code points of the open spans, which must be in `text`, and adds these spans to
    /// the columns.
    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        if self.open.is_empty() {
            return;
        }
        points.read(text);
        self.set_points(|span| points.of(span));
    }

    /// Sets the code points that were not counted yet.
    #[inline]
    pub(super) fn set_points(&mut self, of: impl Fn(Span) -> Span) {
        for &span in &self.open {
            let [start, end, byte_start, byte_end] = &mut self.columns;
            let (first, last) = ends(of(span));
            start.set(self.len, first);
            end.set(self.len, last);
            let (first, last) = ends(span);
            byte_start.set(self.len, first);
            byte_end.set(self.len, last);
            self.len += 1;
            if self.len.is_multiple_of(BLOCK) {
                self.columns.iter_mut().for_each(Numbers::end_block);
            }
        }
        self.open.clear();
    }

    /// Builds `start`, `end`, `byte_start` and `byte_end`.
    pub(super) fn finish(self) -> [ArrayRef; 4] {
        self.columns.map(|column| numbers(column, self.len))
    }
}

/// Returns both ends of a span as signed numbers. A span of a text in memory always fits.
#[inline]
pub(super) fn ends(span: Span) -> (i64, i64) {
    (span.start().cast_signed(), span.end().cast_signed())
}
