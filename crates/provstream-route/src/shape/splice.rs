//! Renumbers the events of a response that continues another one in the same stream.

use std::borrow::Cow;

use memchr::memchr;
use provstream_providers::Format;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tracker::Tracker;

/// Rules of a format for events that continue another response.
#[derive(Clone, Copy, Debug)]
struct SpliceRules {
    /// Types of events that occur only at the beginning of a stream, and are left out.
    once: &'static [&'static str],
    /// Returns the number of the event's block or item, which continues the earlier numbers.
    number: for<'a> fn(&EventMembers<'a>) -> Option<&'a RawValue>,
}

/// Returns the rules of a format, or `None` if events continue another response unchanged.
const fn splice_rules(format: Format) -> Option<SpliceRules> {
    Some(match format {
        Format::Anthropic => SpliceRules {
            once: &["message_start"],
            number: |members| members.index,
        },
        Format::OpenAiResponses => SpliceRules {
            once: &[
                "response.created",
                "response.queued",
                "response.in_progress",
            ],
            number: |members| members.output_index,
        },
        _ => return None,
    })
}

/// Members of an event that are changed or decide about changes.
#[derive(Deserialize)]
struct EventMembers<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    index: Option<&'a RawValue>,
    #[serde(borrow)]
    output_index: Option<&'a RawValue>,
    #[serde(borrow)]
    sequence_number: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// Response in the last event of OpenAI Responses, with all items.
#[derive(Deserialize)]
struct FinalResponse<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// Renumbers the events of a response so that they continue those that the client has read.
#[derive(Clone, Debug)]
pub(crate) struct Splicer {
    rules: SpliceRules,
    /// Offset for the numbers of blocks and items.
    shift: u32,
    /// Next sequence number.
    sequence: u64,
    /// Items of the earlier responses, as JSON.
    items: Vec<Box<str>>,
    /// Bytes of the incomplete event.
    event: Vec<u8>,
    /// Start of the last line in `event`.
    line: usize,
    /// Most bytes of an event. A longer one is written unchanged.
    most: usize,
}

impl Splicer {
    /// Creates a splicer for events of a format after those that the tracker has read, or returns
    /// `None` if they need no changes.
    pub(crate) fn after(tracker: &Tracker, format: Format, most: usize) -> Option<Self> {
        Some(Self {
            rules: splice_rules(format)?,
            shift: tracker.next,
            sequence: tracker.sequence.map_or(0, |last| last + 1),
            items: tracker.items.clone(),
            event: Vec::new(),
            line: 0,
            most,
        })
    }

    /// Adds bytes of the response, and appends the complete events to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (now, later) = rest.split_at(end + 1);
            rest = later;
            self.event.extend_from_slice(now);
            let is_end = self.event[self.line..].trim_ascii().is_empty();
            self.line = self.event.len();
            if is_end {
                self.end(out);
            }
        }
        self.event.extend_from_slice(rest);
        if self.event.len() > self.most {
            self.finish(out);
        }
    }

    /// Appends the incomplete event unchanged.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.event);
        self.line = 0;
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let event = core::mem::take(&mut self.event);
        self.line = 0;
        match self.edits(&event) {
            Some(edits) => {
                let mut at = 0;
                for (start, end, text) in edits {
                    out.extend_from_slice(&event[at..start]);
                    out.extend_from_slice(text.as_bytes());
                    at = end;
                }
                out.extend_from_slice(&event[at..]);
            }
            None => self.event.clear(),
        }
        // The memory is used again.
        self.event = event;
        self.event.clear();
    }

    /// Returns the replacements in an event, in order, or `None` if the event is left out.
    fn edits(&mut self, event: &[u8]) -> Option<Vec<(usize, usize, String)>> {
        let mut edits = Vec::new();
        let lines = event.split(|&byte| byte == b'\n');
        let data = lines.filter_map(|line| core::str::from_utf8(line.strip_prefix(b"data:")?).ok());
        for data in data {
            let Ok(members) = serde_json::from_str::<EventMembers<'_>>(data) else {
                continue;
            };
            let kind = members.kind.as_deref().unwrap_or_default();
            if self.rules.once.contains(&kind) {
                return None;
            }
            let place = |raw: &RawValue| {
                let start = raw.get().as_ptr().addr() - event.as_ptr().addr();
                (start, start + raw.get().len())
            };
            let number = (self.rules.number)(&members);
            if let Some((raw, number)) = number.and_then(|raw| Some((raw, unsigned(raw)?))) {
                let (start, end) = place(raw);
                edits.push((start, end, (number + u64::from(self.shift)).to_string()));
            }
            if let Some(raw) = members.sequence_number {
                let (start, end) = place(raw);
                edits.push((start, end, self.sequence.to_string()));
                self.sequence += 1;
            }
            let output = members.response.and_then(|response| {
                serde_json::from_str::<FinalResponse<'_>>(response.get())
                    .ok()?
                    .output
            });
            if let Some(output) = output.filter(|output| output.get().starts_with('[')) {
                let start = place(output).0 + 1;
                let is_empty = output.get()[1..].trim_start().starts_with(']');
                let mut items = self.items.join(",");
                if !items.is_empty() && !is_empty {
                    items.push(',');
                }
                edits.push((start, start, items));
            }
        }
        edits.sort_by_key(|(start, ..)| *start);
        Some(edits)
    }
}

fn unsigned(raw: &RawValue) -> Option<u64> {
    serde_json::from_str(raw.get()).ok()
}
