//! Writer of events.

use serde_json::{Value, json};

use crate::tracker::{EventFraming, Tracker};

/// Writes events for a client, in the framing of its stream.
pub(super) struct EventWriter<'t> {
    tracker: &'t Tracker,
    sequence: Option<u64>,
    out: Vec<u8>,
}

impl<'t> EventWriter<'t> {
    pub(super) fn new(tracker: &'t Tracker) -> Self {
        let mut out = Vec::new();
        if !tracker.is_at_boundary() && tracker.envelope == EventFraming::Sse {
            out.extend_from_slice(b"\n\n");
        } else if !tracker.is_at_boundary() && tracker.envelope == EventFraming::Lines {
            out.push(b'\n');
        }
        Self {
            tracker,
            sequence: tracker.sequence,
            out,
        }
    }

    /// Writes an event, with its name if the framing has names.
    pub(super) fn event(&mut self, name: Option<&str>, data: &Value) {
        let data = data.to_string();
        match self.tracker.envelope {
            EventFraming::Sse => {
                if let Some(name) = name {
                    self.out
                        .extend_from_slice(format!("event: {name}\n").as_bytes());
                }
                self.out
                    .extend_from_slice(format!("data: {data}\n\n").as_bytes());
            }
            EventFraming::Lines => {
                self.out.extend_from_slice(data.as_bytes());
                self.out.push(b'\n');
            }
            EventFraming::Array(any) => {
                self.out.extend_from_slice(if any { b"," } else { b"" });
                self.out.extend_from_slice(data.as_bytes());
            }
        }
    }

    /// Writes an event whose name equals its `type`.
    pub(super) fn typed(&mut self, data: &Value) {
        let name = data["type"].as_str().unwrap_or_default().to_owned();
        self.event(Some(&name), data);
    }

    /// Writes an event with the next sequence number.
    pub(super) fn numbered(&mut self, mut data: Value) {
        let next = self.sequence.map_or(0, |last| last + 1);
        self.sequence = Some(next);
        data["sequence_number"] = next.into();
        self.typed(&data);
    }

    /// Writes the end marker of the stream.
    pub(super) fn done(&mut self) {
        self.out.extend_from_slice(b"data: [DONE]\n\n");
    }

    /// Returns the written events, with the end of the framing.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if matches!(self.tracker.envelope, EventFraming::Array(_)) {
            self.out.push(b']');
        }
        self.out
    }
}

/// Returns a member of the first event of the stream, or null.
pub(super) fn of_first(tracker: &Tracker, path: &str) -> Value {
    let first = tracker.first.as_deref().unwrap_or("null");
    let first: Value = serde_json::from_str(first).unwrap_or_default();
    first.pointer(path).cloned().unwrap_or_default()
}

/// Returns the usage of an answer of Cohere's that is broken off. The AI SDK reads no end without it.
pub(super) fn cohere_usage() -> Value {
    let tokens = json!({"input_tokens": 0, "output_tokens": 0});
    json!({"billed_units": tokens, "tokens": tokens})
}
