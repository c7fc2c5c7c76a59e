//! Ollama's `/api/chat` and `/api/generate`.

use super::{Findings, Found, Shape, read_error, string};
use crate::Channel;
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    let channel = Channel::new(0);
    let [message, response, thinking, done] =
        json::members(event, ["message", "response", "thinking", "done"]);
    found.extend(string(thinking).map(|text| Found::Reasoning(channel, text)));
    found.extend(string(response).map(|text| Found::Text(channel, text, Shape::Generate)));
    if let Some(message) = message {
        let [content, thinking, calls] =
            json::members(message, ["content", "thinking", "tool_calls"]);
        found.extend(string(thinking).map(|text| Found::Reasoning(channel, text)));
        found.extend(string(content).map(|text| Found::Text(channel, text, Shape::Delta)));
        json::elements(calls, |call| {
            let arguments = json::at(call, &["function", "arguments"]);
            found.extend(arguments.map(|json| Found::ToolCallJson(channel, json.get())));
        });
    }
    read_error(event, found);
    if done.is_some_and(|done| done.get() == "true") {
        found.push(Found::End);
    }
}
