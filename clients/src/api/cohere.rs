//! Cohere chat, version 2.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::{Api, Numbers};
use crate::answer::{Answer, Block, pieces};
use crate::event::Event;

pub(super) static APIS: [Api; 2] = [
    Api::stream(
        "cohere",
        Format::Cohere,
        &["type=content-delta:delta.message.content.text"],
        stream,
    )
    .numbers(Numbers::Index),
    Api::body("cohere", Format::Cohere, &["message.content.*.text"], whole)
        .numbers(Numbers::Places),
];

const REASONS: [&str; 3] = ["TOOL_CALL", "MAX_TOKENS", "COMPLETE"];

fn usage() -> Value {
    json!({"billed_units": {"input_tokens": 11.0, "output_tokens": 42.0}, "tokens": {"input_tokens": 11.0, "output_tokens": 42.0}})
}

fn citations(block: &Block, content: usize) -> Vec<Value> {
    let all = block.cited.iter().map(|cited| {
        json!({"start": cited.start, "end": cited.end, "text": block.quote(*cited), "content_index": content,
               "type": "TEXT_CONTENT", "sources": [{"type": "document", "id": "doc_1", "document": {"id": "doc_1", "text": "A document.", "title": "One"}}]})
    });
    all.collect()
}

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let (block, mut index) = (choice.joined(), 0);
    let mut events = vec![
        json!({"type": "message-start", "id": "m_1", "delta": {"message":
        {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}}}),
    ];
    let mut content = |name: &str, texts: Vec<String>| {
        let kind = if name == "text" { "text" } else { "thinking" };
        events.push(json!({"type": "content-start", "index": index, "delta": {"message": {"content": {"type": kind, name: ""}}}}));
        for text in texts {
            events.push(json!({"type": "content-delta", "index": index, "delta": {"message": {"content": {name: text}}}}));
        }
        index += 1;
    };
    if let Some(reasoning) = &choice.reasoning {
        content("thinking", pieces(reasoning, &mut answer.random));
    }
    content("text", block.deltas(&mut answer.random));
    if index == 2 {
        let first = events
            .iter()
            .position(|event| event["index"] == 1)
            .expect("a second block");
        events.insert(first, json!({"type": "content-end", "index": 0}));
    }
    for (number, citation) in citations(&block, index - 1).into_iter().enumerate() {
        events.push(json!({"type": "citation-start", "index": number, "delta": {"message": {"citations": citation}}}));
        events.push(json!({"type": "citation-end", "index": number}));
    }
    events.push(json!({"type": "content-end", "index": index - 1}));
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let call = json!({"id": format!("call_{number}"), "type": "function", "function": {"name": tool, "arguments": ""}});
        events.push(json!({"type": "tool-call-start", "index": number, "delta": {"message": {"tool_calls": call}}}));
        for piece in pieces(&arguments.to_string(), &mut answer.random) {
            events.push(json!({"type": "tool-call-delta", "index": number,
                               "delta": {"message": {"tool_calls": {"function": {"arguments": piece}}}}}));
        }
        events.push(json!({"type": "tool-call-end", "index": number}));
    }
    events.push(json!({"type": "message-end", "delta": {"finish_reason": choice.finish(REASONS), "usage": usage()}}));
    events.into_iter().map(Event::typed).collect()
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let (block, mut content) = (choice.joined(), Vec::new());
    content.extend(
        choice
            .reasoning
            .iter()
            .map(|text| json!({"type": "thinking", "thinking": text})),
    );
    let citations = citations(&block, content.len());
    content.push(json!({"type": "text", "text": block.text}));
    let mut message = json!({"role": "assistant", "content": content});
    if !citations.is_empty() {
        message["citations"] = json!(citations);
    }
    if !choice.calls.is_empty() {
        let calls = choice
            .calls
            .iter()
            .enumerate()
            .map(|(number, (tool, arguments))| {
                json!({"id": format!("call_{number}"), "type": "function",
                   "function": {"name": tool, "arguments": arguments.to_string()}})
            });
        message["tool_calls"] = calls.collect();
    }
    vec![Event::plain(
        json!({"id": "m_1", "finish_reason": choice.finish(REASONS), "message": message, "usage": usage()}),
    )]
}
