//! Generator of responses with members that repeat the text of an event in another form, which a
//! gate must empty.

use provstream_providers::Format;
use serde_json::{Value, json};

use super::generate::{Random, Sentences, Stream};

/// The letter in texts that may be withheld, and another letter of the same length and class.
pub const LETTERS: [char; 2] = ['ж', 'ш'];

/// Token number that stands for the first of [`LETTERS`].
const TOKEN: u32 = LETTERS[0] as u32;

/// Generates a response of a format from the numbers of a generator.
pub fn stream(format: Format, random: &mut Random) -> Vec<u8> {
    let mut stream = Stream::new(random, Sentences::Gated);
    stream.fill(format);
    let mut events = core::mem::take(&mut stream.events);
    // A response that breaks off between events; numbers of choices that do not come again would count deltas.
    if format != Format::OpenAiChat && stream.random.one_in(5) {
        events.truncate(1 + stream.random.below(events.len()));
    }
    let mut so_far = String::new();
    for (number, event) in events.into_iter().enumerate() {
        let parsed = serde_json::from_str::<Value>(&event);
        match parsed {
            Ok(mut value) if stream.random.one_in(2) => {
                let more = repeat(format, &mut value, &mut so_far);
                value["note"] = number.into();
                stream.events.push(value.to_string());
                let more = more.filter(|_| stream.random.one_in(3));
                stream.events.extend(more.map(|more| more.to_string()));
            }
            _ => stream.events.push(event),
        }
    }
    stream.join(format)
}

/// Replaces the first of [`LETTERS`] by the second everywhere in a response.
pub fn with_other_letter(stream: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8(stream.to_vec()).expect("UTF-8");
    let [letter, other] = LETTERS;
    text = text.replace(letter, &other.to_string());
    let [letter, other] = LETTERS.map(|letter| letter as u32);
    text = text.replace(&format!("\\u{letter:04x}"), &format!("\\u{other:04x}"));
    text.replace(&letter.to_string(), &other.to_string())
        .into_bytes()
}

/// Adds members that repeat the text of an event; returns a further event that quotes it, if the
/// format has one.
fn repeat(format: Format, event: &mut Value, so_far: &mut String) -> Option<Value> {
    match format {
        Format::OpenAiChat => chat(event),
        Format::OpenAiResponses => responses(event),
        Format::Anthropic => {
            let text = event["delta"]["text"].as_str()?;
            let cited = json!({"type": "char_location", "cited_text": text, "document_index": 0, "start_char_index": 0, "end_char_index": 2});
            return Some(
                json!({"type": "content_block_delta", "index": event["index"], "delta": {"type": "citations_delta", "citation": cited}}),
            );
        }
        Format::Gemini => gemini(event, so_far),
        Format::Ollama => {
            let text = [&event["message"]["content"], &event["response"]];
            let text = text.into_iter().find_map(Value::as_str)?.to_owned();
            event["logprobs"] = json!([{"token": text, "logprob": -0.1}]);
            event["context"] = json!([TOKEN]);
        }
        Format::Cohere => {
            let text = event["delta"]["message"]["content"]["text"]
                .as_str()?
                .to_owned();
            event["logprobs"] = json!({"token_ids": [TOKEN], "text": text, "logprobs": [-0.1]});
            let cited = json!({"start": 0, "end": 1, "text": text, "content_index": 0});
            return Some(
                json!({"type": "citation-start", "index": 0, "delta": {"message": {"citations": cited}}}),
            );
        }
        Format::LlamaCpp => {
            let text = event["content"].clone();
            event["tokens"] = json!([TOKEN]);
            event["completion_probabilities"] =
                json!([{"token": text, "top_logprobs": [{"token": text}]}]);
        }
        Format::Tgi => {
            let text = event["token"]["text"].clone();
            event["token"]["id"] = TOKEN.into();
            event["top_tokens"] = json!([{"id": TOKEN, "text": text}]);
        }
        Format::BedrockConverse => {
            let delta = event.get("contentBlockDelta")?;
            let text = delta["delta"]["text"].as_str()?;
            let cited = json!({"title": "T", "sourceContent": [{"text": text}]});
            return Some(
                json!({"contentBlockDelta": {"contentBlockIndex": delta["contentBlockIndex"], "delta": {"citation": cited}}}),
            );
        }
        Format::VercelUi if event["type"] == "text-delta" => {
            event["providerMetadata"] = json!({"a": {"citedText": event["delta"]}});
        }
        _ => {}
    }
    None
}

fn chat(event: &mut Value) {
    let mut repeated = Value::Null;
    for choice in event["choices"].as_array_mut().into_iter().flatten() {
        let places = [
            &choice["delta"]["content"],
            &choice["text"],
            &choice["delta"]["refusal"],
            &choice["delta"]["content"][0]["text"],
        ];
        let Some(text) = places.into_iter().find_map(Value::as_str) else {
            continue;
        };
        repeated = text.into();
        choice["logprobs"] = json!({"content": [{"token": repeated, "logprob": -0.1, "bytes": [TOKEN], "top_logprobs": [{"token": repeated}]}]});
        choice["token_ids"] = json!([TOKEN]);
        if choice.get("delta").is_some() {
            choice["delta"]["provider_specific_fields"] =
                json!({"citation": {"cited_text": repeated}});
        }
    }
    if !repeated.is_null() {
        event["__verbose"] = json!({"content": repeated, "tokens": [TOKEN]});
    }
}

fn responses(event: &mut Value) {
    let kind = event["type"].as_str().unwrap_or_default();
    match kind {
        "response.output_text.delta" => event["logprobs"] = json!([{"token": event["delta"]}]),
        "response.output_text.done" => event["logprobs"] = json!([{"token": event["text"]}]),
        "response.completed" => {
            let text = event["response"]["output"][1]["content"][0]["text"].clone();
            event["response"]["output_text"] = text;
        }
        _ => {}
    }
}

fn gemini(event: &mut Value, so_far: &mut String) {
    for candidate in event["candidates"].as_array_mut().into_iter().flatten() {
        let text = candidate["content"]["parts"][0]["text"].clone();
        so_far.push_str(text.as_str().unwrap_or_default());
        candidate["logprobsResult"] =
            json!({"chosenCandidates": [{"token": text, "tokenId": TOKEN}], "topCandidates": []});
        if candidate.get("groundingMetadata").is_none() && so_far.len().is_multiple_of(2) {
            candidate["groundingMetadata"] = json!({"groundingSupports": [{"segment": {"startIndex": 0, "endIndex": so_far.len(), "text": so_far}}]});
        }
    }
}
