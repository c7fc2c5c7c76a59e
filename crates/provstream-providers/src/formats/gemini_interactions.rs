//! Gemini Interactions, in steps and in the older form without them.
//!
//! <https://ai.google.dev/gemini-api/docs/interactions/streaming>,
//! <https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026>

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const START: &[&str] = &["step.start", "content.start"];
const DELTA: &[&str] = &["step.delta", "content.delta"];
const STOP: &[&str] = &["step.stop", "content.stop"];
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
    row(STOP, "", Role::End),
    row(LAST, "", Role::Done),
    row(ANY, "interaction.steps[0].type", Role::Kind),
    row(ANY, "interaction.steps[0].content[1].text", Role::Whole).both(),
    row(
        ANY,
        "interaction.steps[0].content[1].annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "interaction.steps[0].content[1].annotations[].end_index",
        Role::Offset,
    )
    .both(),
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
    row(&["error"], "", Role::Error),
];

pub(crate) const TABLE: Table = Table::new(
    ROWS,
    Shortest {
        event: "step.delta",
        json: r##"{"index":#,"delta":{"type":"text","text":"@"},"event_type":"step.delta"}"##,
    },
);
