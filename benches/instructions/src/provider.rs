//! Responses as providers stream them: prose with annotations, one token an event.

use provstream_providers::Format;

use crate::prose::{Prose, stream};

/// Bytes of the text.
const TEXT: usize = 1 << 14;
/// Bytes from one annotation to the next.
const GAP: usize = 400;

/// Whose event stream it is.
#[derive(Clone, Copy)]
pub(crate) enum Provider {
    /// `chat.completion.chunk` objects.
    OpenAi,
    /// OpenAI events of 350 bytes, apart from escapes.
    OpenAiLong,
    /// OpenAI events with random characters that hide the length of tokens, so that no two events
    /// have equal members.
    OpenAiObfuscated,
    /// Named events.
    Anthropic,
}

impl Provider {
    /// Name in the baseline.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai-chat",
            Self::OpenAiLong => "openai-chat-350",
            Self::OpenAiObfuscated => "openai-chat-obfuscated",
            Self::Anthropic => "anthropic",
        }
    }

    /// The format of its stream.
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::OpenAi | Self::OpenAiLong | Self::OpenAiObfuscated => Format::OpenAiChat,
            Self::Anthropic => Format::Anthropic,
        }
    }

    /// Returns the events before the text.
    const fn head(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiLong | Self::OpenAiObfuscated => "",
            Self::Anthropic => concat!(
                "event: message_start\n",
                r#"data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[]}}"#,
                "\n\nevent: content_block_start\n",
                r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                "\n\n"
            ),
        }
    }

    /// The event with this number and this JSON string, of a token of some bytes, as its text.
    fn event(self, number: usize, text: &str, token: usize) -> String {
        match self {
            Self::OpenAiLong | Self::OpenAiObfuscated => {
                let hides = matches!(self, Self::OpenAiObfuscated);
                let mixed = number.wrapping_mul(0x9E37_79B9) as u32;
                let obfuscation = if hides {
                    format!(r#","obfuscation":"{mixed:08x}""#)
                } else {
                    String::new()
                };
                let event = |id: &str| {
                    format!(
                        r#"data: {{"id":"chatcmpl-{id}","object":"chat.completion.chunk","created":1790000000,"model":"gpt-x","service_tier":"default","system_fingerprint":"fp_1","choices":[{{"index":0,"delta":{{"content":{text}}},"logprobs":null,"finish_reason":null}}]{obfuscation}}}"#
                    )
                };
                // With the blank line, and the token between its quotes.
                let least = event("").len() + 2 - text.len() + token + 2;
                event(&"7".repeat(350 - least))
            }
            Self::OpenAi => format!(
                r#"data: {{"id":"chatcmpl-7","object":"chat.completion.chunk","created":1790000000,"model":"gpt-x","system_fingerprint":"fp_1","choices":[{{"index":0,"delta":{{"content":{text}}},"logprobs":null,"finish_reason":null}}]}}"#
            ),
            Self::Anthropic => {
                let data = format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}"#
                );
                format!("event: content_block_delta\ndata: {data}")
            }
        }
    }

    /// Returns the events after the text.
    const fn tail(self) -> &'static str {
        match self {
            Self::OpenAi | Self::OpenAiLong | Self::OpenAiObfuscated => concat!(
                r#"data: {"id":"chatcmpl-7","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
                "\n\ndata: [DONE]\n\n"
            ),
            Self::Anthropic => concat!(
                "event: content_block_stop\n",
                r#"data: {"type":"content_block_stop","index":0}"#,
                "\n\nevent: message_stop\n",
                r#"data: {"type":"message_stop"}"#,
                "\n\n"
            ),
        }
    }
}

/// A streamed response.
pub(crate) struct Response {
    /// The event stream.
    pub(crate) bytes: Vec<u8>,
    /// Number of events with text.
    pub(crate) events: usize,
    /// Number of annotations in the text.
    pub(crate) annotations: usize,
}

impl Response {
    /// The response of a provider in tokens of some bytes; always the same.
    pub(crate) fn new(provider: Provider, token: usize) -> Self {
        let mut text = String::from_utf8(stream(Prose::Plain, GAP)).expect("prose in ASCII");
        text.truncate(TEXT);
        let mut response = String::from(provider.head());
        let tokens = text.as_bytes().chunks(token);
        let events = tokens.len();
        for (number, bytes) in tokens.enumerate() {
            let text = String::from_utf8_lossy(bytes);
            let json = serde_json::Value::from(text).to_string();
            response.push_str(&provider.event(number, &json, token));
            response.push_str("\n\n");
        }
        response.push_str(provider.tail());
        Self {
            bytes: response.into_bytes(),
            events,
            annotations: text.matches("Z]").count(),
        }
    }
}
