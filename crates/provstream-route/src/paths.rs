//! Which API a path is of.

use provstream_providers::Format;

use crate::pattern::normal;

/// What the paths of APIs end with. Longer ends come before those that they end with.
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

/// The format of the responses to requests with this path, if it is the path of a known API that generates text.
///
/// It is what error bodies are written in before the response shows a format, and a hint only: what is inspected is found out
/// from the events, because many servers offer one API at the paths of another.
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
