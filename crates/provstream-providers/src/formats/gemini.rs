//! Gemini `streamGenerateContent` and `generateContent`.

use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

const ROWS: &[Row] = &[
    row(ANY, "candidates[].index", Role::Number(0)),
    row(ANY, "candidates[].content.parts[].text", Role::Text),
    row(ANY, "candidates[].content.parts[].thought", Role::Thought),
    row(ANY, "candidates[].content.parts[]", Role::Holder),
    row(
        ANY,
        "candidates[].content.parts[].functionCall.args",
        Role::ToolJson,
    ),
    row(
        ANY,
        "candidates[].groundingMetadata.groundingSupports[].segment.text",
        Role::Quote,
    ),
    row(
        ANY,
        "candidates[].groundingMetadata.groundingSupports[].segment.startIndex",
        Role::Offset,
    ),
    row(
        ANY,
        "candidates[].groundingMetadata.groundingSupports[].segment.endIndex",
        Role::Offset,
    ),
    row(
        ANY,
        "candidates[].citationMetadata.citationSources[].startIndex",
        Role::Offset,
    ),
    row(
        ANY,
        "candidates[].citationMetadata.citationSources[].endIndex",
        Role::Offset,
    ),
    row(
        ANY,
        "candidates[].citationMetadata.citations[].startIndex",
        Role::Offset,
    ),
    row(
        ANY,
        "candidates[].citationMetadata.citations[].endIndex",
        Role::Offset,
    ),
    row(ANY, "candidates[].logprobsResult", Role::Logprobs),
    row(ANY, "candidates[].finishReason", Role::Finish),
    row(ANY, "error", Role::Error),
    row(ANY, "type", Role::Type),
    row(&["error"], "", Role::Error),
];

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &["candidates[]"];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[
    passes(
        &["candidates[].content.parts[]"],
        "codeExecutionResult executableCode fileData functionCall functionResponse inlineData mediaResolution \
         partMetadata thoughtSignature toolCall toolResponse videoMetadata",
    ),
    passes(
        &["candidates[]"],
        "citationMetadata content.role finishMessage finishReason groundingAttributions groundingMetadata \
         logprobsResult safetyRatings urlContextMetadata",
    ),
];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    has_parts: true,
    plain: &["text", "thought", "thoughtSignature", "partMetadata"],
    ..Table::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"candidates":[{"index":#,"content":{"role":"model","parts":[{"text":"@"}]}}]}"##,
        },
    )
};
