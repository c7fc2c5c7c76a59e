//! NDJSON whose lines have free text at some place.

use provstream::{Rewriter, Span};
use provstream_providers::Pointer;

use crate::line::Line;
use crate::sink::Sink;

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 4 << 20;

/// U+FEFF in UTF-8, which may be before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads the text at some pointers of each line, each as a stream of its own.
#[derive(Debug)]
pub(crate) struct FieldReader {
    pointers: Vec<Pointer>,
    rewriter: Rewriter,
    /// The number of the open line, from 1.
    number: u64,
    /// The bytes of the open line that came before.
    line: Vec<u8>,
    /// Length of the open line where it is too long, else 0.
    passed: u64,
    /// Bytes taken so far.
    position: u64,
}

impl FieldReader {
    /// A reader that begins at a line with this number.
    pub(crate) const fn new(pointers: Vec<Pointer>, rewriter: Rewriter, number: u64) -> Self {
        Self {
            pointers,
            rewriter,
            number,
            line: Vec::new(),
            passed: 0,
            position: 0,
        }
    }

    /// Bytes taken so far.
    pub(crate) const fn position(&self) -> u64 {
        self.position
    }

    /// Takes the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        self.position += chunk.len() as u64;
        let mut rest = chunk;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (end, others) = rest.split_at(at);
            if self.line.is_empty() && self.passed == 0 && end.len() <= MAX_LINE {
                self.read(end, sink);
            } else {
                self.gather(end);
                self.end_line(sink);
            }
            self.number += 1;
            rest = &others[1..];
        }
        self.gather(rest);
    }

    /// Reads the last line, if no line feed ends it.
    pub(crate) fn finish(&mut self, sink: &mut impl Sink) {
        self.end_line(sink);
    }

    fn gather(&mut self, bytes: &[u8]) {
        if self.passed > 0 || self.line.len() + bytes.len() > MAX_LINE {
            self.passed += (self.line.len() + bytes.len()) as u64;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self, sink: &mut impl Sink) {
        if self.passed > 0 {
            sink.enter_field(self.number, None);
            sink.notice(&Line::Diagnostic {
                code: "limit-line",
                span: Span::new(0, self.passed),
                message: None,
            });
            self.passed = 0;
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        self.read(&line, sink);
        line.clear();
        self.line = line;
    }

    /// Reads a whole line.
    fn read(&mut self, line: &[u8], sink: &mut impl Sink) {
        let mut json = line;
        if self.number == 1 {
            json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
        }
        if json.trim_ascii().is_empty() {
            return;
        }
        let mut diagnostic = |code, message| {
            sink.enter_field(self.number, None);
            sink.notice(&Line::Diagnostic {
                code,
                span: Span::new(0, line.len() as u64),
                message,
            });
        };
        let mut is_read = false;
        let mut other = None;
        let mut texts = Vec::new();
        for (index, pointer) in self.pointers.iter().enumerate() {
            let Some(found) = pointer.find(json) else {
                return diagnostic("json-syntax", None);
            };
            if let Some(what) = found.other {
                let at = pointer.as_str();
                other.get_or_insert_with(|| format!("expected a string at {at}, found {what}"));
            }
            is_read |= found.has_null || !found.texts.is_empty();
            texts.extend(found.texts.into_iter().map(|text| (index, text)));
        }
        if other.is_some() || !is_read {
            let all = self.pointers.iter().map(Pointer::as_str);
            let nothing = || format!("nothing at {}", all.collect::<Vec<_>>().join(" or "));
            diagnostic("no-field", Some(other.unwrap_or_else(nothing)));
        }
        for (index, text) in texts {
            sink.enter_field(self.number, Some(index));
            sink.raw(text.as_bytes());
            self.rewriter.push(text.as_bytes(), &mut *sink);
            self.rewriter.finish(&mut *sink);
            self.rewriter.reset();
            sink.leave_field();
        }
    }
}
