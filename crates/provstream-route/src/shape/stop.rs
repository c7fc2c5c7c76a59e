//! Ends of streams that a policy ends.

use provstream_providers::{Channel, Format};
use serde_json::{Map, Value, json};

use super::json::{EventWriter, cohere_usage, of_first};
use crate::tracker::{EventFraming, Tracker, UnclosedItem};

/// Returns `true` if a stream of a format can end before the upstream ends it, with events from
/// which clients read a filtered answer. In other formats a gate continues until the upstream's
/// end, with empty deltas.
pub(crate) const fn can_stop(format: Format) -> bool {
    matches!(
        format,
        Format::OpenAiChat
            | Format::OpenAiResponses
            | Format::Anthropic
            | Format::Gemini
            | Format::Ollama
            | Format::Cohere
            | Format::LlamaCpp
            | Format::BedrockConverse
            | Format::VercelUi
    )
}

/// Returns `true` if another response can continue an unended one in this framing. A response in a
/// JSON array cannot, because its events would be outside the first array.
pub(crate) const fn can_resume(format: Format, envelope: EventFraming) -> bool {
    matches!(
        (format, envelope),
        (
            Format::OpenAiChat | Format::Anthropic | Format::OpenAiResponses | Format::Gemini,
            EventFraming::Sse
        ) | (Format::Ollama, EventFraming::Lines)
    )
}

/// Returns the events that end the open blocks of a stream, so that another response can follow.
pub(crate) fn end_open(format: Format, tracker: &Tracker) -> Vec<u8> {
    let mut events = EventWriter::new(tracker);
    match format {
        Format::Anthropic => end_blocks(&mut events, tracker),
        Format::OpenAiResponses => {
            end_messages(&mut events, tracker);
        }
        _ => return Vec::new(),
    }
    events.finish()
}

/// Returns the last events of a stream whose channels a policy ended.
pub(crate) fn stop_events(format: Format, tracker: &Tracker, ended: &[Channel]) -> Vec<u8> {
    let mut events = EventWriter::new(tracker);
    match format {
        Format::OpenAiChat => openai_chat(&mut events, tracker, ended),
        Format::OpenAiResponses => openai_responses(&mut events, tracker),
        Format::Anthropic => anthropic(&mut events, tracker),
        Format::Gemini => gemini(&mut events, tracker, ended),
        Format::Ollama => events.event(None, &ollama(tracker)),
        Format::Cohere => cohere(&mut events, tracker),
        Format::LlamaCpp => {
            events.event(
                None,
                &json!({"content": "", "stop": true, "stop_type": "content_filter"}),
            );
        }
        Format::BedrockConverse => bedrock(&mut events, tracker),
        Format::VercelUi => vercel(&mut events, tracker),
        _ => {}
    }
    events.finish()
}

/// Returns the named members of the first event, as far as it has them.
fn repeated(tracker: &Tracker, names: &[&str]) -> Map<String, Value> {
    let mut members = Map::new();
    for name in names {
        let value = of_first(tracker, &format!("/{name}"));
        if !value.is_null() {
            members.insert((*name).to_owned(), value);
        }
    }
    members
}

fn openai_chat(events: &mut EventWriter<'_>, tracker: &Tracker, ended: &[Channel]) {
    let is_legacy = of_first(tracker, "/object") == "text_completion";
    for channel in ended {
        let index = channel.index();
        let choice = if is_legacy {
            json!({"index": index, "text": "", "logprobs": null, "finish_reason": "content_filter"})
        } else {
            json!({"index": index, "delta": {}, "logprobs": null, "finish_reason": "content_filter"})
        };
        let names = ["id", "object", "created", "model", "system_fingerprint"];
        let mut event = repeated(tracker, &names);
        event.insert("choices".to_owned(), json!([choice]));
        events.event(None, &event.into());
    }
    events.done();
}

fn openai_responses(events: &mut EventWriter<'_>, tracker: &Tracker) {
    let mut output: Vec<Value> = tracker
        .items
        .iter()
        .filter_map(|item| serde_json::from_str(item).ok())
        .collect();
    output.extend(end_messages(events, tracker));
    let mut response = of_first(tracker, "/response");
    if !response.is_object() {
        response = json!({"object": "response"});
    }
    response["status"] = "incomplete".into();
    response["incomplete_details"] = json!({"reason": "content_filter"});
    response["output"] = output.into();
    events.numbered(json!({"type": "response.incomplete", "response": response}));
}

/// Writes the ends of the open messages, and returns the messages.
fn end_messages(events: &mut EventWriter<'_>, tracker: &Tracker) -> Vec<Value> {
    let items = tracker.open.iter().filter(|open| open.part.is_none());
    let messages = items.filter(|item| item.is_text);
    messages
        .map(|item| close_message(events, tracker, item))
        .collect()
}

/// Writes the end of a message and its parts, and returns the message.
fn close_message(events: &mut EventWriter<'_>, tracker: &Tracker, item: &UnclosedItem) -> Value {
    let ended = item.parts.iter();
    let ended = ended.filter_map(|part| serde_json::from_str(part).ok());
    let mut content: Vec<Value> = ended.collect();
    let parts = tracker.open.iter().filter(|open| open.index == item.index);
    for open in parts {
        let Some(number) = open.part.filter(|_| open.is_text) else {
            continue;
        };
        let part = json!({"type": "output_text", "text": open.text, "annotations": []});
        let place = |kind: &str| json!({"type": kind, "item_id": item.id, "output_index": item.index, "content_index": number});
        let mut done = place("response.output_text.done");
        done["text"] = open.text.clone().into();
        done["logprobs"] = json!([]);
        events.numbered(done);
        let mut done = place("response.content_part.done");
        done["part"] = part.clone();
        events.numbered(done);
        content.push(part);
    }
    let message = json!({"id": item.id, "type": "message", "status": "incomplete", "role": "assistant", "content": content});
    let done =
        json!({"type": "response.output_item.done", "output_index": item.index, "item": message});
    events.numbered(done);
    message
}

fn end_blocks(events: &mut EventWriter<'_>, tracker: &Tracker) {
    for open in &tracker.open {
        events.typed(&json!({"type": "content_block_stop", "index": open.index}));
    }
}

fn anthropic(events: &mut EventWriter<'_>, tracker: &Tracker) {
    end_blocks(events, tracker);
    let tokens = of_first(tracker, "/message/usage/output_tokens");
    let usage = json!({"output_tokens": tokens.as_u64().unwrap_or_default()});
    let delta = json!({"stop_reason": "refusal", "stop_sequence": null});
    events.typed(&json!({"type": "message_delta", "delta": delta, "usage": usage}));
    events.typed(&json!({"type": "message_stop"}));
}

fn gemini(events: &mut EventWriter<'_>, tracker: &Tracker, ended: &[Channel]) {
    for channel in ended {
        let content = json!({"parts": [{"text": ""}], "role": "model"});
        let candidate =
            json!({"content": content, "finishReason": "SAFETY", "index": channel.index()});
        let mut event = Map::new();
        event.insert("candidates".to_owned(), json!([candidate]));
        event.extend(repeated(tracker, &["modelVersion", "responseId"]));
        events.event(None, &event.into());
    }
}

fn ollama(tracker: &Tracker) -> Value {
    let mut event = repeated(tracker, &["model", "created_at"]);
    if of_first(tracker, "/response").is_string() {
        event.insert("response".to_owned(), "".into());
    } else {
        let message = json!({"role": "assistant", "content": ""});
        event.insert("message".to_owned(), message);
    }
    event.insert("done".to_owned(), true.into());
    event.insert("done_reason".to_owned(), "content_filter".into());
    event.into()
}

fn cohere(events: &mut EventWriter<'_>, tracker: &Tracker) {
    for open in &tracker.open {
        events.typed(&json!({"type": "content-end", "index": open.index}));
    }
    let mut event = repeated(tracker, &["id"]);
    event.insert("type".to_owned(), "message-end".into());
    event.insert(
        "delta".to_owned(),
        json!({"finish_reason": "ERROR", "usage": cohere_usage()}),
    );
    events.typed(&event.into());
}

fn bedrock(events: &mut EventWriter<'_>, tracker: &Tracker) {
    let is_named = tracker
        .first
        .as_deref()
        .is_some_and(|first| first.contains("\"messageStart\""));
    for open in &tracker.open {
        let stop = json!({"contentBlockIndex": open.index});
        if is_named {
            events.event(None, &json!({"contentBlockStop": stop}));
        } else {
            events.event(None, &stop);
        }
    }
    let stop = json!({"stopReason": "guardrail_intervened"});
    if is_named {
        events.event(None, &json!({"messageStop": stop}));
    } else {
        events.event(None, &stop);
    }
}

fn vercel(events: &mut EventWriter<'_>, tracker: &Tracker) {
    for open in &tracker.open {
        let kind = if open.is_text {
            "text-end"
        } else {
            "reasoning-end"
        };
        events.event(None, &json!({"type": kind, "id": open.id}));
    }
    events.event(None, &json!({"type": "finish-step"}));
    events.event(
        None,
        &json!({"type": "finish", "finishReason": "content-filter"}),
    );
    events.done();
}
