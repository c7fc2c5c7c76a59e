//! Anthropic Messages.

use super::{Findings, Found, Shape, channel, read_error, read_part, string};
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    read_part(found, |found| read_event(event, found));
}

fn read_event<'a>(event: &'a RawValue, found: &mut Findings<'a>) -> Result<(), Found<'a>> {
    let [kind, index, delta, block] =
        json::members(event, ["type", "index", "delta", "content_block"]);
    let kind = kind.and_then(json::text);
    match kind.as_deref().unwrap_or_default() {
        "content_block_start" => read_text(index, block, Shape::Start, found)?,
        "content_block_delta" => read_text(index, delta, Shape::Delta, found)?,
        "content_block_stop" => found.push(Found::ChannelEnd(channel(index)?)),
        "message_stop" => found.push(Found::End),
        _ => read_error(event, found),
    }
    Ok(())
}

/// What a block begins with or a delta adds.
fn read_text<'a>(
    index: Option<&RawValue>,
    value: Option<&'a RawValue>,
    shape: Shape,
    found: &mut Findings<'a>,
) -> Result<(), Found<'a>> {
    let Some(value) = value else { return Ok(()) };
    let [kind, text, thinking, json] =
        json::members(value, ["type", "text", "thinking", "partial_json"]);
    let channel = channel(index)?;
    let kind = kind.and_then(json::text);
    let content = match kind.as_deref() {
        None | Some("text" | "text_delta") => {
            string(text).map(|text| Found::Text(channel, text, shape))
        }
        Some("thinking" | "thinking_delta") => {
            string(thinking).map(|text| Found::Reasoning(channel, text))
        }
        Some("input_json_delta") => string(json).map(|text| Found::ToolCall(channel, text)),
        Some(_) => None,
    };
    found.extend(content);
    Ok(())
}
