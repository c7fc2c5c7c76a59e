//! Annotations in brackets inside JSON strings, which the parser does not read.

use std::collections::BTreeMap;

use provstream::Mode;
use provstream_providers::Channel;

use crate::sink::TextName;

/// Beginnings of annotations with a class of the memo or a terminal.
const BEGINNINGS: [&[u8]; 3] = [
    b"[substrate.",
    b"[unverified-inference",
    b"[decayed-to-uncertainty",
];

/// Place of an annotation that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenIn {
    /// A JSON string.
    String,
    /// A JSON string in a text of a provider's response.
    ResponseString,
    /// A JSON value that breaks off at the annotation.
    BrokenValue,
}

/// Returns the note that annotations at a place were not `done`, such as `read`.
pub(crate) fn hidden_message(place: HiddenIn, done: &str) -> String {
    match place {
        HiddenIn::String => format!(
            "annotations in brackets within JSON strings were not {done}; --field POINTER reads the text of a member, --input auto a provider's response"
        ),
        HiddenIn::ResponseString => {
            format!("annotations in brackets within JSON strings of the response were not {done}")
        }
        HiddenIn::BrokenValue => format!(
            "annotations in brackets were not {done}, since they are in a JSON value that breaks off; --mode text reads them"
        ),
    }
}

/// Finds annotations in brackets that the parser does not read, in texts that have no assertion.
#[derive(Clone, Debug)]
pub(crate) struct HiddenAnnotationDetector {
    fresh: TextDetector,
    /// Place of the first one in texts that are over.
    found: Option<HiddenIn>,
    /// Channels with the kind of their text: `true` for reasoning. Without channels, there is one text at a time.
    texts: BTreeMap<Option<(Channel, bool)>, TextDetector>,
    current: Option<(Channel, bool)>,
}

/// Finds annotations in brackets that the parser does not read, until the text has an assertion.
///
/// It receives text without annotations. A quote at the start of a line or after `{`, `[`, `,` or `:` begins a string, which
/// ends with its line at the latest.
#[derive(Clone, Debug)]
struct TextDetector {
    is_active: bool,
    found: Option<HiddenIn>,
    line: OpenLine,
}

/// State of the open line.
#[derive(Clone, Debug)]
struct OpenLine {
    /// Last byte that is not white space; LF at the start of the line.
    last: u8,
    /// `true` after the first string.
    is_json: bool,
    is_in_string: bool,
    /// `true` after a backslash in a string.
    is_escaped: bool,
    /// Possible beginning of an annotation.
    open: Option<(HiddenIn, Vec<u8>)>,
}

impl Default for OpenLine {
    fn default() -> Self {
        Self {
            last: b'\n',
            is_json: false,
            is_in_string: false,
            is_escaped: false,
            open: None,
        }
    }
}

impl HiddenAnnotationDetector {
    /// Creates a detector for texts in the given mode.
    pub(crate) fn new(mode: Mode) -> Self {
        let fresh = TextDetector {
            is_active: matches!(mode, Mode::Json | Mode::Ndjson | Mode::Auto),
            found: None,
            line: OpenLine::default(),
        };
        Self {
            fresh,
            found: None,
            texts: BTreeMap::new(),
            current: None,
        }
    }

    /// Goes on with a text.
    pub(crate) fn enter(&mut self, name: &TextName) {
        match *name {
            TextName::Channel {
                channel,
                is_reasoning,
            } => self.current = Some((channel, is_reasoning)),
            TextName::Field { .. } => {
                self.found = self.found();
                self.texts.clear();
            }
        }
    }

    /// Leaves out the current text, since it has an assertion.
    pub(crate) fn stop(&mut self) {
        let text = self.text();
        text.is_active = false;
        text.found = None;
    }

    /// Returns the place of the first one in a text that has no assertion.
    pub(crate) fn found(&self) -> Option<HiddenIn> {
        let place = |(channel, text): (&Option<_>, &TextDetector)| match text.found {
            Some(HiddenIn::String) if channel.is_some() => Some(HiddenIn::ResponseString),
            found => found,
        };
        self.found.or_else(|| self.texts.iter().find_map(place))
    }

    /// Reads bytes of the current text, without its annotations.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.text().push(bytes);
    }

    fn text(&mut self) -> &mut TextDetector {
        let fresh = &self.fresh;
        self.texts
            .entry(self.current)
            .or_insert_with(|| fresh.clone())
    }
}

impl TextDetector {
    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while self.is_active && !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, others) = rest.split_at(end);
            self.found = self.line.push(line);
            self.is_active = self.found.is_none();
            if line.ends_with(b"\n") {
                self.line = OpenLine::default();
            }
            rest = others;
        }
    }
}

impl OpenLine {
    /// Reads bytes of the line. Returns the place of an annotation that is certain now.
    fn push(&mut self, bytes: &[u8]) -> Option<HiddenIn> {
        let mut at = 0;
        while at < bytes.len() {
            if let Some((place, mut open)) = self.open.take() {
                open.push(bytes[at]);
                if BEGINNINGS.contains(&&*open) {
                    return Some(place);
                }
                if BEGINNINGS.iter().any(|known| known.starts_with(&open)) {
                    self.open = Some((place, open));
                    at += 1;
                    continue;
                }
            }
            if std::mem::take(&mut self.is_escaped) {
                at += 1;
                continue;
            }
            let next = memchr::memchr3(b'"', b'[', b'\\', &bytes[at..]);
            let Some(next) = next.map(|next| at + next) else {
                break;
            };
            let last = bytes[..next].trim_ascii_end().last().copied();
            self.special(bytes[next], last.unwrap_or(self.last));
            at = next + 1;
        }
        if let Some(&last) = bytes.trim_ascii_end().last() {
            self.last = last;
        }
        None
    }

    /// Reads a quote, a bracket or a backslash; `last` is the last byte before it that is not white space.
    fn special(&mut self, byte: u8, last: u8) {
        match byte {
            b'\\' => self.is_escaped = self.is_in_string,
            b'"' if self.is_in_string => self.is_in_string = false,
            b'"' => {
                self.is_in_string = matches!(last, b'{' | b'[' | b',' | b':' | b'\n');
                self.is_json |= self.is_in_string;
            }
            _ if self.is_in_string => self.open = Some((HiddenIn::String, vec![byte])),
            _ if self.is_json && matches!(last, b'[' | b',' | b':') => {
                self.open = Some((HiddenIn::BrokenValue, vec![byte]));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(mode: Mode, pieces: &[&[u8]]) -> Option<HiddenIn> {
        let mut detector = HiddenAnnotationDetector::new(mode);
        pieces.iter().for_each(|piece| detector.push(piece));
        detector.found()
    }

    /// Asserts what is found, however the text is cut.
    fn assert_found(mode: Mode, text: &str, expected: Option<HiddenIn>) {
        for size in 1..=text.len() {
            let pieces: Vec<_> = text.as_bytes().chunks(size).collect();
            assert_eq!(found(mode, &pieces), expected, "{mode:?} {text} {size}");
        }
    }

    #[test]
    fn annotations_in_strings_are_found() {
        for text in [
            "{\"text\":\"It runs. [substrate.grep]\"}",
            "x {\"text\":\"It is. [substrate.grep]\"}",
            "data: {\"a\":[\"It is. [unverified-inference]\"]}\n\n",
            "{\n  \"a\": \"\",\n  \"text\": \"It is. [substrate.grep]\"\n}",
            "{\"text\":\"He said: \\\"so\\\". [[substrate.grep]\"}",
            "{\"text\":\"[sub [decayed-to-uncertainty]\"}",
        ] {
            for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
                assert_found(mode, text, Some(HiddenIn::String));
            }
            assert_found(Mode::Text, text, None);
        }
    }

    #[test]
    fn annotations_in_the_place_of_arrays_are_found() {
        for text in [
            "Use {\"k\": [unverified-inference]} here.",
            "{\"a\":[substrate.grep] tail",
            "{\"a\": 1, \"b\":[ 1, [substrate.grep",
            "[\"a\", [substrate.grep]]",
        ] {
            assert_found(Mode::Auto, text, Some(HiddenIn::BrokenValue));
        }
    }

    #[test]
    fn other_brackets_are_not_found() {
        for (mode, text) in [
            (Mode::Auto, "As `[substrate.grep]` says"),
            (Mode::Auto, "He said \"so\", as `[substrate.grep]` says"),
            (Mode::Auto, "{\"a\":1} \\[substrate.grep] says"),
            (Mode::Auto, "See: [substrate.grep]"),
            (Mode::Json, "It is. [substrate.grep]"),
            (Mode::Json, "{\"a\":[1,[2]]}"),
            (Mode::Json, "{\"a\":\"[substrate\n.grep]\"}"),
        ] {
            assert_found(mode, text, None);
        }
        let mut detector = HiddenAnnotationDetector::new(Mode::Json);
        detector.push(b"{\"text\":\"[substrate.grep]\"}");
        detector.stop();
        assert_eq!(detector.found(), None);
    }

    #[test]
    fn each_text_is_read_by_itself() {
        let name = |index| TextName::Channel {
            channel: Channel::new(index),
            is_reasoning: false,
        };
        let mut detector = HiddenAnnotationDetector::new(Mode::Auto);
        detector.enter(&name(0));
        detector.push(b"So it is. ");
        detector.enter(&name(1));
        detector.push(b"{\"text\":\"[substr");
        detector.enter(&name(0));
        detector.stop();
        assert_eq!(detector.found(), None);
        detector.enter(&name(1));
        detector.push(b"ate.grep]\"}");
        assert_eq!(detector.found(), Some(HiddenIn::ResponseString));
    }
}
