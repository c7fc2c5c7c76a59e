//! Messages of OpenAI's Assistants, streamed and whole.
//!
//! <https://developers.openai.com/api/reference/resources/beta/subresources/assistants/streaming-events>

use crate::walk::table::{ANY, Role, Row, Shortest, Table, row};

const DELTA: &[&str] = &["thread.message.delta"];
const MESSAGE: &[&str] = &["thread.message"];
const STEP: &[&str] = &["thread.run.step.delta"];

const ROWS: &[Row] = &[
    row(ANY, "object", Role::Type),
    row(DELTA, "delta.content[].index", Role::Number(0)),
    row(DELTA, "delta.content[].text.value", Role::Text),
    row(DELTA, "delta.content[].refusal", Role::Text),
    row(
        DELTA,
        "delta.content[].text.annotations[].start_index",
        Role::Offset,
    ),
    row(
        DELTA,
        "delta.content[].text.annotations[].end_index",
        Role::Offset,
    ),
    row(
        DELTA,
        "delta.content[].text.annotations[].text",
        Role::Quote,
    ),
    row(
        DELTA,
        "delta.content[].text.annotations[].file_citation.quote",
        Role::Echo,
    ),
    row(DELTA, "delta.content[].image_file", Role::Part),
    // A message is there when it begins and when it is over.
    row(MESSAGE, "content[0].text.value", Role::Whole),
    row(MESSAGE, "content[0].refusal", Role::Whole),
    row(
        MESSAGE,
        "content[0].text.annotations[].start_index",
        Role::Offset,
    ),
    row(
        MESSAGE,
        "content[0].text.annotations[].end_index",
        Role::Offset,
    ),
    row(MESSAGE, "content[0].text.annotations[].text", Role::Quote),
    row(
        MESSAGE,
        "content[0].text.annotations[].file_citation.quote",
        Role::Echo,
    ),
    row(MESSAGE, "completed_at", Role::End).all(),
    row(MESSAGE, "incomplete_at", Role::End).all(),
    // A list of messages.
    row(ANY, "data[0].content[1].text.value", Role::Whole).both(),
    row(ANY, "data[0].content[1].refusal", Role::Whole).both(),
    row(
        ANY,
        "data[0].content[1].text.annotations[].start_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "data[0].content[1].text.annotations[].end_index",
        Role::Offset,
    )
    .both(),
    row(
        ANY,
        "data[0].content[1].text.annotations[].text",
        Role::Quote,
    )
    .both(),
    row(
        ANY,
        "data[0].content[1].text.annotations[].file_citation.quote",
        Role::Echo,
    ),
    row(
        STEP,
        "delta.step_details.tool_calls[].index",
        Role::Number(1),
    ),
    row(
        STEP,
        "delta.step_details.tool_calls[].code_interpreter.input",
        Role::Tool,
    )
    .both(),
    row(
        STEP,
        "delta.step_details.tool_calls[].function.arguments",
        Role::Tool,
    )
    .both(),
    row(&["thread.run"], "last_error", Role::Error),
    row(ANY, "error", Role::Error),
];

pub(crate) const TABLE: Table = Table::new(
    ROWS,
    Shortest {
        event: "thread.message.delta",
        json: r##"{"object":"thread.message.delta","delta":{"content":[{"index":#,"type":"text","text":{"value":"@"}}]}}"##,
    },
);
