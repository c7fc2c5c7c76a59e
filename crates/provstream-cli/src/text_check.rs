//! Input that is not the text that is expected of it.

use std::fmt;

use provstream_providers::Format;

use crate::unread::Start;

/// Finds out whether what arrives in pieces is text; the count does not depend on the cuts.
#[derive(Debug, Default)]
pub(crate) struct TextCheck {
    /// The start of a character that was cut off, at most three bytes; empty between characters.
    held: Vec<u8>,
    /// Bytes that were judged: all that came but those that are held.
    judged: u64,
    /// Bytes that are not of a character.
    wrong: u64,
    /// The first of them, and its offset.
    first: Option<(u8, u64)>,
}

impl TextCheck {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        // A character that was cut off has four bytes at most, so few more of them show what it is.
        while let (false, [next, after @ ..]) = (self.held.is_empty(), rest) {
            self.held.push(*next);
            rest = after;
            let held = std::mem::take(&mut self.held);
            let cut = self.judge(&held);
            self.held.extend_from_slice(&held[cut..]);
        }
        let cut = self.judge(rest);
        self.held.extend_from_slice(&rest[cut..]);
    }

    /// The bytes that are not UTF-8, once all have come; `None` if all are.
    pub(crate) fn end(&mut self) -> Option<NotUtf8> {
        let held = std::mem::take(&mut self.held);
        if let [first, ..] = held[..] {
            self.count(first, held.len());
        }
        let (first, at) = self.first?;
        Some(NotUtf8 {
            count: self.wrong,
            first,
            at,
        })
    }

    /// Counts what is wrong in these bytes, and returns where a character begins that is cut off at their end.
    fn judge(&mut self, bytes: &[u8]) -> usize {
        let mut from = 0;
        loop {
            let rest = &bytes[from..];
            let Err(error) = str::from_utf8(rest) else {
                self.judged += rest.len() as u64;
                return bytes.len();
            };
            let valid = error.valid_up_to();
            self.judged += valid as u64;
            from += valid;
            let Some(length) = error.error_len() else {
                return from;
            };
            self.count(bytes[from], length);
            from += length;
        }
    }

    /// Counts so many wrong bytes, which come next and begin with this one.
    fn count(&mut self, first: u8, length: usize) {
        self.first.get_or_insert((first, self.judged));
        self.judged += length as u64;
        self.wrong += length as u64;
    }
}

/// Bytes that are not UTF-8. Displayed, it says so of an input that was named before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotUtf8 {
    count: u64,
    first: u8,
    at: u64,
}

impl fmt::Display for NotUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, first, at } = self;
        match count {
            1 => write!(
                f,
                "has 1 byte that is not UTF-8 (0x{first:02X} at byte {at})"
            )?,
            _ => write!(
                f,
                "has {count} bytes that are not UTF-8 (the first, 0x{first:02X}, at byte {at})"
            )?,
        }
        f.write_str(
            ", expected text; if it is text in another encoding, convert it first, as with `iconv -f LATIN1 -t UTF-8`",
        )
    }
}

/// A document that has its text in another form. Displayed, it says what to do about an input that was named before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    Pdf,
    Rtf,
    Html,
}

impl Document {
    /// What it is called, such as `a PDF document`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pdf => "a PDF document",
            Self::Rtf => "an RTF document",
            Self::Html => "an HTML document",
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self {
            Self::Pdf => "expected text; extract its text first, as with `pdftotext`",
            Self::Rtf => "expected text; convert it first, as with `pandoc -t plain`",
            Self::Html => {
                "whose tags and entities are read as text; convert it first, as with `pandoc -t plain`"
            }
        };
        write!(f, "is {}, {advice}", self.name())
    }
}

/// The document that begins with these bytes; `None` for anything else.
pub(crate) fn document(head: &[u8]) -> Option<Document> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let head = head.trim_ascii_start();
    let begins = |start: &[u8]| {
        let found = head.get(..start.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(start))
    };
    if begins(b"%PDF-") {
        Some(Document::Pdf)
    } else if begins(br"{\rtf") {
        Some(Document::Rtf)
    } else if begins(b"<!doctype html") || begins(b"<html>") || begins(b"<html ") {
        Some(Document::Html)
    } else {
        None
    }
}

/// The format of the response, in server-sent events, that begins with these bytes; `None` for anything else.
///
/// The annotations of such a response may be divided between events, so as text it has none. A response that is a JSON body is
/// not looked for here: annotations in its strings are noticed in any text.
pub(crate) fn response(head: &[u8]) -> Option<Format> {
    let lines = head.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.trim_ascii().is_empty())
        .take_while(|line| Start::of(line) == Some(Start::Events))
        .filter_map(|line| line.strip_prefix(b"data:"))
        .find_map(Format::detect)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<NotUtf8> {
        let mut check = TextCheck::default();
        for piece in pieces {
            check.push(piece);
        }
        check.end()
    }

    #[test]
    fn the_count_does_not_depend_on_the_cuts() {
        let bytes = b"a\xc3\xa9\xe3\x81\x82\xf0\x9f\x9a\x80\xff\xe3\x81b\xf0\x9f\xf0\x9f\x9a\xc3\xc3\xa9\xed\xa0\x80\x80\xe3";
        // What `from_utf8_lossy` does, counted in bytes.
        let chunks = || bytes.utf8_chunks();
        let wrong: usize = chunks().map(|chunk| chunk.invalid().len()).sum();
        let expected = Some(NotUtf8 {
            count: wrong as u64,
            first: 0xFF,
            at: 10,
        });
        for size in 1..=bytes.len() {
            assert_eq!(checked(bytes.chunks(size)), expected, "{size}");
        }
        for cut in 0..=bytes.len() {
            let (one, two) = bytes.split_at(cut);
            assert_eq!(checked([one, two]), expected, "{cut}");
            assert_eq!(checked([one, b"", two]), expected, "{cut}");
        }
    }

    #[test]
    fn text_has_nothing_wrong() {
        for text in ["", "It is so.", "é", "日本語 🚀", "\0", "\u{feff}a"] {
            for size in 1..=4 {
                assert_eq!(checked(text.as_bytes().chunks(size)), None, "{text}");
            }
        }
        let cut = NotUtf8 {
            count: 2,
            first: 0xE3,
            at: 1,
        };
        assert_eq!(checked([&b"a\xe3"[..], b"\x81"]), Some(cut));
    }

    #[test]
    fn only_whole_documents_are_taken_for_documents() {
        for (head, expected) in [
            (&b"%PDF-1.7\n"[..], Document::Pdf),
            (b"{\\rtf1\\ansi", Document::Rtf),
            (b"\xEF\xBB\xBF\n<!DOCTYPE HTML>", Document::Html),
            (b"<html lang=\"en\">", Document::Html),
        ] {
            assert_eq!(document(head), Some(expected));
        }
        for text in [
            "",
            "%PD",
            "A PDF begins with %PDF-1.7.",
            "{\"r\":1}",
            "<p>It is so.</p>",
            "<htmlx>",
            "```html\n<!doctype html>",
        ] {
            assert_eq!(document(text.as_bytes()), None, "{text}");
        }
    }
}
