//! Events that a rewriter adds, for text that turned out to be text behind its delta.

use core::ops::Range;

use super::formats::Shape;
use super::frame::Frame;
use super::framer::Kind;
use super::json::{self, RawValue};
use super::{Channel, Format};

/// Most bytes of an event that is taken for a pattern.
const MAX_PATTERN: usize = 1 << 14;

/// An event without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Pattern {
    /// The pattern of an event that has the text `content` and nothing else that a client would take twice; none if it
    /// may have that, or is too long.
    pub(super) fn of(frame: &Frame<'_>, content: &str) -> Option<Self> {
        if content.is_empty() || frame.raw.len() > MAX_PATTERN {
            return None;
        }
        let own = json::place(&frame.data, content)?;
        let event = json::parse(&frame.data)?;
        if !is_alone(event, &own, &frame.data) {
            return None;
        }
        let own = frame.in_raw(own)?;
        Some(Self {
            before: frame.raw.get(..own.start)?.to_vec(),
            after: frame.raw.get(own.end..)?.to_vec(),
        })
    }

    /// The shortest event of a format that has text of a channel.
    pub(super) fn shortest(format: Format, shape: Shape, channel: Channel) -> Self {
        let index = channel.index();
        let part = channel.part().unwrap_or(0);
        let (before, after) = match (format, shape) {
            (Format::OpenAiChat, _) => (
                format!(
                    r#"{{"object":"chat.completion.chunk","choices":[{{"index":{index},"delta":{{"content":""#
                ),
                r#""},"finish_reason":null}]}"#,
            ),
            (Format::OpenAiResponses, _) => (
                format!(
                    r#"{{"type":"response.output_text.delta","output_index":{index},"content_index":{part},"delta":""#
                ),
                r#""}"#,
            ),
            (Format::Anthropic, _) => (
                format!(
                    r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":""#
                ),
                r#""}}"#,
            ),
            (Format::Gemini, _) => (
                format!(
                    r#"{{"candidates":[{{"index":{index},"content":{{"role":"model","parts":[{{"text":""#
                ),
                r#""}]}}]}"#,
            ),
            (Format::Ollama, Shape::Generate) => (
                r#"{"response":""#.to_owned(), //
                r#"","done":false}"#,
            ),
            (Format::Ollama, _) => (
                r#"{"message":{"role":"assistant","content":""#.to_owned(),
                r#""},"done":false}"#,
            ),
            (Format::Cohere, _) => (
                format!(
                    r#"{{"type":"content-delta","index":{index},"delta":{{"message":{{"content":{{"text":""#
                ),
                r#""}}}}"#,
            ),
        };
        Self {
            before: before.into_bytes(),
            after: after.into(),
        }
    }

    /// The same in the envelope of a stream with this line end: [`shortest`](Self::shortest) gives the data alone.
    pub(super) fn in_envelope(self, format: Format, kind: Kind, line_end: &str) -> Self {
        let (before, after) = match kind {
            Kind::Sse => {
                let name = match format {
                    Format::OpenAiResponses => "response.output_text.delta",
                    Format::Anthropic => "content_block_delta",
                    Format::Cohere => "content-delta",
                    _ => "",
                };
                let event = match name {
                    "" => String::new(),
                    name => format!("event: {name}{line_end}"),
                };
                (format!("{event}data: "), line_end.repeat(2))
            }
            Kind::Lines => (String::new(), "\n".to_owned()),
            Kind::Array => return self,
        };
        Self {
            before: [before.into_bytes(), self.before].concat(),
            after: [self.after, after.into_bytes()].concat(),
        }
    }

    /// Appends the event with a text.
    pub(super) fn push(&self, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        json::push_content(out, text);
        out.extend_from_slice(&self.after);
        if out.ends_with(b"\r\n\r") {
            // The LF is taken for a piece of its own.
            out.push(b'\n');
        }
    }
}

/// Whether a value is the string that stands at `own` in the data, or has it with nothing beside it that says more.
fn is_alone(value: &RawValue, own: &Range<usize>, data: &[u8]) -> bool {
    let has_own = |value: &RawValue| {
        let place = json::place(data, value.get());
        place.is_some_and(|place| place.start < own.start && own.end < place.end)
    };
    let mut ways = 0;
    let mut on_way = None;
    if value.get().starts_with('{') {
        json::entries(value, |name, member| {
            if has_own(member) {
                ways += 1;
                on_way = Some(member);
            } else if !is_harmless(name, member) {
                ways += 2;
            }
        });
    } else if value.get().starts_with('[') {
        json::elements(Some(value), |element| {
            ways += 1;
            on_way = Some(element);
        });
    } else {
        return json::string(value).is_some() && has_own(value);
    }
    ways == 1 && on_way.is_some_and(|inner| is_alone(inner, own, data))
}

/// Whether a member can be repeated with other text: it says nothing, or the same in every event of a text.
fn is_harmless(name: &[u8], value: &RawValue) -> bool {
    const ENVELOPE: [&[u8]; 20] = [
        b"id",
        b"object",
        b"created",
        b"created_at",
        b"createTime",
        b"model",
        b"modelVersion",
        b"provider",
        b"responseId",
        b"response_id",
        b"service_tier",
        b"system_fingerprint",
        b"index",
        b"type",
        b"item_id",
        b"event_id",
        b"output_index",
        b"content_index",
        b"sequence_number",
        b"obfuscation",
    ];
    match value.get() {
        "null" | "[]" => true,
        "false" => name == b"done",
        text => ENVELOPE.contains(&name) && !text.starts_with(['{', '[']),
    }
}
