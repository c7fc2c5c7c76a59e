//! Detects the format of a stream by evidence in its events; keep-alives are not evidence.

use std::sync::LazyLock;

use crate::Format;
use crate::walk::automaton::PathAutomaton;
use crate::walk::table::{ANY, FormatRow, FormatTable, Role, Shortest, row};
use crate::walk::{Capture, Shape, Walk, decoded};

const ROWS: &[FormatRow] = &[
    row(ANY, "type", Role::Type),
    row(ANY, "object", Role::Evidence),
    row(ANY, "event_type", Role::Evidence),
    row(ANY, "data[].object", Role::Evidence),
    row(ANY, "content", Role::Evidence),
    row(ANY, "stop", Role::Evidence),
    row(ANY, "token.text", Role::Evidence),
    row(ANY, "generated_text", Role::Evidence),
    row(ANY, "messageStart", Role::Evidence),
    row(ANY, "contentBlockStart", Role::Evidence),
    row(ANY, "contentBlockDelta", Role::Evidence),
    row(ANY, "contentBlockStop", Role::Evidence),
    row(ANY, "contentBlockIndex", Role::Evidence),
    row(ANY, "output.message", Role::Evidence),
    row(ANY, "stopReason", Role::Evidence),
    row(ANY, "parts", Role::Evidence),
    row(ANY, "messageId", Role::Evidence),
    row(ANY, "choices", Role::Evidence),
    row(ANY, "candidates", Role::Evidence),
    row(ANY, "promptFeedback", Role::Evidence),
    row(ANY, "done", Role::Evidence),
    row(ANY, "message", Role::Evidence),
    row(ANY, "finish_reason", Role::Evidence),
    row(ANY, "error", Role::Error),
    row(&["error"], "", Role::Error),
];

/// The table of streams whose format is not known yet: evidence, and errors.
pub(crate) static DETECT: LazyLock<PathAutomaton> = LazyLock::new(|| {
    static TABLE: FormatTable = FormatTable {
        is_closed: false,
        ..FormatTable::new(
            ROWS,
            Shortest {
                event: "",
                json: "",
            },
        )
    };
    PathAutomaton::new(&TABLE)
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

/// Prefixes of event types that only one format has.
const STARTS: [(&[u8], Format); 22] = [
    (b"response.", Format::OpenAiResponses),
    (b"message-start", Format::Cohere),
    (b"message-end", Format::Cohere),
    (b"content-", Format::Cohere),
    (b"tool-plan-", Format::Cohere),
    (b"tool-call-", Format::Cohere),
    (b"citation-", Format::Cohere),
    (b"conversation.", Format::MistralConversations),
    (b"message.output.", Format::MistralConversations),
    (b"tool.execution.", Format::MistralConversations),
    (b"agent.handoff.", Format::MistralConversations),
    (b"function.call.", Format::MistralConversations),
    (b"text-start", Format::VercelUi),
    (b"text-delta", Format::VercelUi),
    (b"text-end", Format::VercelUi),
    (b"start-step", Format::VercelUi),
    (b"finish-step", Format::VercelUi),
    (b"reasoning-start", Format::VercelUi),
    (b"reasoning-delta", Format::VercelUi),
    (b"tool-input-", Format::VercelUi),
    (b"tool-output-", Format::VercelUi),
    (b"source-url", Format::VercelUi),
];

/// Prefixes of the member `object` or `event_type`.
const OBJECTS: [(&[u8], Format); 5] = [
    (b"interaction", Format::GeminiInteractions),
    (b"step.", Format::GeminiInteractions),
    (b"content.", Format::GeminiInteractions),
    (b"conversation.response", Format::MistralConversations),
    (b"response", Format::OpenAiResponses),
];

impl Format {
    /// The format that an event with these data, which are JSON, is evidence of. Keep-alives and errors are evidence of
    /// none, and so is an event that shows several.
    #[must_use]
    pub fn detect(data: &[u8]) -> Option<Self> {
        shown(data).only()
    }
}

/// The formats that an event with these data shows.
pub(crate) fn shown(data: &[u8]) -> ShownFormats {
    let mut walk = Walk::default();
    match walk.read(&DETECT, data) {
        Ok(()) => evidence(&walk, data),
        Err(_) => ShownFormats::default(),
    }
}

/// The formats that an event shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownFormats(u32);

impl ShownFormats {
    fn add(&mut self, format: Format) {
        self.0 |= 1 << format as u32;
    }

    /// Returns `true` if the event shows no format.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn has(self, format: Format) -> bool {
        self.0 >> format as u32 & 1 == 1
    }

    /// Returns the format, if there is exactly one.
    pub(crate) fn only(self) -> Option<Format> {
        let mut all = Format::ALL.into_iter().filter(|format| self.has(*format));
        all.next().filter(|_| self.0.is_power_of_two())
    }

    /// Returns `true` if the event shows several formats.
    pub(crate) const fn is_ambiguous(self) -> bool {
        self.0.count_ones() > 1
    }
}

/// The formats that an event is evidence of, after a walk over it with [`DETECT`].
pub(crate) fn evidence(walk: &Walk, data: &[u8]) -> ShownFormats {
    let mut shown = ShownFormats::default();
    let kind = walk.kind.map(|kind| decoded(&data[kind.range()]));
    let kind = kind.as_deref();
    // A type that is not known shows nothing: servers that speak another's format add one.
    if let Some(kind) = kind {
        if ANTHROPIC.contains(&kind) {
            shown.add(Format::Anthropic);
        }
        if let Some(format) = by_start(&STARTS, kind) {
            shown.add(format);
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
    let is_text = |path: &str| found(path).is_some_and(Capture::is_string);
    for path in ["object", "event_type", "data[].object"] {
        let name = found(path).map(|name| decoded(&data[name.range()]));
        if let Some(format) = name.and_then(|name| by_start(&OBJECTS, &name)) {
            shown.add(format);
        }
    }
    let mut blocks = [
        "messageStart",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockStop",
    ]
    .into_iter();
    let is_bedrock = blocks.any(|path| has(path, Shape::Object))
        || has("contentBlockIndex", Shape::Scalar)
        || (has("output.message", Shape::Object) && is_text("stopReason"));
    let starts = kind == Some(b"start") && is_text("messageId");
    let is_cohere = has("message", Shape::Object) && found("finish_reason").is_some();
    let members = [
        (has("choices", Shape::Array), Format::OpenAiChat),
        (
            has("candidates", Shape::Array) || has("promptFeedback", Shape::Object),
            Format::Gemini,
        ),
        (has("done", Shape::Scalar), Format::Ollama),
        (
            is_text("token.text") || is_text("generated_text"),
            Format::Tgi,
        ),
        (
            is_text("content") && has("stop", Shape::Scalar),
            Format::LlamaCpp,
        ),
        (is_bedrock, Format::BedrockConverse),
        (starts || has("parts", Shape::Array), Format::VercelUi),
        (is_cohere, Format::Cohere),
    ];
    for (_, format) in members.into_iter().filter(|(is_shown, _)| *is_shown) {
        shown.add(format);
    }
    shown
}

fn by_start(starts: &[(&[u8], Format)], name: &[u8]) -> Option<Format> {
    let found = starts.iter().find(|(start, _)| name.starts_with(start));
    found.map(|(_, format)| *format)
}
