//! Treatment of reasoning.

use core::fmt;
use core::str::FromStr;

use provstream::UnknownNameError;

/// Treatment of the model's reasoning and its summaries in a [`StreamRewriter`](super::StreamRewriter) or
/// [`StreamGate`](super::StreamGate).
///
/// Providers sign some reasoning, and refuse it when it is sent back changed: with anything but [`Leave`](Self::Leave), do
/// not send it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reasoning {
    /// Leave it as it is, with its annotations. It is counted in [`ReadReport`](super::ReadReport).
    #[default]
    Leave,
    /// Rewrite it like text; its assertions are not reported. A gate asks its policy about it, as it does about text,
    /// reports what it decides, and empties the places of a stream that repeat it.
    Rewrite,
    /// Empty it. The events and members that it was in stay.
    Drop,
}

impl Reasoning {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Leave, Self::Rewrite, Self::Drop];

    /// The name used on the command line, such as `leave`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leave => "leave",
            Self::Rewrite => "rewrite",
            Self::Drop => "drop",
        }
    }
}

impl fmt::Display for Reasoning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Reasoning {
    type Err = UnknownNameError;

    /// Reads the name that [`as_str`](Self::as_str) gives.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const NAMES: [&str; 3] = ["leave", "rewrite", "drop"];
        let known = Self::ALL.into_iter().find(|mode| mode.as_str() == name);
        known.ok_or_else(|| UnknownNameError::new("handling of reasoning", &NAMES, name))
    }
}
