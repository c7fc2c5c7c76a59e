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
        Format::Cohere => &[
            r##"{"type":"content-delta","index":#,"delta":{"message":{"content":{"text":"@"}}}}"##,
            r##"{"type":"content-start","index":#,"delta":{"message":{"content":{"type":"text","text":"@"}}}}"##,
        ],
        Format::GeminiInteractions => &[
            r##"{"index":#,"delta":{"type":"text","text":"@"},"event_type":"step.delta"}"##,
            r##"{"event_type":"content.delta","delta":{"text":"@","type":"text"},"index":#}"##,
            r##"{"index":#,"step":{"type":"model_output","content":[{"type":"text","text":"@"}]},"event_type":"step.start"}"##,
            r##"{"index":#,"content":{"type":"text","text":"@"},"event_type":"content.start"}"##,
        ],
        Format::MistralConversations => &[
            r##"{"type":"message.output.delta","output_index":#,"content_index":0,"role":"assistant","content":"@"}"##,
            r##"{"type":"message.output.delta","output_index":#,"content_index":1,"content":{"type":"text","text":"@"}}"##,
        ],
        Format::LlamaCpp => &[
            r##"{"index":#,"content":"@","tokens":[1,2],"stop":false}"##,
            r##"{"stop":false,"content":"@","index":#}"##,
            r##"{"index":#,"content":"@","stop":true,"stop_type":"limit"}"##,
        ],
        Format::Tgi => &[
            r##"{"index":#,"token":{"id":1,"text":"@","logprob":-0.5,"special":false},"generated_text":null,"details":null}"##,
            r##"{"token":{"special":false,"text":"@"},"generated_text":"@","details":{"finish_reason":"length"}}"##,
        ],
        Format::BedrockConverse => &[
            r##"{"contentBlockDelta":{"delta":{"text":"@"},"contentBlockIndex":#}}"##,
            r##"{"contentBlockIndex":#,"delta":{"text":"@"}}"##,
        ],
        Format::VercelUi => &[
            r##"{"type":"text-delta","id":"#","delta":"@"}"##,
            r##"{"delta":"@","id":"#","type":"text-delta"}"##,
        ],
        _ => panic!("a format without templates"),
    }
}

/// Events that have something else.
#[expect(clippy::too_many_lines, reason = "one arm for each format")]
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
        Format::Cohere => &[
            r##"{"type":"content-end","index":#}"##,
            r##"{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"@"}}}"##,
            r##"{"type":"tool-call-delta","index":#,"delta":{"message":{"tool_calls":{"function":{"arguments":"@"}}}}}"##,
            r##"{"type":"citation-start","index":0,"delta":{"message":{"citations":{"text":"@","content_index":#}}}}"##,
            r##"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"##,
            r##"{"type":"message-end","delta":{"error":"@"}}"##,
        ],
        Format::GeminiInteractions => &[
            r##"{"index":#,"event_type":"step.stop"}"##,
            r##"{"index":#,"delta":{"type":"thought_summary","content":{"type":"text","text":"@"}},"event_type":"step.delta"}"##,
            r##"{"index":#,"delta":{"type":"arguments_delta","arguments":"@"},"event_type":"step.delta"}"##,
            r##"{"index":#,"step":{"type":"function_call"},"event_type":"step.start"}"##,
            r##"{"interaction":{"steps":[{"type":"user_input","content":[{"text":"@"}]},{"type":"model_output","content":[{"text":"@"}]}]},"event_type":"interaction.completed"}"##,
            r##"{"error":{"message":"@"},"event_type":"error"}"##,
        ],
        Format::MistralConversations => &[
            r##"{"type":"conversation.response.started","conversation_id":"c"}"##,
            r##"{"type":"message.output.delta","output_index":#,"content":{"type":"tool_reference","title":"@"}}"##,
            r##"{"type":"message.output.delta","output_index":#,"content":{"type":"thinking","thinking":[{"type":"text","text":"@"}]}}"##,
            r##"{"type":"function.call.delta","output_index":#,"arguments":"@"}"##,
            r##"{"type":"conversation.response.error","message":"@","code":1}"##,
            r##"{"type":"conversation.response.done","usage":{"total_tokens":3}}"##,
        ],
        Format::LlamaCpp => &[
            r##"{"index":#,"content":"","stop":true,"stop_type":"eos","prompt":"@"}"##,
            r##"{"error":{"code":500,"message":"@"}}"##,
        ],
        Format::Tgi => &[
            r##"{"index":#,"token":{"id":2,"text":"@","special":true},"generated_text":"@","details":{"finish_reason":"eos_token"}}"##,
            r##"{"error":"@","error_type":"generation"}"##,
        ],
        Format::BedrockConverse => &[
            r##"{"messageStart":{"role":"assistant"}}"##,
            r##"{"contentBlockStop":{"contentBlockIndex":#}}"##,
            r##"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"t","name":"f"}},"contentBlockIndex":#}}"##,
            r##"{"contentBlockDelta":{"delta":{"toolUse":{"input":"@"}},"contentBlockIndex":#}}"##,
            r##"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"@"}},"contentBlockIndex":#}}"##,
            r##"{"messageStop":{"stopReason":"end_turn"}}"##,
            r##"{"throttlingException":{"message":"@"}}"##,
        ],
        Format::VercelUi => &[
            r##"{"type":"start","messageId":"m"}"##,
            r##"{"type":"text-start","id":"#"}"##,
            r##"{"type":"text-end","id":"#"}"##,
            r##"{"type":"reasoning-delta","id":"r","delta":"@"}"##,
            r##"{"type":"tool-input-start","toolCallId":"c","toolName":"f"}"##,
            r##"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"@"}"##,
            r##"{"type":"error","errorText":"@"}"##,
            r##"{"type":"finish"}"##,
            "[DONE]",
        ],
        _ => panic!("a format without templates"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_templates_that_its_own_evidence_shows() {
        for format in Format::ALL {
            let templates = deltas(format).iter().chain(others(format));
            let found = templates.filter(|template| {
                Format::detect(template.replace('#', "0").as_bytes()) == Some(format)
            });
            assert!(found.count() >= 2, "{format}");
        }
    }
}
