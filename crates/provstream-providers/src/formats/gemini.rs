//! Gemini `streamGenerateContent`.

use super::{Findings, Found, Shape, channel, read_error, read_part, string};
use crate::json::{self, RawValue};

pub(super) fn read<'a>(event: &'a RawValue, found: &mut Findings<'a>) {
    json::elements(json::member(event, "candidates"), |candidate| {
        read_part(found, |found| read_candidate(candidate, found));
    });
    read_error(event, found);
}

/// A finish reason is no end: each event of the last ones may have one, and the connection's end is what counts.
fn read_candidate<'a>(candidate: &'a RawValue, found: &mut Findings<'a>) -> Result<(), Found<'a>> {
    let [index, content, grounding] =
        json::members(candidate, ["index", "content", "groundingMetadata"]);
    let channel = channel(index)?;
    let parts = content.and_then(|content| json::member(content, "parts"));
    json::elements(parts, |part| {
        let [text, thought, call] = json::members(part, ["text", "thought", "functionCall"]);
        let is_thought = thought.is_some_and(|thought| thought.get() == "true");
        found.extend(string(text).map(|text| {
            if is_thought {
                Found::Reasoning(channel, text)
            } else {
                Found::Text(channel, text, Shape::Delta)
            }
        }));
        let arguments = call.and_then(|call| json::member(call, "args"));
        found.extend(arguments.map(|json| Found::ToolCallJson(channel, json.get())));
    });
    let supports = grounding.and_then(|grounding| json::member(grounding, "groundingSupports"));
    json::elements(supports, |support| {
        let text = string(json::at(support, &["segment", "text"]));
        found.extend(text.map(|text| Found::Repeat(channel, text)));
    });
    Ok(())
}
