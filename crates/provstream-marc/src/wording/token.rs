//! Words and figures.

/// What precedes a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Nothing, or blanks and marks without a meaning here.
    None,
    Comma,
    Colon,
    Dash,
    /// The end of a sentence.
    End,
}

/// A word or figure.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// In lower case; contractions are written out.
    pub(super) word: String,
    /// In bytes of the text.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) gap: Gap,
    /// Whether it is quoted together with two words or more: what somebody else says.
    pub(super) quoted: bool,
    /// A percentage, a number from 0 to 1 with decimals, or a ratio.
    pub(super) is_score: bool,
    /// Any other number up to 100.
    pub(super) is_whole: bool,
}
