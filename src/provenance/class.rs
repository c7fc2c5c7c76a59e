//! Substrate-class identifiers.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use crate::names::UnknownNameError;

/// The identifiers of vocabulary 1.0 and the terminals, at the index [`Class`] stores for them.
pub(crate) const BUILT_IN: [&str; 9] = [
    "unverified-inference",
    "decayed-to-uncertainty",
    "substrate.git.log",
    "substrate.grep",
    "substrate.code.read",
    "substrate.fs.mtime",
    "substrate.mcp.brief",
    "substrate.do.sse-count",
    "substrate.unix.peercred",
];

/// Number of terminals at the start of [`BUILT_IN`].
pub(crate) const TERMINALS: usize = 2;

/// A substrate class: a category of substrate an observation can come from, or one of the two terminals.
///
/// Classes come from the constants below or from a [`Vocabulary`](super::Vocabulary); input cannot make new ones
/// (`provenance memo 4`, the vocabulary is closed). Two classes are equal when their identifiers are, byte for byte,
/// whatever vocabulary they came from; they are ordered by identifier. Cloning never allocates.
#[derive(Clone)]
pub struct Class(Repr);

/// A name in [`BUILT_IN`] is always stored as its index, so that variants never need comparing across.
#[derive(Clone)]
enum Repr {
    BuiltIn(u8),
    Loaded(Arc<str>),
}

/// Each constant says what the memo asks of an observation of that class: what it is, who has to be able to observe it,
/// what must hold, and where it is computed. None of this shows in an annotation, and nothing here checks it.
impl Class {
    /// `unverified-inference`: no class of the vocabulary corroborated the assertion. Terminal. `provenance memo 4, 5`
    pub const UNVERIFIED_INFERENCE: Self = Self(Repr::BuiltIn(0));
    /// `decayed-to-uncertainty`: corroboration was attempted and aged out. Terminal. `provenance memo 5`
    pub const DECAYED_TO_UNCERTAINTY: Self = Self(Repr::BuiltIn(1));
    /// `substrate.git.log`: output of `git log` on a repository. `provenance memo 4`
    ///
    /// The relying party can observe the repository. What is asserted is in a commit that a named reference leads
    /// to. Computed in the relying party's own working tree or a mirror it trusts.
    pub const GIT_LOG: Self = Self(Repr::BuiltIn(2));
    /// `substrate.grep`: output of `grep` over a set of files. `provenance memo 4`
    ///
    /// The relying party can observe the files. What is asserted is in a region of a file, both of which are named.
    /// Computed on the relying party's own file system.
    pub const GREP: Self = Self(Repr::BuiltIn(3));
    /// `substrate.code.read`: contents of a file at a path. `provenance memo 4`
    ///
    /// The relying party can observe the file system. The path is given; it may be a part of the file, from some line
    /// on and of some length. Computed on the relying party's own file system.
    pub const CODE_READ: Self = Self(Repr::BuiltIn(4));
    /// `substrate.fs.mtime`: modification time of a file. `provenance memo 4`
    ///
    /// The relying party can observe the file. Computed on the relying party's own file system.
    pub const FS_MTIME: Self = Self(Repr::BuiltIn(5));
    /// `substrate.mcp.brief`: output of a query to a Model Context Protocol service. `provenance memo 4`
    ///
    /// The service can be found by that protocol, and its state belongs to someone else than the vendor of the
    /// inference system. Computed where the service runs.
    pub const MCP_BRIEF: Self = Self(Repr::BuiltIn(6));
    /// `substrate.do.sse-count`: number of subscribers of a server-sent-event channel. `provenance memo 4`
    ///
    /// The relying party observes it with a subscription of its own to the same channel. Computed where the server of
    /// the channel runs.
    pub const SSE_COUNT: Self = Self(Repr::BuiltIn(7));
    /// `substrate.unix.peercred`: peer credentials of a Unix-domain socket. `provenance memo 4`
    ///
    /// The kernel reports them for a connection. Computed by the kernel of the host where they are observed.
    pub const PEERCRED: Self = Self(Repr::BuiltIn(8));

    /// Returns the class at an index below `BUILT_IN.len()`.
    pub(crate) const fn built_in(index: u8) -> Self {
        Self(Repr::BuiltIn(index))
    }

    /// Returns the class with an identifier, for the vocabulary that defines it.
    pub(crate) fn named(identifier: &str) -> Self {
        match built_in_index(identifier.as_bytes()) {
            Some(index) => Self::built_in(index),
            None => Self(Repr::Loaded(Arc::from(identifier))),
        }
    }

    /// Returns the identifier, without a version anchor.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::BuiltIn(index) => BUILT_IN[usize::from(*index)],
            Repr::Loaded(identifier) => identifier,
        }
    }

    /// Returns `true` for the two terminals: states of the output of their own, never a corroboration. `provenance memo 5`
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        match self.0 {
            Repr::BuiltIn(index) => (index as usize) < TERMINALS,
            Repr::Loaded(_) => false,
        }
    }
}

/// Returns the index in [`BUILT_IN`] of exactly this name.
#[inline]
pub(crate) fn built_in_index(name: &[u8]) -> Option<u8> {
    // Arrays of a known length are compared in a few instructions, slices by a call.
    let is = |index: u8, same: bool| same.then_some(index);
    match name.len() {
        14 => is(3, name.first_chunk() == Some(b"substrate.grep")),
        17 => is(2, name.first_chunk() == Some(b"substrate.git.log")),
        18 => is(5, name.first_chunk() == Some(b"substrate.fs.mtime")),
        19 if name[10] == b'c' => is(4, name.first_chunk() == Some(b"substrate.code.read")),
        19 => is(6, name.first_chunk() == Some(b"substrate.mcp.brief")),
        20 => is(0, name.first_chunk() == Some(b"unverified-inference")),
        22 if name[0] == b'd' => is(1, name.first_chunk() == Some(b"decayed-to-uncertainty")),
        22 => is(7, name.first_chunk() == Some(b"substrate.do.sse-count")),
        23 => is(8, name.first_chunk() == Some(b"substrate.unix.peercred")),
        _ => None,
    }
}

/// Returns the index in [`BUILT_IN`] of this name in any ASCII letter case.
pub(crate) fn built_in_index_folded(name: &[u8]) -> Option<u8> {
    // The length, and where two share one a letter, leave one to compare with.
    let index = match name.len() {
        14 => 3,
        17 => 2,
        18 => 5,
        19 if name[10] | 0x20 == b'c' => 4,
        19 => 6,
        20 => 0,
        22 if name[0] | 0x20 == b'd' => 1,
        22 => 7,
        23 => 8,
        _ => return None,
    };
    let candidate = BUILT_IN[usize::from(index)].as_bytes();
    candidate.eq_ignore_ascii_case(name).then_some(index)
}

impl PartialEq for Class {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::BuiltIn(a), Repr::BuiltIn(b)) => a == b,
            (Repr::Loaded(a), Repr::Loaded(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Class {}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Class {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Class {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

/// Reads the identifier of a class of `provenance memo 4` or of a terminal, without a version anchor. Classes of a loaded
/// vocabulary come from [`Vocabulary::class`](super::Vocabulary::class).
impl FromStr for Class {
    type Err = UnknownNameError;

    fn from_str(text: &str) -> Result<Self, UnknownNameError> {
        built_in_index(text.as_bytes())
            .map(Self::built_in)
            .ok_or_else(|| UnknownNameError::new("class", &BUILT_IN, text))
    }
}

impl AsRef<str> for Class {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Class {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Class").field(&self.as_str()).finish()
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn constants_name_the_memo_identifiers() {
        // PA-18 to PA-28
        for (class, name) in [
            (Class::GIT_LOG, "substrate.git.log"),
            (Class::GREP, "substrate.grep"),
            (Class::CODE_READ, "substrate.code.read"),
            (Class::FS_MTIME, "substrate.fs.mtime"),
            (Class::MCP_BRIEF, "substrate.mcp.brief"),
            (Class::SSE_COUNT, "substrate.do.sse-count"),
            (Class::PEERCRED, "substrate.unix.peercred"),
            (Class::UNVERIFIED_INFERENCE, "unverified-inference"),
            (Class::DECAYED_TO_UNCERTAINTY, "decayed-to-uncertainty"),
        ] {
            assert_eq!(class.as_str(), name);
            assert_eq!(class.to_string(), name);
            assert_eq!(class.is_terminal(), !name.starts_with("substrate."));
            assert_eq!(Class::named(name), class);
        }
    }

    #[test]
    fn index_and_name_agree_in_every_letter_case() {
        for (index, name) in BUILT_IN.iter().enumerate() {
            let index = u8::try_from(index).unwrap();
            let upper = name.to_ascii_uppercase();
            assert_eq!(built_in_index(name.as_bytes()), Some(index));
            assert_eq!(built_in_index(upper.as_bytes()), None);
            assert_eq!(built_in_index_folded(upper.as_bytes()), Some(index));
        }
        for length in 0..40 {
            assert_eq!(built_in_index_folded(&vec![b'x'; length]), None);
        }
    }

    #[test]
    fn equality_order_and_hash_go_by_identifier() {
        let loaded = Class::named("substrate.x");
        assert_eq!(loaded, Class::named("substrate.x"));
        assert_ne!(loaded, Class::GREP);
        assert!(Class::GREP < loaded && loaded < Class::UNVERIFIED_INFERENCE);
        let set = BTreeSet::from([loaded, Class::GREP]);
        assert!(set.contains("substrate.grep") && set.contains("substrate.x"));
        assert!(!Class::named("x").is_terminal());
        assert_eq!(format!("{:?}", Class::GREP), "Class(\"substrate.grep\")");
    }
}
