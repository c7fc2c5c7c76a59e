//! Gemini Interactions, in steps and in the older form without them.
//!
//! <https://ai.google.dev/gemini-api/docs/interactions/streaming>,
//! <https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026>

use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

const START: &[&str] = &["step.start", "content.start"];
const DELTA: &[&str] = &["step.delta", "content.delta"];
const STOP: &[&str] = &["step.stop", "content.stop"];
const FAILED: &[&str] = &["interaction.failed"];
const LAST: &[&str] = &["interaction.completed", "interaction.complete"];

const ROWS: &[Row] = &[
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
    row(ANY, "interaction.steps[0].content[].text", Role::Whole),
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
    row(ANY, "steps[0].content[1].text", Role::Whole).both(),
    row(ANY, "steps[0].summary[1].text", Role::ReasoningWhole).both(),
    row(ANY, "outputs[0].summary[1].text", Role::ReasoningWhole).both(),
    row(
        ANY,
        "steps[0].content[1].annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "steps[0].content[1].annotations[].end_index",
        Role::Offset,
    )
    .both(),
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

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &["", "interaction.steps[0]", "interaction.outputs[0]"];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[
    passes(
        &["interaction.steps[0]", "steps[0]"],
        "arguments call_id content[1].annotations content[1].data content[1].mime_type content[1].type \
         content[1].uri id name server_name signature status summary[1].type type",
    ),
    passes(
        &["interaction.outputs[0]", "content"],
        "annotations arguments call_id data id mime_type name resolution server_name signature status type \
         uri",
    ),
    passes(
        &["outputs[0]"],
        "annotations arguments call_id data id mime_type name resolution server_name signature status \
         summary[1].type type uri",
    ),
    passes(
        &["step"],
        "annotations arguments call_id content[].annotations content[].type data id mime_type name resolution \
         server_name signature status summary[].type type uri",
    ),
    passes(
        &["delta"],
        "annotations arguments call_id content.data content.mime_type content.type content.uri data id \
         mime_type name resolution server_name signature type uri",
    ),
    passes(
        &[""],
        "agent agent_config created environment environment_id error event_id event_type generation_config id \
         input interaction interaction_id metadata model object previous_interaction_id response_format \
         response_mime_type response_modalities role service_tier status system_instruction tools type \
         updated usage webhook_config",
    ),
    passes(
        &[""],
        "delta step content interaction.steps[] steps[] interaction.outputs[] outputs[]",
    )
    .in_kinds(&["*_call", "*_result"]),
    passes(&[""], "interaction.steps[] steps[] step").in_kinds(&["user_input"]),
];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    ..Table::new(
        ROWS,
        Shortest {
            event: "step.delta",
            json: r##"{"index":#,"delta":{"type":"text","text":"@"},"event_type":"step.delta"}"##,
        },
    )
};
