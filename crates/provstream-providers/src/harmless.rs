//! Removes bytes outside of event data that could carry text past a gate.

use core::ops::Range;

use memchr::memchr2;

/// Maximum length in bytes of an event's name or identifier that passes.
const LONGEST: usize = 256;

/// Treatment of a line of server-sent events in a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineTreatment {
    /// The line passes unchanged: a blank line, a comment without content, data (which are read), or a field without
    /// text.
    AsItIs,
    /// The line is a comment with content, which is removed from it.
    Emptied,
    /// The line is removed.
    Withheld,
}

/// A line of server-sent events.
#[derive(Clone, Debug)]
pub(super) struct FieldLine {
    pub(super) passage: LineTreatment,
    /// Range of the line without its line end.
    content: Range<usize>,
    /// Range of the line with its line end.
    pub(super) whole: Range<usize>,
}

impl FieldLine {
    /// Lets the line pass if some of the value that was read, at `read`, is in it.
    pub(super) fn of_read(mut self, read: &Range<usize>) -> Self {
        let is_read = self.whole.start < read.end && read.start < self.whole.end;
        if !read.is_empty() && is_read {
            self.passage = LineTreatment::AsItIs;
        }
        self
    }

    /// Writes what passes of the line, which is one of `bytes`.
    pub(super) fn write(&self, bytes: &[u8], out: &mut Vec<u8>) {
        match self.passage {
            LineTreatment::AsItIs => out.extend_from_slice(&bytes[self.whole.clone()]),
            LineTreatment::Emptied => {
                out.push(b':');
                out.extend_from_slice(&bytes[self.content.end..self.whole.end]);
            }
            LineTreatment::Withheld => {}
        }
    }
}

/// The lines of `bytes`, which begin with one. `HTML 9.2.6`
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = FieldLine> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let len = memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let end = match rest.get(len..) {
            Some([b'\r', b'\n', ..]) => len + 2,
            Some([_, ..]) => len + 1,
            _ => len,
        };
        let line = FieldLine {
            passage: passage(&rest[..len]),
            content: at..at + len,
            whole: at..at + end,
        };
        at += end;
        Some(line)
    })
}

fn passage(content: &[u8]) -> LineTreatment {
    let (name, value) = match memchr::memchr(b':', content) {
        Some(colon) => (&content[..colon], content[colon + 1..].trim_ascii()),
        None => (content, &b""[..]),
    };
    let passes = match name {
        b"" if value.is_empty() => true,
        b"" => return LineTreatment::Emptied,
        b"data" => true,
        b"event" | b"id" => is_token(value),
        b"retry" => value.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if passes {
        LineTreatment::AsItIs
    } else {
        LineTreatment::Withheld
    }
}

/// Returns `true` if the value is a single word that is not an annotation.
fn is_token(value: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._:/+=~-".contains(byte);
    value.len() <= LONGEST && value.iter().all(is_part)
}

/// Returns the positions of bytes that may be text, between the values of a JSON body. White space, commas, brackets and a byte
/// order mark at the start of the stream are no text; `start` is the offset of the first byte.
pub(super) fn stray(bytes: &[u8], start: u64) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let has_mark = start == 0 && bytes.starts_with(b"\xEF\xBB\xBF");
    let is_stray = |at: &usize| !b" \t\r\n,[]".contains(&bytes[*at]);
    (if has_mark { 3 } else { 0 }..bytes.len()).filter(is_stray)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(bytes: &str) -> String {
        let mut out = Vec::new();
        for line in lines(bytes.as_bytes()) {
            line.write(bytes.as_bytes(), &mut out);
        }
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn only_what_cannot_be_text_passes() {
        for kept in [
            "\n",
            ":\r\n",
            ": \r",
            "data: a b c\n",
            "event: response.output_text.delta\n",
            "event:\nid: 7\nretry: 100\n",
            "id: msg_01+/=\r\r",
            "id",
        ] {
            assert_eq!(passed(kept), kept);
        }
        for (line, left) in [
            (": It is so.\r\n", ":\r\n"),
            (": It is so.", ":"),
            ("It is so.\n", ""),
            ("It is so. [unverified-inference]", ""),
            ("note: It is so.\nid: 1\n", "id: 1\n"),
            ("event: It is so.\n", ""),
            ("id: [unverified-inference]\n", ""),
            ("retry: It\n", ""),
            ("Data: It\n", ""),
        ] {
            assert_eq!(passed(line), left, "{line}");
        }
        assert_eq!(passed(&format!("id: {}\n", "a".repeat(LONGEST + 1))), "");
    }
}
