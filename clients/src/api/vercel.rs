//! The UI message stream of Vercel's AI SDK, and the message.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::Api;
use crate::answer::{Answer, pieces};
use crate::event::Event;

pub(super) static APIS: [Api; 2] = [
    Api::stream(
        "vercel-ui",
        Format::VercelUi,
        &["type=text-delta:delta"],
        stream,
    ),
    Api::body("vercel-ui", Format::VercelUi, &["parts.*.text"], whole),
];

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![
        json!({"type": "start", "messageId": "msg_1"}),
        json!({"type": "start-step"}),
    ];
    let mut text = |kind: &str, id: String, texts: Vec<String>| {
        events.push(json!({"type": format!("{kind}-start"), "id": id}));
        for text in texts {
            events.push(json!({"type": format!("{kind}-delta"), "id": id, "delta": text}));
        }
        events.push(json!({"type": format!("{kind}-end"), "id": id}));
    };
    if let Some(reasoning) = &choice.reasoning {
        text(
            "reasoning",
            "r0".into(),
            pieces(reasoning, &mut answer.random),
        );
    }
    for (number, block) in choice.blocks.iter().enumerate() {
        text(
            "text",
            format!("t{number}"),
            block.deltas(&mut answer.random),
        );
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let id = format!("call_{number}");
        events.push(json!({"type": "tool-input-start", "toolCallId": id, "toolName": tool}));
        for piece in pieces(&arguments.to_string(), &mut answer.random) {
            events.push(
                json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": piece}),
            );
        }
        events.push(json!({"type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": arguments}));
        events.push(json!({"type": "tool-output-available", "toolCallId": id, "output": {"found": "[substrate.grep]"}}));
    }
    if choice.blocks.iter().any(|block| !block.cited.is_empty()) {
        events.push(json!({"type": "source-url", "sourceId": "s1", "url": "https://e.example/1", "title": "One"}));
    }
    events.push(json!({"type": "finish-step"}));
    events.push(
        json!({"type": "finish", "finishReason": choice.finish(["tool-calls", "length", "stop"])}),
    );
    let mut events: Vec<Event> = events.into_iter().map(Event::plain).collect();
    events.push(Event::DONE);
    events
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut parts = vec![json!({"type": "step-start"})];
    parts.extend(
        choice
            .reasoning
            .iter()
            .map(|text| json!({"type": "reasoning", "text": text, "state": "done"})),
    );
    parts.extend(
        choice
            .blocks
            .iter()
            .map(|block| json!({"type": "text", "text": block.text, "state": "done"})),
    );
    let calls = choice.calls.iter().enumerate();
    parts.extend(calls.map(|(number, (tool, arguments))| -> Value {
        json!({"type": format!("tool-{tool}"), "toolCallId": format!("call_{number}"), "state": "output-available",
               "input": arguments, "output": {"found": "[substrate.grep]"}})
    }));
    vec![Event::plain(
        json!({"id": "msg_1", "role": "assistant", "parts": parts}),
    )]
}
