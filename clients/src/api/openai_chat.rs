//! OpenAI chat completions and legacy completions.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::{Api, Numbers};
use crate::answer::{Answer, Block, Choice};
use crate::event::Event;

pub(super) const CHUNK: &[&str] = &["choices.*.delta.content", "choices.*.delta.refusal"];
pub(super) const MESSAGE: &[&str] = &["choices.*.message.content", "choices.*.message.refusal"];
const TEXT: &[&str] = &["choices.*.text"];

pub(super) static APIS: [Api; 4] = [
    Api::stream("openai-chat", Format::OpenAiChat, CHUNK, chunks)
        .numbers(Numbers::Index)
        .choices(3),
    Api::body("openai-chat", Format::OpenAiChat, MESSAGE, message)
        .numbers(Numbers::Index)
        .choices(3),
    Api::stream("openai-completions", Format::OpenAiChat, TEXT, completions)
        .numbers(Numbers::Index)
        .choices(3),
    Api::body("openai-completions", Format::OpenAiChat, TEXT, completion)
        .numbers(Numbers::Index)
        .choices(3),
];

pub(super) const REASONS: [&str; 3] = ["tool_calls", "length", "stop"];

pub(super) fn usage() -> Value {
    json!({"prompt_tokens": 11, "completion_tokens": 42, "total_tokens": 53})
}

fn envelope(object: &str, choices: Value) -> Value {
    json!({"id": "chatcmpl-1", "object": object, "created": 1_790_000_000, "model": "gpt-x",
           "system_fingerprint": "fp_1", "choices": choices})
}

pub(super) fn chunk(choice: &Value) -> Event {
    Event::plain(envelope("chat.completion.chunk", json!([choice])))
}

fn annotations(block: &Block) -> Vec<Value> {
    let all = block.cited.iter().map(|cited| {
        json!({"type": "url_citation", "url_citation": {"start_index": cited.start, "end_index": cited.end,
               "url": "https://e.example/1", "title": "One"}})
    });
    all.collect()
}

/// The deltas of a choice after its role, the last with the reason for its end.
pub(super) fn deltas(choice: &Choice, index: usize, answer: &mut Answer) -> Vec<Event> {
    let block = choice.joined();
    let mut deltas = Vec::new();
    let name = if choice.refuses { "refusal" } else { "content" };
    for piece in block.deltas(&mut answer.random) {
        deltas.push(json!({name: piece}));
    }
    let cited = annotations(&block);
    if !cited.is_empty() && !choice.refuses {
        deltas.push(json!({"annotations": cited}));
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        deltas.push(json!({"tool_calls": [{"index": number, "id": format!("call_{number}"), "type": "function",
                           "function": {"name": tool, "arguments": ""}}]}));
        for piece in crate::answer::pieces(&arguments.to_string(), &mut answer.random) {
            deltas
                .push(json!({"tool_calls": [{"index": number, "function": {"arguments": piece}}]}));
        }
    }
    let part = |delta, finish: Option<&str>| {
        chunk(&json!({"index": index, "delta": delta, "logprobs": null, "finish_reason": finish}))
    };
    let mut events: Vec<Event> = deltas.into_iter().map(|delta| part(delta, None)).collect();
    let reason = choice.finish(REASONS);
    events.push(part(json!({}), Some(reason)));
    events
}

/// Events of several lists, in the order of each.
pub(super) fn shuffled(mut lists: Vec<Vec<Event>>, answer: &mut Answer) -> Vec<Event> {
    lists.iter_mut().for_each(|list| list.reverse());
    let mut events = Vec::new();
    while !lists.iter().all(Vec::is_empty) {
        let list = answer.random.below(lists.len());
        events.extend(lists[list].pop());
    }
    events
}

fn chunks(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.clone();
    let start = |index| {
        chunk(
            &json!({"index": index, "delta": {"role": "assistant", "content": "", "refusal": null},
                      "logprobs": null, "finish_reason": null}),
        )
    };
    let mut events: Vec<Event> = (0..choices.len()).map(start).collect();
    let each = choices.iter().enumerate();
    let lists = each.map(|(index, choice)| deltas(choice, index, answer));
    let lists = lists.collect();
    events.extend(shuffled(lists, answer));
    let mut last = envelope("chat.completion.chunk", json!([]));
    last["usage"] = usage();
    events.extend([Event::plain(last), Event::DONE]);
    events
}

/// The members of a message that is not streamed.
pub(super) fn whole(choice: &Choice) -> Value {
    let block = choice.joined();
    let (content, refusal) = match choice.refuses {
        true => (Value::Null, json!(block.text)),
        false => (json!(block.text), Value::Null),
    };
    let mut message = json!({"role": "assistant", "content": content, "refusal": refusal});
    if !choice.refuses {
        message["annotations"] = json!(annotations(&block));
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
    message
}

fn message(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.iter().enumerate().map(|(index, choice)| {
        json!({"index": index, "message": whole(choice), "logprobs": null,
               "finish_reason": choice.finish(REASONS)})
    });
    let mut body = envelope("chat.completion", choices.collect());
    body["usage"] = usage();
    vec![Event::plain(body)]
}

fn text_choice(index: usize, text: &str, finish: Option<&str>) -> Value {
    json!({"text": text, "index": index, "logprobs": null, "finish_reason": finish})
}

fn completions(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.clone();
    let mut lists = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        let mut texts = choice.joined().deltas(&mut answer.random);
        // Some servers give the reason beside the last text, some after it.
        if answer.random.one_in(2) {
            texts.push(String::new());
        }
        let last = texts.len() - 1;
        let events = texts.iter().enumerate().map(|(place, text)| {
            let finish = (place == last).then_some(if choice.is_cut { "length" } else { "stop" });
            Event::plain(envelope(
                "text_completion",
                json!([text_choice(index, text, finish)]),
            ))
        });
        lists.push(events.collect());
    }
    let mut events = shuffled(lists, answer);
    let mut last = envelope("text_completion", json!([]));
    last["usage"] = usage();
    events.extend([Event::plain(last), Event::DONE]);
    events
}

fn completion(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.iter().enumerate();
    let choices =
        choices.map(|(index, choice)| text_choice(index, &choice.joined().text, Some("stop")));
    let mut body = envelope("text_completion", choices.collect());
    body["usage"] = usage();
    vec![Event::plain(body)]
}
