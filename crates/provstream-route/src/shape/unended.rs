//! Events without the provider's own end and without what they begin, for a stream that goes on or that the policy ends.

use serde_json::Value;

use crate::tracker::{EventFraming, Tracker};

/// Removes the ends and the beginnings of tool calls and other content from complete events: those that say nothing else, and
/// such members of the others. Elements of an array stay, because no response can follow one. The tracker has read the events.
pub(crate) fn without_ends(events: &[u8], tracker: &mut Tracker) -> Vec<u8> {
    match tracker.envelope {
        EventFraming::Array(_) => events.to_vec(),
        EventFraming::Lines => {
            let lines = events.split_inclusive(|byte| *byte == b'\n');
            lines.flat_map(|line| unended(&[line], tracker)).collect()
        }
        EventFraming::Sse => {
            let (mut kept, mut block) = (Vec::with_capacity(events.len()), Vec::new());
            for line in events.split_inclusive(|byte| *byte == b'\n') {
                block.push(line);
                if line.trim_ascii().is_empty() {
                    kept.extend(unended(&block, tracker));
                    block.clear();
                }
            }
            kept.extend(block.concat());
            kept
        }
    }
}

/// Returns the lines of an event without its end and without what it begins; nothing if it is only that. Data over several lines
/// stay.
fn unended(lines: &[&[u8]], tracker: &mut Tracker) -> Vec<u8> {
    let data_of = |line: &[u8]| {
        let is_json = line.starts_with(b"{");
        let len = if is_json { 0 } else { b"data:".len() };
        (is_json || line.starts_with(b"data:")).then(|| line.split_at(len).1.trim_ascii().to_vec())
    };
    let mut with_data = lines.iter().enumerate();
    let found = with_data.find_map(|(place, line)| Some((place, data_of(line)?)));
    let has_more = with_data.any(|(_, line)| data_of(line).is_some());
    let Some((place, data)) = found.filter(|_| !has_more) else {
        return lines.concat();
    };
    if data == b"[DONE]" {
        return Vec::new();
    }
    let Ok(mut event) = serde_json::from_slice(&data) else {
        return lines.concat();
    };
    if let Some(index) = begun(&event) {
        tracker.forget(index);
        return Vec::new();
    }
    match remove_end(&mut event) {
        RemovedEnd::Nothing => lines.concat(),
        RemovedEnd::Event => Vec::new(),
        RemovedEnd::Members => {
            let prefix = if lines[place].starts_with(b"{") {
                ""
            } else {
                "data: "
            };
            let line = format!("{prefix}{event}\n");
            let (before, after) = (&lines[..place], &lines[place + 1..]);
            [&before.concat(), line.as_bytes(), &after.concat()].concat()
        }
    }
}

/// End that an event had.
enum RemovedEnd {
    Nothing,
    /// Some members were the end.
    Members,
    /// The whole event is the end.
    Event,
}

/// Removes the members of an event that are the end of its stream or of a text.
fn remove_end(event: &mut Value) -> RemovedEnd {
    const ENDS: [&str; 6] = [
        "message_delta",
        "message_stop",
        "message-end",
        "response.completed",
        "finish-step",
        "finish",
    ];
    let is_end = event["type"]
        .as_str()
        .is_some_and(|kind| ENDS.contains(&kind));
    // Bedrock's frames have no names.
    let is_bedrock = event["messageStop"].is_object() || event["stopReason"].is_string();
    // Tool calls of Cohere, and of UI messages.
    let is_call = event["type"].as_str().is_some_and(|kind| {
        kind == "tool-call-start"
            || kind.starts_with("tool-input-")
            || kind.starts_with("tool-output-")
    });
    if is_end || is_bedrock || is_call {
        return RemovedEnd::Event;
    }
    let mut is_removed = remove_calls(event);
    for (list, name) in [("choices", "finish_reason"), ("candidates", "finishReason")] {
        let elements = event.get_mut(list).and_then(Value::as_array_mut);
        for element in elements.into_iter().flatten() {
            if let Some(reason) = element.get_mut(name).filter(|reason| reason.is_string()) {
                *reason = Value::Null;
                is_removed = true;
            }
        }
    }
    for name in ["done", "stop"] {
        if let Some(end) = event.get_mut(name).filter(|end| **end == true) {
            *end = false.into();
            is_removed = true;
        }
    }
    if is_removed && let Some(event) = event.as_object_mut() {
        event.remove("done_reason");
        event.remove("stop_type");
    }
    match is_removed {
        true => RemovedEnd::Members,
        false => RemovedEnd::Nothing,
    }
}

/// Returns the number of the block or item that an event begins, if that is not for text.
fn begun(event: &Value) -> Option<u32> {
    let (kind, index) = match event["type"].as_str() {
        Some("content_block_start") => (&event["content_block"]["type"], &event["index"]),
        Some("response.output_item.added") => (&event["item"]["type"], &event["output_index"]),
        Some(_) => return None,
        None => {
            let start = match event["contentBlockStart"].is_object() {
                true => &event["contentBlockStart"],
                false => event,
            };
            let is_call = start["start"]["toolUse"].is_object();
            let index = start["contentBlockIndex"].as_u64().unwrap_or_default();
            return is_call.then(|| index.try_into().ok()).flatten();
        }
    };
    let is_text = kind
        .as_str()
        .is_none_or(|kind| matches!(kind, "text" | "message"));
    let index = index.as_u64().unwrap_or_default();
    (!is_text).then(|| index.try_into().ok()).flatten()
}

/// Removes tool calls from an event that may have text, too; whether there were any.
fn remove_calls(event: &mut Value) -> bool {
    const CALLS: [&str; 2] = ["tool_calls", "function_call"];
    let mut is_removed = false;
    let mut remove = |message: Option<&mut Value>| {
        if let Some(message) = message.and_then(Value::as_object_mut) {
            for name in CALLS {
                is_removed |= message.remove(name).is_some_and(|calls| !calls.is_null());
            }
        }
    };
    let choices = event.get_mut("choices").and_then(Value::as_array_mut);
    choices
        .into_iter()
        .flatten()
        .for_each(|choice| remove(choice.get_mut("delta")));
    remove(event.get_mut("message"));
    let candidates = event.get_mut("candidates").and_then(Value::as_array_mut);
    for candidate in candidates.into_iter().flatten() {
        if let Some(parts) = candidate
            .pointer_mut("/content/parts")
            .and_then(Value::as_array_mut)
        {
            let before = parts.len();
            parts.retain(|part| part.get("functionCall").is_none());
            is_removed |= parts.len() < before;
        }
    }
    is_removed
}
