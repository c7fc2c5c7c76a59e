//! Column of diagnostics.

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use provstream::Span;

use super::Origin;
use super::block::{BLOCK, Numbers};
use super::lists::{numbers, structs};
use super::places::ends;
use super::text::{OptionalText, StringColumn};

/// A diagnostic, or a provider's error message.
#[derive(Clone, Copy, Debug)]
pub(in crate::arrow) struct DiagnosticMessage<'a> {
    /// Code on the wire; `error` for a provider's error.
    pub(in crate::arrow) code: &'a str,
    /// The provider's error message, or the expected and found values.
    pub(in crate::arrow) message: Option<&'a str>,
    /// Byte range in the row's text.
    pub(in crate::arrow) span: Span,
}

/// Builder of the diagnostics of all rows.
pub(super) struct Diagnostics {
    channel: OptionalText,
    field: OptionalText,
    code: StringColumn,
    message: OptionalText,
    byte_start: Numbers<i64>,
    byte_end: Numbers<i64>,
    len: usize,
}

impl Diagnostics {
    pub(super) fn new() -> Self {
        Self {
            channel: OptionalText::new(),
            field: OptionalText::new(),
            code: StringColumn::with_room(0, 0),
            message: OptionalText::new(),
            byte_start: Numbers::with_room(0),
            byte_end: Numbers::with_room(0),
            len: 0,
        }
    }

    pub(super) fn push(&mut self, origin: Origin<'_>, message: DiagnosticMessage<'_>) {
        let row = self.len;
        self.channel.set(row, origin.channel);
        self.field.set(row, origin.field);
        self.code.set(row, message.code);
        self.message.set(row, message.message);
        let (start, end) = ends(message.span);
        self.byte_start.set(row, start);
        self.byte_end.set(row, end);
        self.len += 1;
        if self.len.is_multiple_of(BLOCK) {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        for column in [&mut self.channel, &mut self.field, &mut self.message] {
            column.end_block();
        }
        self.code.end_block();
        self.byte_start.end_block();
        self.byte_end.end_block();
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of the longest string column, or `None` if one exceeded the capacity of
    /// its offsets.
    pub(super) fn size(&self) -> Option<usize> {
        let mut largest = self.code.size()?;
        for column in [&self.channel, &self.field, &self.message] {
            largest = largest.max(column.size()?);
        }
        Some(largest)
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        let rows = self.len;
        let members = vec![
            ("channel", self.channel.finish(rows), true),
            ("field", self.field.finish(rows), true),
            ("code", self.code.finish(rows), false),
            ("message", self.message.finish(rows), true),
            ("byte_start", numbers(self.byte_start, rows), false),
            ("byte_end", numbers(self.byte_end, rows), false),
        ];
        structs(members, None)
    }
}
