//! The wire formats that are known.

use core::fmt;
use core::str::FromStr;

use provstream::UnknownNameError;

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
    /// Gemini Interactions: `step.delta`, and `content.delta` in the older form.
    GeminiInteractions,
    /// Mistral's conversations and agents: `message.output.delta`.
    MistralConversations,
    /// `/completion` of llama.cpp's server: `content` beside `stop`. Its other endpoints speak OpenAI's formats.
    LlamaCpp,
    /// Hugging Face's Text Generation Inference: `token.text` and `generated_text`.
    Tgi,
    /// Bedrock Converse: `contentBlockDelta`. The binary frames of `ConverseStream` have to be undone first.
    BedrockConverse,
    /// The UI message stream of Vercel's AI SDK: `text-delta`.
    VercelUi,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Cohere,
        Self::GeminiInteractions,
        Self::MistralConversations,
        Self::LlamaCpp,
        Self::Tgi,
        Self::BedrockConverse,
        Self::VercelUi,
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
            Self::GeminiInteractions => "gemini-interactions",
            Self::MistralConversations => "mistral-conversations",
            Self::LlamaCpp => "llama-cpp",
            Self::Tgi => "tgi",
            Self::BedrockConverse => "bedrock-converse",
            Self::VercelUi => "vercel-ui",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownNameError;

    /// Reads the name that [`as_str`](Self::as_str) gives.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        const NAMES: [&str; Format::ALL.len()] = {
            let mut names = [""; Format::ALL.len()];
            let mut place = 0;
            while place < names.len() {
                names[place] = Format::ALL[place].as_str();
                place += 1;
            }
            names
        };
        let known = Self::ALL.into_iter().find(|format| format.as_str() == name);
        known.ok_or_else(|| UnknownNameError::new("wire format", &NAMES, name))
    }
}
