//! Mistral's conversations and agents. The chunks of a message, with references between them, are one text.
//!
//! <https://docs.mistral.ai/api/endpoint/beta/conversations>

use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

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
    row(DELTA, "content", Role::Holder),
    row(DELTA, "content.text", Role::Text),
    row(DELTA, "content.thinking", Role::Reasoning),
    row(DELTA, "content.thinking[].text", Role::Reasoning),
    row(PART, "", Role::Part).all(),
    row(CALL, "arguments", Role::Tool),
    row(DONE, "", Role::Done),
    row(ERROR, "message", Role::Error),
    row(ERROR, "", Role::Error),
    // The response alone, not streamed.
    row(ANY, "outputs[0].content", Role::Alone),
    row(ANY, "outputs[0].content[].text", Role::Alone),
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

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &[""];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[
    passes(
        &["outputs[0]"],
        "agent_id arguments code completed_at confirmation_status content[1].signature \
         content[1].thinking[].type content[1].type created_at function id info model name next_agent_id \
         next_agent_name object previous_agent_id previous_agent_name role tool_call_id type",
    ),
    passes(
        &[""],
        "agent_id arguments code completed_at confirmation_status content.closed content.signature \
         content.thinking[].reference_ids content.thinking[].type content.type conversation_id created_at \
         function guardrails id info model name next_agent_id next_agent_name object previous_agent_id \
         previous_agent_name role tool_call_id type usage",
    ),
    passes(&[""], "content outputs[].content[]").in_kinds(&[
        "tool_reference",
        "tool_file",
        "document_url",
        "image_url",
        "input_audio",
        "file",
    ]),
];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    has_parts: true,
    // References are citations.
    plain: &["type", "text", "thinking", "reference", "tool_reference"],
    ..Table::new(
        ROWS,
        Shortest {
            event: "message.output.delta",
            json: r##"{"type":"message.output.delta","output_index":#,"content_index":0,"role":"assistant","content":"@"}"##,
        },
    )
};
