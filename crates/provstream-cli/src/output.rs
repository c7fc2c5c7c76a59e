//! Standard output: lines of JSON, or bytes as they are.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::failure::Failure;
use crate::pieces::Pieces;
use crate::printable::{PrintableLines, is_unsafe};

/// What is gathered before it is written, if the input does not pause.
const BUFFER: usize = 1 << 16;

/// Standard output, buffered.
///
/// The parser's callbacks have nowhere to return an error to, so the first one is kept until [`Output::check`], and
/// nothing is written behind it.
#[derive(Debug)]
pub(crate) struct Output<W: Write = StdoutLock<'static>> {
    writer: BufWriter<W>,
    error: Option<io::Error>,
    /// The text of the stream as characters, if it is shown on a terminal.
    shown: Option<Pieces>,
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        let mut output = Self::new(io::stdout().lock());
        output.shown = io::stdout().is_terminal().then(Pieces::default);
        output
    }
}

impl<W: Write> Output<W> {
    /// Writes to a writer.
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer: BufWriter::with_capacity(BUFFER, writer),
            error: None,
            shown: None,
        }
    }

    /// Writes text of the stream: its bytes as they are, but on a terminal what is [safe](is_unsafe) to show there, with
    /// U+FFFD for what is not UTF-8.
    pub(crate) fn text(&mut self, bytes: &[u8]) {
        let Some(mut shown) = self.shown.take() else {
            return self.bytes(bytes);
        };
        shown.push(bytes, |text| self.show(text));
        self.shown = Some(shown);
    }

    /// Ends the text of the stream, and hands on everything that was written.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        if let Some(mut shown) = self.shown.take() {
            shown.finish(|text| self.show(text));
        }
        self.flush()
    }

    fn show(&mut self, text: &str) {
        self.bytes(PrintableLines(text).to_string().as_bytes());
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.error = self.writer.write_all(bytes).err();
        }
    }

    /// Writes a line of JSON.
    pub(crate) fn line(&mut self, value: &impl Serialize) {
        if self.error.is_none() {
            let mut serializer = Serializer::with_formatter(&mut self.writer, Terminal);
            let written = value.serialize(&mut serializer).map_err(io::Error::from);
            self.error = written.err();
            self.bytes(b"\n");
        }
    }

    /// Tells whether everything could be written so far.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        match self.error.take() {
            Some(error) => Err(Failure::Write(error)),
            None => Ok(()),
        }
    }

    /// Hands on everything that was written.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.writer.flush().map_err(Failure::Write)
    }
}

/// Compact JSON that is safe to show on a terminal: see [`is_unsafe`].
struct Terminal;

impl Formatter for Terminal {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Most text is plain ASCII, which is told much faster than by looking at each character.
        if fragment.is_ascii() && !fragment.as_bytes().contains(&0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|&(_, c)| is_unsafe(c)) {
            writer.write_all(&rest.as_bytes()[..at])?;
            // All of them lie in the basic plane, so that one unit is enough.
            write!(writer, "\\u{:04x}", u32::from(character))?;
            rest = &rest[at + character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_escaped_and_the_rest_is_literal() {
        let text = "\0\n\x1b\x7f\u{85}\u{9f}\u{2028}\u{202e}\u{2069} \"\\/é\u{a0}あ👩\u{200d}🚀";
        let mut output = Output::new(Vec::new());
        output.line(&text);
        output.flush().unwrap();
        let written = String::from_utf8(output.writer.into_inner().unwrap()).unwrap();
        assert_eq!(
            written,
            "\"\\u0000\\n\\u001b\\u007f\\u0085\\u009f\\u2028\\u202e\\u2069 \\\"\\\\/é\u{a0}あ👩\u{200d}🚀\"\n"
        );
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }

    #[test]
    fn text_is_written_as_it_is_but_shown_without_controls() {
        let text = b"a\tb\r\n\x1b[2J\xc2\x9b\x9b\xe2\x80\xae\xc3\xa9\xe2\x80";
        let written = |on_terminal: bool, chunk| {
            let mut output = Output::new(Vec::new());
            output.shown = on_terminal.then(Pieces::default);
            text.chunks(chunk).for_each(|piece| output.text(piece));
            output.finish().unwrap();
            output.writer.into_inner().unwrap()
        };
        for chunk in 1..=text.len() {
            assert_eq!(written(false, chunk), text);
            assert_eq!(
                String::from_utf8(written(true, chunk)).unwrap(),
                "a\tb\\r\n\\u{1b}[2J\\u{9b}\u{fffd}\\u{202e}é\u{fffd}",
            );
        }
    }

    #[test]
    fn the_first_error_is_kept_and_ends_the_output() {
        let mut room = [0; 4];
        let mut output = Output::new(&mut room[..]);
        output.bytes(&[b'x'; 2 * BUFFER]);
        output.bytes(b"y");
        assert!(matches!(output.flush(), Err(Failure::Write(_))));
    }
}
