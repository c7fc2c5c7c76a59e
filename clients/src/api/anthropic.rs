//! Anthropic Messages.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::Api;
use crate::answer::{Answer, Choice, pieces};
use crate::event::Event;

pub(super) static APIS: [Api; 2] = [
    Api::stream(
        "anthropic",
        Format::Anthropic,
        &["type=content_block_delta:delta.text"],
        stream,
    ),
    Api::body("anthropic", Format::Anthropic, &["content.*.text"], whole),
];

const REASONS: [&str; 3] = ["tool_use", "max_tokens", "end_turn"];

fn message(content: &[Value], reason: Option<&str>) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": content,
           "stop_reason": reason, "stop_sequence": null, "usage": {"input_tokens": 11, "output_tokens": 1}})
}

/// The blocks of an answer, with the deltas of each.
fn blocks(choice: &Choice, answer: &mut Answer) -> Vec<(Value, Vec<Value>, Value)> {
    let mut blocks = Vec::new();
    if let Some(text) = &choice.reasoning {
        let deltas = pieces(text, &mut answer.random).into_iter();
        let deltas = deltas.map(|piece| json!({"type": "thinking_delta", "thinking": piece}));
        let mut deltas: Vec<Value> = deltas.collect();
        deltas.push(json!({"type": "signature_delta", "signature": "c2ln"}));
        blocks.push((
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas,
            json!({"type": "thinking", "thinking": text, "signature": "c2ln"}),
        ));
    }
    for (number, block) in choice.blocks.iter().enumerate() {
        let deltas = block.deltas(&mut answer.random).into_iter();
        let mut deltas: Vec<Value> = deltas
            .map(|piece| json!({"type": "text_delta", "text": piece}))
            .collect();
        let mut start = json!({"type": "text", "text": ""});
        let mut done = json!({"type": "text", "text": block.text});
        if !block.cited.is_empty() {
            // What is cited is about the whole block, and points into a document.
            let citation = json!({"type": "char_location", "cited_text": "A document.", "document_index": number,
                                  "document_title": "T", "file_id": null, "start_char_index": 3, "end_char_index": 14});
            start["citations"] = json!([]);
            done["citations"] = json!([citation]);
            deltas.insert(
                answer.random.below(deltas.len() + 1),
                json!({"type": "citations_delta", "citation": citation}),
            );
        }
        blocks.push((start, deltas, done));
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let deltas = pieces(&arguments.to_string(), &mut answer.random).into_iter();
        let deltas = deltas.map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        let call = |input: Value| json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": tool, "input": input});
        blocks.push((call(json!({})), deltas.collect(), call(arguments.clone())));
    }
    blocks
}

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![json!({"type": "message_start", "message": message(&[], None)})];
    for (index, (start, deltas, _)) in blocks(&choice, answer).into_iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            if answer.random.one_in(20) {
                events.push(json!({"type": "ping"}));
            }
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": choice.finish(REASONS), "stop_sequence": null},
                       "usage": {"output_tokens": 42}}));
    events.push(json!({"type": "message_stop"}));
    events.into_iter().map(Event::typed).collect()
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let content: Vec<Value> = blocks(&choice, answer)
        .into_iter()
        .map(|(_, _, done)| done)
        .collect();
    vec![Event::plain(message(
        &content,
        Some(choice.finish(REASONS)),
    ))]
}
