//! Strings at JSON Pointers of lines of NDJSON.

use std::borrow::Cow;
use std::ops::Range;

use provstream::{Policy, Span};
use provstream_providers::Pointer;

use crate::engine::Engine;
use crate::error::CliError;
use crate::lines::{BoundedLine, LineSplitter};
use crate::messages::CountAndExample;
use crate::sink::{StoppedText, StreamNotice, StreamSink, TextName};

/// Longest line that is read, in bytes.
const MAX_LINE: usize = 4 << 20;

/// Pointers in a message.
pub(crate) fn pointer_names(pointers: &[Pointer]) -> String {
    let names: Vec<_> = pointers.iter().map(Pointer::as_str).collect();
    names.join(" or ")
}

/// A string in a line.
#[derive(Debug)]
struct FieldText<'a> {
    /// Index of the pointer.
    field: usize,
    /// Decoded string.
    text: Cow<'a, str>,
    /// Range in the line, with the quotes.
    span: Range<usize>,
}

/// Strings of a line.
#[derive(Debug, Default)]
struct FieldLine<'a> {
    /// Strings, pointer by pointer.
    texts: Vec<FieldText<'a>>,
    /// Message about a pointer without a string or null.
    missing: Option<String>,
    /// `true` if a pointer has a value that is neither a string nor null.
    has_other: bool,
}

/// Finds the strings of a line; `None` if it is not JSON.
fn find_texts<'a>(pointers: &[Pointer], json: &'a [u8]) -> Option<FieldLine<'a>> {
    let mut line = FieldLine::default();
    let mut is_found = false;
    for (field, pointer) in pointers.iter().enumerate() {
        let found = pointer.find(json)?;
        if let Some(other) = found.other {
            let at = pointer.as_str();
            line.has_other = true;
            line.missing
                .get_or_insert_with(|| format!("expected a string at {at}, found {other}"));
        }
        is_found |= found.has_null || !found.texts.is_empty();
        let texts = found.texts.into_iter().zip(found.spans);
        line.texts
            .extend(texts.map(|(text, span)| FieldText { field, text, span }));
    }
    if !is_found {
        let nothing = || format!("nothing at {}", pointer_names(pointers));
        line.missing.get_or_insert_with(nothing);
    }
    Some(line)
}

/// Replaces strings of a line. Strings that stay as they are keep their escapes.
fn replace_texts(json: &[u8], mut edits: Vec<(FieldText<'_>, String)>) -> Vec<u8> {
    edits.sort_by_key(|(text, _)| text.span.start);
    let mut written = Vec::with_capacity(json.len());
    let mut end = 0;
    for (text, replacement) in edits {
        // Several pointers can name the same string.
        if text.span.start < end || replacement == *text.text {
            continue;
        }
        written.extend_from_slice(&json[end..text.span.start]);
        written.extend_from_slice(serde_json::Value::from(replacement).to_string().as_bytes());
        end = text.span.end;
    }
    written.extend_from_slice(&json[end..]);
    written
}

/// Counts of lines and their strings.
#[derive(Debug, Default)]
pub(crate) struct FieldCounts {
    strings: u64,
    /// Lines of JSON without a string at a pointer.
    without: u64,
    /// Lines that are not JSON, or have another value at a pointer.
    pub(crate) unread: CountAndExample,
}

impl FieldCounts {
    /// Adds the counts of later lines.
    pub(crate) fn merge(&mut self, later: &Self) {
        self.strings += later.strings;
        self.without += later.without;
        self.unread.merge(&later.unread);
    }

    /// Returns a message if the input had no string.
    pub(crate) fn missing(&self, pointers: &[Pointer]) -> Option<String> {
        match (self.strings, self.without, self.unread.count()) {
            (0, 0, 1..) => Some("no line is JSON; read text without --field".to_owned()),
            (0, 1.., _) => {
                let pointers = pointer_names(pointers);
                Some(format!("no line has a string at {pointers} (--field)"))
            }
            _ => None,
        }
    }

    /// Returns a message if lines were not read but, for example, `withheld`.
    pub(crate) fn message(&self, pointers: &[Pointer], done: &str) -> Option<String> {
        let (unread, example) = (self.unread.count(), self.unread.example());
        match unread {
            0 => self.missing(pointers),
            _ => Some(format!("lines {done}: {unread}{example}")),
        }
    }
}

/// Reads the strings at pointers of each line, each as a stream of its own. All other bytes stay as they are.
#[derive(Debug)]
pub(crate) struct FieldReader {
    lines: LineSplitter,
    state: FieldState,
}

#[derive(Debug)]
struct FieldState {
    pointers: Vec<Pointer>,
    /// `true` if lines are written again.
    is_written: bool,
    counts: FieldCounts,
    stopped: Vec<StoppedText>,
    /// Number of a line that is too long to be written.
    too_long: Option<u64>,
}

impl FieldReader {
    /// Creates a reader whose first line has the number `line`.
    pub(crate) fn new(pointers: &[Pointer], line: u64, is_written: bool) -> Self {
        Self {
            lines: LineSplitter::new(MAX_LINE, line),
            state: FieldState {
                pointers: pointers.to_owned(),
                is_written,
                counts: FieldCounts::default(),
                stopped: Vec::new(),
                too_long: None,
            },
        }
    }

    /// Reads the next bytes, or without any the last line.
    pub(crate) fn push<P: Policy + Clone>(
        &mut self,
        chunk: &[u8],
        engine: &mut Engine<P>,
        sink: &mut dyn StreamSink,
    ) -> anyhow::Result<()> {
        let Self { lines, state } = self;
        match chunk.is_empty() {
            true => lines.finish(|line| state.line(line, engine, sink)),
            false => lines.push(chunk, |line| state.line(line, engine, sink)),
        }
        match state.too_long {
            Some(line) => Err(CliError::Input(format!(
                "line {line}: expected at most {MAX_LINE} bytes, found more"
            ))
            .into()),
            None => Ok(()),
        }
    }

    /// Counts of all lines, and strings that a policy ended.
    pub(crate) fn finish(self) -> (FieldCounts, Vec<StoppedText>) {
        (self.state.counts, self.state.stopped)
    }
}

impl FieldState {
    fn line<P: Policy + Clone>(
        &mut self,
        line: BoundedLine<'_>,
        engine: &mut Engine<P>,
        sink: &mut dyn StreamSink,
    ) {
        let Ok(content) = line.content else {
            self.too_long = self.too_long.or(self.is_written.then_some(line.number));
            return self.notice(&line, "limit-line", None, sink);
        };
        if self.too_long.is_some() {
            return;
        }
        let json = line.without_bom(content);
        let found = find_texts(&self.pointers, json);
        let is_blank = json.trim_ascii().is_empty();
        let is_unread = !is_blank && found.as_ref().is_none_or(|found| found.has_other);
        match &found {
            _ if is_blank => {}
            None => self.notice(&line, "json-syntax", None, sink),
            Some(FieldLine {
                missing: Some(missing),
                ..
            }) => self.notice(&line, "no-field", Some((missing, is_unread)), sink),
            Some(_) => {}
        }
        let texts = found.map_or_else(Vec::new, |found| found.texts);
        let is_withheld = is_unread && engine.is_gate();
        let mut edits = Vec::new();
        for text in texts.into_iter().filter(|_| !is_withheld) {
            let written = self.text(line.number, &text, engine, sink);
            edits.push((text, written));
        }
        if self.is_written && !is_withheld {
            sink.write(&content[..content.len() - json.len()]);
            sink.write(&replace_texts(json, edits));
            sink.write(if line.is_terminated { b"\n" } else { b"" });
        }
    }

    /// Reads a string, and returns it as it is to be written.
    fn text<P: Policy + Clone>(
        &mut self,
        line: u64,
        text: &FieldText<'_>,
        engine: &mut Engine<P>,
        sink: &mut dyn StreamSink,
    ) -> String {
        self.counts.strings += 1;
        let field = text.field;
        let name = TextName::Field { line, field };
        sink.on_text(&name, false);
        let (written, end) = engine.read_text(text.text.as_bytes(), self.is_written, sink);
        sink.on_text_end(&name);
        if let Some(end) = end {
            let name = Some(name.to_string());
            self.stopped.push(StoppedText { name, end });
        }
        String::from_utf8_lossy(&written).into_owned()
    }

    /// Counts and reports a line that was not read, or without a string at a pointer.
    fn notice(
        &mut self,
        line: &BoundedLine<'_>,
        code: &'static str,
        missing: Option<(&str, bool)>,
        sink: &mut dyn StreamSink,
    ) {
        let (message, is_unread) = missing.map_or((None, true), |(message, is_unread)| {
            self.counts.without += 1;
            (Some(message), is_unread)
        });
        let number = line.number;
        if is_unread {
            let problem = message.unwrap_or("it is not JSON");
            self.counts
                .unread
                .add(|| format!("line {number}: {problem}"));
        }
        let length = line
            .content
            .map_or_else(|length| length, |line| line.len() as u64);
        sink.on_notice(&StreamNotice::Diagnostic {
            code,
            span: Span::new(0, length),
            message,
            line: Some(number),
            is_unread,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strings_that_change_are_written_again() {
        let json = r#"{"a":"x\u0041", "b":[{"c":"y"},{"c":"\"z"}]}"#;
        let pointers = ["/a", "/b/*/c", "/b/1/c"].map(|text| text.parse().unwrap());
        let line = find_texts(&pointers, json.as_bytes()).unwrap();
        let edits = line.texts.into_iter().map(|text| {
            let written = text.text.replace("\"z", "\"new");
            (text, written)
        });
        let written = replace_texts(json.as_bytes(), edits.collect());
        let expected = r#"{"a":"x\u0041", "b":[{"c":"y"},{"c":"\"new"}]}"#;
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
