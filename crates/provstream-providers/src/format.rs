//! The wire formats that are known.

use core::fmt;
use core::str::FromStr;

use super::formats::{DETECT, evidence};
use super::walk::Walk;

/// A provider's format of streamed responses; `docs/providers.md` has the paths that are read.
///
/// ```
/// use provstream_providers::Format;
///
/// let first = br#"{"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[]}}"#;
/// assert_eq!(Format::detect(first), Some(Format::Anthropic));
/// assert_eq!("openai-chat".parse(), Ok(Format::OpenAiChat));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions, which many other providers speak too: `choices[].delta.content`.
    OpenAiChat,
    /// OpenAI Responses: `response.output_text.delta`.
    OpenAiResponses,
    /// Anthropic Messages: `content_block_delta`.
    Anthropic,
    /// Gemini `streamGenerateContent`, as SSE and as one JSON array: `candidates[].content.parts[].text`.
    Gemini,
    /// Ollama's own API, `/api/chat` and `/api/generate`: `message.content` or `response`.
    Ollama,
    /// Cohere chat, version 2: `content-delta`.
    Cohere,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Cohere,
    ];

    /// The name used on the command line, such as `openai-chat`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Cohere => "cohere",
        }
    }

    /// The format that an event with these data, which are JSON, is evidence of. Keep-alives and errors are evidence of
    /// none.
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        let mut walk = Walk::default();
        walk.read(&DETECT, data).ok()?;
        evidence(&walk, data)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.as_str() == name);
        known.ok_or(UnknownFormat)
    }
}

/// A name that no [`Format`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown wire format: expected ")?;
        for (place, format) in Format::ALL.into_iter().enumerate() {
            let before = match place {
                0 => "",
                _ if place + 1 == Format::ALL.len() => " or ",
                _ => ", ",
            };
            write!(f, "{before}{format}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownFormat {}
