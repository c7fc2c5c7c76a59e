//! Strings at JSON Pointers of lines of NDJSON.

use provstream::{Policy, Span};
use provstream_providers::{Pointer, PointerText};

use crate::engine::StreamEngine;
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

/// Returns `true` for the first line of a JSON array or object that goes on in further lines, as pretty printers write it.
fn is_open_value(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"[") && line.ends_with(b"[")
        || line.ends_with(b"{") && (line.starts_with(b"{") || line.starts_with(b"["))
        || line.starts_with(b"[{") && line.ends_with(b",")
}

/// Replaces strings of a line. Strings that stay as they are keep their escapes.
fn replace_texts(json: &[u8], mut edits: Vec<(PointerText<'_>, String)>) -> Vec<u8> {
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
    /// Lines of JSON with nothing at the pointers.
    absent: CountAndExample,
    /// Lines that are not JSON, or have another value at a pointer.
    pub(crate) unread: CountAndExample,
    /// A line looks like the beginning of a JSON value of several lines.
    is_spread: bool,
}

impl FieldCounts {
    /// Adds the counts of later lines.
    pub(crate) fn merge(&mut self, later: &Self) {
        self.strings += later.strings;
        self.without += later.without;
        self.absent.merge(&later.absent);
        self.unread.merge(&later.unread);
        self.is_spread |= later.is_spread;
    }

    /// Returns `true` if lines had text that was not read, or if there are lines and none has a string, as with a mistyped pointer.
    pub(crate) const fn has_unread(&self) -> bool {
        self.unread.count() > 0 || self.strings == 0 && self.without > 0
    }

    /// Returns `true` if lines were not read, or have nothing at the pointers, so that no policy decided about their text.
    pub(crate) const fn has_unjudged(&self) -> bool {
        self.has_unread() || self.absent.count() > 0
    }

    /// Returns a message about lines with nothing at the pointers, if others have a string there.
    pub(crate) fn absent(&self) -> Option<String> {
        let (absent, example) = (self.absent.count(), self.absent.example());
        (absent > 0 && self.strings > 0)
            .then(|| format!("lines that pass unjudged: {absent}{example}"))
    }

    /// Returns a message if the input had no string, or is not NDJSON.
    pub(crate) fn missing(&self, pointers: &[Pointer]) -> Option<String> {
        match (self.strings, self.without, self.unread.count()) {
            _ if self.is_spread => Some(
                "a JSON value goes over several lines, expected one value a line; `jq -c '.[]'` writes the elements of an array so, `jq -c .` other values"
                    .to_owned(),
            ),
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
            _ => {
                let none = match self.missing(pointers) {
                    Some(missing) => format!("; {missing}"),
                    None => String::new(),
                };
                Some(format!("lines {done}: {unread}{example}{none}"))
            }
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
    /// `true` if a line can have several strings, which their pointers name.
    are_named: bool,
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
                are_named: pointers.len() > 1 || pointers.iter().any(Pointer::has_wildcard),
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
        engine: &mut StreamEngine<P>,
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
        engine: &mut StreamEngine<P>,
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
        let found = Pointer::find_all(&self.pointers, json);
        let is_blank = json.trim_ascii().is_empty();
        let is_unread = !is_blank && found.as_ref().is_none_or(|found| found.has_other);
        match &found {
            _ if is_blank => {}
            None => {
                self.counts.is_spread |= is_open_value(json);
                self.notice(&line, "json-syntax", None, sink);
            }
            Some(found) => {
                if let Some(missing) = &found.missing {
                    self.notice(&line, "no-field", Some((missing, is_unread)), sink);
                }
            }
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
        text: &PointerText<'_>,
        engine: &mut StreamEngine<P>,
        sink: &mut dyn StreamSink,
    ) -> String {
        self.counts.strings += 1;
        let name = TextName::Field {
            line,
            field: text.index,
            pointer: self.are_named.then(|| text.pointer.clone()),
        };
        sink.on_text(&name, false);
        let (written, end) = engine.read_text(text.text.as_bytes(), self.is_written, sink);
        if let Some(end) = end {
            let name = Some(name.to_string());
            let stopped = StoppedText { name, end };
            sink.on_stop(&stopped);
            self.stopped.push(stopped);
        }
        sink.on_text_end(&name);
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
        let number = line.number;
        let (message, is_unread) = missing.map_or((None, true), |(message, is_unread)| {
            self.counts.without += 1;
            (Some(message), is_unread)
        });
        if let Some((nothing, false)) = missing {
            self.counts
                .absent
                .add(|| format!("line {number}: {nothing}"));
        }
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
        let line = Pointer::find_all(&pointers, json.as_bytes()).unwrap();
        let edits = line.texts.into_iter().map(|text| {
            let written = text.text.replace("\"z", "\"new");
            (text, written)
        });
        let written = replace_texts(json.as_bytes(), edits.collect());
        let expected = r#"{"a":"x\u0041", "b":[{"c":"y"},{"c":"\"new"}]}"#;
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
