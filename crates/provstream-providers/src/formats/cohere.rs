//! Cohere chat, version 2.

use crate::text_id::Member;
use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, row, word, words,
};

const START: &[&str] = &["content-start"];
const DELTA: &[&str] = &["content-delta"];
const PIECE: &[&str] = &["content-start", "content-delta"];
const CALL: &[&str] = &["tool-call-start", "tool-call-delta"];
const END: &[&str] = &["message-end"];

const ROWS: &[FormatRow] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "index", Role::Number(0)),
    row(START, "delta.message.content.type", Role::Block).all(),
    row(START, "delta.message.content.text", Role::Start),
    row(DELTA, "delta.message.content.text", Role::Text),
    row(PIECE, "delta.message.content.thinking", Role::Reasoning),
    row(DELTA, "delta.logprobs", Role::Logprobs),
    row(ANY, "logprobs", Role::Logprobs),
    row(&["content-end"], "", Role::ReasoningEnd),
    row(&["content-end"], "", Role::Finish),
    row(
        &["tool-plan-delta"],
        "delta.message.tool_plan",
        Role::Reasoning,
    )
    .of(Member::Summary),
    row(
        CALL,
        "delta.message.tool_calls.function.arguments",
        Role::Tool,
    ),
    row(&["tool-call-start"], "", Role::Part).all(),
    row(
        ANY,
        "delta.message.citations.content_index",
        Role::Number(2),
    ),
    row(ANY, "delta.message.citations.text", Role::Quote).cited(),
    row(ANY, "delta.message.citations.start", Role::Offset).cited(),
    row(ANY, "delta.message.citations.end", Role::Offset).cited(),
    row(END, "delta.error", Role::Error),
    row(END, "delta.finish_reason", Role::ErrorKind),
    row(END, "", Role::Done),
    // The response alone, not streamed.
    row(ANY, "finish_reason", Role::ErrorKind),
    row(ANY, "message", Role::End).all(),
    row(ANY, "message.content[0].text", Role::Whole),
    row(ANY, "message.content[0].thinking", Role::ReasoningWhole),
    row(ANY, "message.tool_plan", Role::ReasoningWhole),
    row(ANY, "message.citations[].content_index", Role::Number(2)),
    row(ANY, "message.citations[].text", Role::Quote).cited(),
    row(ANY, "message.citations[].start", Role::Offset).cited(),
    row(ANY, "message.citations[].end", Role::Offset).cited(),
    row(ANY, "error", Role::Error),
    row(&["error"], "", Role::Error),
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(&["delta.message"], "citations.type content.type id role"),
    word(&["message"], "citations[].type content[0].type id role"),
    any(&["delta.message"], "citations.sources tool_calls"),
    any(&["message"], "citations[].sources tool_calls"),
    word(&["", "delta"], "finish_reason"),
    words(&["", "delta"], "usage"),
    word(&[""], "generation_id id response_id"),
    any(&[""], "meta prompt"),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "content-delta",
            json: r##"{"type":"content-delta","index":#,"delta":{"message":{"content":{"text":"@"}}}}"##,
        },
    )
};
