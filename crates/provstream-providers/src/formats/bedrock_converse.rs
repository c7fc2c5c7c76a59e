//! Bedrock Converse: the JSON in the events of `ConverseStream`, with the name of the event around it as SDKs give it or
//! without it as the frames of the event stream have it, and the response of `Converse`.
//!
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>,
//! <https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html>

use crate::walk::table::{ANY, Passes, Role, Row, Shortest, Table, passes, row};

const ROWS: &[Row] = &[
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

/// Paths of objects whose strings may be text.
const CONTENT: &[&str] = &[""];

/// Values in these objects that are not text.
const PASSES: &[Passes] = &[
    passes(
        &["delta", "contentBlockDelta.delta"],
        "citation image reasoningContent.redactedContent reasoningContent.signature toolResult toolUse",
    ),
    passes(
        &["output.message.content[0]"],
        "audio cachePoint citationsContent.citations document image reasoningContent.reasoningText.signature \
         reasoningContent.redactedContent toolResult toolUse video",
    ),
    passes(
        &["messageStop"],
        "additionalModelResponseFields p stopReason",
    ),
    passes(
        &[""],
        "$metadata ResponseMetadata additionalModelResponseFields contentBlockDelta.p contentBlockStart.p \
         contentBlockStart.start contentBlockStop.p messageStart.p messageStart.role metadata metrics \
         output.message.role p performanceConfig role serviceTier start stopReason type usage",
    ),
];

pub(crate) const TABLE: Table = Table {
    content: CONTENT,
    passes: PASSES,
    one_text: true,
    has_parts: true,
    plain: &["text", "citation", "citationsContent", "reasoningContent"],
    ..Table::new(
        ROWS,
        Shortest {
            event: "",
            json: r##"{"contentBlockDelta":{"delta":{"text":"@"},"contentBlockIndex":#}}"##,
        },
    )
};
