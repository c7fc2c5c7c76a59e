//! The columns that are built: assertions and diagnostics, a list of each for a row.

mod annotation;
mod assertion;
mod bits;
mod block;
mod diagnostic;
mod lists;
mod places;
mod text;
mod verdict;

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use provstream::provenance::{Assertion, Verdict};

use self::assertion::Assertions;
use self::bits::Bits;
use self::block::{BLOCK, Ends};
use self::diagnostic::Diagnostics;
pub(super) use self::diagnostic::Message;
use self::lists::lists;
use super::points::Points;

/// Which text of a row something is in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin<'a> {
    /// The channel of a provider's response.
    pub(super) channel: Option<&'a str>,
    /// The pointer of the text, if there are several.
    pub(super) field: Option<&'a str>,
}

/// Text of one column after which the rows that follow go to another piece: 1 GiB, half of what 32-bit offsets can count.
const MOST_TEXT: usize = 1 << 30;

/// What the rows of a column say.
pub(super) struct Columns {
    assertions: Assertions,
    assertion_ends: Ends,
    diagnostics: Diagnostics,
    diagnostic_ends: Ends,
    /// Whether a row is not null.
    valid: Bits,
    rows: usize,
}

/// The columns of some rows.
pub(super) struct Built {
    /// `List<Struct>`.
    pub(super) assertions: ArrayRef,
    /// `List<Struct>`.
    pub(super) diagnostics: ArrayRef,
}

/// One row has more than 32-bit offsets can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowTooLarge;

/// Bytes of text for each assertion that room is made for, so that columns seldom have to grow: growing copies.
const BYTES_PER_ASSERTION: usize = 256;

/// Most assertions that room is made for.
const MOST_ROOM: usize = 1 << 18;

impl Columns {
    /// For rows with so many bytes of text.
    pub(super) fn new(bytes: usize) -> Self {
        let room = (bytes / BYTES_PER_ASSERTION).min(MOST_ROOM);
        Self {
            assertions: Assertions::with_room(room),
            assertion_ends: Ends::with_room(0),
            diagnostics: Diagnostics::new(),
            diagnostic_ends: Ends::with_room(0),
            valid: Bits::default(),
            rows: 0,
        }
    }

    /// Adds an assertion to the open row. Its code points are counted by the next `count_points`.
    pub(super) fn assertion(
        &mut self,
        origin: Origin<'_>,
        assertion: &Assertion<'_>,
        verdict: Option<&Verdict>,
    ) {
        self.assertions.push(origin, assertion, verdict);
    }

    /// Counts the code points of the assertions added since the last call, all of which lie in this text.
    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.assertions.count_points(text, points);
    }

    /// Adds a diagnostic to the open row.
    pub(super) fn diagnostic(&mut self, origin: Origin<'_>, message: Message<'_>) {
        self.diagnostics.push(origin, message);
    }

    /// Ends the open row, which is null or not.
    pub(super) fn end_row(&mut self, is_valid: bool) {
        let row = self.rows;
        self.assertion_ends.set(row, self.assertions.len());
        self.diagnostic_ends.set(row, self.diagnostics.len());
        self.valid.set_to(row, is_valid);
        self.rows += 1;
        if self.rows.is_multiple_of(BLOCK) {
            self.assertion_ends.end_block();
            self.diagnostic_ends.end_block();
            self.valid.end_block();
        }
    }

    /// Rows so far.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the next row should go to another piece.
    ///
    /// # Errors
    /// The last row is too large.
    pub(super) fn is_full(&self) -> Result<bool, RowTooLarge> {
        if self.assertion_ends.is_overflown() || self.diagnostic_ends.is_overflown() {
            return Err(RowTooLarge);
        }
        let largest = self.assertions.size().zip(self.diagnostics.size());
        let (assertions, diagnostics) = largest.ok_or(RowTooLarge)?;
        Ok(assertions.max(diagnostics) > MOST_TEXT)
    }

    /// The columns of the rows.
    pub(super) fn finish(self) -> Result<Built, ArrowError> {
        let rows = self.rows;
        let nulls = self.valid.finish_nulls(rows);
        let assertion_ends = self.assertion_ends.finish(rows).into();
        let diagnostic_ends = self.diagnostic_ends.finish(rows).into();
        let assertions = self.assertions.finish()?;
        let diagnostics = self.diagnostics.finish()?;
        Ok(Built {
            assertions: lists(assertion_ends, assertions, nulls.clone())?,
            diagnostics: lists(diagnostic_ends, diagnostics, nulls)?,
        })
    }
}
