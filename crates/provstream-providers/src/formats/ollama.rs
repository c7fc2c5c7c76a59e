//! Ollama's `/api/chat` and `/api/generate`.

use crate::text_id::Member;
use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, word,
};

const ROWS: &[FormatRow] = &[
    row(ANY, "message.content", Role::Text).zero(),
    row(ANY, "response", Role::Text).zero().of(Member::Response),
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
    // A client reads to the end of the body.
    row(ANY, "done", Role::Last),
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(&["message"], "role tool_call_id tool_name"),
    data(&["message"], "images"),
    any(&["message"], "tool_calls"),
    word(&[""], "created_at done_reason model remote_model"),
    data(&[""], "image remote_host"),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    parts_reasoning: true,
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"message":{"role":"assistant","content":"@"},"done":false}"##,
        },
    )
};
