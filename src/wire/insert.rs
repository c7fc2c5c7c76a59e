//! Events that a rewriter adds, for text that turned out to be text behind its delta.

use core::ops::Range;

use super::formats::{Found, Shape};
use super::frame::Frame;
use super::framer::Kind;
use super::json;
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
    /// The pattern of an event with the text `content` in it; none if the event says something that must not be said
    /// again, or is too long. Other texts in it are left out.
    pub(super) fn of(frame: &Frame<'_>, found: &[Found<'_>], content: &str) -> Option<Self> {
        if frame.raw.len() > MAX_PATTERN {
            return None;
        }
        let place = |content: &str| frame.in_raw(json::place(&frame.data, content)?);
        let mut others: Vec<Range<usize>> = Vec::new();
        let own = place(content)?;
        for found in found {
            match found {
                Found::Text(_, other, Shape::Delta | Shape::Generate)
                | Found::Reasoning(_, other)
                | Found::ToolCall(_, other) => {
                    others.extend(place(other).filter(|other| *other != own));
                }
                _ => return None,
            }
        }
        others.sort_by_key(|range| range.start);
        let cut = |from: usize, to: usize| {
            let mut bytes = Vec::new();
            let mut at = from;
            for other in others
                .iter()
                .filter(|other| from <= other.start && other.end <= to)
            {
                bytes.extend_from_slice(frame.raw.get(at..other.start).unwrap_or_default());
                at = other.end;
            }
            bytes.extend_from_slice(frame.raw.get(at..to).unwrap_or_default());
            bytes
        };
        Some(Self {
            before: cut(0, own.start),
            after: cut(own.end, frame.raw.len()),
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
