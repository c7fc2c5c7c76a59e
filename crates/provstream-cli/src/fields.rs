//! Strings at JSON Pointers of lines of NDJSON.

use std::borrow::Cow;
use std::ops::Range;

use anyhow::bail;
use provstream_providers::Pointer;

use crate::error::InputError;
use crate::lines::{BoundedLine, LineSplitter};
use crate::messages::CountAndExample;
use crate::options::FieldOptions;

/// Longest line that is read, in bytes.
pub(crate) const MAX_LINE: usize = 4 << 20;

/// A string in a line.
#[derive(Debug)]
pub(crate) struct FieldText<'a> {
    /// Index of the pointer.
    pub(crate) field: usize,
    /// Decoded string.
    pub(crate) text: Cow<'a, str>,
    /// Range in the line, with the quotes.
    pub(crate) span: Range<usize>,
}

/// Strings of a line.
#[derive(Debug, Default)]
pub(crate) struct FieldLine<'a> {
    /// Strings, pointer by pointer.
    pub(crate) texts: Vec<FieldText<'a>>,
    /// Message about a pointer without a string or null.
    pub(crate) missing: Option<String>,
    /// `true` if a pointer has a value that is neither a string nor null.
    pub(crate) has_other: bool,
}

/// Finds the strings of a line; `None` if it is not JSON.
pub(crate) fn find_texts<'a>(pointers: &[Pointer], json: &'a [u8]) -> Option<FieldLine<'a>> {
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
        let nothing = || format!("nothing at {}", FieldOptions::names(pointers));
        line.missing.get_or_insert_with(nothing);
    }
    Some(line)
}

/// Replaces strings of a line. Strings that stay as they are keep their escapes.
pub(crate) fn replace_texts(
    json: &[u8],
    texts: &[FieldText<'_>],
    mut replace: impl FnMut(&FieldText<'_>) -> String,
) -> Vec<u8> {
    let mut edits: Vec<_> = texts
        .iter()
        .map(|text| (text.span.clone(), replace(text), text))
        .collect();
    edits.sort_by_key(|(span, ..)| span.start);
    let mut written = Vec::with_capacity(json.len());
    let mut end = 0;
    for (span, replacement, text) in edits {
        // Several pointers can name the same string.
        if span.start < end || replacement == *text.text {
            continue;
        }
        written.extend_from_slice(&json[end..span.start]);
        written.extend_from_slice(serde_json::Value::from(replacement).to_string().as_bytes());
        end = span.end;
    }
    written.extend_from_slice(&json[end..]);
    written
}

/// Rewrites texts, and receives the lines with them.
pub(crate) trait FieldSink {
    /// Returns a text as it is to be written.
    fn rewrite(&mut self, line: u64, text: &str) -> String;

    /// Writes bytes of a line.
    fn write(&mut self, bytes: &[u8]);
}

/// Rewrites the strings of NDJSON; all other bytes stay as they are.
#[derive(Debug)]
pub(crate) struct FieldRewriter {
    lines: LineSplitter,
    pointers: Vec<Pointer>,
    /// `true` if lines that cannot be read are not written.
    withholds_unread: bool,
    /// Lines that are not JSON, or have another value at a pointer.
    pub(crate) unread: CountAndExample,
    /// Strings that were found.
    pub(crate) strings: u64,
    /// Number of a line that is too long.
    too_long: Option<u64>,
}

impl FieldRewriter {
    /// A rewriter of the strings at these pointers.
    pub(crate) const fn new(pointers: Vec<Pointer>, withholds_unread: bool) -> Self {
        Self {
            lines: LineSplitter::new(MAX_LINE, 1),
            pointers,
            withholds_unread,
            unread: CountAndExample::new(),
            strings: 0,
            too_long: None,
        }
    }

    /// Reads the next bytes, or the end of the input if there are none. A line that is too long is an error.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl FieldSink) -> anyhow::Result<()> {
        let mut lines = std::mem::replace(&mut self.lines, LineSplitter::new(0, 0));
        match chunk.is_empty() {
            true => lines.finish(|line| self.line(line, sink)),
            false => lines.push(chunk, |line| self.line(line, sink)),
        }
        self.lines = lines;
        match self.too_long {
            Some(line) => bail!(InputError(format!(
                "line {line}: expected at most {MAX_LINE} bytes, found more"
            ))),
            None => Ok(()),
        }
    }

    fn line(&mut self, line: BoundedLine<'_>, sink: &mut impl FieldSink) {
        let end = if line.is_terminated { &b"\n"[..] } else { b"" };
        let Ok(content) = line.content else {
            self.too_long.get_or_insert(line.number);
            return;
        };
        if self.too_long.is_some() {
            return;
        }
        let json = line.without_bom(content);
        let found = find_texts(&self.pointers, json);
        let problem = match &found {
            _ if json.trim_ascii().is_empty() => None,
            None => Some("it is not JSON"),
            Some(found) if found.has_other => found.missing.as_deref(),
            Some(_) => None,
        };
        if let Some(problem) = problem {
            self.unread
                .add(|| format!("line {}: {problem}", line.number));
        }
        match found {
            _ if problem.is_some() && self.withholds_unread => return,
            None => sink.write(content),
            Some(found) => {
                self.strings += found.texts.len() as u64;
                sink.write(&content[..content.len() - json.len()]);
                let written = replace_texts(json, &found.texts, |text| {
                    sink.rewrite(line.number, &text.text)
                });
                sink.write(&written);
            }
        }
        sink.write(end);
    }

    /// Message about lines that were not read, and about an input without any string.
    pub(crate) fn message(&self, done: &str) -> Option<String> {
        let pointers = FieldOptions::names(&self.pointers);
        match (self.unread.count(), self.strings) {
            (0, 0) => Some(format!("no line has a string at {pointers} (--field)")),
            (0, _) => None,
            (count, _) => Some(format!("lines {done}: {count}{}", self.unread.example())),
        }
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
        let written = replace_texts(json.as_bytes(), &line.texts, |text| match &*text.text {
            "\"z" => "\"new".to_owned(),
            text => text.to_owned(),
        });
        let expected = r#"{"a":"x\u0041", "b":[{"c":"y"},{"c":"\"new"}]}"#;
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
