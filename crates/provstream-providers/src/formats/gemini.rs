//! Gemini `streamGenerateContent` and `generateContent`.

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const ROWS: &[FormatRow] = &[
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

/// Citations of an answer.
const CITATIONS: &[&str] = &[
    "candidates[].citationMetadata.citationSources[]",
    "candidates[].citationMetadata.citations[]",
];

/// Values that are not text.
const PASSES: &[Passes] = &[
    words(
        &["candidates[].content.parts[]"],
        "audioMetadata mediaProcessing mediaResolution speechMetadata spreadsheetMetadata videoMetadata",
    ),
    data(&["candidates[].content.parts[]"], "thoughtSignature"),
    any(
        &["candidates[].content.parts[]"],
        "codeExecutionResult executableCode fileData functionCall functionResponse inlineData partMetadata toolCall \
         toolResponse",
    ),
    word(&["candidates[]"], "content.role"),
    words(&["candidates[]"], "safetyRatings"),
    data(&["candidates[]"], "continuationToken urlContextMetadata"),
    words(CITATIONS, "publicationDate"),
    data(CITATIONS, "uri"),
    string(CITATIONS, "license title"),
    string(&["candidates[]"], "finishMessage"),
    words(
        &["candidates[].groundingMetadata"],
        "groundingSupports[].confidenceScores groundingSupports[].groundingChunkIndices \
         groundingSupports[].renderedParts retrievalMetadata",
    ),
    data(
        &["candidates[].groundingMetadata"],
        "googleMapsWidgetContextToken",
    ),
    any(
        &["candidates[].groundingMetadata"],
        "groundingChunks imageSearchQueries retrievalQueries searchEntryPoint sourceFlaggingUris webSearchQueries",
    ),
    any(&["candidates[]"], "groundingAttributions logprobsResult"),
    word(&[""], "createTime modelVersion responseId"),
    words(&[""], "usageMetadata"),
    any(
        &[""],
        "automaticFunctionCallingHistory modelStatus promptFeedback sdkHttpResponse",
    ),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    has_parts: true,
    plain: &["text", "thought", "thoughtSignature", "partMetadata"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"candidates":[{"index":#,"content":{"role":"model","parts":[{"text":"@"}]}}]}"##,
        },
    )
};
