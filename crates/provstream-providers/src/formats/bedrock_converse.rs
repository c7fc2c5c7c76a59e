//! Bedrock Converse: the JSON in the events of `ConverseStream`, with the name of the event around it as SDKs give it or
//! without it as the frames of the event stream have it, and the response of `Converse`.
//!
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>,
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>

use crate::walk::table::{
    ANY, FormatRow, FormatTable, Passes, Role, Shortest, any, data, row, string, word, words,
};

const ROWS: &[FormatRow] = &[
    row(ANY, "messageStart", Role::MessageStart),
    // A frame of the event stream, without the name of its event.
    row(ANY, "role", Role::MessageStart),
    row(ANY, "contentBlockIndex", Role::Number(0)),
    row(ANY, "delta", Role::Holder),
    row(ANY, "delta.text", Role::Text),
    row(ANY, "delta.reasoningContent.text", Role::Reasoning),
    row(ANY, "delta.toolUse.input", Role::Tool),
    row(ANY, "delta.citation", Role::InBlock),
    row(ANY, "delta.citation.sourceContent", Role::Echo),
    row(ANY, "contentBlockDelta.delta.citation", Role::InBlock),
    row(
        ANY,
        "contentBlockDelta.delta.citation.sourceContent",
        Role::Echo,
    ),
    // Guardrails repeat what they read.
    row(ANY, "trace", Role::Echo),
    row(ANY, "metadata.trace", Role::Echo),
    row(ANY, "start", Role::Holder),
    row(ANY, "start", Role::InBlockStart),
    row(ANY, "contentBlockStart", Role::InBlockStart),
    row(ANY, "contentBlockStart.contentBlockIndex", Role::Number(0)),
    row(ANY, "contentBlockStart.start", Role::Holder),
    row(ANY, "contentBlockDelta.contentBlockIndex", Role::Number(0)),
    row(ANY, "contentBlockDelta.delta", Role::Holder),
    row(ANY, "contentBlockDelta.delta.text", Role::Text),
    row(
        ANY,
        "contentBlockDelta.delta.reasoningContent.text",
        Role::Reasoning,
    ),
    row(ANY, "contentBlockDelta.delta.toolUse.input", Role::Tool),
    row(ANY, "contentBlockStop.contentBlockIndex", Role::Number(0)),
    row(ANY, "contentBlockStop", Role::BlockEnd),
    row(ANY, "contentBlockStop", Role::ReasoningEnd),
    // Metadata follows.
    row(ANY, "messageStop", Role::Last),
    // The response alone, not streamed; a frame of the event stream has this reason as well.
    row(ANY, "output.message.content[0]", Role::Element),
    row(ANY, "output.message.content[0]", Role::Holder),
    row(ANY, "output.message.content[0].text", Role::Alone),
    row(
        ANY,
        "output.message.content[0].citationsContent.content[].text",
        Role::Alone,
    ),
    row(
        ANY,
        "output.message.content[0].citationsContent.citations[].sourceContent",
        Role::Echo,
    ),
    row(
        ANY,
        "output.message.content[0].reasoningContent.reasoningText.text",
        Role::ReasoningWhole,
    ),
    row(ANY, "stopReason", Role::End).all(),
    row(ANY, "internalServerException", Role::ErrorName),
    row(ANY, "modelStreamErrorException", Role::ErrorName),
    row(ANY, "modelTimeoutException", Role::ErrorName),
    row(ANY, "serviceUnavailableException", Role::ErrorName),
    row(ANY, "throttlingException", Role::ErrorName),
    row(ANY, "validationException", Role::ErrorName),
    // An exception without its name, as the frames have it.
    row(ANY, "message", Role::ErrorName),
    row(ANY, "error", Role::Error),
];

/// Deltas, with the name of their event or without.
const DELTAS: &[&str] = &["delta", "contentBlockDelta.delta"];

/// Values that are not text.
const PASSES: &[Passes] = &[
    data(
        DELTAS,
        "citation.location reasoningContent.redactedContent reasoningContent.signature",
    ),
    any(DELTAS, "image toolResult toolUse"),
    string(DELTAS, "citation.source citation.title"),
    string(
        &["output.message.content[0]"],
        "citationsContent.citations[].source citationsContent.citations[].title",
    ),
    words(&["output.message.content[0]"], "cachePoint type"),
    data(
        &["output.message.content[0]"],
        "citationsContent.citations[].location reasoningContent.reasoningText.signature \
         reasoningContent.redactedContent",
    ),
    any(
        &["output.message.content[0]"],
        "audio document image toolResult \
         toolUse video",
    ),
    word(&["", "messageStop"], "stopReason"),
    any(&["", "messageStop"], "additionalModelResponseFields"),
    word(&[""], "messageStart.role output.message.role role type"),
    words(
        &["", "metadata"],
        "metrics performanceConfig serviceTier usage",
    ),
    data(
        &[""],
        "contentBlockDelta.p contentBlockStart.p contentBlockStop.p messageStart.p messageStop.p metadata.p p",
    ),
    any(
        &["start", "contentBlockStart.start"],
        "image toolResult toolUse",
    ),
    any(&[""], "$metadata ResponseMetadata"),
];

pub(crate) const TABLE: FormatTable = FormatTable {
    passes: PASSES,
    one_text: true,
    has_parts: true,
    plain: &["text", "citation", "citationsContent", "reasoningContent"],
    ..FormatTable::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"contentBlockDelta":{"delta":{"text":"@"},"contentBlockIndex":#}}"##,
        },
    )
};
