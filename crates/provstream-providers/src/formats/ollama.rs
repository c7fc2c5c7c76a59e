//! Ollama's `/api/chat` and `/api/generate`.

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const ROWS: &[Row] = &[
    row(ANY, "message.content", Role::Text).zero(),
    row(ANY, "response", Role::Text).zero(),
    row(ANY, "message.thinking", Role::Reasoning).zero(),
    row(ANY, "thinking", Role::Reasoning).zero(),
    row(ANY, "message.tool_calls", Role::Part).zero(),
    row(
        ANY,
        "message.tool_calls[].function.arguments",
        Role::ToolJson,
    )
    .zero(),
    row(ANY, "logprobs", Role::Logprobs).zero(),
    // The tokens of the conversation, for the next request.
    row(ANY, "context", Role::Echo),
    row(ANY, "error", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
    row(ANY, "done", Role::Done),
];

pub(crate) const TABLE: Table = Table::new(
    ROWS,
    Shortest {
        event: "",
        json: r##"{"message":{"role":"assistant","content":"@"},"done":false}"##,
    },
);
