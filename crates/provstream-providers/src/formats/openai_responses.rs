//! OpenAI Responses.

use crate::text_id::Member;
use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const TEXT: &[&str] = &["response.output_text.delta", "response.refusal.delta"];
const OUTPUT_TEXT: &[&str] = &["response.output_text.delta"];
const REFUSAL: &[&str] = &["response.refusal.delta"];
const TEXT_DONE: &[&str] = &["response.output_text.done", "response.refusal.done"];
const PART_ADDED: &[&str] = &["response.content_part.added"];
const PART: &[&str] = &["response.content_part.added", "response.content_part.done"];
const PART_DONE: &[&str] = &["response.content_part.done"];
const ITEM_ADDED: &[&str] = &["response.output_item.added"];
const ITEM: &[&str] = &["response.output_item.added", "response.output_item.done"];
const ITEM_DONE: &[&str] = &["response.output_item.done"];
const LAST: &[&str] = &[
    "response.completed",
    "response.incomplete",
    "response.failed",
];
const FAILED: &[&str] = &["response.failed"];
const REASONING: &[&str] = &["response.reasoning_text.delta", "response.reasoning.delta"];
const REASONING_SUMMARY: &[&str] = &[
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary.delta",
];
const REASONING_DONE: &[&str] = &[
    "response.reasoning_text.done",
    "response.reasoning_summary_text.done",
    "response.reasoning.done",
    "response.reasoning_summary.done",
];
const SUMMARY: &[&str] = &[
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
];
const REASONING_PART: &[&str] = &[
    "response.reasoning_part.added",
    "response.reasoning_part.done",
];
const TOOL: &[&str] = &[
    "response.function_call_arguments.delta",
    "response.mcp_call_arguments.delta",
    "response.custom_tool_call_input.delta",
    "response.code_interpreter_call_code.delta",
];
/// Answers that are spoken, and what is said in them.
const AUDIO: &[&str] = &[
    "response.audio.delta",
    "response.audio.transcript.delta",
    "response.audio_transcript.delta",
    "response.output_audio.delta",
    "response.output_audio_transcript.delta",
];
const AUDIO_DONE: &[&str] = &[
    "response.audio_transcript.done",
    "response.output_audio_transcript.done",
];
const ANNOTATION: &[&str] = &["response.output_text.annotation.added"];

const ROWS: &[FormatRow] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "output_index", Role::Number(0)),
    row(ANY, "content_index", Role::Number(1)),
    row(ANY, "summary_index", Role::Number(1)),
    row(ANY, "sequence_number", Role::Sequence),
    row(OUTPUT_TEXT, "delta", Role::Text).both(),
    row(REFUSAL, "delta", Role::Text).both().of(Member::Refusal),
    row(TEXT, "logprobs", Role::Logprobs).both(),
    row(TEXT_DONE, "text", Role::Whole).both(),
    row(TEXT_DONE, "refusal", Role::Whole)
        .both()
        .of(Member::Refusal),
    row(TEXT_DONE, "logprobs", Role::Logprobs).both(),
    // More of it may follow, which SDKs read.
    row(TEXT_DONE, "", Role::Finish).both(),
    row(PART, "part.type", Role::Kind),
    row(PART_ADDED, "", Role::Announced).both(),
    row(PART_ADDED, "part.text", Role::Initial).both(),
    row(PART_ADDED, "part.refusal", Role::Initial)
        .both()
        .of(Member::Refusal),
    row(PART_DONE, "part.text", Role::Whole).both(),
    row(PART_DONE, "part.refusal", Role::Whole)
        .both()
        .of(Member::Refusal),
    row(PART, "part.logprobs", Role::Logprobs).both(),
    row(PART, "part.annotations[].start_index", Role::Offset).both(),
    row(PART, "part.annotations[].end_index", Role::Offset).both(),
    row(PART_DONE, "", Role::End).both(),
    row(PART, "part.parsed", Role::Echo),
    row(PART, "part.transcript", Role::Echo),
    row(PART, "part.data", Role::Echo),
    row(ITEM, "item.type", Role::Kind),
    row(ITEM_ADDED, "item.type", Role::Block).all(),
    row(ITEM, "item.content[1].type", Role::Kind),
    row(ITEM_ADDED, "item.content[1].text", Role::Initial).both(),
    row(ITEM_ADDED, "item.content[1].refusal", Role::Initial)
        .both()
        .of(Member::Refusal),
    row(ITEM_DONE, "item.content[1].text", Role::Whole).both(),
    row(ITEM_DONE, "item.content[1].refusal", Role::Whole)
        .both()
        .of(Member::Refusal),
    row(ITEM, "item.content[1].logprobs", Role::Logprobs).both(),
    row(
        ITEM,
        "item.content[1].annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ITEM,
        "item.content[1].annotations[].end_index",
        Role::Offset,
    )
    .both(),
    row(ITEM, "item.content[1].parsed", Role::Echo),
    row(ITEM, "item.content[1].transcript", Role::Echo),
    row(ITEM, "item.content[1].data", Role::Echo),
    row(ITEM_DONE, "", Role::EndAll),
    row(AUDIO, "delta", Role::Echo),
    row(AUDIO_DONE, "transcript", Role::Echo),
    // Clients put it there.
    row(ANY, "response.output_text", Role::Echo),
    row(ANY, "output_text", Role::Echo),
    row(ANNOTATION, "annotation.start_index", Role::Offset).both(),
    row(ANNOTATION, "annotation.end_index", Role::Offset).both(),
    row(ANY, "response.output[0].type", Role::Kind),
    row(ANY, "response.output[0].content[1].type", Role::Kind),
    row(ANY, "response.output[0].content[1].text", Role::Whole).both(),
    row(ANY, "response.output[0].content[1].refusal", Role::Whole)
        .both()
        .of(Member::Refusal),
    row(
        ANY,
        "response.output[0].content[1].logprobs",
        Role::Logprobs,
    )
    .both(),
    row(
        ANY,
        "response.output[0].content[1].annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "response.output[0].content[1].annotations[].end_index",
        Role::Offset,
    )
    .both(),
    row(ANY, "response.output[0].content[1].parsed", Role::Echo),
    row(ANY, "response.output[0].content[1].transcript", Role::Echo),
    row(ANY, "response.output[0].content[1].data", Role::Echo),
    // The response alone, not streamed.
    row(ANY, "output[0].type", Role::Kind),
    row(ANY, "output[0].content[1].type", Role::Kind),
    row(ANY, "output[0].content[1].text", Role::Whole).both(),
    row(ANY, "output[0].content[1].refusal", Role::Whole)
        .both()
        .of(Member::Refusal),
    row(ANY, "output[0].content[1].logprobs", Role::Logprobs).both(),
    row(
        ANY,
        "output[0].content[1].annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "output[0].content[1].annotations[].end_index",
        Role::Offset,
    )
    .both(),
    row(ANY, "output[0].content[1].parsed", Role::Echo),
    row(ANY, "output[0].content[1].transcript", Role::Echo),
    row(ANY, "output[0].content[1].data", Role::Echo),
    row(REASONING, "delta", Role::Reasoning).both(),
    row(REASONING_SUMMARY, "delta", Role::Reasoning)
        .both()
        .of(Member::Summary),
    row(REASONING_DONE, "", Role::ReasoningEnd).both(),
    row(REASONING_DONE, "text", Role::ReasoningWhole).both(),
    row(SUMMARY, "part.text", Role::ReasoningWhole).both(),
    row(REASONING_PART, "part.text", Role::ReasoningWhole).both(),
    row(REASONING_PART, "part.reasoning", Role::ReasoningWhole).both(),
    row(ITEM, "item.summary[1].text", Role::ReasoningWhole).both(),
    row(
        ANY,
        "response.output[0].summary[1].text",
        Role::ReasoningWhole,
    )
    .both(),
    row(ANY, "output[0].summary[1].text", Role::ReasoningWhole).both(),
    // mistral.rs puts all reasoning there.
    row(ANY, "reasoning", Role::ReasoningWhole).zero(),
    row(ANY, "response.reasoning", Role::ReasoningWhole).zero(),
    row(TOOL, "delta", Role::Tool),
    row(LAST, "response.error", Role::Error),
    row(FAILED, "", Role::Error),
    row(LAST, "", Role::Done),
    row(ANY, "error", Role::Error),
    row(ANY, "response.status", Role::ErrorKind),
    row(ANY, "status", Role::ErrorKind),
    row(&["error"], "", Role::Error),
];

/// Items, in events about one and in the response.
const ITEMS: &[&str] = &["item", "response.output[0]", "output[0]"];

/// The response, in an event or alone.
const RESPONSE: &[&str] = &["response", ""];

/// Citations in text.
const ANNOTATIONS: &[&str] = &[
    "annotation",
    "part.annotations[]",
    "item.content[1].annotations[]",
    "response.output[0].content[1].annotations[]",
    "output[0].content[1].annotations[]",
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        ITEMS,
        "content[1].format content[1].id content[1].status format id phase role status summary[1].id summary[1].type type",
    ),
    words(ITEMS, "agent created_by"),
    data(ITEMS, "encrypted_content"),
    word(&[""], "part.id part.status"),
    word(ANNOTATIONS, "container_id file_id type"),
    data(ANNOTATIONS, "url"),
    string(ANNOTATIONS, "filename title"),
    word(
        RESPONSE,
        "id model object previous_response_id prompt_cache_retention service_tier truncation",
    ),
    words(
        RESPONSE,
        "access_programs billing content_filter_results content_filters context_management conversation image.context_compression \
         incomplete_details input_transformations moderation prompt_cache_diagnostics reasoning usage",
    ),
    any(
        RESPONSE,
        "instructions input metadata prompt prompt_cache_options tool_choice tools",
    ),
    string(RESPONSE, "prompt_cache_key safety_identifier user"),
    word(&["response"], "text.verbosity"),
    any(&["response"], "error text.format"),
    word(
        &[""],
        "background background_color call_id code event_id item_id name output_format param phase quality response_id role size",
    ),
    words(&[""], "copilot_usage"),
    data(&[""], "obfuscation partial_image_b64"),
    any(&[""], "item response.output[] output[]").in_kinds(&[
        "*_call",
        "program*",
        "*_call_output",
        "mcp_*",
        "tool_search*",
        "compaction*",
        "item_reference",
    ]),
    any(
        &[""],
        "delta input arguments code output command diff logs result item",
    )
    .in_kinds(&["response.*_call*"]),
    any(&[""], "text").in_kinds(&["response"]),
    // What Codex's backend says about its limits and connections.
    any(
        &[""],
        "additional_rate_limits code_review_rate_limits credits etag headers limit_id limit_name metadata metered_limit_name plan_type \
         promo rate_limits",
    )
    .in_kinds(&["codex.*", "response.metadata"]),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    counts_parts: true,
    shortest_refusal: Some(Shortest {
        event: "response.refusal.delta",
        json: r##"{"type":"response.refusal.delta","output_index":#,"content_index":%,"delta":"@"}"##,
    }),
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "response.output_text.delta",
            json: r##"{"type":"response.output_text.delta","output_index":#,"content_index":%,"delta":"@"}"##,
        },
    )
};
