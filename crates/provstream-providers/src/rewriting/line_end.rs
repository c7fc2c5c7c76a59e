//! Line ends of a response.

/// Line end of a response, taken from the last event that has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineEnd {
    #[default]
    Lf,
    Cr,
    CrLf,
}

impl LineEnd {
    /// Returns the line end of an event, unless it has none: an element of an array, or an event that the stream ends within.
    pub(super) const fn of(raw: &[u8]) -> Option<Self> {
        match raw {
            [.., b'\r', b'\n'] | [.., b'\r', b'\n', b'\r'] => Some(Self::CrLf),
            [.., b'\r'] => Some(Self::Cr),
            [.., b'\n'] => Some(Self::Lf),
            _ => None,
        }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Cr => "\r",
            Self::CrLf => "\r\n",
        }
    }
}
