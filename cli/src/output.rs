//! Standard output: lines of JSON, or bytes as they are.

use std::io::{self, BufWriter, StdoutLock, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::failure::Failure;
use crate::printable::is_unsafe;

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
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        Self::new(io::stdout().lock())
    }
}

impl<W: Write> Output<W> {
    /// Writes to a writer.
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer: BufWriter::with_capacity(BUFFER, writer),
            error: None,
        }
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
    fn the_first_error_is_kept_and_ends_the_output() {
        let mut room = [0; 4];
        let mut output = Output::new(&mut room[..]);
        output.bytes(&[b'x'; 2 * BUFFER]);
        output.bytes(b"y");
        assert!(matches!(output.flush(), Err(Failure::Write(_))));
    }
}
