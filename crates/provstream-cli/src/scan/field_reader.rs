//! Reads texts in fields of NDJSON.

use provstream::{Rewriter, Span};
use provstream_providers::Pointer;

use crate::fields::{MAX_LINE, find_texts};
use crate::lines::{BoundedLine, LineSplitter};
use crate::sink::{StreamNotice, StreamSink};

/// Reads the strings at pointers of each line, each as a stream of its own.
#[derive(Debug)]
pub(crate) struct FieldReader {
    lines: LineSplitter,
    texts: TextReader,
    /// Bytes read so far.
    position: u64,
}

#[derive(Debug)]
struct TextReader {
    pointers: Vec<Pointer>,
    rewriter: Rewriter,
}

impl FieldReader {
    /// A reader that begins at a line with this number.
    pub(crate) const fn new(pointers: Vec<Pointer>, rewriter: Rewriter, number: u64) -> Self {
        Self {
            lines: LineSplitter::new(MAX_LINE, number),
            texts: TextReader { pointers, rewriter },
            position: 0,
        }
    }

    /// Bytes read so far.
    pub(crate) const fn position(&self) -> u64 {
        self.position
    }

    /// Reads the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl StreamSink) {
        self.position += chunk.len() as u64;
        let texts = &mut self.texts;
        self.lines.push(chunk, |line| texts.read(line, sink));
    }

    /// Reads the last line, if no line feed ends it.
    pub(crate) fn finish(&mut self, sink: &mut impl StreamSink) {
        let texts = &mut self.texts;
        self.lines.finish(|line| texts.read(line, sink));
    }
}

impl TextReader {
    fn read(&mut self, line: BoundedLine<'_>, sink: &mut impl StreamSink) {
        let mut diagnostic = |code, length, message| {
            sink.on_field(line.number, None);
            sink.on_notice(&StreamNotice::Diagnostic {
                code,
                span: Span::new(0, length),
                message,
                is_unread: true,
            });
        };
        let content = match line.content {
            Ok(content) => content,
            Err(length) => return diagnostic("limit-line", length, None),
        };
        let json = line.without_bom(content);
        if json.trim_ascii().is_empty() {
            return;
        }
        let length = content.len() as u64;
        let Some(found) = find_texts(&self.pointers, json) else {
            return diagnostic("json-syntax", length, None);
        };
        if let Some(missing) = found.missing {
            diagnostic("no-field", length, Some(missing));
        }
        for text in found.texts {
            sink.on_field(line.number, Some(text.field));
            let bytes = text.text.as_bytes();
            sink.on_input_bytes(bytes);
            self.rewriter.push(bytes, &mut *sink);
            self.rewriter.finish(&mut *sink);
            self.rewriter.reset();
            sink.on_field_end();
        }
    }
}
