//! Event streams of every provider's format, in every envelope, with annotations cut over deltas.

use provstream_providers::Format;

use super::words::word;
use super::{Choices, MOST, text};

/// Events that have text, `@`, of a channel, `#`.
const fn deltas(format: Format) -> &'static [&'static str] {
    match format {
        Format::OpenAiChat => &[
            r##"{"id":"c","object":"chat.completion.chunk","choices":[{"index":#,"delta":{"content":"@"},"finish_reason":null}]}"##,
            r##"{"choices":[{"index":#,"delta":{"role":"assistant","content":"@"}}],"usage":{"total_tokens":3}}"##,
            r##"{"choices":[{"index":#,"delta":{"content":"@"},"finish_reason":"stop"}]}"##,
            r##"{"choices":[{"index":#,"delta":{"content":"@"}},{"index":1,"delta":{"content":"@","reasoning":"r"}}]}"##,
            r##"{"choices":[{"index":#,"delta":{"content":"@"},"message":{"content":"@"}}]}"##,
        ],
        Format::OpenAiResponses => &[
            r##"{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":#,"sequence_number":7,"delta":"@","logprobs":[]}"##,
        ],
        Format::Anthropic => &[
            r##"{"type":"content_block_delta","index":#,"delta":{"type":"text_delta","text":"@"}}"##,
            r##"{"type":"content_block_start","index":#,"content_block":{"type":"text","text":"@"}}"##,
            r##"{"index":#,"type":"content_block_delta","delta":{"text":"@","type":"text_delta"}}"##,
        ],
        Format::Gemini => &[
            r##"{"candidates":[{"index":#,"content":{"role":"model","parts":[{"text":"@"}]}}]}"##,
            r##"{"candidates":[{"index":#,"content":{"parts":[{"text":"@"},{"text":"@","thought":true},{"text":"@"}]},"finishReason":"STOP"}],"usageMetadata":{"n":3}}"##,
        ],
        Format::Ollama => &[
            r##"{"model":"m","message":{"role":"assistant","content":"@"},"done":false}"##,
            r##"{"response":"@","done":false}"##,
            r##"{"message":{"content":"@"},"done":true}"##,
        ],
        _ => &[
            r##"{"type":"content-delta","index":#,"delta":{"message":{"content":{"text":"@"}}}}"##,
            r##"{"type":"content-start","index":#,"delta":{"message":{"content":{"type":"text","text":"@"}}}}"##,
        ],
    }
}

/// Events that have something else.
const fn others(format: Format) -> &'static [&'static str] {
    match format {
        Format::OpenAiChat => &[
            r##"{"choices":[{"index":#,"delta":{},"finish_reason":"stop"}]}"##,
            r##"{"choices":[{"index":#,"delta":{"content":null,"reasoning_content":"@"}}]}"##,
            r##"{"choices":[{"index":#,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]}}]}"##,
            r##"{"choices":[],"usage":{"total_tokens":3}}"##,
            r##"{"error":{"message":"@"}}"##,
            "[DONE]",
        ],
        Format::OpenAiResponses => &[
            r##"{"type":"response.output_text.done","output_index":0,"content_index":#,"text":"@"}"##,
            r##"{"type":"response.content_part.done","output_index":0,"content_index":#,"part":{"type":"output_text","text":"@"}}"##,
            r##"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"@"}]}}"##,
            r##"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"@"}]}]}}"##,
            r##"{"type":"response.failed","response":{"error":{"message":"@"},"output":[]}}"##,
            r##"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"@"}"##,
            r##"{"type":"response.function_call_arguments.delta","output_index":#,"delta":"@"}"##,
        ],
        Format::Anthropic => &[
            r##"{"type":"content_block_stop","index":#}"##,
            r##"{"type":"content_block_delta","index":#,"delta":{"type":"thinking_delta","thinking":"@"}}"##,
            r##"{"type":"content_block_delta","index":#,"delta":{"type":"input_json_delta","partial_json":"@"}}"##,
            r##"{"type":"ping"}"##,
            r##"{"type":"error","error":{"type":"overloaded_error","message":"@"}}"##,
            r##"{"type":"message_stop"}"##,
        ],
        Format::Gemini => &[
            r##"{"candidates":[{"index":#,"groundingMetadata":{"groundingSupports":[{"segment":{"text":"@"}}]}}]}"##,
            r##"{"candidates":[{"index":#,"content":{"parts":[{"functionCall":{"args":{"q":"@"}}}]}}]}"##,
            r##"{"error":{"code":503,"message":"@"}}"##,
        ],
        Format::Ollama => &[
            r##"{"message":{"content":"","thinking":"@"},"done":false}"##,
            r##"{"message":{"tool_calls":[{"function":{"arguments":{"q":"@"}}}]},"done":false}"##,
            r##"{"error":"@"}"##,
            r##"{"done":true,"eval_count":3}"##,
        ],
        _ => &[
            r##"{"type":"content-end","index":#}"##,
            r##"{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"@"}}}"##,
            r##"{"type":"tool-call-delta","index":#,"delta":{"message":{"tool_calls":{"function":{"arguments":"@"}}}}}"##,
            r##"{"type":"citation-start","index":0,"delta":{"message":{"citations":{"text":"@","content_index":#}}}}"##,
            r##"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"##,
            r##"{"type":"message-end","delta":{"error":"@"}}"##,
        ],
    }
}

/// A stream of one format, but for an event of another one now and then.
pub(super) fn stream(choices: &mut Choices<'_>, out: &mut Vec<u8>) {
    let own = choices.pick(&Format::ALL);
    let envelope = choices.below(6);
    let end = choices.pick(&["\n", "\r\n", "\r"]);
    if choices.one_in(12) {
        out.extend_from_slice(choices.pick(&["\u{feff}", " ", "\n\n"]).as_bytes());
    }
    let mut left: Vec<char> = Vec::new();
    let mut first = true;
    while choices.go_on() && out.len() < MOST {
        let format = if choices.one_in(16) {
            choices.pick(&Format::ALL)
        } else {
            own
        };
        let template = match choices.below(4) {
            0 => choices.pick(others(format)),
            _ => choices.pick(deltas(format)),
        };
        let event = fill(choices, template, &mut left);
        match envelope {
            0 => {
                out.extend_from_slice(event.as_bytes());
                out.extend_from_slice(end.as_bytes());
            }
            1 => {
                out.extend_from_slice(if first { b"[" } else { b",\n" });
                out.extend_from_slice(event.as_bytes());
            }
            _ => server_sent(choices, &event, end, out),
        }
        first = false;
    }
    if envelope == 1 && !choices.one_in(8) {
        out.push(b']');
    }
}

/// An event in its lines, with what may stand between events.
fn server_sent(choices: &mut Choices<'_>, event: &str, end: &str, out: &mut Vec<u8>) {
    let mut line = |line: &str| {
        out.extend_from_slice(line.as_bytes());
        out.extend_from_slice(end.as_bytes());
    };
    match choices.below(12) {
        1 => line(": keep-alive"),
        2 => line("event: delta"),
        3 => line(choices.pick(&["id: 7", "id", "id: 7\0"])),
        4 => line("retry: 30"),
        5 => line(""),
        6 => line("data: {not json"),
        7 => line("data"),
        _ => {}
    }
    // Between members an event may have a line end.
    match event.split_once(",\"") {
        Some((head, tail)) if choices.one_in(10) => {
            line(&format!("data: {head},"));
            line(&format!("data:\"{tail}"));
        }
        _ => line(&format!("data: {event}")),
    }
    if !choices.one_in(24) {
        line("");
    }
}

/// An event with its channel and the next pieces of text.
fn fill(choices: &mut Choices<'_>, template: &str, left: &mut Vec<char>) -> String {
    let channel = choices.pick(&["0", "0", "0", "0", "1", "2", "null", "-1", "4294967296"]);
    let mut event = String::new();
    for char in template.chars() {
        match char {
            '#' => event += channel,
            '@' => content(choices, left, &mut event),
            other => event.push(other),
        }
    }
    event
}

/// The next piece of the text that is streamed, as the content of a JSON string.
fn content(choices: &mut Choices<'_>, left: &mut Vec<char>, out: &mut String) {
    if left.is_empty() {
        let mut more = Vec::new();
        text::some(choices, &mut more);
        if choices.one_in(6) {
            more.extend_from_slice(word(choices));
        }
        more.truncate(300);
        left.extend(String::from_utf8_lossy(&more).chars());
    }
    let count = [2, 5, 9, 20, 60, 1, 0, 300][choices.below(8)].min(left.len());
    let escapes = choices.one_in(5);
    for char in left.drain(..count) {
        if escapes && (!char.is_ascii() || char == '[' || char == ' ') {
            for unit in char.encode_utf16(&mut [0; 2]) {
                *out += &format!("\\u{unit:04x}");
            }
        } else {
            let quoted = serde_json::Value::from(char.to_string()).to_string();
            *out += quoted.get(1..quoted.len() - 1).unwrap_or_default();
        }
    }
    if choices.one_in(16) {
        *out += choices.pick(&["\\ud83d", "\\ude00", "\\/", "\\u0041", "\\ud83d\\ude00"]);
    }
}
