//! OpenAI chat completions and legacy completions, which many other servers speak too. Mistral streams content as parts.
//!
//! vLLM adds the identifiers of tokens (<https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html>), llama.cpp's
//! server what its own `/completion` would say (<https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>).

use crate::text_id::Member;
use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const ROWS: &[FormatRow] = &[
    row(ANY, "choices[].index", Role::Number(0)),
    row(ANY, "choices[].delta.role", Role::Begins),
    row(ANY, "choices[].delta.content", Role::Text),
    row(ANY, "choices[].delta.content[]", Role::Text),
    row(ANY, "choices[].delta.content[]", Role::Holder),
    row(ANY, "choices[].delta.content[].text", Role::Text),
    row(ANY, "choices[].delta.content[].thinking", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.content[].thinking[].text",
        Role::Reasoning,
    ),
    row(ANY, "choices[].delta.refusal", Role::Text).of(Member::Refusal),
    row(ANY, "choices[].delta.audio.transcript", Role::Text).of(Member::Transcript),
    row(ANY, "choices[].delta.audio.data", Role::Echo),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.citation",
        Role::Echo,
    ),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.citations",
        Role::Echo,
    ),
    row(ANY, "choices[].delta.reasoning_content", Role::Reasoning),
    row(ANY, "choices[].delta.reasoning", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.reasoning_details[].index",
        Role::Number(1),
    ),
    row(
        ANY,
        "choices[].delta.reasoning_details[].text",
        Role::Reasoning,
    )
    .both(),
    row(
        ANY,
        "choices[].delta.reasoning_details[].summary",
        Role::Reasoning,
    )
    .both(),
    row(ANY, "choices[].delta.tool_calls", Role::Part),
    row(ANY, "choices[].delta.tool_calls[].index", Role::Number(1)),
    row(
        ANY,
        "choices[].delta.tool_calls[].function.arguments",
        Role::Tool,
    )
    .both(),
    row(ANY, "choices[].delta.function_call", Role::Part),
    row(ANY, "choices[].delta.images", Role::Part),
    row(ANY, "choices[].delta.executed_tools", Role::Part),
    row(
        ANY,
        "choices[].delta.annotations[].url_citation.start_index",
        Role::Offset,
    ),
    row(
        ANY,
        "choices[].delta.annotations[].url_citation.end_index",
        Role::Offset,
    ),
    // What a citation quotes.
    row(
        ANY,
        "choices[].delta.annotations[].file_citation.quote",
        Role::Echo,
    ),
    row(ANY, "choices[].delta.annotations[].quote", Role::Echo),
    row(ANY, "choices[].delta.annotations[].text", Role::Echo),
    row(
        ANY,
        "choices[].delta.annotations[].url_citation.content",
        Role::Echo,
    ),
    row(
        ANY,
        "choices[].message.annotations[].file_citation.quote",
        Role::Echo,
    ),
    row(ANY, "choices[].message.annotations[].quote", Role::Echo),
    row(ANY, "choices[].message.annotations[].text", Role::Echo),
    row(
        ANY,
        "choices[].message.annotations[].url_citation.content",
        Role::Echo,
    ),
    row(ANY, "choices[].prompt_logprobs", Role::Echo),
    row(ANY, "prompt_logprobs", Role::Echo),
    // Snowflake writes each delta in three members.
    row(ANY, "choices[].delta.text", Role::Text).of(Member::DeltaText),
    row(ANY, "choices[].delta.content_list[].text", Role::Text).of(Member::List),
    // Perplexity's Pro Search.
    row(
        ANY,
        "choices[].delta.reasoning_steps[].thought",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].message.reasoning_steps[].thought",
        Role::ReasoningWhole,
    ),
    // Portkey's checks quote the text.
    row(ANY, "hook_results", Role::Echo),
    // There is no role that shows where a choice begins, so any event may. The walk looks for this role in the first row.
    row(ANY, "choices[].text", Role::Begins),
    row(ANY, "choices[].text", Role::Text).of(Member::Completion),
    row(ANY, "choices[].message.content", Role::Message),
    row(ANY, "choices[].message.content[]", Role::WholePart),
    row(ANY, "choices[].message.content[]", Role::Holder),
    row(ANY, "choices[].message.content[].text", Role::WholePart),
    row(ANY, "choices[].message.refusal", Role::Whole).of(Member::Refusal),
    row(
        ANY,
        "choices[].message.reasoning_content",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].message.reasoning", Role::ReasoningWhole),
    row(
        ANY,
        "choices[].message.content[].thinking[].text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning_details[].text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning_details[].summary",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].message.audio.transcript", Role::Whole).of(Member::Transcript),
    row(ANY, "choices[].message.audio.data", Role::Echo),
    row(ANY, "choices[].message.parsed", Role::Echo),
    row(
        ANY,
        "choices[].message.provider_specific_fields.citations",
        Role::Echo,
    ),
    row(
        ANY,
        "choices[].message.annotations[].url_citation.start_index",
        Role::Offset,
    ),
    row(
        ANY,
        "choices[].message.annotations[].url_citation.end_index",
        Role::Offset,
    ),
    row(ANY, "choices[].delta.reasoning_text", Role::Reasoning),
    row(ANY, "choices[].delta.thinking", Role::Reasoning),
    row(ANY, "choices[].delta.thought", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.reasoning_content.text",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.reasoning_content[].text",
        Role::Reasoning,
    ),
    row(ANY, "choices[].delta.reasoning.text", Role::Reasoning),
    row(ANY, "choices[].delta.reasoning.content", Role::Reasoning),
    row(ANY, "choices[].delta.reasoning[].text", Role::Reasoning),
    row(ANY, "choices[].delta.thinking.text", Role::Reasoning),
    row(ANY, "choices[].delta.thinking.content", Role::Reasoning),
    row(ANY, "choices[].delta.thinking.thinking", Role::Reasoning),
    row(ANY, "choices[].delta.thought.text", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.thinking_blocks[].index",
        Role::Number(1),
    ),
    row(
        ANY,
        "choices[].delta.thinking_blocks[].thinking",
        Role::Reasoning,
    )
    .both(),
    row(ANY, "choices[].delta.content[].summary", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.content[].summary[].text",
        Role::Reasoning,
    ),
    row(ANY, "choices[].delta.content[].reasoning", Role::Reasoning),
    row(ANY, "choices[].delta.content[].thought", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.reasoning_content",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.reasoning",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.reasoning_text",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.thinking",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.provider_specific_fields.thinking_blocks[].thinking",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].message.reasoning_text",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].message.thinking", Role::ReasoningWhole),
    row(ANY, "choices[].message.thought", Role::ReasoningWhole),
    row(
        ANY,
        "choices[].message.reasoning_content.text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning_content[].text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning.text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning.content",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.reasoning[].text",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].message.thinking.text", Role::ReasoningWhole),
    row(
        ANY,
        "choices[].message.thinking.content",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.thinking.thinking",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].message.thought.text", Role::ReasoningWhole),
    row(
        ANY,
        "choices[].message.thinking_blocks[].thinking",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.content[].summary",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.content[].summary[].text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.content[].reasoning",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.content[].thought",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.provider_specific_fields.reasoning_content",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.provider_specific_fields.reasoning",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.provider_specific_fields.reasoning_text",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.provider_specific_fields.thinking",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.provider_specific_fields.thinking_blocks[].thinking",
        Role::ReasoningWhole,
    ),
    row(
        ANY,
        "choices[].message.content[].thinking",
        Role::ReasoningWhole,
    ),
    row(ANY, "choices[].finish_reason", Role::Finish),
    row(ANY, "choices[].logprobs", Role::Logprobs),
    row(ANY, "choices[].logprobs.text_offset[]", Role::PromptOffset).of(Member::Completion),
    row(
        ANY,
        "choices[].content_filter_offsets.check_offset",
        Role::PromptOffset,
    ),
    row(
        ANY,
        "choices[].content_filter_offsets.start_offset",
        Role::PromptOffset,
    ),
    row(
        ANY,
        "choices[].content_filter_offsets.end_offset",
        Role::PromptOffset,
    ),
    row(ANY, "choices[].token_ids", Role::Logprobs),
    row(ANY, "__verbose", Role::Logprobs),
    row(ANY, "choices[].error", Role::ChoiceError),
    row(ANY, "error", Role::Error),
    // What vLLM and servers made with FastAPI answer.
    row(ANY, "object", Role::ErrorKind),
    row(ANY, "detail", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
    // MiniMax reports errors there, and 0 in all other events; Spark and SiliconFlow in `code`, with words in `message`.
    row(ANY, "base_resp.status_code", Role::ErrorCode),
    row(ANY, "code", Role::ErrorCode),
];

/// Citations in messages.
const ANNOTATIONS: &[&str] = &[
    "choices[].delta.annotations[]",
    "choices[].delta.content[].annotations[]",
    "choices[].message.annotations[]",
    "choices[].message.content[].annotations[]",
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        &["choices[].delta", "choices[].message"],
        "audio.format audio.id channel content[].file_id content[].id content[].tool content[].thinking[].type content[].summary[].type content[].type \
         content_list[].type end_turn graph_data.status id \
         phase provider_specific_fields.thinking_blocks[].type reasoning.type reasoning[].type \
         reasoning_content.type reasoning_content[].type reasoning_details[].format reasoning_details[].id \
         reasoning_details[].type recipient role status thinking.type thinking_blocks[].type tool_call_id type",
    ),
    words(
        &["choices[].delta", "choices[].message"],
        "content[].cache_control content[].reference_ids",
    ),
    data(
        &["choices[].delta", "choices[].message"],
        "audio_content content[].data content[].document_url content[].image_url content[].input_audio content[].signature content[].summary[].signature \
         encrypted_content extra_content.google.thought_signature images obfuscation padding \
         provider_specific_fields.signature provider_specific_fields.thinking_blocks[].data \
         provider_specific_fields.thinking_blocks[].signature provider_specific_fields.thought_signatures \
         reasoning_content.signature reasoning_details[].data reasoning_details[].signature reasoning_opaque \
         reasoning_signature signature thinking.signature thought_signature thinking_blocks[].data thinking_blocks[].signature",
    ),
    any(
        &["choices[].delta", "choices[].message"],
        "content[].file context copilot_annotations executed_tools function_call graph_data.sources graph_data.references graph_data.subqueries[].sources provider_specific_fields.web_search_results \
         reasoning_steps tool_calls",
    ),
    word(
        ANNOTATIONS,
        "document_citation.document_id file.hash file_citation.file_id file_path.file_id function_citation.tool_call_id type \
         url_citation.type",
    ),
    data(ANNOTATIONS, "url_citation.url"),
    string(
        &["choices[].delta", "choices[].message"],
        "content[].file_name graph_data.subqueries[].query name",
    ),
    // What the request brought.
    any(ANNOTATIONS, "file.content"),
    string(
        ANNOTATIONS,
        "file.name file_citation.filename url_citation.title",
    ),
    word(&["choices[]"], "finish_details.type native_finish_reason"),
    words(&["choices[]"], "content_filter_offsets usage"),
    string(
        &["choices[]"],
        "finish_details.stop matched_stop stop_reason stop_str",
    ),
    any(
        &["choices[]"],
        "content_filter_result content_filter_results logprobs",
    ),
    word(
        &[""],
        "created created_at event_id id message model_version request_id response_id service_tier session_id sid \
         system_fingerprint trace_id",
    ),
    words(
        &[""],
        "content_filter copilot_usage kv_transfer_params model_info moderation perf_metrics prompt_annotations runtime stats time_info \
         timings usage usage_breakdown x_groq",
    ),
    string(&[""], "base_resp.status_msg model model_id note provider"),
    data(&[""], "citations obfuscation p"),
    any(
        &[""],
        "bot_usage copilot_errors copilot_references debug images metadata prompt prompt_filter_results related_questions retrieval \
         search_info search_results sources system.warnings venice_parameters vertex_ai_grounding_metadata warnings web_search",
    ),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    counts_up: true,
    parts_reasoning: true,
    // Without a part: `reference` is a citation.
    plain: &["type", "text", "thinking", "reference"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"object":"chat.completion.chunk","choices":[{"index":#,"delta":{"content":"@"},"finish_reason":null}]}"##,
        },
    )
};
