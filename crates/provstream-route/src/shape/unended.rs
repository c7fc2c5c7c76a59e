//! Events without the provider's own end, for a stream that goes on or that the policy ends.

use serde_json::Value;

use crate::tracker::EventFraming;

/// Removes the ends from complete events: those that say nothing else, and the members that are an end from the others.
/// Elements of an array stay, because no response can follow one.
pub(crate) fn without_ends(events: &[u8], framing: EventFraming) -> Vec<u8> {
    match framing {
        EventFraming::Array(_) => events.to_vec(),
        EventFraming::Lines => {
            let lines = events.split_inclusive(|byte| *byte == b'\n');
            lines.flat_map(|line| unended(&[line])).collect()
        }
        EventFraming::Sse => {
            let (mut kept, mut block) = (Vec::with_capacity(events.len()), Vec::new());
            for line in events.split_inclusive(|byte| *byte == b'\n') {
                block.push(line);
                if line.trim_ascii().is_empty() {
                    kept.extend(unended(&block));
                    block.clear();
                }
            }
            kept.extend(block.concat());
            kept
        }
    }
}

/// Returns the lines of an event without its end; nothing if it is only an end. Data over several lines stay.
fn unended(lines: &[&[u8]]) -> Vec<u8> {
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
    match remove_end(&mut event) {
        Removed::Nothing => lines.concat(),
        Removed::Event => Vec::new(),
        Removed::Members => {
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
enum Removed {
    Nothing,
    /// Some members were the end.
    Members,
    /// The whole event is the end.
    Event,
}

/// Removes the members of an event that are the end of its stream or of a text.
fn remove_end(event: &mut Value) -> Removed {
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
    if is_end || is_bedrock {
        return Removed::Event;
    }
    let mut is_removed = false;
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
        true => Removed::Members,
        false => Removed::Nothing,
    }
}
