//! What the input is: text as it is, or the event stream of a provider.

use std::str::FromStr;

use provstream::Parser;
use provstream_providers::{Format, StreamRewriter};

/// What the input is, as given on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InputFormat {
    /// Text as it is.
    #[default]
    Raw,
    /// The event stream of a provider, which its first event shows.
    Auto,
    /// The event stream of this provider.
    Wire(Format),
}

impl InputFormat {
    /// The names that [`FromStr`] reads.
    pub(crate) fn names() -> Vec<&'static str> {
        let formats = Format::ALL.map(Format::as_str);
        ["raw", "auto"].into_iter().chain(formats).collect()
    }
}

impl FromStr for InputFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "raw" => Ok(Self::Raw),
            "auto" => Ok(Self::Auto),
            _ => name
                .parse()
                .map(Self::Wire)
                .map_err(|_| format!("expected one of {}", Self::names().join(", "))),
        }
    }
}

impl InputFormat {
    /// The format asked for.
    pub(crate) const fn format(self) -> Option<Format> {
        match self {
            Self::Wire(format) => Some(format),
            Self::Raw | Self::Auto => None,
        }
    }

    /// What reads such a stream; none for text as it is.
    pub(crate) fn rewriter(self, parser: Parser) -> Option<StreamRewriter> {
        match self {
            Self::Raw => None,
            Self::Auto => Some(StreamRewriter::detect(parser)),
            Self::Wire(format) => Some(StreamRewriter::new(format, parser)),
        }
    }
}
