//! Anthropic Messages.

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const START: &[&str] = &["content_block_start"];
const DELTA: &[&str] = &["content_block_delta"];
const MESSAGE: &[&str] = &["message"];

const ROWS: &[FormatRow] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "index", Role::Number(0)),
    row(&["message_start"], "message.content[0]", Role::Element),
    row(&["message_start"], "message.content[0].text", Role::Start),
    row(START, "content_block.type", Role::Block),
    row(START, "content_block.text", Role::Start),
    row(START, "content_block.thinking", Role::Reasoning),
    row(DELTA, "delta.type", Role::DeltaKind),
    row(DELTA, "delta.text", Role::Text),
    row(DELTA, "delta.thinking", Role::Reasoning),
    row(DELTA, "delta.citation.cited_text", Role::Echo),
    row(START, "content_block.citations[].cited_text", Role::Echo),
    row(
        &["message_start"],
        "message.content[0].citations[].cited_text",
        Role::Echo,
    ),
    row(DELTA, "delta.partial_json", Role::Tool),
    row(&["content_block_stop"], "", Role::ReasoningEnd),
    row(&["content_block_stop"], "", Role::BlockEnd),
    row(&["message_delta"], "", Role::Finish).all(),
    row(&["message_stop"], "", Role::Done),
    // The message alone, not streamed.
    row(MESSAGE, "content[0]", Role::Element),
    row(MESSAGE, "content[0].type", Role::Block),
    row(MESSAGE, "content[0].text", Role::Alone),
    row(MESSAGE, "content[0].thinking", Role::ReasoningWhole),
    row(MESSAGE, "content[0].citations[].cited_text", Role::Echo),
    row(MESSAGE, "", Role::End).all(),
    row(ANY, "error", Role::Error),
    row(&["error"], "", Role::Error),
];

/// Blocks of a message.
const BLOCKS: &[&str] = &["content_block", "message.content[0]", "content[0]"];

/// Citations in a block.
const CITATIONS: &[&str] = &[
    "delta.citation",
    "content_block.citations[]",
    "message.content[0].citations[]",
    "content[0].citations[]",
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        BLOCKS,
        "file_id from.model id name server_name to.model tool_use_id type",
    ),
    words(BLOCKS, "caller"),
    data(BLOCKS, "data signature"),
    any(BLOCKS, "input source"),
    word(CITATIONS, "file_id type"),
    data(CITATIONS, "encrypted_index url"),
    string(CITATIONS, "document_title source title"),
    word(&["", "message"], "id model role stop_reason type"),
    words(
        &["", "message"],
        "container context_management diagnostics input_transformations usage",
    ),
    string(&["", "message"], "provider"),
    string(&["", "message", "delta"], "stop_sequence"),
    any(&["", "message", "delta"], "stop_details"),
    word(&["delta"], "stop_reason"),
    words(&["delta"], "container usage"),
    data(&["delta"], "signature"),
    word(&[""], "request_id"),
    data(&[""], "p"),
    any(
        &[""],
        "content_block.content message.content[].content content[].content",
    )
    .in_kinds(&["*_tool_result", "compaction"]),
    any(&[""], "delta.content").in_kinds(&["compaction_delta"]),
    data(&[""], "delta.encrypted_content").in_kinds(&["compaction*"]),
    data(
        &[""],
        "content_block.encrypted_content content[].encrypted_content",
    )
    .in_kinds(&["compaction"]),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    one_text: true,
    has_starts: true,
    plain: &["text_delta"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "content_block_delta",
            json: r##"{"type":"content_block_delta","index":#,"delta":{"type":"text_delta","text":"@"}}"##,
        },
    )
};
