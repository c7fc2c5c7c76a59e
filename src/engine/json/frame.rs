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
    /// Where the assertion is in the arena, and how much of it.
    pub(super) kept_at: u32,
    pub(super) kept_len: u32,
    /// Lengths of arena and slots, and bytes pending, when it was opened.
    pub(super) arena: u32,
    pub(super) slots: u32,
    pub(super) pending: u32,
    /// Length of its JSON Pointer; [`NO_POINTER`] if that is longer than allowed.
    pub(super) pointer: u32,
    pub(super) flags: u16,
}

pub(super) const NO_POINTER: u32 = u32::MAX;

/// It is an object.
pub(super) const OBJECT: u16 = 1;
/// The last slot at its opening is its own.
pub(super) const HAS_SLOT: u16 = 1 << 1;
/// It is in the place of an annotation, and has a slot.
pub(super) const ANNOTATION: u16 = 1 << 2;
/// It is the array of annotations of the object around it.
pub(super) const PROVENANCE: u16 = 1 << 3;
/// It has a member `assertion`.
pub(super) const ASSERTION_SEEN: u16 = 1 << 4;
/// It has a member `provenance`.
pub(super) const PROVENANCE_SEEN: u16 = 1 << 5;
/// It is an asserted object.
pub(super) const ASSERTED: u16 = 1 << 6;
/// Its assertion was too long.
pub(super) const CUT: u16 = 1 << 7;
/// Its assertion did not fit.
pub(super) const LEFT_OUT: u16 = 1 << 8;
/// It has more annotations than allowed.
pub(super) const TOO_MANY: u16 = 1 << 9;
/// It has a member `marc_version`.
pub(super) const VERSION: u16 = 1 << 10;
/// It has a member `answer`, `confidence_band`, `uncertainty_source`.
pub(super) const ANSWER: u16 = 1 << 11;
pub(super) const BAND: u16 = 1 << 12;
pub(super) const SOURCE: u16 = 1 << 13;
/// There is an escape in its assertion.
pub(super) const ESCAPED: u16 = 1 << 14;
/// It has annotations for which those of other open objects left no room.
pub(super) const CROWDED: u16 = 1 << 15;
/// All that makes it a disclosure.
pub(super) const DISCLOSURE: u16 = ANSWER | BAND | SOURCE;

impl Frame {
    pub(super) const fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(super) const fn has_all(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }

    pub(super) const fn set(&mut self, flag: u16) {
        self.flags |= flag;
    }

    /// Where the assertion is in the stream.
    pub(super) const fn assertion(&self) -> Span {
        Span::new(
            self.index_or_assertion,
            self.index_or_assertion + self.assertion_len,
        )
    }
}
