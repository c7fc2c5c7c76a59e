//! Places in a text, with the unit they are counted in.

use core::fmt;

use provstream::Span;

/// Unit of positions in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Bytes of UTF-8.
    Utf8Bytes,
    /// Unicode code points.
    CodePoints,
    /// Code units of UTF-16, as strings of JavaScript count.
    Utf16Units,
}

impl Unit {
    /// A name: `utf8-bytes`, `code-points` or `utf16-units`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8Bytes => "utf8-bytes",
            Self::CodePoints => "code-points",
            Self::Utf16Units => "utf16-units",
        }
    }

    /// Returns the length of a character in this unit.
    const fn length(self, character: char) -> u64 {
        match self {
            Self::Utf8Bytes => character.len_utf8() as u64,
            Self::CodePoints => 1,
            Self::Utf16Units => character.len_utf16() as u64,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A half-open range of a text, with the unit it is counted in.
///
/// ```
/// use provstream::Span;
/// use provstream_providers::citation::{Unit, UnitSpan};
///
/// let text = "😀 é!";
/// let second_half = UnitSpan::new(1, 2, Unit::Utf16Units);
/// assert_eq!(second_half.and_then(|span| span.to_bytes(text)), None);
/// let accent = UnitSpan::new(2, 3, Unit::CodePoints);
/// assert_eq!(accent.and_then(|span| span.to_bytes(text)), Some(Span::new(5, 7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitSpan {
    start: u64,
    end: u64,
    unit: Unit,
}

impl UnitSpan {
    /// Creates the span from `start` up to and excluding `end`; `None` if `end` is before `start`.
    #[must_use]
    pub const fn new(start: u64, end: u64, unit: Unit) -> Option<Self> {
        if end < start {
            return None;
        }
        Some(Self { start, end, unit })
    }

    pub(super) const fn of(span: Span, unit: Unit) -> Self {
        Self {
            start: span.start(),
            end: span.end(),
            unit,
        }
    }

    /// Returns the number of units before the span.
    #[must_use]
    pub const fn start(self) -> u64 {
        self.start
    }

    /// Returns the number of units up to the end of the span.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.end
    }

    /// Returns the unit of both positions.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// The bytes it takes in `text`; none where an end of it lies behind the text or inside a character: it is then no
    /// place of this text, or not in this unit. Takes time in the length of the text up to its end.
    #[must_use]
    pub fn to_bytes(self, text: &str) -> Option<Span> {
        let start = offset(text, self.start, self.unit)?;
        let rest = text.get(start..)?;
        let length = offset(rest, self.end - self.start, self.unit)?;
        Some(Span::new(start as u64, (start + length) as u64))
    }
}

impl fmt::Display for UnitSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end, unit } = self;
        write!(f, "{start}..{end} {unit}")
    }
}

/// The byte of `text` before which `units` stand.
fn offset(text: &str, units: u64, unit: Unit) -> Option<usize> {
    if unit == Unit::Utf8Bytes {
        let at = usize::try_from(units).ok()?;
        return text.is_char_boundary(at).then_some(at);
    }
    let mut left = units;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        left = left.checked_sub(unit.length(character))?;
    }
    (left == 0).then_some(text.len())
}
