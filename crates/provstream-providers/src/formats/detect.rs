//! What shows the format of a stream: evidence in an event, never a keep-alive.

use std::sync::LazyLock;

use crate::Format;
use crate::walk::automaton::Automaton;
use crate::walk::table::{ANY, Role, Row, Table, row};
use crate::walk::{Capture, Shape, Walk};

const ROWS: &[Row] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "object", Role::Evidence),
    row(ANY, "choices", Role::Evidence),
    row(ANY, "candidates", Role::Evidence),
    row(ANY, "promptFeedback", Role::Evidence),
    row(ANY, "done", Role::Evidence),
    row(ANY, "message", Role::Evidence),
    row(ANY, "message.content", Role::Evidence),
    row(ANY, "finish_reason", Role::Evidence),
    row(ANY, "error", Role::Error),
    row(&["error"], "", Role::Error),
];

/// The table of streams whose format is not known yet: evidence, and errors.
pub(crate) static DETECT: LazyLock<Automaton> = LazyLock::new(|| {
    static TABLE: Table = Table {
        rows: ROWS,
        one_text: false,
        counts_up: false,
    };
    Automaton::new(&TABLE)
});

/// Types of events that only Anthropic has; `ping` and `error` are others' too.
const ANTHROPIC: [&[u8]; 7] = [
    b"message_start",
    b"message_delta",
    b"message_stop",
    b"content_block_start",
    b"content_block_delta",
    b"content_block_stop",
    b"message",
];

/// What the types of Cohere's events begin with.
const COHERE: [&[u8]; 5] = [
    b"message-",
    b"content-",
    b"tool-plan-",
    b"tool-call-",
    b"citation-",
];

impl Format {
    /// The format that an event with these data, which are JSON, is evidence of. Keep-alives and errors are evidence of
    /// none.
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        let mut walk = Walk::default();
        walk.read(&DETECT, data).ok()?;
        evidence(&walk, data)
    }
}

/// The format that an event is evidence of, after a walk over it with [`DETECT`].
pub(crate) fn evidence(walk: &Walk, data: &[u8]) -> Option<Format> {
    let kind = walk.kind.map(|kind| &data[kind.range()]);
    // A type that is not known shows nothing: servers that speak another's format add one.
    if let Some(kind) = kind {
        if ANTHROPIC.contains(&kind) {
            return Some(Format::Anthropic);
        }
        if kind.starts_with(b"response.") {
            return Some(Format::OpenAiResponses);
        }
        if COHERE.iter().any(|start| kind.starts_with(start)) {
            return Some(Format::Cohere);
        }
    }
    let found = |path: &str| {
        let is_at = |capture: &&Capture| {
            let rules = &DETECT.node(capture.node).rules;
            rules.first().is_some_and(|rule| rule.row.path == path)
        };
        walk.captures.iter().rev().find(is_at)
    };
    let has = |path: &str, shape: Shape| found(path).is_some_and(|value| value.shape == shape);
    let object = found("object").map(|object| &data[object.range()]);
    if object == Some(b"response") {
        Some(Format::OpenAiResponses)
    } else if has("choices", Shape::Array) {
        Some(Format::OpenAiChat)
    } else if has("candidates", Shape::Array) || has("promptFeedback", Shape::Object) {
        Some(Format::Gemini)
    } else if has("done", Shape::Scalar) {
        Some(Format::Ollama)
    } else {
        let is_cohere = has("message.content", Shape::Array) && found("finish_reason").is_some();
        is_cohere.then_some(Format::Cohere)
    }
}
