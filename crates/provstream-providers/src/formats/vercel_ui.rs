//! The UI message stream of Vercel's AI SDK, and the UI message. The text parts of a message are one text.
//!
//! <https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>, <https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message>

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const PART: &[&str] = &[
    "reasoning-start",
    "tool-input-start",
    "tool-input-available",
    "tool-output-available",
    "source-url",
    "source-document",
    "file",
];
/// What providers say about text: citations with the passages that they quote, for one.
const ABOUT: &[&str] = &[
    "text-start",
    "text-delta",
    "text-end",
    "source-url",
    "source-document",
];
const LAST: &[&str] = &["finish-step", "finish", "abort"];

const ROWS: &[Row] = &[
    row(ANY, "type", Role::Type),
    row(&["text-delta"], "delta", Role::Text).zero(),
    row(&["text-end"], "", Role::Finish).zero(),
    row(&["reasoning-delta"], "delta", Role::Reasoning).zero(),
    row(&["reasoning-end"], "", Role::ReasoningEnd).zero(),
    row(&["tool-input-delta"], "inputTextDelta", Role::Tool).zero(),
    row(ABOUT, "providerMetadata", Role::Echo),
    row(PART, "", Role::Part).all(),
    row(LAST, "", Role::End).all(),
    row(&["error"], "errorText", Role::Error),
    // The message alone, not streamed.
    row(ANY, "parts[0].type", Role::Kind),
    row(ANY, "parts[0].text", Role::Whole),
    row(ANY, "parts[0].providerMetadata", Role::Echo),
    row(ANY, "error", Role::Error),
];

pub(crate) const TABLE: Table = Table {
    one_text: true,
    ..Table::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"type":"text-delta","id":"0","delta":"@"}"##,
        },
    )
};
