//! Separation of a provider's events from their text.

use provstream_providers::Format;
use serde_json::Value;

/// Removes the strings at a path from a value and collects them; `*` stands for every element of an
/// array.
fn take(value: &mut Value, path: &[&str], taken: &mut Vec<String>) {
    match path {
        [] => {
            if let Value::String(text) = value {
                taken.push(std::mem::take(text));
            }
        }
        // Gemini's thoughts are no text.
        _ if value.get("thought").is_some() => {}
        ["*", rest @ ..] => {
            for element in value.as_array_mut().into_iter().flatten() {
                take(element, rest, taken);
            }
        }
        [name, rest @ ..] => {
            if let Some(inner) = value.get_mut(*name) {
                take(inner, rest, taken);
            }
        }
    }
}

/// Paths of the text in the events of a format: of deltas, and of repeated text.
fn paths(format: Format) -> (Vec<&'static str>, Vec<&'static str>) {
    match format {
        Format::OpenAiChat => (
            vec!["choices.*.delta.content"],
            vec!["choices.*.message.content"],
        ),
        Format::OpenAiResponses => (
            vec!["delta"],
            vec![
                "text",
                "part.text",
                "item.content.*.text",
                "response.output.*.content.*.text",
            ],
        ),
        Format::Anthropic => (vec!["delta.text", "content_block.text"], vec![]),
        Format::Gemini => (
            vec!["candidates.*.content.parts.*.text"],
            vec!["candidates.*.groundingMetadata.groundingSupports.*.segment.text"],
        ),
        Format::Ollama => (vec!["message.content", "response"], vec![]),
        Format::Cohere => (
            vec!["delta.message.content.text"],
            vec!["delta.message.citations.text"],
        ),
        Format::GeminiInteractions => (vec!["delta.text"], vec![]),
        Format::MistralConversations => (vec!["content", "content.text"], vec![]),
        Format::LlamaCpp => (vec!["content"], vec![]),
        Format::Tgi => (vec!["token.text"], vec!["generated_text"]),
        Format::BedrockConverse => (vec!["contentBlockDelta.delta.text"], vec![]),
        Format::VercelUi => (vec!["delta"], vec![]),
        other => panic!("{other}"),
    }
}

/// Removes the numbers that are offsets in the text.
fn take_offsets(value: &mut Value) {
    const NAMES: [&str; 6] = [
        "start",
        "end",
        "startIndex",
        "endIndex",
        "start_index",
        "end_index",
    ];
    match value {
        Value::Object(members) => {
            members.retain(|name, member| !(member.is_u64() && NAMES.contains(&name.as_str())));
            // Counted on where an event was added.
            members.remove("sequence_number");
            members.values_mut().for_each(take_offsets);
        }
        Value::Array(elements) => elements.iter_mut().for_each(take_offsets),
        _ => {}
    }
}

/// Splits an event into its value without text and offsets, the texts of deltas, and the repeated
/// texts.
pub fn apart(format: Format, event: &Value) -> (Value, Vec<String>, Vec<String>) {
    let mut event = event.clone();
    let (deltas, repeats) = paths(format);
    let (mut delta, mut repeated) = (Vec::new(), Vec::new());
    let kind = event["type"].as_str().unwrap_or_default().to_owned();
    let is_text = match format {
        Format::OpenAiResponses => kind == "response.output_text.delta",
        Format::VercelUi => kind == "text-delta",
        _ => true,
    };
    for path in deltas.iter().filter(|_| is_text) {
        take(&mut event, &path.split('.').collect::<Vec<_>>(), &mut delta);
    }
    let is_repeat = !kind.contains("reasoning") && !kind.contains("arguments");
    for path in repeats.iter().filter(|_| is_repeat) {
        take(
            &mut event,
            &path.split('.').collect::<Vec<_>>(),
            &mut repeated,
        );
    }
    take_offsets(&mut event);
    (event, delta, repeated)
}
