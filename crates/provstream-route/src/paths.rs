//! APIs by the paths of requests.

use provstream_providers::Format;

use crate::pattern::normal;

/// Path suffixes of APIs. A longer suffix comes before its own suffixes.
const ENDS: [(&str, Format); 15] = [
    ("/chat/completions", Format::OpenAiChat),
    ("/completions", Format::OpenAiChat),
    ("/responses", Format::OpenAiResponses),
    ("/messages", Format::Anthropic),
    (":streamGenerateContent", Format::Gemini),
    (":generateContent", Format::Gemini),
    ("/api/chat", Format::Ollama),
    ("/api/generate", Format::Ollama),
    ("/v2/chat", Format::Cohere),
    ("/interactions", Format::GeminiInteractions),
    ("/completion", Format::LlamaCpp),
    ("/generate_stream", Format::Tgi),
    ("/generate", Format::Tgi),
    ("/converse", Format::BedrockConverse),
    ("/converse-stream", Format::BedrockConverse),
];

/// Returns the format of responses for a path, if it is the path of a known API that generates
/// text.
///
/// The format is used for error bodies before the response shows its own, and only as a hint.
/// Inspection detects the format from events, because many servers offer one API at the paths of
/// another.
///
/// ```
/// use provstream_providers::Format;
/// use provstream_route::format_of_path;
///
/// assert_eq!(format_of_path("/v1/messages?beta=true"), Some(Format::Anthropic));
/// assert_eq!(format_of_path("/v1/threads/thread_1/messages"), None);
/// assert_eq!(format_of_path("/v1/models"), None);
/// ```
#[must_use]
pub fn format_of_path(path: &str) -> Option<Format> {
    let path = normal(path);
    // The messages of a thread are those of OpenAI's Assistants, which generate no text there.
    if path.contains("/threads/") {
        return None;
    }
    if path.contains("/conversations") {
        return Some(Format::MistralConversations);
    }
    let found = ENDS.iter().find(|(end, _)| path.ends_with(end));
    found.map(|(_, format)| *format)
}
