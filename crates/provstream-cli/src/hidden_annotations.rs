//! Annotations in brackets where the parser does not read them: in JSON strings, and in code that is not closed.

use std::collections::BTreeMap;

use memchr::{memchr, memchr_iter, memrchr};
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
    /// A JSON value that breaks off, at the annotation or with its line.
    BrokenValue,
    /// Code that ends with its line, without backticks.
    OpenCode,
}

impl HiddenIn {
    /// Returns `true` if the place was not meant as one: then a text with assertions has something that was not read, too.
    const fn is_broken(self) -> bool {
        matches!(self, Self::BrokenValue | Self::OpenCode)
    }
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
        HiddenIn::OpenCode => format!(
            "annotations in brackets were not {done}, since a backtick before them in their line begins code that is not closed"
        ),
    }
}

/// Finds annotations in brackets that the parser does not read: in JSON strings of texts that have no assertion, and where something breaks off.
#[derive(Clone, Debug)]
pub(crate) struct HiddenAnnotationDetector {
    fresh: TextDetector,
    /// Place of the first one in texts that are over.
    found: Option<HiddenIn>,
    /// Channels with the kind of their text: `true` for reasoning. Without channels, there is one text at a time.
    texts: BTreeMap<Option<(Channel, bool)>, TextDetector>,
    current: Option<(Channel, bool)>,
}

/// Finds annotations in brackets that the parser does not read in one text.
///
/// It receives text without the annotations that are read. A quote at the start of a line or after `{`, `[`, `,` or `:` begins a string, a
/// run of backticks begins code. Either ends with its line at the latest.
#[derive(Clone, Debug)]
struct TextDetector {
    is_active: bool,
    reads_json: bool,
    has_assertion: bool,
    found: Option<HiddenIn>,
    /// Open line up to `unread`, if a part of it was read.
    line: Option<OpenLine>,
    /// Last bytes of the open line. Most lines end without the start of an annotation, and are not read at all.
    unread: Vec<u8>,
}

/// Returns the index at which an annotation may start.
fn possible_start(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'[', bytes).find(|at| {
        let next = bytes.get(at + 1);
        next.is_none_or(|next| BEGINNINGS.iter().any(|known| known[1] == *next))
    })
}

/// Most bytes of a line that are kept before they are read.
const MOST_UNREAD: usize = 1 << 16;

/// State of the open line.
#[derive(Clone, Debug)]
struct OpenLine {
    /// Last byte that is not white space; LF at the start of the line.
    last: u8,
    /// `true` after the first string.
    is_json: bool,
    inside: Inside,
    /// `true` after a backslash outside of code.
    is_escaped: bool,
    /// Length of the run of backticks that the line ends with.
    run: usize,
    /// Possible beginning of an annotation.
    open: Vec<u8>,
    /// An annotation began in the open string or code.
    has_annotation: bool,
}

/// What is open in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Text,
    String,
    /// Code between runs of this many backticks.
    Code(usize),
}

impl Default for OpenLine {
    fn default() -> Self {
        Self {
            last: b'\n',
            is_json: false,
            inside: Inside::Text,
            is_escaped: false,
            run: 0,
            open: Vec::new(),
            has_annotation: false,
        }
    }
}

impl HiddenAnnotationDetector {
    /// Creates a detector for texts in the given mode.
    pub(crate) fn new(mode: Mode) -> Self {
        let fresh = TextDetector {
            is_active: true,
            reads_json: matches!(mode, Mode::Json | Mode::Ndjson | Mode::Auto),
            has_assertion: false,
            found: None,
            line: None,
            unread: Vec::new(),
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

    /// Leaves out what the JSON strings of the current text have, since it has an assertion.
    pub(crate) fn has_assertion(&mut self) {
        self.text().has_assertion = true;
    }

    /// Returns the place of the first one that counts.
    pub(crate) fn found(&self) -> Option<HiddenIn> {
        let place = |(channel, text): (&Option<_>, &TextDetector)| match text.found() {
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
        while self.is_active {
            let Some(start) = possible_start(rest) else {
                return self.pass(rest);
            };
            let (quiet, others) = rest.split_at(start);
            let end = memchr(b'\n', others).map_or(others.len(), |at| at + 1);
            let (line, others) = others.split_at(end);
            self.pass(quiet);
            self.read(line);
            if line.ends_with(b"\n") {
                self.end_line();
            }
            rest = others;
        }
    }

    /// Goes on with bytes in which no annotation starts.
    fn pass(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if let Some(end) = memrchr(b'\n', bytes) {
            rest = &bytes[end + 1..];
            if self.line.is_some() {
                let line = memchr(b'\n', bytes).unwrap_or(end);
                self.read(&bytes[..line]);
            }
            self.end_line();
        }
        self.unread.extend_from_slice(rest);
        if self.unread.len() > MOST_UNREAD {
            self.read(&[]);
        }
    }

    /// Reads the line up to the end of `bytes`.
    fn read(&mut self, bytes: &[u8]) {
        let line = self.line.get_or_insert_default();
        for bytes in [&*self.unread, bytes] {
            if self.is_active
                && let Some(place) = line.push(bytes, self.reads_json)
            {
                self.is_active = !place.is_broken();
                self.found = Some(place);
            }
        }
        self.unread.clear();
    }

    fn end_line(&mut self) {
        self.unread.clear();
        let line = self.line.take().filter(|_| self.is_active);
        if let Some(place) = line.and_then(|line| line.broken()) {
            self.is_active = false;
            self.found = Some(place);
        }
    }

    /// Returns the place of an annotation that counts if the text ends here.
    fn found(&self) -> Option<HiddenIn> {
        let mut at_end = self.clone();
        at_end.push(b"\n");
        let is_counted = |place: &HiddenIn| !self.has_assertion || place.is_broken();
        at_end.found.filter(is_counted)
    }
}

impl OpenLine {
    /// Reads bytes of the line. Returns the place of the last annotation that is certain now.
    fn push(&mut self, bytes: &[u8], reads_json: bool) -> Option<HiddenIn> {
        let mut found = None;
        let mut at = 0;
        while at < bytes.len() {
            if self.run > 0 && bytes[at] != b'`' {
                self.end_run();
            }
            if !self.open.is_empty() {
                self.open.push(bytes[at]);
                if BEGINNINGS.contains(&&*self.open) {
                    self.open.clear();
                    match self.inside {
                        Inside::Text => return Some(HiddenIn::BrokenValue),
                        _ => self.has_annotation = true,
                    }
                } else if !BEGINNINGS.iter().any(|known| known.starts_with(&self.open)) {
                    self.open.clear();
                }
                if !self.open.is_empty() {
                    at += 1;
                    continue;
                }
            }
            if std::mem::take(&mut self.is_escaped) {
                at += 1;
                continue;
            }
            let is_special = |byte: &u8| matches!(byte, b'"' | b'[' | b'\\' | b'`');
            let Some(next) = bytes[at..].iter().position(is_special) else {
                break;
            };
            let next = at + next;
            if self.run > 0 && next > at {
                self.end_run();
            }
            let last = bytes[..next].trim_ascii_end().last().copied();
            match bytes[next] {
                b'"' if !reads_json => {}
                byte if self.special(byte, last.unwrap_or(self.last)) => {
                    found = Some(HiddenIn::String);
                }
                _ => {}
            }
            at = next + 1;
        }
        if let Some(&last) = bytes.trim_ascii_end().last() {
            self.last = last;
        }
        found
    }

    /// Reads a quote, a bracket, a backslash or a backtick; `last` is the last byte before it that is not white space. Returns `true` if it
    /// ends a string with an annotation.
    fn special(&mut self, byte: u8, last: u8) -> bool {
        match (byte, self.inside) {
            (b'`', Inside::Text | Inside::Code(_)) => self.run += 1,
            (b'`', Inside::String) => {}
            (b'\\', inside) => self.is_escaped = !matches!(inside, Inside::Code(_)),
            (b'"', Inside::String) => {
                self.inside = Inside::Text;
                return std::mem::take(&mut self.has_annotation);
            }
            (b'"', Inside::Text) if matches!(last, b'{' | b'[' | b',' | b':' | b'\n') => {
                self.inside = Inside::String;
                self.is_json = true;
            }
            (b'"', _) => {}
            (_, Inside::Text) if !self.is_json || !matches!(last, b'[' | b',' | b':') => {}
            _ => self.open.push(byte),
        }
        false
    }

    /// Ends a run of backticks, which begins or ends code.
    fn end_run(&mut self) {
        let len = std::mem::take(&mut self.run);
        match self.inside {
            Inside::Text => self.inside = Inside::Code(len),
            Inside::Code(open) if open == len => {
                self.inside = Inside::Text;
                self.has_annotation = false;
            }
            _ => {}
        }
    }

    /// Returns the place of an annotation in a string or in code, if the line ends here.
    fn broken(&self) -> Option<HiddenIn> {
        match self.inside {
            _ if !self.has_annotation => None,
            Inside::Code(open) if open == self.run => None,
            Inside::Code(_) => Some(HiddenIn::OpenCode),
            _ => Some(HiddenIn::BrokenValue),
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
            (
                Mode::Auto,
                "As ``a` [substrate.grep]`` says, \\` [substrate.grep]",
            ),
            (Mode::Auto, "`[substrate.grep]`"),
            (Mode::Json, "It is. [substrate.grep]"),
            (Mode::Json, "{\"a\":[1,[2]]}"),
            (Mode::Json, "{\"a\":\"[substrate\n.grep]\"}"),
        ] {
            assert_found(mode, text, None);
        }
        let mut detector = HiddenAnnotationDetector::new(Mode::Json);
        detector.push(b"{\"text\":\"[substrate.grep]\"}");
        detector.has_assertion();
        assert_eq!(detector.found(), None);
    }

    #[test]
    fn what_breaks_off_is_found_in_texts_with_assertions() {
        let auto = Mode::Auto;
        for (mode, text, expected) in [
            (
                auto,
                "Objects use \"{\" and \":\". It is. [substrate.grep] So",
                HiddenIn::BrokenValue,
            ),
            (
                auto,
                "Grep for {\"level\":\"error. [substrate.grep] So.\nx",
                HiddenIn::BrokenValue,
            ),
            (
                auto,
                "The ` key. It is. [substrate.grep] So.",
                HiddenIn::OpenCode,
            ),
            (
                Mode::Text,
                "A `foo' is not. It is. [substrate.grep].\nx ` y",
                HiddenIn::OpenCode,
            ),
            (Mode::Text, "``a` [substrate.grep]`\n", HiddenIn::OpenCode),
            (auto, "`a` `b \"[substrate.grep]\" c\n", HiddenIn::OpenCode),
        ] {
            for size in 1..=text.len() {
                let mut detector = HiddenAnnotationDetector::new(mode);
                detector.has_assertion();
                text.as_bytes()
                    .chunks(size)
                    .for_each(|piece| detector.push(piece));
                assert_eq!(detector.found(), Some(expected), "{text} {size}");
            }
        }
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
        detector.has_assertion();
        assert_eq!(detector.found(), None);
        detector.enter(&name(1));
        detector.push(b"ate.grep]\"}");
        assert_eq!(detector.found(), Some(HiddenIn::ResponseString));
    }
}
