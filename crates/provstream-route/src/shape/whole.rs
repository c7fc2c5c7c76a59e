//! Finish reasons of responses that are not streamed.

use provstream_providers::{Channel, Format};
use serde_json::{Value, json};

/// Sets the finish reason of the given channels in a response that is not streamed, if its format
/// has one.
///
/// Leaves the body unchanged if it is not one JSON value.
pub(crate) fn mark_whole(format: Format, body: &mut Vec<u8>, ended: &[Channel]) {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    if mark(format, &mut value, ended) {
        *body = value.to_string().into_bytes();
    }
}

fn mark(format: Format, value: &mut Value, ended: &[Channel]) -> bool {
    match format {
        Format::OpenAiChat => {
            of_choices(value, "choices", "finish_reason", "content_filter", ended)
        }
        Format::Gemini => of_choices(value, "candidates", "finishReason", "SAFETY", ended),
        Format::Anthropic => set(value, "stop_reason", "refusal"),
        Format::Ollama => set(value, "done_reason", "content_filter"),
        Format::Cohere => set(value, "finish_reason", "ERROR"),
        Format::BedrockConverse => set(value, "stopReason", "guardrail_intervened"),
        Format::OpenAiResponses => {
            set(value, "status", "incomplete")
                && set(
                    value,
                    "incomplete_details",
                    json!({"reason": "content_filter"}),
                )
        }
        _ => false,
    }
}

fn set(value: &mut Value, name: &str, to: impl Into<Value>) -> bool {
    let Some(object) = value.as_object_mut() else {
        return false;
    };
    object.insert(name.to_owned(), to.into());
    true
}

fn of_choices(value: &mut Value, list: &str, name: &str, to: &str, ended: &[Channel]) -> bool {
    let Some(choices) = value.get_mut(list).and_then(Value::as_array_mut) else {
        return false;
    };
    for (place, choice) in choices.iter_mut().enumerate() {
        let index = choice.get("index").and_then(Value::as_u64);
        let index = index.unwrap_or(place as u64);
        if ended.iter().any(|one| u64::from(one.index()) == index) {
            set(choice, name, to);
        }
    }
    true
}
