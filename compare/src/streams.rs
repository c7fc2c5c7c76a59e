//! The streams of free text: the same prose for every parser, marked in its own way.

use std::fmt;

use crate::adapter::Peer;
use crate::support::prose::{Prose, marked};

/// Sizes of chunks: a token, a few, what a server batches, what a file or socket gives.
pub(crate) const SIZES: [usize; 4] = [4, 16, 64, 1 << 16];

/// A kind of stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A marker about every so many bytes of plain prose.
    Every(usize),
    /// The same in prose with links, footnote marks and inline code.
    Rich(usize),
    /// A marker after each sentence, and all of it in one chunk.
    Dense,
    /// A marker that begins at once and never ends.
    Open,
}

/// All of them, as the tables have them.
pub(crate) const KINDS: [Kind; 6] = [
    Kind::Every(20_000),
    Kind::Every(2_000),
    Kind::Every(200),
    Kind::Rich(2_000),
    Kind::Dense,
    Kind::Open,
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every(gap) => write!(f, "plain prose, a marker every {gap} bytes"),
            Self::Rich(gap) => write!(f, "rich prose, a marker every {gap} bytes"),
            Self::Dense => f.write_str("a marker after each sentence, the whole in one chunk"),
            Self::Open => f.write_str("one marker that never ends"),
        }
    }
}

impl Kind {
    /// The sizes of chunks in which such a stream of so many bytes is read.
    #[must_use]
    pub(crate) fn sizes(self, length: usize) -> Vec<usize> {
        match self {
            Self::Dense => vec![2 * length],
            _ => SIZES.to_vec(),
        }
    }

    /// A stream of at least `length` bytes for this parser, and how many markers it has if it ends them all.
    #[must_use]
    pub(crate) fn text(self, peer: &Peer, length: usize) -> (String, Option<usize>) {
        let (prose, gap) = match self {
            Self::Every(gap) => (Prose::Plain, gap),
            Self::Rich(gap) => (Prose::Rich, gap),
            Self::Dense => (Prose::Plain, 0),
            Self::Open => (Prose::Plain, usize::MAX),
        };
        let (text, markers) = marked(prose, gap, length, |text, payload| {
            text.extend([peer.open, &(peer.body)(payload), peer.close]);
        });
        assert!(text.is_ascii(), "every cut is between characters");
        if self == Self::Open {
            let body = (peer.body)("substrate.grep; observation-id=");
            let begun = body.trim_end_matches(['"', '}']);
            return ([peer.open, begun, &text].concat(), None);
        }
        (text, Some(markers))
    }
}
