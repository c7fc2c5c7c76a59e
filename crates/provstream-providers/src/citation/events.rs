//! The events of a response, as JSON: server-sent, or values one after the other.

use crate::sse::{SseDecoder, SsePiece};

/// Longest JSON value that is read, in bytes.
const MAX_VALUE: usize = 1 << 20;

/// Event of a response, for [`read`](super::read).
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CitationEvent<'a> {
    /// JSON of an event, or of a whole response.
    Event(&'a [u8]),
    /// Event that is too long.
    TooLong,
    /// Event without an end.
    Unterminated,
}

/// Cuts a response into its events: server-sent, or JSON values one after the other. The first byte decides which.
///
/// An event of more than [`MAX_LEN`](Self::MAX_LEN) bytes is not kept.
#[derive(Debug, Default)]
pub struct CitationEvents(Framing);

#[derive(Debug, Default)]
enum Framing {
    /// Only white space came so far.
    #[default]
    Unknown,
    Sse(Box<SseDecoder>),
    Json(JsonValues),
}

impl CitationEvents {
    /// Longest event that is kept, in bytes.
    pub const MAX_LEN: usize = MAX_VALUE;

    /// Reads the next bytes and calls `sink` with the events that end in them.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(CitationEvent<'_>)) {
        if let Framing::Unknown = self.0 {
            let start = chunk.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(chunk);
            match start.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => self.0 = Framing::Json(JsonValues::default()),
                Some(_) => self.0 = Framing::Sse(Box::default()),
            }
        }
        match &mut self.0 {
            Framing::Unknown => {}
            Framing::Sse(decoder) => decoder.push(chunk, |piece| event(piece, sink)),
            Framing::Json(values) => values.push(chunk, sink),
        }
    }

    /// Ends the response.
    pub fn finish(&mut self, sink: &mut impl FnMut(CitationEvent<'_>)) {
        match &mut self.0 {
            Framing::Unknown => {}
            Framing::Sse(decoder) => decoder.finish(|piece| event(piece, sink)),
            Framing::Json(values) => values.finish(sink),
        }
    }
}

fn event(piece: SsePiece<'_>, sink: &mut impl FnMut(CitationEvent<'_>)) {
    match piece {
        SsePiece::Event(event) => sink(CitationEvent::Event(event.data())),
        SsePiece::Oversized(_) => sink(CitationEvent::TooLong),
        SsePiece::Unterminated(_) => sink(CitationEvent::Unterminated),
        _ => {}
    }
}

/// Finds objects in a sequence of JSON values, or in one array of them; whether they are JSON is left to their reader.
#[derive(Debug, Default)]
struct JsonValues {
    /// The open object.
    value: Vec<u8>,
    /// Its length where it is too long, else 0.
    passed: usize,
    /// Open braces and brackets, from the object on.
    depth: usize,
    in_string: bool,
    after_backslash: bool,
}

impl JsonValues {
    fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(CitationEvent<'_>)) {
        let mut from = if self.depth > 0 { Some(0) } else { None };
        for (at, &byte) in chunk.iter().enumerate() {
            if self.depth == 0 {
                if byte == b'{' {
                    (self.depth, from) = (1, Some(at));
                }
                continue;
            }
            self.step(byte);
            if self.depth == 0 {
                self.keep(&chunk[from.unwrap_or(at)..=at]);
                self.end(sink);
                from = None;
            }
        }
        if let Some(from) = from {
            self.keep(&chunk[from..]);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            let escapes = byte == b'\\' && !self.after_backslash;
            self.in_string = byte != b'"' || self.after_backslash;
            self.after_backslash = escapes;
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.passed > 0 || self.value.len() + bytes.len() > MAX_VALUE {
            self.passed = MAX_VALUE;
            self.value.clear();
        } else {
            self.value.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, sink: &mut impl FnMut(CitationEvent<'_>)) {
        match self.passed {
            0 => sink(CitationEvent::Event(&self.value)),
            _ => sink(CitationEvent::TooLong),
        }
        self.value.clear();
        self.passed = 0;
    }

    fn finish(&mut self, sink: &mut impl FnMut(CitationEvent<'_>)) {
        if self.depth > 0 {
            sink(CitationEvent::Unterminated);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_do_not_depend_on_cuts() {
        let array = r#" [{"a":"}\"{"},{"b":[{"c":{}}]}] "#;
        let lines = "{\"a\":\"}\\\"{\"}\n{\"b\":[{\"c\":{}}]}\n";
        let sse = "data: {\"a\":\"}\\\"{\"}\n\nevent: x\ndata: {\"b\":[{\"c\":{}}]}\n\n";
        for input in [array, lines, sse] {
            for size in 1..input.len() {
                let mut events = CitationEvents::default();
                let mut found = Vec::new();
                let mut sink = |piece: CitationEvent<'_>| match piece {
                    CitationEvent::Event(json) => {
                        found.push(String::from_utf8_lossy(json).into_owned());
                    }
                    other => panic!("{other:?}"),
                };
                for chunk in input.as_bytes().chunks(size) {
                    events.push(chunk, &mut sink);
                }
                events.finish(&mut sink);
                assert_eq!(found, [r#"{"a":"}\"{"}"#, r#"{"b":[{"c":{}}]}"#], "{size}");
            }
        }
    }

    #[test]
    fn what_is_too_long_or_open_is_reported() {
        let mut found = Vec::new();
        let mut events = CitationEvents::default();
        let long = format!("{{\"a\":\"{}\"}}{{\"b\":1}} {{", "x".repeat(MAX_VALUE));
        let mut sink = |piece: CitationEvent<'_>| found.push(format!("{piece:?}"));
        events.push(long.as_bytes(), &mut sink);
        events.finish(&mut sink);
        assert_eq!(found.len(), 3);
        assert_eq!(
            (found[0].as_str(), found[2].as_str()),
            ("TooLong", "Unterminated")
        );
    }
}
