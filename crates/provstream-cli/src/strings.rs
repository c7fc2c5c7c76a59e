//! Annotations in brackets that JSON hides, so that they are not read.

use provstream::Mode;

/// What annotations begin with that name a class of the memo or a terminal.
const BEGINNINGS: [&[u8]; 3] = [
    b"[substrate.",
    b"[unverified-inference",
    b"[decayed-to-uncertainty",
];

/// Where an annotation in brackets is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// In a string of JSON.
    InString,
    /// In a JSON value, in the place of an array: the value was read as JSON up to the bracket, and broke off after it.
    InBrokenValue,
}

/// Looks for annotations in brackets that JSON hides, until an assertion was found: then the input is what was expected.
///
/// It sees the text without the annotations that were read. A quote where JSON has one, at the start of a line or after `{`,
/// `[`, `,` or `:`, begins a string, which ends with its line at the latest.
#[derive(Clone, Debug)]
pub(crate) struct HiddenBrackets {
    is_looking: bool,
    found: Option<Hidden>,
    line: Line,
}

/// What came in the open line.
#[derive(Clone, Debug)]
struct Line {
    /// The last byte that is no white space; LF at the start of the line.
    last: u8,
    /// A string has begun in it.
    is_json: bool,
    is_in_string: bool,
    /// The last byte is a backslash in a string that is not escaped itself.
    is_escaped: bool,
    /// Where a beginning of an annotation is that may go on, and its bytes so far.
    open: Option<(Hidden, Vec<u8>)>,
}

impl Default for Line {
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

impl HiddenBrackets {
    /// Looks in a stream that is read in this mode.
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            is_looking: matches!(mode, Mode::Json | Mode::Ndjson | Mode::Auto),
            found: None,
            line: Line::default(),
        }
    }

    /// Looks no further, since there is an assertion, and forgets what was found.
    pub(crate) fn stop(&mut self) {
        self.is_looking = false;
        self.found = None;
    }

    /// Where the first one is, if there is one and no assertion.
    pub(crate) const fn found(&self) -> Option<Hidden> {
        self.found
    }

    /// Takes the next bytes of the text without annotations.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while self.is_looking && !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, others) = rest.split_at(end);
            self.found = self.line.push(line);
            self.is_looking = self.found.is_none();
            if line.ends_with(b"\n") {
                self.line = Line::default();
            }
            rest = others;
        }
    }
}

impl Line {
    /// Takes the next bytes of the line. Returns where an annotation begins that has now shown itself.
    fn push(&mut self, bytes: &[u8]) -> Option<Hidden> {
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

    /// Takes a quote, a bracket or a backslash, after the last byte before it that is no white space.
    fn special(&mut self, byte: u8, last: u8) {
        match byte {
            b'\\' => self.is_escaped = self.is_in_string,
            b'"' if self.is_in_string => self.is_in_string = false,
            b'"' => {
                self.is_in_string = matches!(last, b'{' | b'[' | b',' | b':' | b'\n');
                self.is_json |= self.is_in_string;
            }
            _ if self.is_in_string => self.open = Some((Hidden::InString, vec![byte])),
            _ if self.is_json && matches!(last, b'[' | b',' | b':') => {
                self.open = Some((Hidden::InBrokenValue, vec![byte]));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(mode: Mode, pieces: &[&[u8]]) -> Option<Hidden> {
        let mut brackets = HiddenBrackets::new(mode);
        pieces.iter().for_each(|piece| brackets.push(piece));
        brackets.found()
    }

    /// Asserts what is found, however the text is cut.
    fn assert_found(mode: Mode, text: &str, expected: Option<Hidden>) {
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
                assert_found(mode, text, Some(Hidden::InString));
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
            assert_found(Mode::Auto, text, Some(Hidden::InBrokenValue));
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
        let mut brackets = HiddenBrackets::new(Mode::Json);
        brackets.push(b"{\"text\":\"[substrate.grep]\"}");
        brackets.stop();
        assert_eq!(brackets.found(), None);
    }
}
