//! OpenAI chat completions.

use super::{Findings, Found, Shape, number, read_error, read_part, string};
use crate::Channel;
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    json::elements(json::member(event, "choices"), |choice| {
        read_part(found, |found| read_choice(choice, found));
    });
    read_error(event, found);
}

fn read_choice<'a>(choice: &'a RawValue, found: &mut Findings<'a>) -> Result<(), Found<'a>> {
    let [index, delta, message, finish] =
        json::members(choice, ["index", "delta", "message", "finish_reason"]);
    let index = number(index)?;
    let channel = Channel::new(index);
    if let Some(delta) = delta {
        let names = ["content", "reasoning_content", "reasoning", "tool_calls"];
        let [content, reasoning_content, reasoning, tool_calls] = json::members(delta, names);
        // Where a server writes both, they are the same.
        let reasoning = string(reasoning_content).or(string(reasoning));
        found.extend(reasoning.map(|text| Found::Reasoning(channel, text)));
        let content = string(content);
        found.extend(content.map(|text| Found::Text(channel, text, Shape::Delta)));
        json::elements(tool_calls, |call| {
            read_part(found, |found| read_call(index, call, found));
        });
    }
    // Some servers repeat in each event what there is so far.
    let so_far = string(message.and_then(|message| json::member(message, "content")));
    found.extend(so_far.map(|text| Found::Repeat(channel, text)));
    if json::is_set(finish) {
        found.push(Found::ChannelEnd(channel));
    }
    Ok(())
}

fn read_call<'a>(
    choice: u32,
    call: &'a RawValue,
    found: &mut Findings<'a>,
) -> Result<(), Found<'a>> {
    let [index, function] = json::members(call, ["index", "function"]);
    let channel = Channel::with_part(choice, number(index)?);
    let arguments = function.and_then(|function| json::member(function, "arguments"));
    found.extend(string(arguments).map(|text| Found::ToolCall(channel, text)));
    Ok(())
}
