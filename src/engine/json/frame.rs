//! What is known of an object or array that is open.

use crate::Span;

/// An object or array that is open. There may be many: their size counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    /// Stream offset of its bracket.
    pub(super) start: u64,
    /// Of an array: elements before the one that is read. Of an object: where its assertion starts in the stream.
    pub(super) index_or_assertion: u64,
    /// Length of the assertion in the stream.
    pub(super) assertion_len: u64,
    /// Where the first value of a member `assertion` begins, and where the last one ends; of a string that is its content.
    pub(super) extent: (u64, u64),
    /// Where the assertion is in the arena, and how much of it.
    pub(super) kept_at: u32,
    pub(super) kept_len: u32,
    /// Lengths of arena and slots, and bytes pending, when it was opened.
    pub(super) arena: u32,
    pub(super) slots: u32,
    pub(super) pending: u32,
    /// Length of its JSON Pointer; [`NO_POINTER`] if that is longer than allowed.
    pub(super) pointer: u32,
    pub(super) flags: u32,
}

pub(super) const NO_POINTER: u32 = u32::MAX;

/// It is an object.
pub(super) const OBJECT: u32 = 1;
/// The last slot at its opening is its own.
pub(super) const HAS_SLOT: u32 = 1 << 1;
/// It is in the place of an annotation, and has a slot.
pub(super) const ANNOTATION: u32 = 1 << 2;
/// It is the array of annotations of the object around it.
pub(super) const PROVENANCE: u32 = 1 << 3;
/// It has a member `assertion`.
pub(super) const ASSERTION_SEEN: u32 = 1 << 4;
/// It has a member `provenance`.
pub(super) const PROVENANCE_SEEN: u32 = 1 << 5;
/// It is an asserted object.
pub(super) const ASSERTED: u32 = 1 << 6;
/// Its assertion was too long.
pub(super) const CUT: u32 = 1 << 7;
/// Its assertion did not fit.
pub(super) const LEFT_OUT: u32 = 1 << 8;
/// It has more annotations than allowed.
pub(super) const TOO_MANY: u32 = 1 << 9;
/// It has a member `marc_version`.
pub(super) const VERSION: u32 = 1 << 10;
/// It has a member `answer`, `confidence_band`, `uncertainty_source`.
pub(super) const ANSWER: u32 = 1 << 11;
pub(super) const BAND: u32 = 1 << 12;
pub(super) const SOURCE: u32 = 1 << 13;
/// There is an escape in its assertion.
pub(super) const ESCAPED: u32 = 1 << 14;
/// It has annotations for which those of other open objects left no room.
pub(super) const CROWDED: u32 = 1 << 15;
/// A value of a member `assertion` has begun.
pub(super) const EXTENT: u32 = 1 << 16;
/// The first value of a member `assertion` is not a string.
pub(super) const STARTS_OTHER: u32 = 1 << 17;
/// The same of the last one.
pub(super) const ENDS_OTHER: u32 = 1 << 18;
/// It is a value of a member `assertion` of the object around it.
pub(super) const IN_ASSERTION: u32 = 1 << 19;
/// A member `assertion` or `provenance` of it is repeated.
pub(super) const REPEATED: u32 = 1 << 20;
/// All that makes it a disclosure.
pub(super) const DISCLOSURE: u32 = ANSWER | BAND | SOURCE;

impl Frame {
    pub(super) const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(super) const fn has_all(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    pub(super) const fn set(&mut self, flag: u32) {
        self.flags |= flag;
    }

    /// A value of a member `assertion` begins at a stream offset: a string, whose content that is, or another.
    pub(super) const fn begin_value(&mut self, start: u64, string: bool) {
        if !self.has(EXTENT) {
            self.set(EXTENT);
            self.extent.0 = start;
            if !string {
                self.set(STARTS_OTHER);
            }
        }
    }

    /// A value of a member `assertion` ended at a stream offset.
    pub(super) const fn end_value(&mut self, end: u64, string: bool) {
        self.extent.1 = end;
        self.flags &= !ENDS_OTHER;
        if !string {
            self.set(ENDS_OTHER);
        }
    }

    /// Where the assertion is in the stream.
    pub(super) const fn assertion(&self) -> Span {
        Span::new(
            self.index_or_assertion,
            self.index_or_assertion + self.assertion_len,
        )
    }
}
