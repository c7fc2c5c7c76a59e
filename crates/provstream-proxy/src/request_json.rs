//! Changes to the JSON bodies of requests, by API.

use provstream_providers::Format;
use provstream_route::Draft;
use serde_json::{Value, json};

/// Returns `true` if requests of a format have a member for a system prompt.
pub(crate) const fn takes_prompt(format: Format) -> bool {
    matches!(
        format,
        Format::OpenAiChat
            | Format::Cohere
            | Format::Ollama
            | Format::Anthropic
            | Format::OpenAiResponses
            | Format::Gemini
            | Format::GeminiInteractions
            | Format::MistralConversations
            | Format::BedrockConverse
    )
}

/// Members of Gemini's requests that have two spellings, and the error if a request has both.
const SPELLINGS: [(&str, &str, &str); 2] = [
    (
        "system_instruction",
        "systemInstruction",
        "expected \"system_instruction\" or \"systemInstruction\", found both",
    ),
    (
        "generation_config",
        "generationConfig",
        "expected \"generation_config\" or \"generationConfig\", found both",
    ),
];

/// Returns an error that names both members, if a request has a member in two spellings, of which the API would take one.
pub(crate) fn in_two_spellings(format: Format, request: &Value) -> Option<&'static str> {
    let has = |name: &str| request.get(name).is_some_and(|value| !value.is_null());
    let is_both = |(one, other, _): &&(&str, &str, _)| has(one) && has(other);
    let both = SPELLINGS.iter().find(is_both);
    both.filter(|_| format == Format::Gemini)
        .map(|(_, _, message)| *message)
}

/// Returns the spelling of a member of Gemini's requests that a request has; the second one if it has none.
pub(crate) fn spelling(request: &Value, one: &'static str, other: &'static str) -> &'static str {
    let is_other = request.get(other).is_some_and(|value| !value.is_null());
    match request.get(one) {
        Some(_) if !is_other => one,
        _ => other,
    }
}

/// Appends a text to the system prompt. Returns `false` if the request has no place for it.
pub(crate) fn add_prompt(format: Format, request: &mut Value, prompt: &str) -> bool {
    match format {
        Format::OpenAiChat | Format::Cohere | Format::Ollama if request["messages"].is_array() => {
            add_message(&mut request["messages"], prompt)
        }
        Format::Ollama | Format::Anthropic if request.is_object() => {
            add_text(request, "system", prompt)
        }
        Format::OpenAiResponses if request.is_object() => add_text(request, "instructions", prompt),
        // A conversation has instructions from its beginning, which names a model, and an agent has its own.
        Format::MistralConversations if request["model"].is_string() => {
            add_text(request, "instructions", prompt)
        }
        Format::GeminiInteractions if request.is_object() => {
            add_text(request, "system_instruction", prompt)
        }
        Format::BedrockConverse if request.is_object() => {
            let system = &mut request["system"];
            if system.is_null() {
                *system = json!([]);
            }
            push(system, json!({"text": prompt}))
        }
        Format::Gemini if request.is_object() => {
            let name = spelling(request, "system_instruction", "systemInstruction");
            let instruction = &mut request[name];
            if instruction.is_null() {
                *instruction = json!({"parts": []});
            }
            if !instruction.is_object() {
                return false;
            }
            push(&mut instruction["parts"], json!({"text": prompt}))
        }
        _ => false,
    }
}

/// Appends a text to a member that is a string, a list of text blocks or missing. Returns `false`
/// for any other value.
fn add_text(request: &mut Value, name: &str, prompt: &str) -> bool {
    let member = &mut request[name];
    match member {
        Value::Null => *member = prompt.into(),
        Value::String(text) => {
            text.push_str("\n\n");
            text.push_str(prompt);
        }
        Value::Array(_) => return push(member, json!({"type": "text", "text": prompt})),
        _ => return false,
    }
    true
}

/// Appends a text to the first message if its role is `system` or `developer`; otherwise inserts a
/// system message.
fn add_message(messages: &mut Value, prompt: &str) -> bool {
    let Some(messages) = messages.as_array_mut() else {
        return false;
    };
    if let Some(first) = messages.first_mut()
        && matches!(first["role"].as_str(), Some("system" | "developer"))
    {
        return add_text(first, "content", prompt);
    }
    messages.insert(0, json!({"role": "system", "content": prompt}));
    true
}

fn push(list: &mut Value, element: Value) -> bool {
    let Some(list) = list.as_array_mut() else {
        return false;
    };
    list.push(element);
    true
}

/// Returns the request for the rest of an answer after the policy has rejected an assertion
/// (`provenance memo 7`): the original with the released text as an answer, and a message about the
/// assertion. Returns `None` without a conversation that can continue: `messages`, `contents`
/// (Gemini) or `input` (OpenAI Responses).
pub(crate) fn ask_again(request: &Value, draft: &Draft) -> Option<Value> {
    let mut request = request.clone();
    let reason = format!(
        "Your answer was stopped before this sentence, which the reader has not seen: \"{}\" It was rejected because of its \
         provenance: {}. Go on with the answer where it stops, without repeating it. Leave the sentence out, or write \
         it with annotations of what you have observed.",
        draft.rejected(),
        draft.reason(),
    );
    let text = draft.text();
    let is_gemini = request.get("contents").is_some();
    let turn = |role: &str, text: &str| match (is_gemini, role) {
        (false, _) => json!({"role": role, "content": text}),
        (true, "assistant") => json!({"role": "model", "parts": [{"text": text}]}),
        (true, _) => json!({"role": role, "parts": [{"text": text}]}),
    };
    let names = ["messages", "contents", "input"];
    let name = names.into_iter().find(|name| request.get(name).is_some())?;
    let conversation = &mut request[name];
    if let Some(question) = conversation.as_str().filter(|_| name == "input") {
        *conversation = json!([turn("user", question)]);
    }
    if !text.is_empty() {
        push(conversation, turn("assistant", &text));
    }
    push(conversation, turn("user", &reason)).then_some(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_goes_where_its_api_has_it() {
        for (format, request, expected) in [
            (
                Format::OpenAiChat,
                json!({"messages": [{"role": "user", "content": "q"}]}),
                json!({"messages": [{"role": "system", "content": "p"}, {"role": "user", "content": "q"}]}),
            ),
            (
                Format::OpenAiChat,
                json!({"messages": [{"role": "developer", "content": [{"type": "text", "text": "d"}]}]}),
                json!({"messages": [{"role": "developer", "content": [{"type": "text", "text": "d"}, {"type": "text", "text": "p"}]}]}),
            ),
            (
                Format::Anthropic,
                json!({"system": "s"}),
                json!({"system": "s\n\np"}),
            ),
            (
                Format::Anthropic,
                json!({"system": [{"type": "text", "text": "s"}]}),
                json!({"system": [{"type": "text", "text": "s"}, {"type": "text", "text": "p"}]}),
            ),
            (
                Format::OpenAiResponses,
                json!({}),
                json!({"instructions": "p"}),
            ),
            (
                Format::Gemini,
                json!({}),
                json!({"systemInstruction": {"parts": [{"text": "p"}]}}),
            ),
            (
                Format::Gemini,
                json!({"system_instruction": {"parts": [{"text": "s"}]}}),
                json!({"system_instruction": {"parts": [{"text": "s"}, {"text": "p"}]}}),
            ),
            (
                Format::Ollama,
                json!({"prompt": "q"}),
                json!({"prompt": "q", "system": "p"}),
            ),
        ] {
            let mut changed = request.clone();
            assert!(add_prompt(format, &mut changed, "p"), "{format}");
            assert_eq!(changed, expected, "{format}");
        }
    }

    #[test]
    fn a_request_that_is_not_an_object_has_no_place_for_a_prompt() {
        for format in Format::ALL {
            for request in [json!(null), json!([]), json!("q"), json!(1)] {
                let mut changed = request.clone();
                assert!(!add_prompt(format, &mut changed, "p"), "{format}");
                assert_eq!(changed, request, "{format}");
            }
        }
    }

    #[test]
    fn a_prompt_goes_where_less_usual_apis_have_it() {
        for (format, request, expected) in [
            (
                Format::GeminiInteractions,
                json!({"input": "q", "system_instruction": "s"}),
                json!({"input": "q", "system_instruction": "s\n\np"}),
            ),
            (
                Format::MistralConversations,
                json!({"model": "m", "inputs": "q"}),
                json!({"model": "m", "inputs": "q", "instructions": "p"}),
            ),
            (
                Format::BedrockConverse,
                json!({"system": [{"text": "s"}]}),
                json!({"system": [{"text": "s"}, {"text": "p"}]}),
            ),
        ] {
            let mut changed = request.clone();
            assert!(add_prompt(format, &mut changed, "p"), "{format}");
            assert_eq!(changed, expected, "{format}");
        }
        for (format, request) in [
            (Format::OpenAiChat, json!({"prompt": "legacy"})),
            (Format::Anthropic, json!([])),
            (Format::Gemini, json!({"systemInstruction": "odd"})),
            (Format::Tgi, json!({"inputs": "q"})),
            (Format::MistralConversations, json!({"inputs": "q"})),
            (
                Format::MistralConversations,
                json!({"agent_id": "a", "inputs": "q"}),
            ),
            (Format::BedrockConverse, json!({"system": "odd"})),
        ] {
            let mut changed = request.clone();
            assert!(
                !add_prompt(format, &mut changed, "p"),
                "{format}: {changed}"
            );
        }
    }
}
