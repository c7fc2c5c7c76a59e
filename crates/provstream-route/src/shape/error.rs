//! Error bodies and error events.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::json::{EventWriter, cohere_usage};
use crate::tracker::Tracker;

/// Returns the body of an error response. For an unknown API it has OpenAI's format, which most
/// clients read.
pub(crate) fn error_body(
    format: Option<Format>,
    status: u16,
    code: &str,
    message: &str,
) -> Vec<u8> {
    let body = match format {
        Some(Format::Anthropic) => anthropic(status, message),
        Some(Format::Gemini | Format::GeminiInteractions) => gemini(status, message),
        Some(Format::Ollama) => json!({"error": message}),
        Some(Format::Cohere | Format::BedrockConverse) => json!({"message": message}),
        Some(Format::Tgi) => json!({"error": message, "error_type": code}),
        Some(Format::MistralConversations) => {
            json!({"object": "error", "message": message, "type": code, "param": null, "code": code})
        }
        _ => openai(status, code, message),
    };
    body.to_string().into_bytes()
}

/// Returns the last event of a stream that ends with an error.
pub(crate) fn error_event(
    format: Option<Format>,
    tracker: &Tracker,
    code: &str,
    message: &str,
) -> Vec<u8> {
    let mut events = EventWriter::new(tracker);
    match format {
        Some(Format::Anthropic) => events.typed(&anthropic(502, message)),
        Some(Format::OpenAiResponses) => {
            let event = json!({"type": "error", "code": code, "message": message, "param": null});
            events.numbered(event);
        }
        Some(Format::Gemini) => events.event(None, &gemini(502, message)),
        Some(Format::GeminiInteractions) => {
            let error = json!({"code": code, "message": message});
            let event = json!({"event_type": "error", "error": error});
            events.event(Some("error"), &event);
        }
        Some(Format::Ollama) => events.event(None, &json!({"error": message})),
        Some(Format::Cohere) => {
            let delta =
                json!({"finish_reason": "ERROR", "error": message, "usage": cohere_usage()});
            events.typed(&json!({"type": "message-end", "delta": delta}));
        }
        Some(Format::Tgi) => events.event(None, &json!({"error": message, "error_type": code})),
        Some(Format::BedrockConverse) => {
            events.event(
                None,
                &json!({"internalServerException": {"message": message}}),
            );
        }
        Some(Format::MistralConversations) => {
            let event =
                json!({"type": "conversation.response.error", "message": message, "code": 502});
            events.typed(&event);
        }
        Some(Format::VercelUi) => {
            events.event(None, &json!({"type": "error", "errorText": message}));
        }
        _ => events.event(None, &openai(502, code, message)),
    }
    events.finish()
}

fn openai(status: u16, code: &str, message: &str) -> Value {
    let kind = if status < 500 {
        "invalid_request_error"
    } else {
        "server_error"
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn anthropic(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        503 => "overloaded_error",
        504 => "timeout_error",
        _ => "api_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

fn gemini(status: u16, message: &str) -> Value {
    let name = match status {
        400 | 413 => "INVALID_ARGUMENT",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}
