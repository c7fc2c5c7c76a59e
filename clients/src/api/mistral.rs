//! Mistral's chat completions, with their content in parts, and its conversations.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::openai_chat::{REASONS, shuffled, usage};
use super::{Api, Numbers};
use crate::answer::{Answer, Choice, pieces};
use crate::event::Event;

pub(super) static APIS: [Api; 4] = [
    Api::stream(
        "mistral-chat",
        Format::OpenAiChat,
        &["choices.*.delta.content", "choices.*.delta.content.*.text"],
        chat,
    )
    .numbers(Numbers::Index)
    .choices(2),
    Api::body(
        "mistral-chat",
        Format::OpenAiChat,
        &[
            "choices.*.message.content",
            "choices.*.message.content.*.text",
        ],
        chat_whole,
    )
    .numbers(Numbers::Index)
    .choices(2),
    Api::stream(
        "mistral-conversations",
        Format::MistralConversations,
        &[
            "type=message.output.delta:content",
            "type=message.output.delta:content.text",
        ],
        conversation,
    )
    .numbers(Numbers::Output),
    Api::body(
        "mistral-conversations",
        Format::MistralConversations,
        &["outputs.*.content", "outputs.*.content.*.text"],
        conversation_whole,
    ),
];

fn envelope(object: &str, choices: Value) -> Value {
    json!({"id": "cmpl_1", "object": object, "created": 1_790_000_000, "model": "mistral-x", "choices": choices})
}

fn call(number: usize, tool: &str, arguments: &Value) -> Value {
    json!({"id": format!("call{number:05}"), "type": "function", "index": number,
           "function": {"name": tool, "arguments": arguments.to_string()}})
}

fn calls(choice: &Choice) -> Value {
    let calls = choice.calls.iter().enumerate();
    calls
        .map(|(number, (tool, arguments))| call(number, tool, arguments))
        .collect()
}

fn deltas(choice: &Choice, index: usize, answer: &mut Answer) -> Vec<Event> {
    let thinking =
        |text: &str| json!([{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]);
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    for piece in pieces(
        choice.reasoning.as_deref().unwrap_or_default(),
        &mut answer.random,
    ) {
        deltas.push(json!({"content": thinking(&piece)}));
    }
    let in_parts = choice.reasoning.is_some() || answer.random.one_in(3);
    for piece in choice.joined().deltas(&mut answer.random) {
        deltas.push(match in_parts {
            true => json!({"content": [{"type": "text", "text": piece}]}),
            false => json!({"content": piece}),
        });
        if in_parts && answer.random.one_in(15) {
            deltas.push(json!({"content": [{"type": "reference", "reference_ids": [1, 2]}]}));
        }
    }
    if !choice.calls.is_empty() {
        deltas.push(json!({"content": "", "tool_calls": calls(choice)}));
    }
    let last = deltas.len() - 1;
    let events = deltas.into_iter().enumerate().map(|(place, delta)| {
        let finish = (place == last).then(|| choice.finish(REASONS));
        let choice = json!([{"index": index, "delta": delta, "finish_reason": finish}]);
        let mut event = envelope("chat.completion.chunk", choice);
        if place == last {
            event["usage"] = usage();
        }
        Event::plain(event)
    });
    events.collect()
}

fn chat(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.clone();
    let each = choices.iter().enumerate();
    let lists: Vec<_> = each
        .map(|(index, choice)| deltas(choice, index, answer))
        .collect();
    let mut events = shuffled(lists, answer);
    events.push(Event::DONE);
    events
}

fn chat_whole(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.iter().enumerate().map(|(index, choice)| {
        let text = choice.joined().text;
        let content = match &choice.reasoning {
            Some(reasoning) => json!([{"type": "thinking", "thinking": [{"type": "text", "text": reasoning}]}, {"type": "text", "text": text}]),
            None => json!(text),
        };
        let mut message = json!({"role": "assistant", "content": content, "tool_calls": null});
        if !choice.calls.is_empty() {
            message["tool_calls"] = calls(choice);
        }
        json!({"index": index, "message": message, "finish_reason": choice.finish(REASONS)})
    });
    let mut body = envelope("chat.completion", choices.collect());
    body["usage"] = usage();
    vec![Event::plain(body)]
}

const WHEN: &str = "2026-05-28T11:40:03Z";

fn reference() -> Value {
    json!({"type": "tool_reference", "tool": "web_search", "title": "[substrate.grep]", "url": "https://e.example/1"})
}

fn conversation(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![
        json!({"type": "conversation.response.started", "created_at": WHEN, "conversation_id": "conv_1"}),
        json!({"type": "tool.execution.started", "created_at": WHEN, "output_index": 0, "id": "tool_1",
               "name": "web_search", "arguments": "{\"query\": \"[substrate.grep]\"}"}),
        json!({"type": "tool.execution.done", "created_at": WHEN, "output_index": 0, "id": "tool_1",
               "name": "web_search", "info": {}}),
    ];
    let mut part = 0;
    let event = |part: usize, content: Value| {
        json!({"type": "message.output.delta", "created_at": WHEN, "output_index": 1, "id": "msg_1",
               "content_index": part, "model": "mistral-x", "agent_id": null, "role": "assistant", "content": content})
    };
    for block in &choice.blocks {
        for piece in block.deltas(&mut answer.random) {
            let in_part = answer.random.one_in(3);
            events.push(event(
                part,
                if in_part {
                    json!({"type": "text", "text": piece})
                } else {
                    json!(piece)
                },
            ));
        }
        if !block.cited.is_empty() {
            events.push(event(part + 1, reference()));
            part += 2;
        }
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        for piece in pieces(&arguments.to_string(), &mut answer.random) {
            events.push(json!({"type": "function.call.delta", "created_at": WHEN, "output_index": 2 + number,
                               "id": format!("fc_{number}"), "name": tool, "tool_call_id": format!("call{number:05}"),
                               "arguments": piece}));
        }
    }
    events
        .push(json!({"type": "conversation.response.done", "created_at": WHEN, "usage": usage()}));
    events.into_iter().map(Event::typed).collect()
}

fn conversation_whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let content = match &choice.blocks[..] {
        [block] => json!(block.text),
        blocks => {
            let parts = blocks
                .iter()
                .flat_map(|block| [json!({"type": "text", "text": block.text}), reference()]);
            parts.collect()
        }
    };
    let mut outputs = vec![
        json!({"object": "entry", "type": "message.output", "created_at": WHEN, "completed_at": WHEN,
                                  "id": "msg_1", "agent_id": null, "model": "mistral-x", "role": "assistant", "content": content}),
    ];
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        outputs.push(json!({"object": "entry", "type": "function.call", "created_at": WHEN, "completed_at": WHEN,
                            "id": format!("fc_{number}"), "name": tool, "tool_call_id": format!("call{number:05}"),
                            "arguments": arguments.to_string()}));
    }
    vec![Event::plain(
        json!({"object": "conversation.response", "conversation_id": "conv_1", "outputs": outputs, "usage": usage()}),
    )]
}
