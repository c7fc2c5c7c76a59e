//! Builds the events that a rewriter adds, for held text that turned out not to be an annotation.

use core::ops::Range;

use super::Format;
use super::escape::push_content;
use super::frame::Frame;
use super::steps::count;
use super::text_id::{Member, TextId};
use super::walk::allowed::Allowed;
use super::walk::decoded;
use super::walk::scan::{LONGEST_WORD, container_end, scalar_end, string_end, white_space_end};

/// Maximum length in bytes of an event that is kept unchanged; of a longer one, only the repeatable members are kept.
const MAX_KEPT: usize = 1 << 12;

/// Maximum length in bytes of a repeated member: a word in quotes.
const MAX_MEMBER: usize = LONGEST_WORD + 2;

/// Last event with text of a channel, from which events with more text are built.
///
/// An added event has only the members that are equal in every event of a text: identifiers, model, time, and `null`.
/// All others are omitted, so that no client counts them twice.
#[derive(Clone, Debug, Default)]
pub(super) struct EventTemplate {
    /// Bytes of the event; empty if there was none.
    raw: Vec<u8>,
    /// Range of the JSON in `raw`.
    json: Range<u32>,
    /// Range of the content of the delta's string in `raw`.
    text: Range<u32>,
    /// The event is from another channel than the one for which events are added.
    is_of_another: bool,
}

/// Content of an added event.
#[derive(Clone, Copy, Debug)]
pub(super) struct SyntheticText<'a> {
    pub(super) format: Format,
    pub(super) id: TextId,
    pub(super) text: &'a [u8],
    /// Further texts of the event: the start of each in the template, and its text.
    pub(super) others: &'a [(u32, &'a [u8])],
    /// Block number, if texts have several blocks.
    pub(super) block: Option<u32>,
    /// Sequence number, if events have one.
    pub(super) sequence: Option<u64>,
    /// The events of the response have names. Of a response without names, clients of Anthropic read all events or none.
    pub(super) has_name: bool,
    /// Framing of the event if there is no event to copy.
    pub(super) envelope: SyntheticFraming<'a>,
}

/// Framing of added events.
#[derive(Clone, Copy, Debug)]
pub(super) enum SyntheticFraming<'a> {
    /// Server-sent events, with this line end.
    Sse(&'a str),
    Lines,
    Array,
}

impl EventTemplate {
    pub(super) const fn new() -> Self {
        Self {
            raw: Vec::new(),
            json: 0..0,
            text: 0..0,
            is_of_another: false,
        }
    }

    /// Copies the template of another channel, if this one is empty.
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

    /// Replaces the template by an event whose delta is at `text` in the data.
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
                json_start: 0,
                text_start: text.start,
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
    }

    /// Returns `true` if an event differs from the template only in its text.
    pub(super) fn is_like(&self, frame: &Frame<'_>, text: Range<usize>) -> bool {
        let Some(text) = frame.in_raw(text).filter(|_| !self.is_empty()) else {
            return false;
        };
        let kept = self.text.start as usize..self.text.end as usize;
        self.raw[..kept.start] == frame.raw[..text.start]
            && self.raw[kept.end..] == frame.raw[text.end..]
    }

    /// Returns `true` if another template is of the same event.
    pub(super) fn is_of_event(&self, other: &Self) -> bool {
        let is_own = |template: &Self| !template.is_empty() && !template.is_of_another;
        is_own(self) && is_own(other) && self.json == other.json && self.raw == other.raw
    }

    /// Returns the start of the text in the event.
    pub(super) const fn text_start(&self) -> u32 {
        self.text.start
    }

    /// Appends the event with `added.text`, and returns the range of its block number in `out`.
    pub(super) fn write(&self, added: &SyntheticText<'_>, out: &mut Vec<u8>) -> Range<usize> {
        let json = self.json.start as usize..self.json.end as usize;
        let before = out.len();
        if !self.raw.is_empty() {
            out.extend_from_slice(&self.raw[..json.start]);
            let mut prune = Prune {
                data: &self.raw[json.clone()],
                json_start: json.start,
                text_start: self.text.start as usize - json.start,
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

/// Copies the repeatable members of an event.
struct Prune<'a, 'o> {
    data: &'a [u8],
    /// Start of the data in the template.
    json_start: usize,
    /// Start of the content of the delta's string.
    text_start: usize,
    format: Option<Format>,
    /// Text of the added event; `None` if the event is only shortened.
    added: Option<&'a SyntheticText<'a>>,
    /// The event is from another channel.
    is_of_another: bool,
    out: &'o mut Vec<u8>,
    /// Position of the text in `out`.
    text_at: usize,
    /// Range of the block number in `out`.
    block_at: Range<usize>,
}

impl Prune<'_, '_> {
    /// Copies the value at `from`, which is the delta's string or contains it. Returns the position after it.
    fn value(&mut self, from: usize) -> Option<usize> {
        let from = white_space_end(self.data, from);
        match *self.data.get(from)? {
            b'"' => {
                let end = string_end(self.data, from + 1)?.end;
                self.out.push(b'"');
                self.text_at = self.out.len();
                if let Some(added) = self.added {
                    let start = self.json_start + from + 1;
                    let mut others = added.others.iter();
                    let other = others.find(|(at, _)| *at as usize == start);
                    push_content(self.out, other.map_or(added.text, |(_, text)| text));
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
            // The copy includes the white space before the member.
            let start = core::mem::replace(&mut after, at);
            let mut name = None;
            if open == b'{' {
                let end = string_end(self.data, at + 1)?.end;
                name = self.data.get(at + 1..end);
                at = white_space_end(self.data, end + 1);
                at = white_space_end(self.data, at + 1);
            }
            let end = self.end_of(at)?;
            if (at..end).contains(&self.text_start) || self.has_other_text(at..end) {
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

    /// Returns `true` if a further text of the event begins in this range.
    fn has_other_text(&self, range: Range<usize>) -> bool {
        let others = self.added.map_or(&[][..], |added| added.others);
        let start = |start: u32| (start as usize).wrapping_sub(self.json_start);
        others.iter().any(|(at, _)| range.contains(&start(*at)))
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !core::mem::replace(is_first, false) {
            self.out.push(b',');
        }
    }

    /// Copies a member next to the text if it can be repeated.
    fn beside(&mut self, name: &[u8], head: &[u8], value: &[u8], is_first: &mut bool) {
        let name = &*decoded(name);
        let sequence = self.added.and_then(|added| added.sequence);
        let value: &[u8] = match (name, sequence) {
            (b"sequence_number", Some(number)) => {
                self.separate(is_first);
                self.out.extend_from_slice(head);
                self.out.extend_from_slice(number.to_string().as_bytes());
                return;
            }
            // The tokens are those of the replaced text.
            (b"logprobs", _) if value.starts_with(b"[") => b"[]",
            // Clients read both of them from a choice, whichever has the text.
            (b"delta", _) if self.may_be(Format::OpenAiChat) && value.starts_with(b"{") => b"{}",
            (b"text", _) if self.may_be(Format::OpenAiChat) && value.starts_with(b"\"") => b"\"\"",
            // The number of a token, too, belongs to the replaced text.
            (b"id", _) if self.format == Some(Format::Tgi) => b"0",
            _ => value,
        };
        let number = self.number(name).map(|number| number.to_string());
        let value = number.as_ref().map_or(value, |number| number.as_bytes());
        let is_long = self.out.len() > 2 * MAX_KEPT;
        let is_short = value.len() <= MAX_MEMBER && !is_long;
        if self.names_text(name, value) || is_short && self.is_repeatable(name, value) {
            self.separate(is_first);
            self.out.extend_from_slice(head);
            if matches!(name, b"index" | b"contentBlockIndex") {
                self.block_at = self.out.len()..self.out.len() + value.len();
            }
            self.out.extend_from_slice(value);
        }
    }

    /// Returns the number of the block or channel that the text is in, if the event may be from another one.
    fn number(&self, name: &[u8]) -> Option<u32> {
        let added = self.added?;
        let is_number = matches!(name, b"index" | b"contentBlockIndex");
        if added.block.is_some() && is_number {
            return added.block;
        }
        let channel = Some(added).filter(|_| self.is_of_another)?.id.channel;
        match name {
            b"index" | b"output_index" => Some(channel.index()),
            b"content_index" | b"summary_index" => channel.part(),
            _ => None,
        }
    }

    /// Returns `true` if a member is the identifier of the text: without it, clients do not know to which text the event belongs.
    fn names_text(&self, name: &[u8], value: &[u8]) -> bool {
        self.may_be(Format::VercelUi) && name == b"id" && value.len() <= MAX_KEPT
    }

    /// Returns `true` if an event has this format, or is only shortened, while its format is not known.
    fn may_be(&self, format: Format) -> bool {
        self.format.is_none_or(|of| of == format)
    }

    /// Returns `true` if a member has no content, or has an equal value in every event of a text.
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
            b"{}" => name == b"delta" && self.may_be(Format::OpenAiChat),
            b"\"\"" if name == b"text" => self.may_be(Format::OpenAiChat),
            b"false" => matches!(name, b"done" | b"stop" | b"special"),
            // Without `thought`, reasoning would be text.
            b"true" => name == b"thought",
            // In these formats, each event has a message with a role.
            // They may be text, and so may not be what the format has there.
            _ if !Allowed::Word.has(value) => name == b"provider" && Allowed::Text.has(value),
            _ if name == b"role" => self.format.is_none_or(|format| {
                matches!(
                    format,
                    Format::Gemini | Format::Ollama | Format::MistralConversations
                )
            }),
            _ => ENVELOPE.contains(&name),
        }
    }

    fn end_of(&self, at: usize) -> Option<usize> {
        match self.data.get(at)? {
            b'"' => Some(string_end(self.data, at + 1)?.end + 1),
            b'{' | b'[' => container_end(self.data, at),
            _ => Some(scalar_end(self.data, at)).filter(|&end| end > at),
        }
    }
}

impl SyntheticText<'_> {
    /// Appends the shortest event of the format with text of the channel, and returns the range of the channel
    /// number.
    fn write_shortest(&self, out: &mut Vec<u8>) -> Range<usize> {
        let index = self.block.unwrap_or(self.id.index());
        let part = self.id.part().unwrap_or(0);
        let table = self.format.automaton().table;
        let refusal = table.shortest_refusal.as_ref();
        let refusal = refusal.filter(|_| self.id.member == Member::Refusal);
        let shortest = refusal.unwrap_or(&table.shortest);
        if let SyntheticFraming::Sse(line_end) = self.envelope {
            if self.has_name && !shortest.event.is_empty() {
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
            SyntheticFraming::Sse(line_end) => out.extend_from_slice(line_end.repeat(2).as_bytes()),
            SyntheticFraming::Lines => out.push(b'\n'),
            SyntheticFraming::Array => {}
        }
        let digits = out[number..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        number..number + digits.count()
    }
}
