//! The column of diagnostics.

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use provstream::Span;

use super::Origin;
use super::assertion::ends;
use super::lists::{numbers, structs};
use super::text::{OptionalText, Text};

/// A diagnostic, or an error of the provider.
#[derive(Clone, Copy, Debug)]
pub(in crate::arrow) struct Message<'a> {
    /// The name used on the wire; `error` for an error of the provider.
    pub(in crate::arrow) code: &'a str,
    /// What the provider says, or what was expected and found.
    pub(in crate::arrow) message: Option<&'a str>,
    /// The bytes that it is about.
    pub(in crate::arrow) span: Span,
}

/// The diagnostics of all rows.
pub(super) struct Diagnostics {
    channel: OptionalText,
    field: OptionalText,
    code: Text,
    message: OptionalText,
    byte_start: Vec<i64>,
    byte_end: Vec<i64>,
}

impl Diagnostics {
    pub(super) fn new() -> Self {
        Self {
            channel: OptionalText::new(),
            field: OptionalText::new(),
            code: Text::with_room(0, 0),
            message: OptionalText::new(),
            byte_start: Vec::new(),
            byte_end: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, origin: Origin<'_>, message: Message<'_>) {
        self.channel.push(origin.channel);
        self.field.push(origin.field);
        self.code.push(message.code);
        self.message.push(message.message);
        let (start, end) = ends(message.span);
        self.byte_start.push(start);
        self.byte_end.push(end);
    }

    pub(super) fn len(&self) -> usize {
        self.byte_start.len()
    }

    /// Bytes of the longest column of strings; `None` if one could not take all.
    pub(super) fn size(&self) -> Option<usize> {
        let mut largest = self.code.size()?;
        for column in [&self.channel, &self.field, &self.message] {
            largest = largest.max(column.size()?);
        }
        Some(largest)
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        let members = vec![
            ("channel", self.channel.finish(), true),
            ("field", self.field.finish(), true),
            ("code", self.code.finish(), false),
            ("message", self.message.finish(), true),
            ("byte_start", numbers(self.byte_start), false),
            ("byte_end", numbers(self.byte_end), false),
        ];
        structs(members, None)
    }
}
