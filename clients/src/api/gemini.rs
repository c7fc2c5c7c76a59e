//! Gemini, and Gemini Interactions.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::{Api, Numbers, Unit};
use crate::answer::{Answer, Block, Choice, pieces};
use crate::event::Event;

const TEXT: &[&str] = &["candidates.*.content.parts.*.text"];

pub(super) static APIS: [Api; 4] = [
    bytes(Api::stream("gemini", Format::Gemini, TEXT, stream).choices(2)),
    bytes(Api::body("gemini", Format::Gemini, TEXT, whole).choices(2)),
    bytes(Api::stream(
        "gemini-interactions",
        Format::GeminiInteractions,
        &["event_type=step.delta:delta.text"],
        steps,
    )),
    bytes(Api::body(
        "gemini-interactions",
        Format::GeminiInteractions,
        &["steps.*.content.*.text"],
        interaction,
    ))
    .numbers(Numbers::Places),
];

const fn bytes(mut api: Api) -> Api {
    api.unit = Unit::Bytes;
    api.numbers(Numbers::Index)
}

fn response(index: usize, parts: &Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": index});
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({"candidates": [candidate], "modelVersion": "gemini-x", "responseId": "r1",
           "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 42, "totalTokenCount": 53}})
}

fn grounding(block: &Block) -> Value {
    let supports = block.cited.iter().map(|cited| {
        let (start, end) = block.bytes(*cited);
        json!({"segment": {"startIndex": start, "endIndex": end, "text": block.quote(*cited)}, "groundingChunkIndices": [0]})
    });
    json!({"groundingChunks": [{"web": {"uri": "https://e.example/1", "title": "One"}}],
           "groundingSupports": supports.collect::<Value>()})
}

fn calls(choice: &Choice) -> Vec<Value> {
    let calls = choice.calls.iter();
    let calls =
        calls.map(|(tool, arguments)| json!({"functionCall": {"name": tool, "args": arguments}}));
    calls.collect()
}

const fn reason(choice: &Choice) -> &'static str {
    if choice.is_cut { "MAX_TOKENS" } else { "STOP" }
}

fn candidate(choice: &Choice, index: usize, answer: &mut Answer) -> Vec<Event> {
    let block = choice.joined();
    let mut all: Vec<Vec<Value>> = Vec::new();
    if let Some(reasoning) = &choice.reasoning {
        let texts = pieces(reasoning, &mut answer.random).into_iter();
        all.extend(texts.map(|text| vec![json!({"text": text, "thought": true})]));
    }
    for text in block.deltas(&mut answer.random) {
        let part = json!({"text": text});
        match all.last_mut() {
            // Sometimes two parts an event.
            Some(parts) if answer.random.one_in(8) => parts.push(part),
            _ => all.push(vec![part]),
        }
    }
    let calls = calls(choice);
    match (calls.is_empty(), answer.random.one_in(3)) {
        (true, true) => all.push(vec![json!({"text": ""})]),
        (true, false) => {}
        // A call in the event of the last text, or after it.
        (false, true) => all.last_mut().expect("parts").extend(calls),
        (false, false) => all.push(calls),
    }
    let last = all.len() - 1;
    let events = all.into_iter().enumerate().map(|(place, parts)| {
        let finish = (place == last).then(|| reason(choice));
        let mut event = response(index, &json!(parts), finish);
        if place == last && !block.cited.is_empty() {
            event["candidates"][0]["groundingMetadata"] = grounding(&block);
        }
        Event::plain(event)
    });
    events.collect()
}

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.clone();
    let each = choices.iter().enumerate();
    let lists: Vec<_> = each
        .map(|(index, choice)| candidate(choice, index, answer))
        .collect();
    super::openai_chat::shuffled(lists, answer)
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choices = answer.choices.clone();
    let mut body = response(0, &json!([]), None);
    let all = choices.iter().enumerate().map(|(index, choice)| {
        let block = choice.joined();
        let mut parts = Vec::new();
        parts.extend(
            choice
                .reasoning
                .iter()
                .map(|text| json!({"text": text, "thought": true})),
        );
        parts.push(json!({"text": block.text}));
        parts.extend(calls(choice));
        let mut candidate =
            response(index, &json!(parts), Some(reason(choice)))["candidates"][0].take();
        if !block.cited.is_empty() {
            candidate["groundingMetadata"] = grounding(&block);
        }
        candidate
    });
    body["candidates"] = all.collect();
    vec![Event::plain(body)]
}

fn interaction_object(status: &str) -> Value {
    json!({"id": "v1_1", "object": "interaction", "model": "gemini-x", "status": status,
           "created": "2026-05-28T11:40:00Z", "updated": "2026-05-28T11:40:01Z"})
}

fn usage() -> Value {
    json!({"total_input_tokens": 11, "total_output_tokens": 42, "total_tokens": 53})
}

const fn status(choice: &Choice) -> &'static str {
    match (choice.is_cut, choice.calls.is_empty()) {
        (true, _) => "incomplete",
        (false, true) => "completed",
        (false, false) => "requires_action",
    }
}

fn cited(block: &Block) -> Vec<Value> {
    let all = block.cited.iter().map(|cited| {
        let (start, end) = block.bytes(*cited);
        json!({"type": "url_citation", "start_index": start, "end_index": end, "url": "https://e.example/1", "title": "One"})
    });
    all.collect()
}

fn steps(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![
        json!({"event_type": "interaction.created", "interaction": interaction_object("in_progress")}),
    ];
    let mut index = 0;
    let mut step = |kind: Value, deltas: Vec<Value>| {
        events.push(json!({"event_type": "step.start", "index": index, "step": kind}));
        for delta in deltas {
            events.push(json!({"event_type": "step.delta", "index": index, "delta": delta}));
        }
        events.push(json!({"event_type": "step.stop", "index": index}));
        index += 1;
    };
    if let Some(reasoning) = &choice.reasoning {
        let content = json!({"type": "text", "text": reasoning});
        let deltas = vec![
            json!({"type": "thought_summary", "content": content}),
            json!({"type": "thought_signature", "signature": "c2ln"}),
        ];
        step(json!({"type": "thought"}), deltas);
    }
    for block in &choice.blocks {
        let deltas = block.deltas(&mut answer.random).into_iter();
        let mut deltas: Vec<Value> = deltas
            .map(|text| json!({"type": "text", "text": text}))
            .collect();
        let cited = cited(block);
        if !cited.is_empty() {
            deltas.push(json!({"type": "text_annotation_delta", "annotations": cited}));
        }
        step(json!({"type": "model_output"}), deltas);
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let deltas = pieces(&arguments.to_string(), &mut answer.random).into_iter();
        let deltas = deltas.map(|piece| json!({"type": "arguments_delta", "arguments": piece}));
        let kind = json!({"type": "function_call", "id": format!("fc_{number}"), "name": tool, "arguments": {}});
        step(kind, deltas.collect());
    }
    let mut last = interaction_object(status(&choice));
    last["usage"] = usage();
    events.push(json!({"event_type": "interaction.completed", "interaction": last}));
    let named = |event: Value| {
        let name = event["event_type"].as_str().expect("a type").to_owned();
        Event::named(&name, event)
    };
    let mut events: Vec<Event> = events.into_iter().map(named).collect();
    events.push(Event {
        name: Some("done".into()),
        ..Event::DONE
    });
    events
}

fn interaction(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut steps = Vec::new();
    if let Some(reasoning) = &choice.reasoning {
        steps.push(json!({"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": reasoning}]}));
    }
    // A step for each, as in streams: the parts of one are one text.
    for block in &choice.blocks {
        let part = json!({"type": "text", "text": block.text, "annotations": cited(block)});
        steps.push(json!({"type": "model_output", "content": [part]}));
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        steps.push(json!({"type": "function_call", "id": format!("fc_{number}"), "name": tool, "arguments": arguments}));
    }
    let mut body = interaction_object(status(&choice));
    body["steps"] = json!(steps);
    body["usage"] = usage();
    vec![Event::plain(body)]
}
