//! Ollama's chat and generate.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::Api;
use crate::answer::{Answer, pieces};
use crate::event::{Envelope, Event};

const CHAT: &[&str] = &["message.content"];
const GENERATE: &[&str] = &["response"];

pub(super) static APIS: [Api; 4] = [
    lines(Api::stream("ollama-chat", Format::Ollama, CHAT, chat)),
    Api::body("ollama-chat", Format::Ollama, CHAT, chat_whole),
    lines(Api::stream(
        "ollama-generate",
        Format::Ollama,
        GENERATE,
        generate,
    )),
    Api::body("ollama-generate", Format::Ollama, GENERATE, generate_whole),
];

const fn lines(mut api: Api) -> Api {
    api.envelope = Envelope::Lines;
    api
}

fn event(member: &str, value: Value) -> Value {
    json!({"model": "llama-x", "created_at": "2026-11-20T10:00:00.123456Z", member: value, "done": false})
}

fn finished(mut event: Value, is_cut: bool) -> Event {
    event["done"] = json!(true);
    event["done_reason"] = json!(if is_cut { "length" } else { "stop" });
    event["total_duration"] = json!(9_000_000);
    event["prompt_eval_count"] = json!(11);
    event["eval_count"] = json!(42);
    Event::plain(event)
}

fn calls(answer: &Answer) -> Value {
    let calls = answer.choices[0].calls.iter();
    let calls =
        calls.map(|(tool, arguments)| json!({"function": {"name": tool, "arguments": arguments}}));
    calls.collect()
}

fn chat(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let message = |members: Value| {
        let mut message = json!({"role": "assistant", "content": ""});
        let to = message.as_object_mut().expect("an object");
        to.extend(members.as_object().expect("members").clone());
        event("message", message)
    };
    let mut events = Vec::new();
    for piece in pieces(
        choice.reasoning.as_deref().unwrap_or_default(),
        &mut answer.random,
    ) {
        events.push(Event::plain(message(json!({"thinking": piece}))));
    }
    for piece in choice.joined().deltas(&mut answer.random) {
        events.push(Event::plain(message(json!({"content": piece}))));
    }
    if !choice.calls.is_empty() {
        events.push(Event::plain(message(json!({"tool_calls": calls(answer)}))));
    }
    events.push(finished(message(json!({})), choice.is_cut));
    events
}

fn chat_whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut message = json!({"role": "assistant", "content": choice.joined().text});
    if let Some(reasoning) = &choice.reasoning {
        message["thinking"] = json!(reasoning);
    }
    if !choice.calls.is_empty() {
        message["tool_calls"] = calls(answer);
    }
    vec![finished(event("message", message), choice.is_cut)]
}

fn generate(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let pieces = choice.joined().deltas(&mut answer.random).into_iter();
    let mut events: Vec<Event> = pieces
        .map(|piece| Event::plain(event("response", json!(piece))))
        .collect();
    events.push(finished(event("response", json!("")), choice.is_cut));
    events
}

fn generate_whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    vec![finished(
        event("response", json!(choice.joined().text)),
        choice.is_cut,
    )]
}
