//! How the lines of a response end.

/// How the lines of a response end, as far as its last event shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum LineEnd {
    #[default]
    Lf,
    Cr,
    CrLf,
}

impl LineEnd {
    /// How the lines of an event end.
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
