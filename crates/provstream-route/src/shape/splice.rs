//! The events of a response as they follow those of another one in the same stream.

use std::borrow::Cow;

use memchr::memchr;
use provstream_providers::Format;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tracker::Tracker;

/// How the events of a format follow those of another response.
#[derive(Clone, Copy, Debug)]
struct Joint {
    /// The types of the events that a stream begins with, and that only the first response has.
    once: &'static [&'static str],
    /// The number of a block or of an item, which goes on counting.
    number: for<'a> fn(&Members<'a>) -> Option<&'a RawValue>,
}

/// How events follow those of another response, if they cannot do so as they are.
const fn joint(format: Format) -> Option<Joint> {
    Some(match format {
        Format::Anthropic => Joint {
            once: &["message_start"],
            number: |members| members.index,
        },
        Format::OpenAiResponses => Joint {
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

/// The members of an event that matter.
#[derive(Deserialize)]
struct Members<'a> {
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

/// The response in the last event of OpenAI Responses, which repeats what there was.
#[derive(Deserialize)]
struct Repeated<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// Makes the events of a response those that follow what a client has read.
#[derive(Clone, Debug)]
pub(crate) struct Splicer {
    joint: Joint,
    /// What is added to the numbers of blocks and items.
    shift: u32,
    /// The number of the next event, where events are numbered.
    sequence: u64,
    /// The items that came before.
    items: Vec<Box<str>>,
    /// The event so far.
    event: Vec<u8>,
    /// Where its last line begins.
    line: usize,
    /// Most bytes of an event; what is longer is written as it is.
    most: usize,
}

impl Splicer {
    /// The events of this format after what the tracker has seen; `None` if they follow it as they are.
    pub(crate) fn after(tracker: &Tracker, format: Format, most: usize) -> Option<Self> {
        Some(Self {
            joint: joint(format)?,
            shift: tracker.next,
            sequence: tracker.sequence.map_or(0, |last| last + 1),
            items: tracker.items.clone(),
            event: Vec::new(),
            line: 0,
            most,
        })
    }

    /// Takes bytes of the response, and appends the events that are complete.
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

    /// Appends what is left, as it is.
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

    /// What changes in an event, in order; `None` if it is left out.
    fn edits(&mut self, event: &[u8]) -> Option<Vec<(usize, usize, String)>> {
        let mut edits = Vec::new();
        let lines = event.split(|&byte| byte == b'\n');
        let data = lines.filter_map(|line| core::str::from_utf8(line.strip_prefix(b"data:")?).ok());
        for data in data {
            let Ok(members) = serde_json::from_str::<Members<'_>>(data) else {
                continue;
            };
            let kind = members.kind.as_deref().unwrap_or_default();
            if self.joint.once.contains(&kind) {
                return None;
            }
            let place = |raw: &RawValue| {
                let start = raw.get().as_ptr().addr() - event.as_ptr().addr();
                (start, start + raw.get().len())
            };
            let number = (self.joint.number)(&members);
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
                serde_json::from_str::<Repeated<'_>>(response.get())
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
