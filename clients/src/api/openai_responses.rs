//! OpenAI Responses.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::{Api, Numbers};
use crate::answer::{Answer, Block, Choice, pieces};
use crate::event::Event;

pub(super) static APIS: [Api; 2] = [
    Api::stream(
        "openai-responses",
        Format::OpenAiResponses,
        &[
            "type=response.output_text.delta:delta",
            "type=response.refusal.delta:delta",
        ],
        stream,
    )
    .numbers(Numbers::Pair),
    Api::body(
        "openai-responses",
        Format::OpenAiResponses,
        &["output.*.content.*.text", "output.*.content.*.refusal"],
        whole,
    )
    .numbers(Numbers::Places),
];

fn response(status: &str, output: &[Value]) -> Value {
    let usage = json!({"input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 42,
                       "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 53});
    let is_over = status == "completed" || status == "incomplete";
    let details = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
    json!({"id": "resp_1", "object": "response", "created_at": 1_790_000_000, "status": status, "error": null,
           "incomplete_details": details, "instructions": null, "metadata": {}, "model": "gpt-x",
           "output": output, "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto", "tools": [],
           "top_p": 1.0, "usage": is_over.then_some(usage)})
}

fn part(block: &Block, refuses: bool) -> Value {
    if refuses {
        return json!({"type": "refusal", "refusal": block.text});
    }
    let annotations = annotations(block);
    json!({"type": "output_text", "text": block.text, "annotations": annotations, "logprobs": []})
}

fn annotations(block: &Block) -> Vec<Value> {
    let all = block.cited.iter().map(|cited| {
        json!({"type": "url_citation", "start_index": cited.start, "end_index": cited.end,
               "url": "https://e.example/1", "title": "One"})
    });
    all.collect()
}

/// The items of the output, in the state in which they are added and in the one in which they are done.
fn items(choice: &Choice) -> Vec<(Value, Value)> {
    let mut items = Vec::new();
    if let Some(reasoning) = &choice.reasoning {
        let item = |summary: Value| json!({"id": "rs_1", "type": "reasoning", "summary": summary});
        let summary = json!([{"type": "summary_text", "text": reasoning}]);
        items.push((item(json!([])), item(summary)));
    }
    let content: Vec<Value> = choice
        .blocks
        .iter()
        .map(|block| part(block, choice.refuses))
        .collect();
    let message = |status: &str, content: &[Value]| json!({"id": "msg_1", "type": "message", "status": status, "role": "assistant", "content": content});
    items.push((message("in_progress", &[]), message("completed", &content)));
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let call = |status: &str, arguments: &str| {
            json!({"id": format!("fc_{number}"), "type": "function_call", "status": status, "name": tool,
                   "call_id": format!("call_{number}"), "arguments": arguments})
        };
        items.push((
            call("in_progress", ""),
            call("completed", &arguments.to_string()),
        ));
    }
    items
}

fn message_events(choice: &Choice, output: usize, answer: &mut Answer) -> Vec<Value> {
    let mut events = Vec::new();
    let kind = if choice.refuses {
        "refusal"
    } else {
        "output_text"
    };
    for (content, block) in choice.blocks.iter().enumerate() {
        let mut event = |kind: String, members: Value| {
            let mut event = json!({"type": kind, "item_id": "msg_1", "output_index": output, "content_index": content});
            let to = event.as_object_mut().expect("an object");
            to.extend(members.as_object().expect("members").clone());
            events.push(event);
        };
        let empty = Block {
            text: String::new(),
            cited: Vec::new(),
        };
        event(
            "response.content_part.added".into(),
            json!({"part": part(&empty, choice.refuses)}),
        );
        for piece in block.deltas(&mut answer.random) {
            let delta = match choice.refuses {
                true => json!({"delta": piece}),
                false => json!({"delta": piece, "logprobs": []}),
            };
            event(format!("response.{kind}.delta"), delta);
        }
        for (number, annotation) in annotations(block).into_iter().enumerate() {
            if !choice.refuses {
                let annotation = json!({"annotation_index": number, "annotation": annotation});
                event("response.output_text.annotation.added".into(), annotation);
            }
        }
        let done = match choice.refuses {
            true => json!({"refusal": block.text}),
            false => json!({"text": block.text, "logprobs": []}),
        };
        event(format!("response.{kind}.done"), done);
        event(
            "response.content_part.done".into(),
            json!({"part": part(block, choice.refuses)}),
        );
    }
    events
}

fn inner_events(item: &Value, choice: &Choice, output: usize, answer: &mut Answer) -> Vec<Value> {
    let id = &item["id"];
    match item["type"].as_str().expect("a type") {
        "message" => message_events(choice, output, answer),
        "reasoning" => {
            let text = choice.reasoning.as_deref().unwrap_or_default();
            let place = |kind: &str| json!({"type": format!("response.reasoning_summary_{kind}"), "item_id": id, "output_index": output, "summary_index": 0});
            let with = |mut event: Value, name: &str, value: Value| {
                event[name] = value;
                event
            };
            let part = |text: &str| json!({"type": "summary_text", "text": text});
            let mut events = vec![with(place("part.added"), "part", part(""))];
            for piece in pieces(text, &mut answer.random) {
                events.push(with(place("text.delta"), "delta", json!(piece)));
            }
            events.push(with(place("text.done"), "text", json!(text)));
            events.push(with(place("part.done"), "part", part(text)));
            events
        }
        _ => {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            let mut events: Vec<Value> = pieces(arguments, &mut answer.random)
                .into_iter()
                .map(|piece| json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": output, "delta": piece}))
                .collect();
            events.push(json!({"type": "response.function_call_arguments.done", "item_id": id, "output_index": output,
                               "name": item["name"], "arguments": arguments}));
            events
        }
    }
}

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let status = if choice.is_cut {
        "incomplete"
    } else {
        "completed"
    };
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress", &[])}),
        json!({"type": "response.in_progress", "response": response("in_progress", &[])}),
    ];
    let mut output = Vec::new();
    for (place, (added, done)) in items(&choice).into_iter().enumerate() {
        events.push(
            json!({"type": "response.output_item.added", "output_index": place, "item": added}),
        );
        events.extend(inner_events(&done, &choice, place, answer));
        events.push(
            json!({"type": "response.output_item.done", "output_index": place, "item": done}),
        );
        output.push(done);
    }
    events
        .push(json!({"type": format!("response.{status}"), "response": response(status, &output)}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.into_iter().map(Event::typed).collect()
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let output: Vec<Value> = items(&choice).into_iter().map(|(_, done)| done).collect();
    let status = if choice.is_cut {
        "incomplete"
    } else {
        "completed"
    };
    vec![Event::plain(response(status, &output))]
}
