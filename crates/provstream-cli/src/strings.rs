//! Annotations in brackets within strings of JSON, which are not read.

use provstream::Mode;

/// What annotations begin with that name a class of the memo or a terminal.
const BEGINNINGS: [&[u8]; 3] = [
    b"[substrate.",
    b"[unverified-inference",
    b"[decayed-to-uncertainty",
];

/// Longest of them.
const LONGEST: usize = 23;

/// Looks for annotations in brackets in strings of JSON that were not read, until an assertion was found: then the input is
/// what was expected.
///
/// It sees the text without the annotations that were read. One that is left in a line with a quote where JSON has one,
/// before it, is taken for one in a string.
#[derive(Clone, Debug)]
pub(crate) struct BracketsInStrings {
    state: State,
    /// The last bytes, among which one may begin.
    tail: Vec<u8>,
    /// The open line has a quote where JSON has one.
    is_json_line: bool,
    /// The last byte of the open line that is no white space; LF at its start.
    last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Looking,
    Found,
    Stopped,
}

impl BracketsInStrings {
    /// Looks in a stream that is read in this mode.
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            state: match mode {
                Mode::Json | Mode::Ndjson | Mode::Auto => State::Looking,
                _ => State::Stopped,
            },
            tail: Vec::new(),
            is_json_line: false,
            last: b'\n',
        }
    }

    /// Looks no further.
    pub(crate) fn stop(&mut self) {
        self.state = State::Stopped;
    }

    /// Whether one was found, and no assertion.
    pub(crate) fn found(&self) -> bool {
        self.state == State::Found
    }

    /// Takes the next bytes of the text without annotations.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while self.state == State::Looking && !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            self.push_line(&rest[..end]);
            rest = &rest[end..];
        }
    }

    /// Takes bytes of one line, which a line feed may end.
    fn push_line(&mut self, bytes: &[u8]) {
        if !self.is_json_line {
            self.is_json_line = has_quote(self.last, bytes);
            if let Some(&last) = bytes.trim_ascii_end().last() {
                self.last = last;
            }
        }
        if self.is_json_line {
            // Across the border of two pieces first, then in the piece itself.
            let start = &bytes[..bytes.len().min(LONGEST)];
            self.tail.extend_from_slice(start);
            if has_one(&self.tail) || has_one(bytes) {
                self.state = State::Found;
                return;
            }
            if bytes.len() >= LONGEST {
                self.tail.clear();
                self.tail.extend_from_slice(&bytes[bytes.len() - LONGEST..]);
            } else {
                let keep = self.tail.len().saturating_sub(LONGEST);
                self.tail.drain(..keep);
            }
        }
        if bytes.ends_with(b"\n") {
            self.tail.clear();
            self.is_json_line = false;
            self.last = b'\n';
        }
    }
}

/// Whether a quote is where JSON has one that begins a string: at the start of a line, or after `{`, `[`, `,` or `:`, perhaps
/// with white space between.
fn has_quote(last: u8, bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'"', bytes).any(|at| {
        let before = bytes[..at].trim_ascii_end().last();
        matches!(before.unwrap_or(&last), b'{' | b'[' | b',' | b':' | b'\n')
    })
}

fn has_one(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'[', bytes).any(|at| {
        BEGINNINGS
            .iter()
            .any(|beginning| bytes[at..].starts_with(beginning))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_cut_anywhere() {
        let json = b"{\"text\":\"It runs. [substrate.grep]\"}";
        for size in 1..json.len() {
            for mode in [Mode::Json, Mode::Ndjson, Mode::Auto] {
                let mut strings = BracketsInStrings::new(mode);
                json.chunks(size).for_each(|piece| strings.push(piece));
                assert!(strings.found(), "{size}");
            }
        }
        for text in [
            &b"x {\"text\":\"It is. [substrate.grep]\"}"[..],
            b"data: {\"a\":[\"It is. [unverified-inference]\"]}\n\n",
            b"{\n  \"a\": \"\",\n  \"text\": \"It is. [substrate.grep]\"\n}",
        ] {
            for size in 1..text.len() {
                let mut strings = BracketsInStrings::new(Mode::Auto);
                text.chunks(size).for_each(|piece| strings.push(piece));
                assert!(strings.found(), "{size}");
            }
        }
        for (mode, text) in [
            (Mode::Text, &json[..]),
            (Mode::Auto, b"As `[substrate.grep]` says"),
            (Mode::Auto, b"He said \"so\", as `[substrate.grep]` says"),
            (Mode::Json, b"It is. [substrate.grep]"),
            (Mode::Json, b"{\"a\":[1,[2]]}"),
        ] {
            let mut strings = BracketsInStrings::new(mode);
            strings.push(text);
            assert!(!strings.found());
        }
    }
}
