//! Open objects and arrays of a JSON value.

use crate::Span;

/// An open object or array. There can be many at a time, so the size matters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenContainer {
    /// Stream offset of the opening brace or bracket.
    pub(super) start: u64,
    /// In an array, the number of elements before the current one; in an object, the stream offset
    /// of the assertion.
    pub(super) index_or_assertion: u64,
    /// Length of the assertion in the stream, in bytes.
    pub(super) assertion_len: u64,
    /// Stream offsets of the start of the first value of a member `assertion` and of the end of the
    /// last one, without the quotes of strings.
    pub(super) extent: (u64, u64),
    /// Position and length of the kept assertion in the arena.
    pub(super) kept_at: u32,
    pub(super) kept_len: u32,
    /// Lengths of the arena and of the slots, and number of pending bytes, when the frame was
    /// opened.
    pub(super) arena: u32,
    pub(super) slots: u32,
    pub(super) pending: u32,
    /// Length of the JSON Pointer, or [`NO_POINTER`] if it exceeds `max_pointer`.
    pub(super) pointer: u32,
    pub(super) flags: u32,
}

pub(super) const NO_POINTER: u32 = u32::MAX;

/// An object, not an array.
pub(super) const OBJECT: u32 = 1;
/// The last slot at the opening belongs to the frame.
pub(super) const HAS_SLOT: u32 = 1 << 1;
/// An object in the place of an annotation, with a slot.
pub(super) const ANNOTATION: u32 = 1 << 2;
/// The array of annotations of the enclosing object.
pub(super) const PROVENANCE: u32 = 1 << 3;
/// A member `assertion` was read.
pub(super) const ASSERTION_SEEN: u32 = 1 << 4;
/// A member `provenance` was read.
pub(super) const PROVENANCE_SEEN: u32 = 1 << 5;
/// The object has a string `assertion`.
pub(super) const ASSERTED: u32 = 1 << 6;
/// The assertion exceeds `max_assertion`.
pub(super) const CUT: u32 = 1 << 7;
/// The assertion exceeds `max_pending_json` and was left out.
pub(super) const LEFT_OUT: u32 = 1 << 8;
/// There are more annotations than `max_annotations`.
pub(super) const TOO_MANY: u32 = 1 << 9;
/// A member `marc_version` was read.
pub(super) const VERSION: u32 = 1 << 10;
/// Members `answer`, `confidence_band` and `uncertainty_source` that were read.
pub(super) const ANSWER: u32 = 1 << 11;
pub(super) const BAND: u32 = 1 << 12;
pub(super) const SOURCE: u32 = 1 << 13;
/// The assertion contains an escape.
pub(super) const ESCAPED: u32 = 1 << 14;
/// Annotations were left out because all open objects together have too many.
pub(super) const CROWDED: u32 = 1 << 15;
/// A value of a member `assertion` has begun.
pub(super) const EXTENT: u32 = 1 << 16;
/// The first value of a member `assertion` is not a string.
pub(super) const STARTS_OTHER: u32 = 1 << 17;
/// The last value of a member `assertion` is not a string.
pub(super) const ENDS_OTHER: u32 = 1 << 18;
/// The frame is the value of a member `assertion`.
pub(super) const IN_ASSERTION: u32 = 1 << 19;
/// A member `assertion` or `provenance` is repeated.
pub(super) const REPEATED: u32 = 1 << 20;
/// Members of a disclosure.
pub(super) const DISCLOSURE: u32 = ANSWER | BAND | SOURCE;

impl OpenContainer {
    pub(super) const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(super) const fn has_all(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    pub(super) const fn set(&mut self, flag: u32) {
        self.flags |= flag;
    }

    /// Records the start of a value of a member `assertion`; a `string` starts at its content.
    pub(super) const fn begin_value(&mut self, start: u64, string: bool) {
        if !self.has(EXTENT) {
            self.set(EXTENT);
            self.extent.0 = start;
            if !string {
                self.set(STARTS_OTHER);
            }
        }
    }

    /// Records the end of a value of a member `assertion`.
    pub(super) const fn end_value(&mut self, end: u64, string: bool) {
        self.extent.1 = end;
        self.flags &= !ENDS_OTHER;
        if !string {
            self.set(ENDS_OTHER);
        }
    }

    /// Returns the span of the assertion in the stream.
    pub(super) const fn assertion(&self) -> Span {
        Span::new(
            self.index_or_assertion,
            self.index_or_assertion + self.assertion_len,
        )
    }
}
