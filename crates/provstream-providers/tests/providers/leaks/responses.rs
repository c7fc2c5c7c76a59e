//! Responses of every format with each member that repeats text of the answer, or quotes what it is taken from.

use provstream_providers::Format;
use serde_json::{Value, json};
use testkit::wire::hostile::Notation;

/// The word of the assertion that is withheld. What carries it in another form has it as well.
pub(super) const WORD: &str = "zebra";

/// The number of a token that stands for it.
pub(super) const TOKEN: u64 = 987_654_321;

/// The answer, in pieces as they are streamed.
pub(super) const PIECES: [&str; 6] = [
    "It is. [substrate",
    ".grep] A ze",
    "bra runs. [substrate.grep",
    "] Then",
    " no more.",
    "",
];

/// The text of the answer.
pub(super) fn text() -> String {
    PIECES.concat()
}

/// A response.
pub(super) struct Response {
    pub(super) format: Format,
    pub(super) name: &'static str,
    pub(super) body: String,
    pub(super) notation: Notation,
}

impl Response {
    const fn new(format: Format, name: &'static str, body: String) -> Self {
        Self {
            format,
            name,
            body,
            notation: Notation::Annotations,
        }
    }

    /// The response in a notation. There are two kinds of markers.
    pub(super) fn written_in(self, notation: Notation) -> Vec<Self> {
        let kinds: &[(&str, &str)] = match notation {
            Notation::Annotations => return vec![self],
            Notation::Markers => &[("[1", "]"), ("【4:0†a", "】")],
        };
        let with = |(open, close): &(&str, &str)| {
            let body = self.body.replace("[substrate", open);
            let body = body.replace(".grep]", close).replace(".grep", "");
            Self {
                body: body.replace("\"] Then", &format!("\"{close} Then")),
                notation,
                ..self
            }
        };
        kinds.iter().map(with).collect()
    }
}

fn sse(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// Events, one for each piece of the text, with some before and after.
fn streamed(before: &[Value], delta: impl Fn(&str) -> Value, after: &[Value]) -> Vec<Value> {
    let deltas = PIECES.iter().map(|piece| delta(piece));
    let mut events = before.to_vec();
    events.extend(deltas);
    events.extend_from_slice(after);
    events
}

fn tokens() -> Value {
    json!({"content": [{"token": " zebra", "logprob": -0.1, "bytes": [122], "top_logprobs": [{"token": "zebra"}]}]})
}

/// All of them.
pub(super) fn all() -> Vec<Response> {
    let mut all = Vec::new();
    let mut add = |format, name, body| all.push(Response::new(format, name, body));
    add(Format::OpenAiChat, "streamed", sse(&chat()));
    add(Format::OpenAiChat, "spoken", sse(&spoken()));
    add(Format::OpenAiChat, "legacy", sse(&legacy()));
    add(Format::OpenAiChat, "whole", chat_whole().to_string());
    add(Format::OpenAiResponses, "streamed", sse(&responses()));
    add(
        Format::OpenAiResponses,
        "whole",
        responses_whole().to_string(),
    );
    add(Format::Anthropic, "streamed", sse(&anthropic()));
    add(Format::Anthropic, "whole", anthropic_whole().to_string());
    add(Format::Gemini, "streamed", sse(&gemini()));
    add(Format::Gemini, "array", Value::from(gemini()).to_string());
    add(Format::Gemini, "whole", gemini_whole().to_string());
    add(Format::Ollama, "chat", lines(&ollama("message")));
    add(Format::Ollama, "generate", lines(&ollama("response")));
    add(Format::Cohere, "streamed", sse(&cohere()));
    add(Format::Cohere, "whole", cohere_whole().to_string());
    add(Format::GeminiInteractions, "streamed", sse(&interactions()));
    add(
        Format::GeminiInteractions,
        "whole",
        interactions_whole().to_string(),
    );
    add(Format::MistralConversations, "streamed", sse(&mistral()));
    add(
        Format::MistralConversations,
        "whole",
        mistral_whole().to_string(),
    );
    add(Format::LlamaCpp, "streamed", sse(&llama()));
    add(Format::Tgi, "streamed", sse(&tgi()));
    add(Format::Tgi, "whole", tgi_whole().to_string());
    add(Format::BedrockConverse, "streamed", sse(&bedrock()));
    add(
        Format::BedrockConverse,
        "whole",
        bedrock_whole().to_string(),
    );
    add(Format::VercelUi, "streamed", sse(&vercel()));
    add(Format::VercelUi, "whole", vercel_whole().to_string());
    all
}

fn url_citation() -> Value {
    json!({"type": "url_citation", "url_citation": {"start_index": 24, "end_index": 37, "url": "https://example.org/", "title": "T"}})
}

fn chat() -> Vec<Value> {
    let chunk =
        |choice: Value| json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]});
    streamed(
        &[chunk(
            json!({"index": 0, "delta": {"role": "assistant", "content": ""}}),
        )],
        |piece| {
            chunk(
                json!({"index": 0, "delta": {"content": piece}, "logprobs": tokens(), "token_ids": [TOKEN]}),
            )
        },
        &[
            chunk(
                json!({"index": 0, "delta": {"annotations": [url_citation()],
                "provider_specific_fields": {"citation": {"cited_text": "a zebra runs"}, "citations": [[{"cited_text": "zebra"}]]}}}),
            ),
            chunk(json!({"index": 0, "delta": {}, "logprobs": tokens()})),
            chunk(
                json!({"index": 0, "delta": {}, "message": {"role": "assistant", "content": text()}}),
            ),
            json!({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                "__verbose": {"content": text(), "tokens": [TOKEN]}}),
        ],
    )
}

fn spoken() -> Vec<Value> {
    streamed(
        &[],
        |piece| json!({"choices": [{"index": 0, "delta": {"audio": {"id": "a", "transcript": piece, "data": "zebra"}}}]}),
        &[json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})],
    )
}

fn legacy() -> Vec<Value> {
    streamed(
        &[],
        |piece| {
            json!({"object": "text_completion", "choices": [{"index": 0, "text": piece,
                "logprobs": {"tokens": [" zebra"], "top_logprobs": [{" zebra": -0.1}]}}]})
        },
        &[],
    )
}

fn chat_whole() -> Value {
    json!({"id": "c", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "logprobs": tokens(),
        "token_ids": [TOKEN],
        "message": {"role": "assistant", "content": text(), "refusal": text(), "annotations": [url_citation()],
            "audio": {"id": "a", "transcript": text(), "data": "zebra"},
            "parsed": {"answer": "A zebra runs."},
            "provider_specific_fields": {"citations": [[{"cited_text": "zebra"}]]}}}],
        "__verbose": {"content": text()}})
}

fn responses_part() -> Value {
    json!({"type": "output_text", "text": text(), "logprobs": [{"token": "zebra"}], "parsed": {"answer": "zebra"},
        "annotations": [{"type": "url_citation", "start_index": 24, "end_index": 37, "url": "u", "title": "T"}]})
}

fn responses_body() -> Value {
    let spoken = json!({"type": "output_audio", "transcript": "A zebra runs.", "data": "zebra"});
    json!({"id": "r", "object": "response", "output_text": text(),
        "output": [{"type": "message", "id": "m", "role": "assistant", "content": [responses_part(), spoken]}]})
}

fn responses() -> Vec<Value> {
    let at = |kind: &str, more: Value| {
        let mut event =
            json!({"type": kind, "item_id": "m", "output_index": 0, "content_index": 0});
        let event_map = event.as_object_mut().expect("an object");
        event_map.extend(more.as_object().expect("an object").clone());
        event
    };
    let body = responses_body();
    streamed(
        &[json!({"type": "response.created", "response": {"id": "r", "output": []}})],
        |piece| {
            at(
                "response.output_text.delta",
                json!({"delta": piece, "logprobs": [{"token": "zebra"}]}),
            )
        },
        &[
            at(
                "response.output_text.annotation.added",
                json!({"annotation_index": 0, "annotation": responses_part()["annotations"][0]}),
            ),
            at(
                "response.output_text.done",
                json!({"text": text(), "logprobs": [{"token": "zebra"}]}),
            ),
            at(
                "response.content_part.done",
                json!({"part": responses_part()}),
            ),
            at(
                "response.output_item.done",
                json!({"item": body["output"][0]}),
            ),
            json!({"type": "response.output_audio.delta", "delta": "zebra"}),
            json!({"type": "response.audio.transcript.delta", "delta": "A zebra runs."}),
            json!({"type": "response.output_audio_transcript.done", "transcript": "A zebra runs."}),
            json!({"type": "response.completed", "response": body}),
        ],
    )
}

fn responses_whole() -> Value {
    responses_body()
}

fn located() -> Value {
    json!({"type": "char_location", "cited_text": "a zebra runs", "document_index": 0, "document_title": "D",
        "start_char_index": 0, "end_char_index": 12})
}

fn anthropic() -> Vec<Value> {
    let start = json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}});
    let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "", "citations": [located()]}});
    let cited = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": located()}});
    streamed(
        &[start, block],
        |piece| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}),
        &[
            cited,
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ],
    )
}

fn anthropic_whole() -> Value {
    json!({"id": "m", "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": text(), "citations": [located()]}]})
}

fn grounding() -> Value {
    json!({"groundingSupports": [{"segment": {"startIndex": 24, "endIndex": 37, "text": "A zebra runs."}, "groundingChunkIndices": [0]}]})
}

fn gemini_sources() -> Value {
    json!({"citationSources": [{"startIndex": 24, "endIndex": 37, "uri": "u"}], "citations": [{"startIndex": 24, "endIndex": 37}]})
}

fn gemini_tokens() -> Value {
    json!({"chosenCandidates": [{"token": "zebra", "tokenId": TOKEN}], "topCandidates": []})
}

fn gemini() -> Vec<Value> {
    streamed(
        &[],
        |piece| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": piece}]}, "logprobsResult": gemini_tokens()}]}),
        &[
            json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP",
            "groundingMetadata": grounding(), "citationMetadata": gemini_sources(), "logprobsResult": gemini_tokens()}]}),
        ],
    )
}

fn gemini_whole() -> Value {
    json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": text()}]}, "finishReason": "STOP",
        "groundingMetadata": grounding(), "citationMetadata": gemini_sources(), "logprobsResult": gemini_tokens()}]})
}

fn ollama(kind: &str) -> Vec<Value> {
    let line = |piece: &str, done: bool| match kind {
        "message" => {
            json!({"model": "m", "message": {"role": "assistant", "content": piece}, "done": done,
            "logprobs": [{"token": "zebra"}]})
        }
        _ => {
            json!({"model": "m", "response": piece, "done": done, "logprobs": [{"token": "zebra"}], "context": [TOKEN]})
        }
    };
    streamed(&[], |piece| line(piece, false), &[line("", true)])
}

fn cohere_citation() -> Value {
    json!({"start": 24, "end": 37, "text": "A zebra runs.", "sources": [], "content_index": 0})
}

fn cohere_tokens() -> Value {
    json!({"token_ids": [TOKEN], "text": "zebra", "logprobs": [-0.1]})
}

fn cohere() -> Vec<Value> {
    streamed(
        &[
            json!({"type": "message-start", "id": "i", "delta": {"message": {"role": "assistant", "content": []}}}),
            json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}}),
        ],
        |piece| {
            json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": piece}}, "logprobs": cohere_tokens()},
                "logprobs": cohere_tokens()})
        },
        &[
            json!({"type": "citation-start", "index": 0, "delta": {"message": {"citations": cohere_citation()}}}),
            json!({"type": "content-end", "index": 0}),
            json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}),
        ],
    )
}

fn cohere_whole() -> Value {
    json!({"id": "i", "finish_reason": "COMPLETE", "logprobs": [cohere_tokens()],
        "message": {"role": "assistant", "content": [{"type": "text", "text": text()}], "citations": [cohere_citation()]}})
}

fn interaction() -> Value {
    let annotations = json!([{"start_index": 24, "end_index": 37, "source": "u"}]);
    json!({"id": "i", "object": "interaction", "status": "completed",
        "steps": [{"type": "model_output", "content": [{"type": "text", "text": text(), "annotations": annotations}]}],
        "outputs": [{"type": "text", "text": text(), "annotations": annotations}]})
}

fn interactions() -> Vec<Value> {
    streamed(
        &[
            json!({"event_type": "step.start", "index": 0, "step": {"type": "model_output", "content": [{"type": "text", "text": ""}]}}),
        ],
        |piece| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": piece}}),
        &[
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text_annotation", "annotations": [{"start_index": 24, "end_index": 37}]}}),
            json!({"event_type": "step.stop", "index": 0}),
            json!({"event_type": "interaction.completed", "interaction": interaction()}),
        ],
    )
}

fn interactions_whole() -> Value {
    interaction()
}

fn mistral() -> Vec<Value> {
    streamed(
        &[json!({"type": "conversation.response.started", "conversation_id": "c"})],
        |piece| json!({"type": "message.output.delta", "output_index": 0, "content_index": 0, "content": {"type": "text", "text": piece}}),
        &[json!({"type": "conversation.response.done", "usage": {}})],
    )
}

fn mistral_whole() -> Value {
    json!({"object": "conversation.response", "conversation_id": "c",
        "outputs": [{"type": "message.output", "content": text()},
            {"type": "message.output", "content": [{"type": "text", "text": text()}]}]})
}

fn llama() -> Vec<Value> {
    let event = |piece: &str, stop: bool| {
        json!({"index": 0, "content": piece, "tokens": [TOKEN], "stop": stop,
            "completion_probabilities": [{"token": "zebra", "top_logprobs": [{"token": "zebra"}]}]})
    };
    streamed(&[], |piece| event(piece, false), &[event("", true)])
}

fn tgi_token(piece: &str) -> Value {
    json!({"id": TOKEN, "text": piece, "logprob": -0.1, "special": false})
}

fn tgi() -> Vec<Value> {
    streamed(
        &[],
        |piece| json!({"index": 1, "token": tgi_token(piece), "top_tokens": [{"id": TOKEN, "text": "zebra"}], "generated_text": null}),
        &[
            json!({"index": 9, "token": {"id": 2, "text": "</s>", "logprob": 0, "special": true}, "generated_text": text(),
            "details": {"finish_reason": "eos_token", "tokens": [tgi_token(" zebra")]}}),
        ],
    )
}

fn tgi_whole() -> Value {
    let best = json!({"generated_text": text(), "tokens": [tgi_token("zebra")], "top_tokens": [[tgi_token("zebra")]]});
    json!({"generated_text": text(), "details": {"finish_reason": "eos_token", "tokens": [tgi_token("zebra")],
        "top_tokens": [[tgi_token("zebra")]], "best_of_sequences": [best]}})
}

fn guardrail() -> Value {
    json!({"guardrail": {"modelOutput": [text()], "outputAssessments": {"g": [{"wordPolicy": {"customWords": [{"match": "zebra"}]}}]}}})
}

fn source() -> Value {
    json!({"title": "T", "sourceContent": [{"text": "a zebra runs"}], "location": {"documentChar": {"start": 0, "end": 12}}})
}

fn bedrock() -> Vec<Value> {
    streamed(
        &[json!({"messageStart": {"role": "assistant"}})],
        |piece| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": piece}}}),
        &[
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"citation": source()}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"messageStop": {"stopReason": "end_turn"}}),
            json!({"metadata": {"usage": {}, "trace": guardrail()}}),
        ],
    )
}

fn bedrock_whole() -> Value {
    let cited =
        json!({"citationsContent": {"content": [{"text": text()}], "citations": [source()]}});
    json!({"output": {"message": {"role": "assistant", "content": [{"text": text()}, cited]}}, "stopReason": "end_turn",
        "usage": {}, "trace": guardrail()})
}

fn vercel() -> Vec<Value> {
    let about = json!({"anthropic": {"citedText": "a zebra runs"}, "google": {"groundingMetadata": grounding()}});
    streamed(
        &[
            json!({"type": "start", "messageId": "m"}),
            json!({"type": "text-start", "id": "0", "providerMetadata": about}),
        ],
        |piece| json!({"type": "text-delta", "id": "0", "delta": piece, "providerMetadata": about}),
        &[
            json!({"type": "source-document", "sourceId": "s", "mediaType": "text/plain", "title": "T", "providerMetadata": about}),
            json!({"type": "text-end", "id": "0", "providerMetadata": about}),
            json!({"type": "finish-step"}),
            json!({"type": "finish"}),
        ],
    )
}

fn vercel_whole() -> Value {
    json!({"id": "m", "role": "assistant", "parts": [{"type": "text", "text": text(), "providerMetadata": {"a": {"citedText": "zebra"}}}]})
}

/// Responses with the text as reasoning; each has the name of its channel.
#[expect(clippy::too_many_lines, reason = "one table, read from top to bottom")]
pub(super) fn reasoning() -> Vec<Response> {
    let mut all = Vec::new();
    let mut add = |format, name, body| all.push(Response::new(format, name, body));
    add(
        Format::OpenAiChat,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"choices": [{"index": 0, "delta": {"reasoning_content": piece, "reasoning": piece, "reasoning_details": [{"text": piece}]}}]}),
            &[json!({"choices": [{"index": 0, "delta": {"content": "Yes."}}]})],
        )),
    );
    add(
        Format::OpenAiChat,
        "0",
        json!({"object": "chat.completion", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "Yes.", "reasoning": text()}}]})
        .to_string(),
    );
    add(
        Format::OpenAiResponses,
        "0/0",
        sse(&streamed(
            &[],
            |piece| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": piece}),
            &[
                json!({"type": "response.reasoning_summary_text.done", "output_index": 0, "summary_index": 0, "text": text()}),
                json!({"type": "response.completed", "response": {"output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": text()}],
                "content": [{"type": "reasoning_text", "text": text()}]}]}}),
            ],
        )),
    );
    add(
        Format::OpenAiResponses,
        "0/0",
        json!({"object": "response", "output": [{"type": "reasoning",
        "summary": [{"type": "summary_text", "text": text()}]}]})
        .to_string(),
    );
    add(
        Format::Anthropic,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": piece}}),
            &[
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_stop"}),
            ],
        )),
    );
    add(Format::Anthropic, "0", json!({"type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": text(), "signature": "s"}, {"type": "text", "text": "Yes."}]}).to_string());
    add(
        Format::Gemini,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"candidates": [{"index": 0, "content": {"parts": [{"text": piece, "thought": true}]}}]}),
            &[json!({"candidates": [{"index": 0, "content": {"parts": [{"text": "Yes."}]}}]})],
        )),
    );
    add(
        Format::Ollama,
        "0",
        lines(&streamed(
            &[],
            |piece| json!({"message": {"role": "assistant", "content": "", "thinking": piece}, "done": false}),
            &[json!({"message": {"role": "assistant", "content": "Yes."}, "done": true})],
        )),
    );
    add(
        Format::Cohere,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": piece}}}}),
            &[json!({"type": "content-end", "index": 0})],
        )),
    );
    add(
        Format::Cohere,
        "0",
        json!({"finish_reason": "COMPLETE", "message": {"role": "assistant", "tool_plan": text(),
        "content": [{"type": "text", "text": "Yes."}]}})
        .to_string(),
    );
    add(
        Format::GeminiInteractions,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"type": "text", "text": piece}}}),
            &[json!({"event_type": "step.stop", "index": 0})],
        )),
    );
    add(
        Format::MistralConversations,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"type": "message.output.delta", "output_index": 0, "content": {"type": "thinking", "thinking": [{"type": "text", "text": piece}]}}),
            &[json!({"type": "message.output.delta", "output_index": 0, "content": "Yes."})],
        )),
    );
    add(
        Format::BedrockConverse,
        "0",
        sse(&streamed(
            &[],
            |piece| json!({"contentBlockDelta": {"delta": {"reasoningContent": {"text": piece}}, "contentBlockIndex": 0}}),
            &[
                json!({"contentBlockStop": {"contentBlockIndex": 0}}),
                json!({"messageStop": {"stopReason": "end_turn"}}),
            ],
        )),
    );
    add(Format::BedrockConverse, "0", json!({"output": {"message": {"role": "assistant", "content": [
        {"reasoningContent": {"reasoningText": {"text": text(), "signature": "s"}}}, {"text": "Yes."}]}}, "stopReason": "end_turn"}).to_string());
    add(
        Format::VercelUi,
        "0",
        sse(&streamed(
            &[
                json!({"type": "start", "messageId": "m"}),
                json!({"type": "reasoning-start", "id": "r"}),
            ],
            |piece| json!({"type": "reasoning-delta", "id": "r", "delta": piece}),
            &[
                json!({"type": "reasoning-end", "id": "r"}),
                json!({"type": "finish"}),
            ],
        )),
    );
    add(
        Format::VercelUi,
        "0",
        json!({"id": "m", "role": "assistant", "parts": [{"type": "reasoning", "text": text()},
        {"type": "text", "text": "Yes."}]})
        .to_string(),
    );
    all
}
