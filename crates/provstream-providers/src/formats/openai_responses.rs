//! OpenAI Responses.

use super::{Findings, Found, Shape, message, number, read_error, read_part, string};
use crate::Channel;
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    read_part(found, |found| read_event(event, found));
}

fn read_event<'a>(event: &'a RawValue, found: &mut Findings<'a>) -> Result<(), Found<'a>> {
    let kind = json::member(event, "type").and_then(json::text);
    match kind.as_deref().unwrap_or_default() {
        "response.output_text.delta" => {
            let [delta] = json::members(event, ["delta"]);
            let channel = part(event, "content_index")?;
            found.extend(string(delta).map(|text| Found::Text(channel, text, Shape::Delta)));
        }
        "response.output_text.done" => {
            let channel = part(event, "content_index")?;
            repeat(channel, json::member(event, "text"), found);
            found.push(Found::ChannelEnd(channel));
        }
        "response.content_part.done" => {
            let channel = part(event, "content_index")?;
            repeat(channel, json::at(event, &["part", "text"]), found);
        }
        "response.output_item.done" => {
            let [item, index] = json::members(event, ["item", "output_index"]);
            let index = number(index)?;
            repeat_item(index, item, found);
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            let [output, error] = json::member(event, "response").map_or([None; 2], |response| {
                json::members(response, ["output", "error"])
            });
            let mut index = 0;
            json::elements(output, |item| {
                repeat_item(index, Some(item), found);
                index = index.saturating_add(1);
            });
            let error = error.filter(|error| json::is_set(Some(error)));
            found.extend(error.map(|error| Found::Error(message(error))));
            found.push(Found::End);
        }
        "response.reasoning_text.delta" => {
            let channel = part(event, "content_index")?;
            let delta = string(json::member(event, "delta"));
            found.extend(delta.map(|text| Found::Reasoning(channel, text)));
        }
        "response.reasoning_summary_text.delta" => {
            let channel = part(event, "summary_index")?;
            let delta = string(json::member(event, "delta"));
            found.extend(delta.map(|text| Found::Reasoning(channel, text)));
        }
        "response.function_call_arguments.delta"
        | "response.mcp_call_arguments.delta"
        | "response.custom_tool_call_input.delta"
        | "response.code_interpreter_call_code.delta" => {
            let [index, delta] = json::members(event, ["output_index", "delta"]);
            let channel = Channel::new(number(index)?);
            found.extend(string(delta).map(|text| Found::ToolCall(channel, text)));
        }
        _ => read_error(event, found),
    }
    Ok(())
}

/// The channel of an event about a part of an item.
fn part(event: &RawValue, name: &str) -> Result<Channel, Found<'static>> {
    let [index, part] = json::members(event, ["output_index", name]);
    Ok(Channel::with_part(number(index)?, number(part)?))
}

fn repeat<'a>(channel: Channel, text: Option<&'a RawValue>, found: &mut Findings<'a>) {
    found.extend(string(text).map(|text| Found::Repeat(channel, text)));
}

/// The parts of an item that repeat its text; those of other items than messages are no text that a user sees.
fn repeat_item<'a>(index: u32, item: Option<&'a RawValue>, found: &mut Findings<'a>) {
    let [kind, content] = item.map_or([None; 2], |item| json::members(item, ["type", "content"]));
    if kind
        .and_then(json::text)
        .is_some_and(|kind| kind != "message")
    {
        return;
    }
    let mut part = 0;
    json::elements(content, |element| {
        repeat(
            Channel::with_part(index, part),
            json::member(element, "text"),
            found,
        );
        part = part.saturating_add(1);
    });
}
