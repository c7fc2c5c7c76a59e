//! OpenAI Assistants: the messages of a run, and of a thread.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::{Api, Numbers};
use crate::answer::{Answer, Block};
use crate::event::Event;

pub(super) static APIS: [Api; 2] = [
    Api::stream(
        "openai-assistants",
        Format::OpenAiAssistants,
        &[
            "object=thread.message.delta:delta.content.*.text.value",
            "object=thread.message.delta:delta.content.*.refusal",
        ],
        run,
    )
    .numbers(Numbers::Index),
    Api::body(
        "openai-assistants",
        Format::OpenAiAssistants,
        &["data.*.content.*.text.value"],
        messages,
    )
    .numbers(Numbers::Places),
];

fn run_object(status: &str) -> Value {
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 42, "total_tokens": 53});
    json!({"id": "run_1", "object": "thread.run", "created_at": 1, "assistant_id": "asst_1", "thread_id": "thread_1",
           "status": status, "instructions": "", "model": "gpt-x", "parallel_tool_calls": true, "tools": [],
           "metadata": {}, "usage": (status == "completed").then_some(usage)})
}

fn message(status: &str, content: &[Value]) -> Value {
    let completed = (status == "completed").then_some(2);
    json!({"id": "msg_1", "object": "thread.message", "created_at": 1, "assistant_id": "asst_1",
           "thread_id": "thread_1", "run_id": "run_1", "status": status, "completed_at": completed,
           "incomplete_at": null, "incomplete_details": null, "role": "assistant", "content": content,
           "attachments": [], "metadata": {}})
}

fn annotations(block: &Block) -> Vec<Value> {
    let all = block.cited.iter().enumerate().map(|(index, cited)| {
        json!({"index": index, "type": "file_citation", "text": block.quote(*cited), "start_index": cited.start,
               "end_index": cited.end, "file_citation": {"file_id": "file_1"}})
    });
    all.collect()
}

fn without_index(mut annotations: Vec<Value>) -> Vec<Value> {
    for annotation in &mut annotations {
        annotation
            .as_object_mut()
            .expect("an object")
            .shift_remove("index");
    }
    annotations
}

fn contents(blocks: &[Block]) -> Vec<Value> {
    let all = blocks.iter().map(|block| {
        let annotations = without_index(annotations(block));
        json!({"type": "text", "text": {"value": block.text, "annotations": annotations}})
    });
    all.collect()
}

fn run(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![
        Event::named("thread.run.created", run_object("queued")),
        Event::named("thread.run.in_progress", run_object("in_progress")),
        Event::named("thread.message.created", message("in_progress", &[])),
        Event::named("thread.message.in_progress", message("in_progress", &[])),
    ];
    let delta = |index: usize, text: Value| {
        let content = json!([{"index": index, "type": "text", "text": text}]);
        let data =
            json!({"id": "msg_1", "object": "thread.message.delta", "delta": {"content": content}});
        Event::named("thread.message.delta", data)
    };
    for (index, block) in choice.blocks.iter().enumerate() {
        for (place, piece) in block.deltas(&mut answer.random).into_iter().enumerate() {
            events.push(match place {
                0 => delta(index, json!({"value": piece, "annotations": []})),
                _ => delta(index, json!({"value": piece})),
            });
        }
        for annotation in annotations(block) {
            events.push(delta(index, json!({"annotations": [annotation]})));
        }
    }
    let done = message("completed", &contents(&choice.blocks));
    events.push(Event::named("thread.message.completed", done));
    events.push(Event::named(
        "thread.run.completed",
        run_object("completed"),
    ));
    events.push(Event::named("done", Value::Null));
    events.last_mut().expect("an event").data = None;
    events
}

fn messages(answer: &mut Answer) -> Vec<Event> {
    let message = message("completed", &contents(&answer.first().blocks));
    let page = json!({"object": "list", "data": [message], "first_id": "msg_1", "last_id": "msg_1", "has_more": false});
    vec![Event::plain(page)]
}
