//! State of the events that a client has read, on which the last events depend.

use std::borrow::Cow;

use memchr::memchr;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Longest line that is parsed, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Most bytes of text and items retained for the last event of an OpenAI Responses stream.
const MAX_KEPT: usize = 1 << 18;

/// Most open blocks.
const MAX_OPEN: usize = 64;

/// Framing of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventFraming {
    #[default]
    Sse,
    Lines,
    /// Elements of one JSON array; `true` after the first element.
    Array(bool),
}

/// A block or item that has begun and not ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnclosedItem {
    /// Number of the block or output item.
    pub(crate) index: u32,
    /// Number of the part in the item; `None` for the item itself.
    pub(crate) part: Option<u32>,
    /// Identifier of the block or output item.
    pub(crate) id: String,
    /// Text so far, if the end event repeats it.
    pub(crate) text: String,
    /// `true` for text.
    pub(crate) is_text: bool,
    /// Ended parts of the item, as JSON.
    pub(crate) parts: Vec<Box<str>>,
}

/// Parses the events that are written to a client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracker {
    pub(crate) envelope: EventFraming,
    /// First event that is a JSON object, other than one that has no identity, as the first one of Azure.
    pub(crate) first: Option<Box<str>>,
    /// `first` has no identity.
    is_blank: bool,
    /// Sequence number of the last event, in formats that have one.
    pub(crate) sequence: Option<u64>,
    pub(crate) open: Vec<UnclosedItem>,
    /// One more than the highest number of a block or item.
    pub(crate) next: u32,
    /// Ended items of an OpenAI Responses stream, as JSON.
    pub(crate) items: Vec<Box<str>>,
    /// Bytes retained for the last event.
    kept: usize,
    /// Bytes of the incomplete line.
    line: Vec<u8>,
    /// `true` if the incomplete line is too long to be parsed.
    is_long: bool,
    /// `true` after the first byte other than white space.
    has_begun: bool,
    /// `true` if the last complete line was blank, so that an event can begin.
    at_boundary: bool,
}

/// Members of an event that the tracker needs.
#[derive(Deserialize)]
struct EventFields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    object: Option<Cow<'a, str>>,
    #[serde(borrow)]
    choices: Option<&'a RawValue>,
    index: Option<u32>,
    sequence_number: Option<u64>,
    output_index: Option<u32>,
    content_index: Option<u32>,
    #[serde(borrow)]
    item_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    part: Option<&'a RawValue>,
    #[serde(borrow)]
    content_block: Option<&'a RawValue>,
    #[serde(rename = "contentBlockStart")]
    block_start: Option<BedrockBlock>,
    #[serde(rename = "contentBlockDelta")]
    block_delta: Option<BedrockBlock>,
    #[serde(rename = "contentBlockStop")]
    block_stop: Option<BedrockBlock>,
    /// Number of the block in a Bedrock event without a name.
    #[serde(rename = "contentBlockIndex")]
    block: Option<u32>,
    #[serde(borrow)]
    start: Option<&'a RawValue>,
}

impl EventFields<'_> {
    /// Returns `true` for the event about the prompt with which Azure and GitHub Copilot begin.
    fn has_no_identity(&self) -> bool {
        let object = self.object.as_deref().unwrap_or_default();
        let choices = self.choices.map(|choices| choices.get().as_bytes());
        object.is_empty() && choices.is_some_and(|choices| matches!(choices, [b'[', inside @ .., b']'] if inside.trim_ascii().is_empty()))
    }
}

/// Block of a Bedrock event.
#[derive(Deserialize)]
struct BedrockBlock {
    #[serde(rename = "contentBlockIndex")]
    index: Option<u32>,
}

#[derive(Deserialize)]
struct TypeAndId<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

impl Tracker {
    pub(crate) fn new() -> Self {
        Self {
            at_boundary: true,
            ..Self::default()
        }
    }

    /// Returns `true` if an event can begin at the current position.
    pub(crate) const fn is_at_boundary(&self) -> bool {
        self.at_boundary && self.line.is_empty() && !self.is_long
    }

    /// Processes bytes that are written to the client.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if !self.has_begun {
            let mut visible = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
            if let Some(first) = visible.next() {
                self.has_begun = true;
                self.envelope = match first {
                    b'{' => EventFraming::Lines,
                    b'[' => EventFraming::Array(false),
                    _ => EventFraming::Sse,
                };
            }
        }
        if let EventFraming::Array(any) = &mut self.envelope {
            *any |= bytes.contains(&b'}');
        }
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (now, later) = rest.split_at(end + 1);
            rest = later;
            if self.is_long {
                self.is_long = false;
                self.at_boundary = false;
            } else if self.line.is_empty() {
                self.line(now);
            } else {
                let mut line = core::mem::take(&mut self.line);
                line.extend_from_slice(now);
                self.line(&line);
                line.clear();
                self.line = line;
            }
        }
        if self.line.len() + rest.len() > MAX_LINE {
            self.is_long = true;
            self.line = Vec::new();
        } else if !self.is_long {
            self.line.extend_from_slice(rest);
        }
    }

    /// Processes a line with its line feed.
    fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        self.at_boundary = line.is_empty() || self.envelope == EventFraming::Lines;
        let data = match line.strip_prefix(b"data:") {
            Some(data) => data.trim_ascii_start(),
            None if self.envelope == EventFraming::Lines => line,
            None => return,
        };
        let Ok(data) = core::str::from_utf8(data) else {
            return;
        };
        let event = serde_json::from_str::<EventFields<'_>>(data).ok();
        let is_first = self.first.is_none() || self.is_blank;
        if is_first && data.starts_with('{') && data.len() <= MAX_LINE {
            self.first = Some(data.into());
            self.is_blank = event.as_ref().is_some_and(EventFields::has_no_identity);
        }
        if let Some(event) = event {
            self.event(&event);
        }
    }

    fn event(&mut self, event: &EventFields<'_>) {
        self.sequence = event.sequence_number.or(self.sequence);
        self.bedrock(event);
        let Some(kind) = event.kind.as_deref() else {
            return;
        };
        let index = event.output_index.or(event.index).unwrap_or_default();
        match kind {
            "content_block_start" => {
                self.begin(index, None, String::new(), named(event.content_block).1);
            }
            "content-start" => self.begin(index, None, String::new(), true),
            "content_block_stop" | "content-end" => self.close(index, None),
            "text-start" | "reasoning-start" => {
                let id = event.id.as_deref().unwrap_or_default().to_owned();
                self.begin(0, None, id, kind == "text-start");
            }
            "text-end" | "reasoning-end" => {
                let id = event.id.as_deref().unwrap_or_default();
                self.open.retain(|open| open.id != id);
            }
            "response.output_item.added" => {
                let (id, is_text) = named(event.item);
                self.begin(index, None, id, is_text);
            }
            "response.content_part.added" => {
                let id = event.item_id.as_deref().unwrap_or_default().to_owned();
                let is_text = named(event.part).1;
                self.begin(
                    index,
                    Some(event.content_index.unwrap_or_default()),
                    id,
                    is_text,
                );
            }
            "response.output_text.delta" => self.text(event, index),
            "response.content_part.done" => self.end_part(event, index),
            "response.output_item.done" => self.end_item(event, index),
            _ => {}
        }
    }

    /// Tracks the blocks of Bedrock, which may begin with their first delta.
    fn bedrock(&mut self, event: &EventFields<'_>) {
        let begun = event.block_start.as_ref().or(event.block_delta.as_ref());
        let has_content = event.delta.is_some() || event.start.is_some();
        let (index, is_end) = match (begun, &event.block_stop, event.block) {
            (Some(block), ..) => (block.index, false),
            (None, Some(block), _) => (block.index, true),
            (None, None, Some(index)) => (Some(index), !has_content),
            (None, None, None) => return,
        };
        let index = index.unwrap_or_default();
        if is_end {
            self.close(index, None);
        } else if self.open.iter().all(|open| open.index != index) {
            self.begin(index, None, String::new(), true);
        }
    }

    fn begin(&mut self, index: u32, part: Option<u32>, id: String, is_text: bool) {
        self.next = self.next.max(index.saturating_add(1));
        if self.open.len() < MAX_OPEN {
            self.open.push(UnclosedItem {
                index,
                part,
                id,
                text: String::new(),
                is_text,
                parts: Vec::new(),
            });
        }
    }

    /// Forgets a block or item that has begun, because its beginning is not written.
    pub(crate) fn forget(&mut self, index: u32) {
        self.open.retain(|open| open.index != index);
        if self.next == index.saturating_add(1) {
            self.next = index;
        }
    }

    fn close(&mut self, index: u32, part: Option<u32>) {
        self.open
            .retain(|open| open.index != index || open.part != part);
    }

    fn text(&mut self, event: &EventFields<'_>, index: u32) {
        let part = Some(event.content_index.unwrap_or_default());
        let delta = event
            .delta
            .and_then(|delta| serde_json::from_str::<String>(delta.get()).ok());
        let mut open = self.open.iter_mut();
        let open = open.find(|open| open.index == index && open.part == part);
        if let (Some(open), Some(delta)) = (open, delta)
            && self.kept + delta.len() <= MAX_KEPT
        {
            self.kept += delta.len();
            open.text.push_str(&delta);
        }
    }

    fn end_part(&mut self, event: &EventFields<'_>, index: u32) {
        self.close(index, Some(event.content_index.unwrap_or_default()));
        let mut open = self.open.iter_mut();
        let item = open.find(|open| open.index == index && open.part.is_none());
        if let (Some(item), Some(part)) = (item, event.part.map(RawValue::get))
            && self.kept + part.len() <= MAX_KEPT
        {
            self.kept += part.len();
            item.parts.push(part.into());
        }
    }

    fn end_item(&mut self, event: &EventFields<'_>, index: u32) {
        self.open.retain(|open| open.index != index);
        if let Some(item) = event.item.map(RawValue::get)
            && self.kept + item.len() <= MAX_KEPT
        {
            self.kept += item.len();
            self.items.push(item.into());
        }
    }
}

/// Returns the identifier of a value, and `true` if its type is a text type.
fn named(value: Option<&RawValue>) -> (String, bool) {
    let value = value.and_then(|value| serde_json::from_str::<TypeAndId<'_>>(value.get()).ok());
    match value {
        Some(TypeAndId { kind, id }) => {
            let is_text = matches!(kind.as_deref(), Some("text" | "message" | "output_text"));
            (id.unwrap_or_default().into_owned(), is_text)
        }
        None => (String::new(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_pieces_is_parsed_up_to_its_limit() {
        let event = "data: {\"type\":\"content_block_start\",\"x\":\"";
        for (len, open) in [(MAX_LINE, 1), (MAX_LINE + 1, 0)] {
            let line = format!("{event}{}\"}}", "x".repeat(len - event.len() - 2));
            let mut tracker = Tracker::new();
            tracker.push(line.as_bytes());
            tracker.push(b"\n");
            assert_eq!(tracker.open.len(), open, "{len}");
        }
    }

    #[test]
    fn text_and_items_are_kept_up_to_their_limit() {
        let long = "x".repeat(1_000);
        let begin = "data: {\"type\":\"response.content_part.added\"}\n";
        let delta =
            format!("data: {{\"type\":\"response.output_text.delta\",\"delta\":\"{long}\"}}\n");
        let item = format!(
            "data: {{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":\"{long}\"}}\n"
        );
        let mut tracker = Tracker::new();
        tracker.push(begin.as_bytes());
        for _ in 0..300 {
            tracker.push(delta.as_bytes());
        }
        assert_eq!(tracker.open[0].text.len(), MAX_KEPT / 1_000 * 1_000);
        let mut tracker = Tracker::new();
        tracker.push(begin.as_bytes());
        for _ in 0..150 {
            tracker.push(delta.as_bytes());
            tracker.push(item.as_bytes());
        }
        let items: usize = tracker.items.iter().map(|item| item.len()).sum();
        let kept = tracker.open[0].text.len() + items;
        assert!((MAX_KEPT - 1_002..=MAX_KEPT).contains(&kept), "{kept}");
    }
}
