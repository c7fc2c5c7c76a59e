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

/// Looks for annotations in brackets in what was read as JSON, until an assertion was found: then the input is what was
/// expected.
#[derive(Clone, Debug)]
pub(crate) struct BracketsInStrings {
    state: State,
    /// The last bytes, among which one may begin.
    tail: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Only JSON is read, or not known yet.
    Looking {
        is_json: bool,
    },
    Found,
    Stopped,
}

impl BracketsInStrings {
    /// Looks in a stream that is read in this mode.
    pub(crate) fn new(mode: Mode) -> Self {
        let state = match mode {
            Mode::Json | Mode::Ndjson => State::Looking { is_json: true },
            // Free text that begins as JSON is taken for it.
            Mode::Auto => State::Looking { is_json: false },
            _ => State::Stopped,
        };
        Self {
            state,
            tail: Vec::new(),
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
        let State::Looking { is_json } = self.state else {
            return;
        };
        if !is_json {
            match bytes.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => self.state = State::Looking { is_json: true },
                Some(_) => return self.stop(),
            }
        }
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
        for (mode, text) in [
            (Mode::Text, &json[..]),
            (Mode::Auto, b"As `[substrate.grep]` says"),
            (Mode::Json, b"{\"a\":[1,[2]]}"),
        ] {
            let mut strings = BracketsInStrings::new(mode);
            strings.push(text);
            assert!(!strings.found());
        }
    }
}
