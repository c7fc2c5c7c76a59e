//! Events that a rewriter adds, for text that turned out to be text after its delta was written.

use core::ops::Range;

use super::Format;
use super::escape::push_content;
use super::frame::Frame;
use super::steps::count;
use super::text_id::TextId;
use super::walk::scan::{Skip, scalar_end, string_end, white_space_end};

/// Most bytes of an event that is kept as it is; of a longer one only what is repeated is kept.
const MAX_KEPT: usize = 1 << 12;

/// Most bytes of a member that is repeated.
const MAX_MEMBER: usize = 1 << 8;

/// The last event with text of a channel, as the pattern of one with more of it.
///
/// An added event has the members of that event that say the same in every event of a text: identifiers, model, time, and
/// what is null. Everything else is left out of it, so that no client takes it twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    /// The bytes of the event; empty if there was none.
    raw: Vec<u8>,
    /// Where in them the JSON is.
    json: Range<u32>,
    /// Where in them the content of the text's string is.
    text: Range<u32>,
    /// The text is of another channel than the one that the event is added for.
    is_of_another: bool,
}

/// How an event that is added is put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added<'a> {
    pub(super) format: Format,
    pub(super) id: TextId,
    pub(super) text: &'a [u8],
    /// The number of the block that it is of, where texts have several.
    pub(super) block: Option<u32>,
    /// The number of the event in the stream, where events are numbered.
    pub(super) sequence: Option<u64>,
    /// What comes before the JSON and after it where there is no event to repeat.
    pub(super) envelope: Envelope<'a>,
}

/// What events are put together by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Envelope<'a> {
    /// Server-sent events, with this line end.
    Sse(&'a str),
    Lines,
    Array,
}

impl Template {
    pub(super) const fn new() -> Self {
        Self {
            raw: Vec::new(),
            json: 0..0,
            text: 0..0,
            is_of_another: false,
        }
    }

    /// Keeps the event that is kept for the text of another channel, if there is none.
    pub(super) fn keep_other(&mut self, other: &Self) {
        if self.is_empty() {
            count(other.raw.len());
            self.clone_from(other);
            self.is_of_another = true;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.raw.clear();
    }

    /// Keeps an event with text of the channel, in the place of the one before.
    pub(super) fn keep(&mut self, frame: &Frame<'_>, text: Range<usize>) {
        count(frame.data.len());
        self.raw.clear();
        self.raw.reserve_exact(frame.raw.len().min(MAX_KEPT) + 1);
        // A line of data that is empty may have no colon to go on after.
        let Some(first) = frame.first_full_line() else {
            return;
        };
        let last = frame.last_line();
        let head = match &frame.raw[..first.start] {
            head if head.len() <= MAX_KEPT => head,
            _ => b"data: ",
        };
        let tail = match &frame.raw[last.end..] {
            tail if tail.len() <= MAX_KEPT => tail,
            _ if head.is_empty() => b"\n",
            _ => b"\n\n",
        };
        let head_len = head.len();
        let mut text = text;
        self.is_of_another = false;
        self.raw.extend_from_slice(head);
        if frame.data.len() <= MAX_KEPT {
            self.raw.extend_from_slice(&frame.data);
        } else {
            let mut pruned = Prune {
                data: &frame.data,
                text: text.clone(),
                format: None,
                added: None,
                is_of_another: false,
                out: &mut self.raw,
                text_at: 0,
                block_at: 0..0,
            };
            let is_kept = pruned.value(0).is_some();
            let start = pruned.text_at;
            if !is_kept {
                return self.raw.clear();
            }
            text = start - head_len..start - head_len;
        }
        // Data over several lines is one line here.
        if frame.has_several_lines() {
            for byte in &mut self.raw[head_len..] {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        self.json = head_len as u32..self.raw.len() as u32;
        self.text = (head_len + text.start) as u32..(head_len + text.end) as u32;
        self.raw.extend_from_slice(tail);
        if self.raw.ends_with(b"\r\n\r") {
            // The LF is a piece of its own.
            self.raw.push(b'\n');
        }
    }

    /// Whether an event differs from the one that is kept in its text alone.
    pub(super) fn is_like(&self, frame: &Frame<'_>, text: Range<usize>) -> bool {
        let Some(text) = frame.in_raw(text).filter(|_| !self.is_empty()) else {
            return false;
        };
        let kept = self.text.start as usize..self.text.end as usize;
        self.raw[..kept.start] == frame.raw[..text.start]
            && self.raw[kept.end..] == frame.raw[text.end..]
    }

    /// Appends the event with a text; gives where in `out` the number of its block is.
    pub(super) fn write(&self, added: &Added<'_>, out: &mut Vec<u8>) -> Range<usize> {
        let json = self.json.start as usize..self.json.end as usize;
        let before = out.len();
        if !self.raw.is_empty() {
            out.extend_from_slice(&self.raw[..json.start]);
            let mut prune = Prune {
                data: &self.raw[json.clone()],
                text: self.text.start as usize - json.start..self.text.end as usize - json.start,
                format: Some(added.format),
                added: Some(added),
                is_of_another: self.is_of_another,
                out,
                text_at: 0,
                block_at: 0..0,
            };
            if prune.value(0).is_some() {
                let block = prune.block_at;
                out.extend_from_slice(&self.raw[json.end..]);
                return block;
            }
            out.truncate(before);
        }
        added.write_shortest(out)
    }
}

/// Copies what is repeated of an event.
struct Prune<'a, 'o> {
    data: &'a [u8],
    /// The content of the text's string.
    text: Range<usize>,
    format: Option<Format>,
    /// What takes the place of the text; nothing if the event is only made shorter.
    added: Option<&'a Added<'a>>,
    /// The numbers of the channel are those of another one.
    is_of_another: bool,
    out: &'o mut Vec<u8>,
    /// Where the text is in `out`.
    text_at: usize,
    /// Where the number of the block is in `out`.
    block_at: Range<usize>,
}

impl Prune<'_, '_> {
    /// Copies the value at `from`, which holds the text or is it.
    fn value(&mut self, from: usize) -> Option<usize> {
        let from = white_space_end(self.data, from);
        match *self.data.get(from)? {
            b'"' => {
                let end = string_end(self.data, from + 1)?.end;
                self.out.push(b'"');
                self.text_at = self.out.len();
                if let Some(added) = self.added {
                    push_content(self.out, added.text);
                }
                self.out.push(b'"');
                Some(end + 1)
            }
            b'{' => self.container(from, b'{', b'}'),
            b'[' => self.container(from, b'[', b']'),
            _ => None,
        }
    }

    fn container(&mut self, from: usize, open: u8, close: u8) -> Option<usize> {
        self.out.push(open);
        let mut after = from + 1;
        let mut at = white_space_end(self.data, after);
        let mut is_first = true;
        while *self.data.get(at)? != close {
            // With the white space before it.
            let start = core::mem::replace(&mut after, at);
            let mut name = None;
            if open == b'{' {
                let end = string_end(self.data, at + 1)?.end;
                name = self.data.get(at + 1..end);
                at = white_space_end(self.data, end + 1);
                at = white_space_end(self.data, at + 1);
            }
            let end = self.end_of(at)?;
            if (at..end).contains(&self.text.start) {
                self.separate(&mut is_first);
                self.out.extend_from_slice(&self.data[start..at]);
                self.value(at)?;
            } else if let Some(name) = name {
                self.beside(
                    name,
                    &self.data[start..at],
                    &self.data[at..end],
                    &mut is_first,
                );
            }
            at = white_space_end(self.data, end);
            if *self.data.get(at)? == b',' {
                after = at + 1;
                at = white_space_end(self.data, after);
            }
        }
        self.out.push(close);
        Some(at + 1)
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !core::mem::replace(is_first, false) {
            self.out.push(b',');
        }
    }

    /// Copies a member beside the text if it can be repeated.
    fn beside(&mut self, name: &[u8], head: &[u8], value: &[u8], is_first: &mut bool) {
        let sequence = self.added.and_then(|added| added.sequence);
        let value: &[u8] = match (name, sequence) {
            (b"sequence_number", Some(number)) => {
                self.separate(is_first);
                self.out.extend_from_slice(head);
                self.out.extend_from_slice(number.to_string().as_bytes());
                return;
            }
            // Of the text that is repeated, which this is not.
            (b"logprobs", _) if value.starts_with(b"[") => b"[]",
            // So is the number of a token.
            (b"id", _) if self.format == Some(Format::Tgi) => b"0",
            _ => value,
        };
        let number = self.number(name).map(|number| number.to_string());
        let value = number.as_ref().map_or(value, |number| number.as_bytes());
        let is_long = self.out.len() > 2 * MAX_KEPT;
        if value.len() <= MAX_MEMBER && !is_long && self.is_repeatable(name, value) {
            self.separate(is_first);
            self.out.extend_from_slice(head);
            if matches!(name, b"index" | b"contentBlockIndex") {
                self.block_at = self.out.len()..self.out.len() + value.len();
            }
            self.out.extend_from_slice(value);
        }
    }

    /// The number of the channel that a member of the event of another one has.
    fn number(&self, name: &[u8]) -> Option<u32> {
        let channel = self.added.filter(|_| self.is_of_another)?.id.channel;
        match name {
            b"index" | b"output_index" => Some(channel.index()),
            b"content_index" | b"summary_index" => channel.part(),
            _ => None,
        }
    }

    /// Whether a member says nothing, or the same in every event of a text.
    fn is_repeatable(&self, name: &[u8], value: &[u8]) -> bool {
        const ENVELOPE: [&[u8]; 26] = [
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
            b"summary_index",
            b"sequence_number",
            b"obfuscation",
            b"event_type",
            b"contentBlockIndex",
            b"agent_id",
            b"logprob",
            b"interaction_id",
        ];
        match value {
            b"null" | b"[]" => true,
            b"false" => matches!(name, b"done" | b"stop" | b"special"),
            // Without it, reasoning is text.
            b"true" => name == b"thought",
            // In the events of these formats each message has one.
            _ if name == b"role" => self.format.is_none_or(|format| {
                matches!(
                    format,
                    Format::Gemini | Format::Ollama | Format::MistralConversations
                )
            }),
            _ => ENVELOPE.contains(&name) && !value.starts_with(b"{") && !value.starts_with(b"["),
        }
    }

    fn end_of(&self, at: usize) -> Option<usize> {
        match self.data.get(at)? {
            b'"' => Some(string_end(self.data, at + 1)?.end + 1),
            b'{' | b'[' => Skip::default().run(self.data, at),
            _ => Some(scalar_end(self.data, at)).filter(|&end| end > at),
        }
    }
}

impl Added<'_> {
    /// Appends the shortest event of the format that has text of the channel.
    fn write_shortest(&self, out: &mut Vec<u8>) -> Range<usize> {
        let index = self.block.unwrap_or(self.id.index());
        let part = self.id.part().unwrap_or(0);
        let shortest = &self.format.automaton().table.shortest;
        if let Envelope::Sse(line_end) = self.envelope {
            if !shortest.event.is_empty() {
                out.extend_from_slice(format!("event: {}{line_end}", shortest.event).as_bytes());
            }
            out.extend_from_slice(b"data: ");
        }
        let mut number = out.len();
        for byte in shortest.json.bytes() {
            match byte {
                b'#' => {
                    number = out.len();
                    out.extend_from_slice(index.to_string().as_bytes());
                }
                b'%' => out.extend_from_slice(part.to_string().as_bytes()),
                b'@' => push_content(out, self.text),
                byte => out.push(byte),
            }
        }
        match self.envelope {
            Envelope::Sse(line_end) => out.extend_from_slice(line_end.repeat(2).as_bytes()),
            Envelope::Lines => out.push(b'\n'),
            Envelope::Array => {}
        }
        let digits = out[number..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        number..number + digits.count()
    }
}
