//! Builders of the result columns: for each row a list of assertions and one of diagnostics.

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
use provstream::Span;
use provstream::provenance::{Assertion, Verdict};

use self::assertion::Assertions;
use self::bits::Bits;
use self::block::{BLOCK, Ends};
pub(super) use self::diagnostic::DiagnosticMessage;
use self::diagnostic::Diagnostics;
use self::lists::lists;
use super::points::Points;

/// Text of a row in which something was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin<'a> {
    /// Channel of a provider's response.
    pub(super) channel: Option<&'a str>,
    /// JSON Pointer of the text, if several are read.
    pub(super) field: Option<&'a str>,
}

/// Bytes of a string column after which further rows go to another piece: 1 GiB, half the range of
/// 32-bit offsets.
const MAX_TEXT: usize = 1 << 30;

/// Builder of the result columns.
pub(super) struct Columns {
    assertions: Assertions,
    assertion_ends: Ends,
    diagnostics: Diagnostics,
    diagnostic_ends: Ends,
    /// Validity of the rows.
    valid: Bits,
    rows: usize,
}

/// Finished columns of some rows.
pub(super) struct Built {
    /// `List<Struct>`.
    pub(super) assertions: ArrayRef,
    /// `List<Struct>`.
    pub(super) diagnostics: ArrayRef,
}

/// The results of one row exceed the range of 32-bit offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowTooLarge;

/// Bytes of text per assertion by which capacity is estimated, so that columns seldom grow by
/// copying.
const BYTES_PER_ASSERTION: usize = 256;

/// Most assertions for which capacity is reserved.
const MAX_ROOM: usize = 1 << 18;

impl Columns {
    /// Creates a builder for rows with `bytes` bytes of text in all.
    pub(super) fn new(bytes: usize) -> Self {
        let room = (bytes / BYTES_PER_ASSERTION).min(MAX_ROOM);
        Self {
            assertions: Assertions::with_room(room),
            assertion_ends: Ends::with_room(0),
            diagnostics: Diagnostics::new(),
            diagnostic_ends: Ends::with_room(0),
            valid: Bits::default(),
            rows: 0,
        }
    }

    /// Adds an assertion to the open row. The next call of `count_points` counts its code points.
    pub(super) fn assertion(
        &mut self,
        origin: Origin<'_>,
        assertion: &Assertion<'_>,
        verdict: Option<&Verdict>,
    ) {
        self.assertions.push(origin, assertion, verdict);
    }

    /// Counts the code points of the assertions added since the last call. All of them must be in
    /// `text`.
    pub(super) fn count_points(&mut self, text: &[u8], points: &mut Points) {
        self.assertions.count_points(text, points);
    }

    /// Sets the code points of the assertions added since the last call.
    pub(super) fn set_points(&mut self, of: impl Fn(Span) -> Span) {
        self.assertions.set_points(of);
    }

    /// Adds a diagnostic to the open row.
    pub(super) fn diagnostic(&mut self, origin: Origin<'_>, message: DiagnosticMessage<'_>) {
        self.diagnostics.push(origin, message);
    }

    /// Ends the open row. `is_valid` is `false` for a null row.
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

    /// Returns the number of ended rows.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns `true` if further rows should go to another piece.
    ///
    /// # Errors
    /// The last row is too large.
    pub(super) fn is_full(&self) -> Result<bool, RowTooLarge> {
        if self.assertion_ends.is_overflown() || self.diagnostic_ends.is_overflown() {
            return Err(RowTooLarge);
        }
        let largest = self.assertions.size().zip(self.diagnostics.size());
        let (assertions, diagnostics) = largest.ok_or(RowTooLarge)?;
        Ok(assertions.max(diagnostics) > MAX_TEXT)
    }

    /// Builds the columns.
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
