//! Mistral's conversations and agents. The chunks of a message, with references between them, are one text.
//!
//! <https://docs.mistral.ai/api/endpoint/beta/conversations>

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const DELTA: &[&str] = &["message.output.delta"];
const CALL: &[&str] = &["function.call.delta"];
const PART: &[&str] = &[
    "function.call.delta",
    "tool.execution.started",
    "agent.handoff.started",
];
const DONE: &[&str] = &["conversation.response.done"];
const ERROR: &[&str] = &["conversation.response.error"];

const ROWS: &[Row] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "output_index", Role::Number(0)),
    row(DELTA, "content", Role::Text),
    row(DELTA, "content.text", Role::Text),
    row(DELTA, "content.thinking", Role::Reasoning),
    row(DELTA, "content.thinking[].text", Role::Reasoning),
    row(PART, "", Role::Part).all(),
    row(CALL, "arguments", Role::Tool),
    row(DONE, "", Role::Done),
    row(ERROR, "message", Role::Error),
    // The response alone, not streamed.
    row(ANY, "outputs[0].content", Role::Start),
    row(ANY, "outputs[0].content[].text", Role::Start),
    row(ANY, "outputs", Role::End).all(),
    row(ANY, "outputs[0].content[1].thinking", Role::ReasoningWhole).both(),
    row(
        ANY,
        "outputs[0].content[1].thinking[].text",
        Role::ReasoningWhole,
    )
    .both(),
    row(ANY, "error", Role::Error),
    row(&["error"], "", Role::Error),
];

pub(crate) const TABLE: Table = Table::new(
    ROWS,
    Shortest {
        event: "message.output.delta",
        json: r##"{"type":"message.output.delta","output_index":#,"content_index":0,"role":"assistant","content":"@"}"##,
    },
);
