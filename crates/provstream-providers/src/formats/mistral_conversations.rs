//! Mistral's conversations and agents. The chunks of a message, with references between them, are one text.
//!
//! <https://docs.mistral.ai/api/endpoint/beta/conversations>

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const DELTA: &[&str] = &["message.output.delta"];
const CALL: &[&str] = &["function.call.delta"];
const PART: &[&str] = &[
    "function.call.delta",
    "tool.execution.started",
    "agent.handoff.started",
];
const DONE: &[&str] = &["conversation.response.done"];
const ERROR: &[&str] = &["conversation.response.error"];

const ROWS: &[FormatRow] = &[
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

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        &["outputs[0]", ""],
        "agent_id completed_at confirmation_status created_at id model name next_agent_id object previous_agent_id role \
         tool_call_id type",
    ),
    string(&["outputs[0]", ""], "next_agent_name previous_agent_name"),
    any(&["outputs[0]", ""], "arguments code function info"),
    word(
        &["outputs[0]"],
        "content[1].thinking[].type content[1].type",
    ),
    data(&["outputs[0]"], "content[1].signature"),
    word(
        &[""],
        "content.thinking[].type content.type conversation_id",
    ),
    words(&[""], "content.thinking[].reference_ids usage"),
    data(&[""], "content.signature"),
    any(&[""], "guardrails"),
    any(&[""], "content outputs[].content[]").in_kinds(&[
        "tool_reference",
        "tool_file",
        "document_url",
        "image_url",
        "input_audio",
        "file",
    ]),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    has_parts: true,
    // References are citations.
    plain: &["type", "text", "thinking", "reference", "tool_reference"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "message.output.delta",
            json: r##"{"type":"message.output.delta","output_index":#,"content_index":0,"role":"assistant","content":"@"}"##,
        },
    )
};
