//! Servers of open models: vLLM, llama.cpp and Text Generation Inference.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::openai_chat::{CHUNK, REASONS, chunk, deltas, usage};
use super::{Api, Numbers};
use crate::answer::{Answer, pieces};
use crate::event::Event;

const CONTENT: &[&str] = &["content"];

pub(super) static APIS: [Api; 6] = [
    Api::stream("vllm", Format::OpenAiChat, CHUNK, vllm).numbers(Numbers::Index),
    Api::stream("llama-cpp-chat", Format::OpenAiChat, CHUNK, llama_chat).numbers(Numbers::Index),
    Api::stream("llama-cpp", Format::LlamaCpp, CONTENT, llama),
    Api::body("llama-cpp", Format::LlamaCpp, CONTENT, llama_whole),
    Api::stream("tgi", Format::Tgi, &["token.text"], tgi),
    Api::body("tgi", Format::Tgi, &["*.generated_text"], tgi_whole),
];

/// What an OpenAI-compatible server streams, with members of its own beside each delta.
fn compatible(answer: &mut Answer, add: impl Fn(&mut Value)) -> Vec<Event> {
    let choice = answer.first();
    let start = json!({"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": null, "finish_reason": null});
    let mut events = vec![chunk(&start)];
    for piece in pieces(
        choice.reasoning.as_deref().unwrap_or_default(),
        &mut answer.random,
    ) {
        let delta = json!({"reasoning_content": piece, "reasoning": piece});
        events.push(chunk(
            &json!({"index": 0, "delta": delta, "finish_reason": null}),
        ));
    }
    events.extend(deltas(&choice, 0, answer));
    for event in &mut events {
        add(event.data.as_mut().expect("JSON"));
    }
    let mut last = chunk(&json!({})).data.expect("JSON");
    last["choices"] = json!([]);
    last["usage"] = usage();
    events.extend([Event::plain(last), Event::DONE]);
    events
}

fn vllm(answer: &mut Answer) -> Vec<Event> {
    compatible(answer, |event| {
        let choice = &mut event["choices"][0];
        choice["token_ids"] = json!(null);
        let reason = choice["finish_reason"].as_str() == Some(REASONS[2]);
        choice["stop_reason"] = if reason { json!(151_645) } else { Value::Null };
    })
}

fn llama_chat(answer: &mut Answer) -> Vec<Event> {
    compatible(answer, |event| {
        if !event["choices"][0]["finish_reason"].is_null() {
            event["timings"] = json!({"predicted_n": 42});
        }
    })
}

fn llama(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let texts = choice.joined().deltas(&mut answer.random).into_iter();
    let event = |text: String| json!({"index": 0, "content": text, "tokens": [], "stop": false, "id_slot": 0});
    let mut events: Vec<Event> = texts.map(|text| Event::plain(event(text))).collect();
    let mut last = llama_whole(answer);
    last[0].data.as_mut().expect("JSON")["content"] = json!("");
    events.append(&mut last);
    events
}

fn llama_whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let kind = if choice.is_cut { "limit" } else { "eos" };
    vec![Event::plain(
        json!({"index": 0, "content": choice.joined().text, "tokens": [], "id_slot": 0, "stop": true,
        "model": "m", "tokens_predicted": 42, "tokens_evaluated": 11, "prompt": "[substrate.grep] hello",
        "stop_type": kind, "stopping_word": "", "timings": {"predicted_n": 42}}),
    )]
}

fn details(is_cut: bool) -> Value {
    let reason = if is_cut { "length" } else { "eos_token" };
    json!({"finish_reason": reason, "generated_tokens": 42, "seed": null, "prefill": [], "tokens": []})
}

fn tgi(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let text = choice.joined().text;
    let mut tokens = pieces(&text, &mut answer.random);
    let ends_special = answer.random.one_in(2);
    if ends_special {
        tokens.push("</s>".into());
    }
    let last = tokens.len() - 1;
    let events = tokens.into_iter().enumerate().map(|(place, token)| {
        let special = ends_special && place == last;
        let mut event = json!({"index": place + 1, "token": {"id": place, "text": token, "logprob": -0.25, "special": special},
                               "generated_text": null, "details": null});
        if place == last {
            event["generated_text"] = json!(text);
            event["details"] = details(choice.is_cut);
        }
        Event::plain(event)
    });
    events.collect()
}

fn tgi_whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let body = json!([{"generated_text": choice.joined().text, "details": details(choice.is_cut)}]);
    vec![Event::plain(body)]
}
