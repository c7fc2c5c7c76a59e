//! Channels: the texts of a response.

use core::fmt;
use core::str::FromStr;

/// Most channels with text that are open at one time in a stream.
pub const MAX_CHANNELS: usize = 256;

/// One of the texts that a response streams side by side.
///
/// A choice (OpenAI chat completions), an output item and a part of its content (OpenAI Responses), a content block
/// (Anthropic, Cohere) or a candidate (Gemini); always `0` with Ollama. Written `0`, or `0/0` where there are two numbers.
///
/// ```
/// use provstream_providers::Channel;
///
/// let channel: Channel = "2/0".parse()?;
/// assert_eq!((channel.index(), channel.part()), (2, Some(0)));
/// assert_eq!(channel.to_string(), "2/0");
/// # Ok::<(), provstream_providers::ChannelError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    index: u32,
    part: Option<u32>,
}

impl Channel {
    /// The channel with this number.
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self { index, part: None }
    }

    /// A part of what has this number.
    #[must_use]
    pub const fn with_part(index: u32, part: u32) -> Self {
        Self {
            index,
            part: Some(part),
        }
    }

    /// The number of the choice, output item, content block or candidate.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The number of the part in it, where the format has parts.
    #[must_use]
    pub const fn part(self) -> Option<u32> {
        self.part
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index)?;
        match self.part {
            Some(part) => write!(f, "/{part}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Channel {
    type Err = ChannelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = plain.then(|| digits.parse().ok()).flatten();
            number.ok_or(ChannelError)
        };
        match text.split_once('/') {
            Some((index, part)) => Ok(Self::with_part(number(index)?, number(part)?)),
            None => Ok(Self::new(number(text)?)),
        }
    }
}

/// Error: the string is neither a number nor two numbers with a slash between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChannelError;

impl fmt::Display for ChannelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a channel, which is a number such as 0, or two such as 0/0")
    }
}

impl core::error::Error for ChannelError {}
