//! Positions of errors in files, and the quoting of names in messages.

use core::fmt;

/// A place in a TOML file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FilePosition {
    line: u32,
    column: u32,
}

impl FilePosition {
    /// Returns the position of byte `offset` of `text`, which must be at a character boundary.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let one_based = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Self {
            line: one_based(before.matches('\n').count()),
            column: one_based(before[start..].chars().count()),
        }
    }

    /// Returns the line, counted from 1; lines end at LF.
    #[must_use]
    pub const fn line(self) -> u32 {
        self.line
    }

    /// Returns the column, counted in characters (Unicode scalar values) from 1, without a byte
    /// order mark.
    #[must_use]
    pub const fn column(self) -> u32 {
        self.column
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Escapes a piece of the input for an error, on one line and shortened to `longest` characters.
#[must_use]
pub fn quoted_piece(text: &str, longest: usize) -> Box<str> {
    let mut piece = String::new();
    for character in text.chars().take(longest) {
        match character {
            '"' | '\'' | '\\' => piece.push(character),
            _ => piece.extend(character.escape_debug()),
        }
    }
    if text.chars().nth(longest).is_some() {
        piece.push('…');
    }
    piece.into()
}
