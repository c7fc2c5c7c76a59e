//! Line ends of a response.

/// Line end of a response, taken from its last event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum LineEnd {
    #[default]
    Lf,
    Cr,
    CrLf,
}

impl LineEnd {
    /// Returns the line end of an event.
    pub(super) const fn of(raw: &[u8]) -> Self {
        match raw {
            [.., b'\r', b'\n'] | [.., b'\r', b'\n', b'\r'] => Self::CrLf,
            [.., b'\r'] => Self::Cr,
            _ => Self::Lf,
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
