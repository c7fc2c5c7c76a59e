//! Gemini Interactions, in steps and in the older form without them.
//!
//! <https://ai.google.dev/gemini-api/docs/interactions/streaming>,
//! <https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026>

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const START: &[&str] = &["step.start", "content.start"];
const DELTA: &[&str] = &["step.delta", "content.delta"];
const STOP: &[&str] = &["step.stop", "content.stop"];
const FAILED: &[&str] = &["interaction.failed"];
const LAST: &[&str] = &["interaction.completed", "interaction.complete"];

const ROWS: &[FormatRow] = &[
    row(ANY, "event_type", Role::Type),
    row(ANY, "index", Role::Number(0)),
    row(START, "step.type", Role::Block).all(),
    row(START, "step.content[].text", Role::Start),
    row(START, "content.type", Role::Block).all(),
    row(START, "content.text", Role::Start),
    row(DELTA, "delta.text", Role::Text),
    row(DELTA, "delta.content.text", Role::Reasoning),
    row(DELTA, "delta.arguments", Role::Tool),
    row(DELTA, "delta.annotations[].start_index", Role::Offset),
    row(DELTA, "delta.annotations[].end_index", Role::Offset),
    row(STOP, "", Role::ReasoningEnd),
    row(STOP, "", Role::Finish),
    row(LAST, "", Role::Done),
    row(ANY, "interaction.steps[0].type", Role::Kind),
    row(ANY, "interaction.steps[0].content[]", Role::Holder),
    row(ANY, "interaction.steps[0].content[].text", Role::WholePart),
    row(
        ANY,
        "interaction.steps[0].content[].annotations[].start_index",
        Role::Offset,
    ),
    row(
        ANY,
        "interaction.steps[0].content[].annotations[].end_index",
        Role::Offset,
    ),
    row(ANY, "interaction.outputs[0].type", Role::Kind),
    row(ANY, "interaction.outputs[0].text", Role::Whole),
    row(
        ANY,
        "interaction.outputs[0].annotations[].start_index",
        Role::Offset,
    ),
    row(
        ANY,
        "interaction.outputs[0].annotations[].end_index",
        Role::Offset,
    ),
    // The interaction alone, not streamed.
    row(ANY, "steps[0].type", Role::Kind),
    row(ANY, "steps[0].content[]", Role::Holder),
    row(ANY, "steps[0].content[].text", Role::WholePart),
    row(ANY, "steps[0].summary[1].text", Role::ReasoningWhole).both(),
    row(ANY, "outputs[0].summary[1].text", Role::ReasoningWhole).both(),
    row(
        ANY,
        "steps[0].content[].annotations[].start_index",
        Role::Offset,
    ),
    row(
        ANY,
        "steps[0].content[].annotations[].end_index",
        Role::Offset,
    ),
    row(ANY, "outputs[0].annotations[].start_index", Role::Offset),
    row(ANY, "outputs[0].annotations[].end_index", Role::Offset),
    row(ANY, "outputs[0].type", Role::Kind),
    row(ANY, "outputs[0].text", Role::Whole),
    row(ANY, "error", Role::Error),
    row(FAILED, "", Role::Error),
    row(&["error"], "", Role::Error),
    row(ANY, "type", Role::ErrorKind),
    row(ANY, "interaction.status", Role::ErrorKind),
    row(ANY, "status", Role::ErrorKind),
];

/// Steps and their content.
const STEPS: &[&str] = &[
    "interaction.steps[0]",
    "steps[0]",
    "interaction.outputs[0]",
    "outputs[0]",
    "content",
    "step",
    "delta",
];

/// Citations in text.
const ANNOTATIONS: &[&str] = &[
    "interaction.steps[0].content[1].annotations[]",
    "steps[0].content[1].annotations[]",
    "interaction.outputs[0].annotations[]",
    "outputs[0].annotations[]",
    "content.annotations[]",
    "step.content[].annotations[]",
    "delta.annotations[]",
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(STEPS, "call_id id mime_type name server_name status type"),
    words(STEPS, "resolution"),
    data(STEPS, "data signature uri"),
    any(STEPS, "arguments error"),
    word(
        &["interaction.steps[0]", "steps[0]"],
        "content[1].id content[1].mime_type content[1].name content[1].type summary[1].mime_type summary[1].type",
    ),
    words(
        &["interaction.steps[0]", "steps[0]"],
        "content[1].resolution summary[1].resolution",
    ),
    data(
        &["interaction.steps[0]", "steps[0]"],
        "content[1].data content[1].raw content[1].uri summary[1].data summary[1].uri",
    ),
    word(&["outputs[0]"], "summary[1].type"),
    word(
        &["step"],
        "content[].mime_type content[].type summary[].mime_type summary[].type",
    ),
    words(&["step"], "content[].resolution summary[].resolution"),
    data(
        &["step"],
        "content[].data content[].raw content[].uri summary[].data summary[].uri",
    ),
    word(&["delta"], "content.mime_type content.type"),
    data(&["delta"], "content.data content.uri"),
    word(
        ANNOTATIONS,
        "end_offset media_id place_id start_offset style type",
    ),
    data(ANNOTATIONS, "document_uri raw url"),
    string(ANNOTATIONS, "file_name name source speaker title"),
    any(ANNOTATIONS, "custom_metadata"),
    word(
        &["", "interaction"],
        "agent created environment_id event_id id interaction_id model object previous_interaction_id \
         response_mime_type role service_tier status type updated",
    ),
    words(&["", "interaction"], "response_modalities usage"),
    data(&["", "interaction"], "continuation_token"),
    any(
        &["", "interaction"],
        "agent_config environment error generation_config input metadata response_format system_instruction tools \
         webhook_config",
    ),
    any(
        &[""],
        "delta step content interaction.steps[] steps[] interaction.outputs[] outputs[]",
    )
    .in_kinds(&["*_call", "*_result"]),
    any(&[""], "interaction.steps[] steps[] step").in_kinds(&["user_input"]),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    plain: &["type", "text", "annotations"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "step.delta",
            json: r##"{"index":#,"delta":{"type":"text","text":"@"},"event_type":"step.delta"}"##,
        },
    )
};
