//! Values of an event that a walk records.

use super::automaton::NodeId;
#[cfg(doc)]
use super::{Walk, automaton::ROOT};

/// A value that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) node: NodeId,
    pub(crate) shape: Shape,
    /// A member of the same name follows in the same object.
    pub(crate) superseded: bool,
    /// Index of the scope in [`Walk::scopes`].
    pub(crate) scope: u16,
    /// First byte: of a string's content, or of any other value.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// JSON type of a captured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    /// A number, `true`, `false` or `null`.
    Scalar,
    Object,
    Array,
}

impl Capture {
    pub(crate) fn range(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the range of the value, with the quotes of a string.
    pub(crate) fn value(&self) -> core::ops::Range<usize> {
        let quote = usize::from(self.is_string());
        self.start as usize - quote..self.end as usize + quote
    }

    pub(crate) const fn is_string(&self) -> bool {
        matches!(self.shape, Shape::Plain | Shape::Escaped)
    }
}

/// The event, or an element of an array in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Index of the scope around this one; the event's scope is its own parent.
    pub(crate) parent: u16,
    /// Numbers in this scope that name a channel.
    pub(crate) numbers: [Option<u32>; 3],
    /// Node of the value that says that text in the scope is reasoning, in events that its row is about; [`ROOT`]
    /// without one.
    pub(crate) thought: NodeId,
    /// Bits of `numbers` whose member is not a whole number of 32 bits, or which have two members that differ.
    pub(super) odd: u8,
    /// Bits of `numbers` that have a member.
    pub(super) named: u8,
    /// Text in the scope is a special token, which clients do not show.
    pub(crate) is_special: bool,
    /// The delta in the scope is of a kind other than text.
    pub(crate) is_other: bool,
}

/// Range of the content of a string that is a member's value and that no row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) start: u16,
    pub(crate) end: u16,
}

impl Unread {
    /// Returns the string in this range; `None` if the range ends after 65,535 bytes.
    pub(crate) fn new(range: core::ops::Range<usize>) -> Option<Self> {
        Some(Self {
            start: u16::try_from(range.start).ok()?,
            end: u16::try_from(range.end).ok()?,
        })
    }

    pub(crate) fn range(self) -> core::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.end)
    }
}

/// A value in a place for text that no row reads: a member of an unknown name, or the value of a node with an
/// unexpected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Untaken {
    /// The node of the value, or of the object that it is a member of.
    pub(crate) node: NodeId,
    /// Range of the content of the member's name; empty if `node` is the value's own node.
    pub(crate) name: (u32, u32),
    /// First byte of the value; for a string, its quote.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// First byte of the object around the value.
    pub(crate) around: u32,
}
