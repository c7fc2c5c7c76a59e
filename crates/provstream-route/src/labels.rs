//! Reads the labels of sources in texts.

use std::collections::BTreeSet;
use std::sync::Arc;

use provstream::provenance::Class;
use provstream::{DiagnosticCode, Dialects, Event, Limits, Mode, Parser, Source, Sources};
use serde_json::Value;

use crate::sources::SourceList;

/// Most identifiers of a list; with more, it is incomplete.
pub(crate) const MAX_IDS: usize = 1 << 12;

/// Longest label in bytes: the longest marker of `numeric`.
const MAX_LABEL: usize = 2_048;

/// Longest title in bytes; a longer text after a label is not a title.
const MAX_TITLE: usize = 256;

/// Longest address in bytes.
const MAX_URL: usize = 2_048;

/// Last characters of markers.
const CLOSING: [char; 7] = [']', '】', '］', '>', '%', ')', '\u{E201}'];

/// Most places at which a label may end that are tried.
const MAX_ENDS: usize = 16;

/// Characters between a label and its text, beside white space.
const AFTER_LABEL: [char; 8] = [':', '：', '.', ')', '-', '–', '—', '|'];

/// Characters, beside letters and digits, that text begins with where nothing is between it and its label.
const OPENING: [char; 13] = [
    '"', '“', '„', '‘', '«', '<', '`', '{', '「', '『', '《', '〈', '（',
];

/// First characters of a code fence.
const FENCE: &str = "```";

/// Text before a marker, so that it is not the first one in its line.
const BEFORE: &str = "So ";

/// Characters of escapes and code, after or in which a parser takes a marker for text.
const HIDING: [char; 3] = ['\\', '`', '~'];

/// Brackets, each with a blank on its outer side: right beside other text, a parser may take a marker for an index, a link or a list.
const APART: [(&str, &str); 7] = [
    ("(", " "),
    ("[", " ["),
    ("]", "] "),
    ("【", " 【"),
    ("】", "】 "),
    ("［", " ［"),
    ("］", "］ "),
];

/// Limits of a parser for markers alone: it keeps as little as it can of the sentences around them.
fn short() -> Limits {
    Limits::default().with_max_assertion(4).unwrap_or_default()
}

/// A list that has every source, so that a marker may have any identifier.
#[derive(Debug)]
struct Any {
    /// Without it, `[0]` is text, as in an answer.
    has_zero: bool,
}

impl Sources for Any {
    fn find(&self, id: &str) -> Option<Source<'_>> {
        (self.has_zero || id != "0").then(|| Source::new(""))
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
    /// Parser of whole texts, in which `[0]` is an index.
    finder: Parser,
    /// Identifiers of markers that had no label so far: at most one more than a list may have, so that one of them never gets one.
    mentioned: BTreeSet<Box<str>>,
    /// A marker has too many identifiers to be one, such as `[2-40]`.
    is_unread: bool,
    /// Class of the sources that are read next.
    pub(crate) class: Option<Class>,
    list: SourceList,
    pub(crate) has_label: bool,
    /// A source was left out, because the list has the most identifiers that it may have.
    pub(crate) is_full: bool,
}

impl LabelReader {
    pub(crate) fn new(dialects: &Dialects) -> Self {
        let parser = |has_zero| {
            let sources = Arc::new(Any { has_zero });
            Parser::builder()
                .dialects(dialects.clone())
                .sources(sources)
        };
        Self {
            parser: parser(true).build(),
            finder: parser(false).mode(Mode::Text).limits(short()).build(),
            mentioned: BTreeSet::new(),
            is_unread: false,
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
        self.text_or_strings(text, Self::lines);
    }

    /// Reads the labels of a text of a request, and [finds](Self::has_unlabelled) its other markers.
    pub(crate) fn request_text(&mut self, text: &str) {
        self.text_or_strings(text, |labels, text| {
            labels.lines(text);
            labels.mentions(text);
        });
    }

    /// Returns `true` if a marker in the texts of the request has an identifier that has not become a source: the model may cite it.
    pub(crate) fn has_unlabelled(&self) -> bool {
        let mut mentioned = self.mentioned.iter();
        self.is_unread || mentioned.any(|id| self.list.find(id).is_none())
    }

    fn text_or_strings(&mut self, text: &str, read: fn(&mut Self, &str)) {
        // Without strings, `[2]` is a marker.
        if text.trim_start().starts_with(['{', '['])
            && text.contains('"')
            && let Ok(json) = serde_json::from_str::<Value>(text)
        {
            return self.strings(&json, read);
        }
        read(self, text);
    }

    /// Reads each string of a JSON value, and each name of a member, with `read`.
    pub(crate) fn strings(&mut self, json: &Value, read: fn(&mut Self, &str)) {
        match json {
            Value::String(text) => read(self, text),
            Value::Array(all) => all.iter().for_each(|one| self.strings(one, read)),
            Value::Object(members) => members.iter().for_each(|(name, one)| {
                read(self, name);
                self.strings(one, read);
            }),
            _ => {}
        }
    }

    /// Notes the identifiers of markers anywhere in a text, also where an answer would have none: in code, in tables, in bibliographies.
    fn mentions(&mut self, text: &str) {
        let plain = text.replace(HIDING, "").replace(['\n', '\r'], " ");
        let apart = APART.iter().fold(plain.clone(), |text, (mark, apart)| {
            text.replace(mark, apart)
        });
        let mut note = |event: Event<'_>| match event {
            Event::Marker(found) => {
                for id in found.ids().filter(|id| self.list.find(id).is_none()) {
                    if self.mentioned.len() <= MAX_IDS {
                        self.mentioned.insert(id.into());
                    }
                }
            }
            Event::Diagnostic(found) => {
                self.is_unread |= found.code() == DiagnosticCode::UnreadMarker;
            }
            _ => {}
        };
        // Markers with brackets inside, such as `%[2]%`, are only in the text as it is.
        for text in [plain, apart] {
            self.finder.reset();
            self.finder.push(BEFORE.as_bytes(), &mut note);
            for (place, piece) in text.split('<').enumerate() {
                if place > 0 {
                    // Only so many tags may be open.
                    self.finder.push_break(&mut note);
                    self.finder.push(b"<", &mut note);
                }
                self.finder.push(piece.as_bytes(), &mut note);
            }
            self.finder.finish(&mut note);
        }
    }

    fn lines(&mut self, text: &str) {
        let mut is_code = false;
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let line = before_label(line);
            let next = lines.peek().map_or("", |next| before_label(next));
            is_code ^= line.starts_with(FENCE);
            // A fence that ends code is no text of a label.
            let is_end = is_code && next.starts_with(FENCE);
            self.line(line, if is_end { "" } else { next });
        }
    }

    /// Reads the label that a line begins with. If nothing follows it, it counts if the text goes on in the next line.
    fn line(&mut self, line: &str, next: &str) {
        for (marker, rest) in ends(line) {
            let rest = rest.trim_start_matches(['*', '_']);
            let text = rest.trim_start_matches(is_between);
            let is_apart = text.len() < rest.len() || text.is_empty();
            if !is_apart && !follows(text) {
                continue;
            }
            let ids = self.ids(marker);
            if ids.is_empty() {
                continue;
            }
            let has_text = !text.is_empty() || rest.starts_with([':', '：']);
            if has_text || self.goes_on(next) {
                self.has_label = true;
                let (title, url) = title_and_url(text.trim_end());
                ids.iter().for_each(|id| self.add(id, title, url));
            }
            return;
        }
    }

    /// Returns `true` if a line has text for the label in the line before, and no label of its own.
    fn goes_on(&mut self, line: &str) -> bool {
        let is_text = line.starts_with(['{', '`']) || has_words(line);
        is_text && ends(line).all(|(marker, _)| self.ids(marker).is_empty())
    }

    /// Returns the identifiers of a marker; of another text, none.
    fn ids(&mut self, marker: &str) -> Vec<Box<str>> {
        let mut ids = Vec::new();
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
        ids
    }
}

/// Returns the texts at the start of a line that may be a label, each with what comes after it.
fn ends(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_text = line.starts_with(char::is_alphanumeric);
    let most = if is_text { 0 } else { MAX_ENDS };
    let ends = line.char_indices().take_while(|(at, _)| *at < MAX_LABEL);
    let ends = ends.filter(|(_, found)| CLOSING.contains(found));
    let places = ends.map(|(at, last)| at + last.len_utf8());
    places.take(most).map(|at| line.split_at(at))
}

fn is_between(found: char) -> bool {
    found.is_whitespace() || AFTER_LABEL.contains(&found)
}

/// Returns `true` if the title or passage of a label may begin like this right after its marker: not with an operator, a comma or an
/// index.
fn follows(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        // Without white space, it may be the address of a link.
        Some('(') => chars
            .find(|found| found.is_whitespace() || *found == ')')
            .is_some_and(char::is_whitespace),
        Some(first) if OPENING.contains(&first) => has_words(text),
        first => first.is_some_and(char::is_alphanumeric),
    }
}

/// Returns `true` if a text has words, and is no end of a tag or a list.
fn has_words(text: &str) -> bool {
    let is_end = text.starts_with("</") || text.starts_with([')', ']', '}']);
    !is_end && text.contains(char::is_alphanumeric)
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
    let title =
        before.trim_end_matches(|found| is_between(found) || matches!(found, '(' | '<' | ','));
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

    #[test]
    fn markers_of_each_dialect_are_found_without_a_label() {
        for (name, first, second) in [
            ("numeric", "[1]", "[2]"),
            ("doc", "[doc1]", "[doc2]"),
            ("citation", "[citation:1]", "[cite: 2]"),
            ("nova", "%[1]%", "%[2]%"),
            ("openai-file", "【4:0†source】", "【4:1†source】"),
            (
                "openai-web",
                "\u{E200}cite\u{E202}turn0search1\u{E201}",
                "\u{E200}cite\u{E202}turn0search2\u{E201}",
            ),
            ("file-token", "<|file-a|>", "<|file-b|>"),
            ("cohere", "<co: 0>", "<co: 1>"),
            ("cite-tag", "<cite index=\"0-1\">", "<cite index=\"0-2\">"),
        ] {
            let mut labels = LabelReader::new(&Dialects::built_in([name]).unwrap());
            labels.request_text(&format!("So is {first}.\n{first} Cities"));
            assert!(labels.has_label && !labels.has_unlabelled(), "{first}");
            labels.request_text(&format!("So is `{second}`, Rivers"));
            assert!(labels.has_unlabelled(), "{second}");
            labels.request_text(&format!("{second} Rivers"));
            assert!(!labels.has_unlabelled(), "{second}");
        }
    }

    #[test]
    fn tags_that_stay_open_hide_no_marker() {
        let mut labels = LabelReader::new(&Dialects::built_in(["cohere"]).unwrap());
        let tags = (0..20).map(|id| format!("<co: {id}> City\n"));
        labels.request_text(&tags.collect::<String>());
        assert!(labels.has_label && !labels.has_unlabelled());
        labels.request_text(&format!("{} Rivers <co: 99>", "<co: 1> ".repeat(20)));
        assert!(labels.has_unlabelled());
    }

    /// Sentences without an end are not kept, at each marker of which all of them would be looked at.
    #[test]
    fn the_time_of_markers_does_not_grow_with_their_sentence() {
        let time = |text: &str| {
            let text = text.repeat(2_000);
            let one = || {
                let mut labels = LabelReader::new(&Dialects::built_in(["numeric"]).unwrap());
                let start = std::time::Instant::now();
                labels.request_text(&text);
                start.elapsed()
            };
            (0..5).map(|_| one()).min().unwrap()
        };
        let (sentences, one) = (time("[1] It is.\n"), time(". [1]"));
        assert!(one < 10 * sentences, "{one:?}, {sentences:?}");
    }
}
