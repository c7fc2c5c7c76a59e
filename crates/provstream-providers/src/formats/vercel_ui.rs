//! The UI message stream of Vercel's AI SDK, and the UI message. The text parts of a message are one text.
//!
//! <https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>, <https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message>

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const PART: &[&str] = &["source-url", "source-document", "tool-input-delta"];
/// Types of events that are nothing that a reader sees in its order, so that they are no breaks: all others are, but for those of text,
/// `reasoning-end`, and data that are transient or come within a part of text.
const CONTROL: &[&str] = &["start", "start-step", "message-metadata"];
const BLOCK: &[&str] = &["text-start", "text-delta", "text-end"];
const THOUGHT: &[&str] = &["reasoning-delta", "reasoning-end"];
/// Metadata of providers about text, such as citations with the quoted passages.
const ABOUT: &[&str] = &[
    "text-start",
    "text-delta",
    "text-end",
    "source-url",
    "source-document",
];
const LAST: &[&str] = &["finish-step", "finish", "abort"];

const ROWS: &[FormatRow] = &[
    row(ANY, "type", Role::Type),
    row(BLOCK, "id", Role::Id),
    row(THOUGHT, "id", Role::Id),
    row(&["text-start"], "", Role::BlockStart).zero(),
    row(&["text-delta"], "delta", Role::Text).zero(),
    row(&["text-end"], "", Role::BlockEnd).zero(),
    row(&["reasoning-start"], "", Role::ReasoningStart).zero(),
    row(&["reasoning-delta"], "delta", Role::Reasoning).zero(),
    row(&["reasoning-end"], "", Role::ReasoningEnd).zero(),
    row(&["tool-input-delta"], "inputTextDelta", Role::Tool).zero(),
    row(ABOUT, "providerMetadata", Role::Echo),
    row(PART, "", Role::Part).all(),
    row(LAST, "", Role::End).all(),
    row(&["error"], "errorText", Role::Error),
    row(&["error"], "", Role::Error),
    // The message alone, not streamed.
    row(ANY, "parts[].type", Role::Kind).zero(),
    row(ANY, "parts[].text", Role::Alone).zero(),
    row(ANY, "parts[]", Role::Holder).zero(),
    row(ANY, "parts[].providerMetadata", Role::Echo).zero(),
    row(ANY, "parts", Role::End).all(),
    row(ANY, "error", Role::Error),
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    word(
        &["", "parts[]"],
        "approvalId createdAt finishReason id inputEncoding mediaType messageId role sourceId state toolCallId toolName",
    ),
    string(&["", "parts[]"], "errorText filename reason title"),
    words(&[""], "usage"),
    data(&["", "parts[]"], "signature url"),
    any(
        &["", "parts[]"],
        "approval approvalDescriptor callProviderMetadata input inputSchemaInput output providerMetadata rawInput \
         resultProviderMetadata toolMetadata",
    ),
    any(&[""], "messageMetadata metadata"),
    any(&[""], "data parts[].data").in_kinds(&["data-*"]),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    one_text: true,
    has_starts: true,
    has_parts: true,
    plain: &["text", "reasoning", "step-start"],
    control: CONTROL,
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"type":"text-delta","id":"0","delta":"@"}"##,
        },
    )
};
