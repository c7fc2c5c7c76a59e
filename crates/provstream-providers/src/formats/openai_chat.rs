//! OpenAI chat completions and legacy completions, which many other servers speak too. Mistral streams content as parts.
//!
//! vLLM adds the identifiers of tokens (<https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html>), llama.cpp's
//! server what its own `/completion` would say (<https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>).

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const ROWS: &[Row] = &[
    row(ANY, "choices[].index", Role::Number(0)),
    row(ANY, "choices[].delta.role", Role::Begins),
    row(ANY, "choices[].delta.content", Role::Text),
    row(ANY, "choices[].delta.content[]", Role::Text),
    row(ANY, "choices[].delta.content[].text", Role::Text),
    row(ANY, "choices[].delta.content[].thinking", Role::Reasoning),
    row(
        ANY,
        "choices[].delta.content[].thinking[].text",
        Role::Reasoning,
    ),
    row(ANY, "choices[].delta.refusal", Role::Text),
    row(ANY, "choices[].delta.audio.transcript", Role::Text),
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
        "choices[].delta.reasoning_details[].text",
        Role::Reasoning,
    ),
    row(
        ANY,
        "choices[].delta.reasoning_details[].summary",
        Role::Reasoning,
    ),
    row(ANY, "choices[].delta.tool_calls", Role::Part),
    row(ANY, "choices[].delta.tool_calls[].index", Role::Number(1)),
    row(
        ANY,
        "choices[].delta.tool_calls[].function.arguments",
        Role::Tool,
    )
    .both(),
    row(ANY, "choices[].delta.function_call", Role::Part),
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
    row(ANY, "choices[].text", Role::Text),
    row(ANY, "choices[].message.content", Role::Whole),
    row(ANY, "choices[].message.content[]", Role::Whole),
    row(ANY, "choices[].message.content[].text", Role::Whole),
    row(ANY, "choices[].message.refusal", Role::Whole),
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
    row(ANY, "choices[].message.audio.transcript", Role::Whole),
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
    row(ANY, "choices[].finish_reason", Role::Finish),
    row(ANY, "choices[].logprobs", Role::Logprobs),
    row(ANY, "choices[].token_ids", Role::Logprobs),
    row(ANY, "__verbose", Role::Logprobs),
    row(ANY, "error", Role::Error),
];

pub(crate) const TABLE: Table = Table {
    counts_up: true,
    ..Table::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"object":"chat.completion.chunk","choices":[{"index":#,"delta":{"content":"@"},"finish_reason":null}]}"##,
        },
    )
};
