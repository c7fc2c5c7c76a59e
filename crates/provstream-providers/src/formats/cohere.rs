//! Cohere chat, version 2.

use super::{Findings, Found, Shape, channel, message, read_error, read_part, string};
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    read_part(found, |found| read_event(event, found));
}

fn read_event<'a>(event: &'a RawValue, found: &mut Findings<'a>) -> Result<(), Found<'a>> {
    let [kind, index, delta] = json::members(event, ["type", "index", "delta"]);
    let kind = kind.and_then(json::text);
    let inner = |path: &[&str]| delta.and_then(|delta| json::at(delta, path));
    match kind.as_deref().unwrap_or_default() {
        start @ ("content-start" | "content-delta") => {
            let channel = channel(index)?;
            let [text, thinking] = inner(&["message", "content"]).map_or([None; 2], |content| {
                json::members(content, ["text", "thinking"])
            });
            let shape = if start == "content-start" {
                Shape::Start
            } else {
                Shape::Delta
            };
            found.extend(string(thinking).map(|text| Found::Reasoning(channel, text)));
            found.extend(string(text).map(|text| Found::Text(channel, text, shape)));
        }
        "content-end" => found.push(Found::ChannelEnd(channel(index)?)),
        "tool-plan-delta" => {
            let channel = channel(index)?;
            let plan = string(inner(&["message", "tool_plan"]));
            found.extend(plan.map(|text| Found::Reasoning(channel, text)));
        }
        "tool-call-start" | "tool-call-delta" => {
            let channel = channel(index)?;
            let arguments = inner(&["message", "tool_calls", "function", "arguments"]);
            found.extend(string(arguments).map(|text| Found::ToolCall(channel, text)));
        }
        "citation-start" => {
            let channel = channel(json::at(
                event,
                &["delta", "message", "citations", "content_index"],
            ))?;
            let cited = string(inner(&["message", "citations", "text"]));
            found.extend(cited.map(|text| Found::Repeat(channel, text)));
        }
        "message-end" => {
            let error = inner(&["error"]).filter(|error| json::is_set(Some(error)));
            found.extend(error.map(|error| Found::Error(message(error))));
            found.push(Found::End);
        }
        _ => read_error(event, found),
    }
    Ok(())
}
