//! Cohere chat, version 2.

use crate::text_id::Member;
use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

const START: &[&str] = &["content-start"];
const DELTA: &[&str] = &["content-delta"];
const PIECE: &[&str] = &["content-start", "content-delta"];
const CALL: &[&str] = &["tool-call-start", "tool-call-delta"];
const CITATION: &[&str] = &["citation-start"];
const END: &[&str] = &["message-end"];

const ROWS: &[Row] = &[
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
        CITATION,
        "delta.message.citations.content_index",
        Role::Number(2),
    ),
    row(CITATION, "delta.message.citations.text", Role::Quote).cited(),
    row(CITATION, "delta.message.citations.start", Role::Offset).cited(),
    row(CITATION, "delta.message.citations.end", Role::Offset).cited(),
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

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &[""];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[
    passes(
        &["delta.message"],
        "citations content.type id role tool_calls",
    ),
    passes(&["message"], "citations content[0].type role tool_calls"),
    passes(&["delta"], "error finish_reason usage"),
    passes(
        &[""],
        "finish_reason generation_id id meta prompt response_id type usage",
    ),
];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    ..Table::new(
        ROWS,
        Shortest {
            event: "content-delta",
            json: r##"{"type":"content-delta","index":#,"delta":{"message":{"content":{"text":"@"}}}}"##,
        },
    )
};
