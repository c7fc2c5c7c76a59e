//! The wire formats that are known.

use core::fmt;
use core::str::FromStr;

use super::json::{self, RawValue};

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

    /// The format of a stream that has an event with these data, which are JSON; none if that does not tell.
    ///
    /// The first event of each format tells, except where it reports an error.
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        json::parse(data).and_then(Self::of)
    }

    pub(super) fn of(event: &RawValue) -> Option<Self> {
        let [kind, choices, candidates, feedback, done] = json::members(
            event,
            ["type", "choices", "candidates", "promptFeedback", "done"],
        );
        // A type that is not known says nothing: servers that speak another's format add one.
        let by_type = kind
            .and_then(json::text)
            .and_then(|kind| Self::of_type(&kind));
        if by_type.is_some() {
            by_type
        } else if json::is_set(choices) {
            Some(Self::OpenAiChat)
        } else if json::is_set(candidates) || json::is_set(feedback) {
            Some(Self::Gemini)
        } else {
            done.is_some().then_some(Self::Ollama)
        }
    }

    fn of_type(kind: &str) -> Option<Self> {
        const COHERE: [&str; 5] = [
            "message-",
            "content-",
            "tool-plan-",
            "tool-call-",
            "citation-",
        ];
        match kind {
            "message_start"
            | "message_delta"
            | "message_stop"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "ping" => Some(Self::Anthropic),
            _ if kind.starts_with("response.") => Some(Self::OpenAiResponses),
            _ if COHERE.iter().any(|start| kind.starts_with(start)) => Some(Self::Cohere),
            _ => None,
        }
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
