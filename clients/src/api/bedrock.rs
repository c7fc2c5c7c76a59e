//! Bedrock Converse. Its events are lines of JSON here; they become binary frames after provstream has read them.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::Api;
use crate::answer::{Answer, Choice, pieces};
use crate::event::{Envelope, Event};

pub(super) static APIS: [Api; 2] = [
    frames(Api::stream(
        "bedrock",
        Format::BedrockConverse,
        &["contentBlockDelta.delta.text"],
        stream,
    )),
    Api::body(
        "bedrock",
        Format::BedrockConverse,
        &["output.message.content.*.text"],
        whole,
    ),
];

const fn frames(mut api: Api) -> Api {
    api.envelope = Envelope::Frames;
    api
}

const REASONS: [&str; 3] = ["tool_use", "max_tokens", "end_turn"];

fn usage() -> Value {
    json!({"inputTokens": 11, "outputTokens": 42, "totalTokens": 53})
}

/// The start of each block, if it has one, its deltas, and the block that is not streamed.
fn blocks(choice: &Choice, answer: &mut Answer) -> Vec<(Option<Value>, Vec<Value>, Value)> {
    let mut blocks = Vec::new();
    if let Some(text) = &choice.reasoning {
        let deltas = pieces(text, &mut answer.random).into_iter();
        let mut deltas: Vec<Value> = deltas
            .map(|piece| json!({"reasoningContent": {"text": piece}}))
            .collect();
        deltas.push(json!({"reasoningContent": {"signature": "c2ln"}}));
        let block =
            json!({"reasoningContent": {"reasoningText": {"text": text, "signature": "c2ln"}}});
        blocks.push((None, deltas, block));
    }
    for block in &choice.blocks {
        let deltas = block.deltas(&mut answer.random).into_iter();
        let deltas = deltas.map(|piece| json!({"text": piece}));
        blocks.push((None, deltas.collect(), json!({"text": block.text})));
    }
    for (number, (tool, arguments)) in choice.calls.iter().enumerate() {
        let id = format!("tooluse_{number}");
        let start = json!({"toolUse": {"toolUseId": id, "name": tool}});
        let deltas = pieces(&arguments.to_string(), &mut answer.random).into_iter();
        let deltas = deltas.map(|piece| json!({"toolUse": {"input": piece}}));
        let block = json!({"toolUse": {"toolUseId": id, "name": tool, "input": arguments}});
        blocks.push((Some(start), deltas.collect(), block));
    }
    blocks
}

fn stream(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let mut events = vec![json!({"messageStart": {"role": "assistant"}})];
    for (index, (start, deltas, _)) in blocks(&choice, answer).into_iter().enumerate() {
        if let Some(start) = start {
            events.push(json!({"contentBlockStart": {"start": start, "contentBlockIndex": index}}));
        }
        for delta in deltas {
            events.push(json!({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}));
        }
        events.push(json!({"contentBlockStop": {"contentBlockIndex": index}}));
    }
    events.push(json!({"messageStop": {"stopReason": choice.finish(REASONS)}}));
    events.push(json!({"metadata": {"usage": usage(), "metrics": {"latencyMs": 7}}}));
    events.into_iter().map(Event::plain).collect()
}

fn whole(answer: &mut Answer) -> Vec<Event> {
    let choice = answer.first();
    let content: Vec<Value> = blocks(&choice, answer)
        .into_iter()
        .map(|(_, _, block)| block)
        .collect();
    let message = json!({"role": "assistant", "content": content});
    vec![Event::plain(
        json!({"output": {"message": message}, "stopReason": choice.finish(REASONS), "usage": usage(),
                             "metrics": {"latencyMs": 7}}),
    )]
}
