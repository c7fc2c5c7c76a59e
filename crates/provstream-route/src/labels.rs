//! Reads the labels of sources in texts.

use std::sync::Arc;

use provstream::provenance::Class;
use provstream::{Dialects, Event, Parser, Source, Sources};
use serde_json::Value;

use crate::sources::SourceList;

/// Most identifiers of a list; with more, it is incomplete.
pub(crate) const MAX_IDS: usize = 1 << 12;

/// Longest label in bytes.
const MAX_LABEL: usize = 256;

/// Longest title in bytes; a longer text after a label is not a title.
const MAX_TITLE: usize = 256;

/// Longest address in bytes.
const MAX_URL: usize = 2_048;

/// Last characters of markers.
const CLOSING: [char; 7] = [']', '】', '］', '>', '%', ')', '\u{E201}'];

/// Most places at which a label may end that are tried.
const MAX_ENDS: usize = 16;

/// Characters between a label and its text.
const AFTER_LABEL: [char; 10] = [' ', '\t', '\u{3000}', ':', '：', '.', ')', '-', '–', '|'];

/// A list that has every source, so that a label may have any identifier.
#[derive(Debug)]
struct Any;

impl Sources for Any {
    fn find(&self, _: &str) -> Option<Source<'_>> {
        Some(Source::new(""))
    }

    fn is_complete(&self) -> bool {
        true
    }
}

/// Collects sources: those of labels, and those with identifiers of their own.
///
/// A label is a marker of the dialects at the start of a line, with text after it, as in `[1] A title`.
#[derive(Debug)]
pub(crate) struct LabelReader {
    parser: Parser,
    /// Class of the sources that are read next.
    pub(crate) class: Option<Class>,
    list: SourceList,
    pub(crate) has_label: bool,
    /// A source was left out, because the list has the most identifiers that it may have.
    pub(crate) is_full: bool,
}

impl LabelReader {
    pub(crate) fn new(dialects: &Dialects) -> Self {
        let parser = Parser::builder().dialects(dialects.clone());
        Self {
            parser: parser.sources(Arc::new(Any)).build(),
            class: None,
            list: SourceList::default(),
            has_label: false,
            is_full: false,
        }
    }

    /// Returns the sources so far, and begins with none.
    pub(crate) fn take(&mut self) -> SourceList {
        core::mem::take(&mut self.list)
    }

    /// Adds a source with an identifier. A title or an address that is too long is left out.
    pub(crate) fn add(&mut self, id: &str, title: Option<&str>, url: Option<&str>) {
        let title = title.and_then(|title| fits(title, MAX_TITLE));
        let url = url.and_then(|url| fits(url, MAX_URL));
        match self.list.len() < MAX_IDS {
            true => self.list.add(id, self.class.as_ref(), title, url),
            false => self.is_full = true,
        }
    }

    /// Reads the labels of a text, or those in the strings of one that is JSON, such as the result of a tool.
    pub(crate) fn text(&mut self, text: &str) {
        if text.trim_start().starts_with(['{', '['])
            && let Ok(json) = serde_json::from_str::<Value>(text)
        {
            return self.strings(&json, Self::lines);
        }
        self.lines(text);
    }

    /// Reads each string of a JSON value with `read`.
    pub(crate) fn strings(&mut self, json: &Value, read: fn(&mut Self, &str)) {
        match json {
            Value::String(text) => read(self, text),
            Value::Array(all) => all.iter().for_each(|one| self.strings(one, read)),
            Value::Object(members) => members.values().for_each(|one| self.strings(one, read)),
            _ => {}
        }
    }

    fn lines(&mut self, text: &str) {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let goes_on = lines
                .peek()
                .is_some_and(|next| before_label(next).starts_with(char::is_alphanumeric));
            self.line(line, goes_on);
        }
    }

    /// Reads the label that a line begins with, after indentation and markers of lists, quotes and emphasis. If nothing follows it,
    /// it counts if the text goes on in the next line.
    fn line(&mut self, line: &str, goes_on: bool) {
        let line = before_label(line);
        if line.starts_with(|first: char| first.is_alphanumeric()) {
            return;
        }
        let ends = line.char_indices().take_while(|(at, _)| *at < MAX_LABEL);
        let ends = ends.filter(|(_, found)| CLOSING.contains(found));
        for (at, last) in ends.take(MAX_ENDS) {
            let (marker, rest) = line.split_at(at + last.len_utf8());
            let rest = rest.trim_start_matches(['*', '_']);
            let text = rest.trim_start_matches(AFTER_LABEL);
            let is_label = match rest.chars().next() {
                None => goes_on,
                Some(next) if next.is_alphanumeric() => true,
                Some(_) => {
                    let is_named = rest.starts_with([':', '：']);
                    text.len() < rest.len() && (is_named || goes_on || !text.is_empty())
                }
            };
            if is_label && self.label(marker, text.trim_end()) {
                return;
            }
        }
    }

    /// Adds the identifiers of a label; returns `false` if the text is not a label.
    fn label(&mut self, marker: &str, text: &str) -> bool {
        const BEFORE: &str = "So ";
        let mut ids: Vec<Box<str>> = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Marker(found) = event
                && found.raw() == marker.as_bytes()
            {
                ids.extend(found.ids().map(Box::from));
            }
        };
        self.parser.reset();
        self.parser.push(BEFORE.as_bytes(), &mut take);
        self.parser.push(marker.as_bytes(), &mut take);
        self.parser.finish(&mut take);
        self.has_label |= !ids.is_empty();
        let (title, url) = title_and_url(text);
        ids.iter().for_each(|id| self.add(id, title, url));
        !ids.is_empty()
    }
}

/// Returns the title and the address in the text after a label.
fn title_and_url(text: &str) -> (Option<&str>, Option<&str>) {
    let start = ["https://", "http://"]
        .iter()
        .filter_map(|scheme| text.find(scheme))
        .min();
    let Some(start) = start else {
        return (fits(text, MAX_TITLE), None);
    };
    let (before, url) = text.split_at(start);
    let end = url.find(|found: char| found.is_whitespace() || matches!(found, '>' | '"' | '<'));
    let url = url[..end.unwrap_or(url.len())].trim_end_matches(['.', ',', ';', ')']);
    let is_between = |found: char| {
        found.is_whitespace()
            || AFTER_LABEL.contains(&found)
            || matches!(found, '(' | '<' | '—' | ',')
    };
    let title = before.trim_end_matches(is_between);
    (fits(title, MAX_TITLE), Some(url))
}

/// Returns a text that is not empty and not too long.
fn fits(text: &str, most: usize) -> Option<&str> {
    (1..=most).contains(&text.len()).then_some(text)
}

/// Removes what may come before a label in its line.
fn before_label(line: &str) -> &str {
    let is_mark = |found: char| {
        found.is_whitespace()
            || matches!(found, '>' | '-' | '*' | '+' | '#' | '_' | '•' | '\u{FEFF}')
    };
    let line = line.trim_start_matches(is_mark);
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(item) if rest.len() < line.len() => item.trim_start_matches(is_mark),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_a_title_and_an_address() {
        for (text, title, url) in [
            ("", None, None),
            ("Cities", Some("Cities"), None),
            (
                "Cities: https://a.example/x.",
                Some("Cities"),
                Some("https://a.example/x"),
            ),
            (
                "Cities (http://a.example/x) of 2020",
                Some("Cities"),
                Some("http://a.example/x"),
            ),
            ("<https://a.example>", None, Some("https://a.example")),
        ] {
            assert_eq!(title_and_url(text), (title, url), "{text}");
        }
    }
}
