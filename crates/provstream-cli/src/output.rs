//! The output: lines of JSON, or bytes as they are, to standard output or to a file.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use provstream_route::TerminalJson;
use serde::Serialize;
use serde_json::Serializer;
use tempfile::{Builder, TempPath};

use crate::failure::Failure;
use crate::interrupt;
use crate::pieces::Pieces;
use crate::printable::PrintableLines;
use crate::stdio;

/// What is gathered before it is written, if the input does not pause.
const BUFFER: usize = 1 << 16;

/// Where output goes to.
type Target = Box<dyn Write + Send>;

/// The output, buffered.
///
/// The parser's callbacks have nowhere to return an error to, so the first one is kept until [`Output::check`], and
/// nothing is written after it.
pub(crate) struct Output<W: Write = Target> {
    writer: BufWriter<W>,
    error: Option<io::Error>,
    /// The text of the stream as characters, if it is shown on a terminal.
    shown: Option<Pieces>,
    /// A line that gets further members.
    line: Vec<u8>,
    /// The file that the output becomes at its end.
    file: Option<Unfinished>,
    /// The path of the output, unless it is standard output.
    name: Option<String>,
}

/// A file with all that was written so far, beside the one that it replaces.
#[derive(Debug)]
struct Unfinished {
    temporary: TempPath,
    destination: PathBuf,
}

impl<W: Write> fmt::Debug for Output<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("error", &self.error)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Output {
    /// Standard output. If that cannot be written to, the first [check](Output::check) says so.
    pub(crate) fn stdout() -> Self {
        let (target, error): (Target, _) = match stdio::stdout() {
            Ok(file) => (Box::new(file), None),
            Err(error) => (Box::new(io::sink()), Some(error)),
        };
        let mut output = Self::new(target);
        output.error = error;
        output.shown = io::stdout().is_terminal().then(Pieces::default);
        output
    }

    /// An output that swallows everything, in the place of one that is elsewhere for a moment.
    pub(crate) fn nowhere() -> Self {
        Self {
            writer: BufWriter::with_capacity(0, Box::new(io::sink())),
            error: None,
            shown: None,
            line: Vec::new(),
            file: None,
            name: None,
        }
    }

    /// A file, or standard output for `-` and without one.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            Some(path) if path.as_os_str() != "-" => Self::create(path),
            _ => Ok(Self::stdout()),
        }
    }

    /// A file that is replaced when the output is [committed](Output::commit), so that it never has half of an output. What is
    /// no regular file, such as a device, is written at once.
    fn create(path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::create(path, error);
        // A link stays a link, and what it points to is replaced.
        let destination = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&destination).ok();
        if existing
            .as_ref()
            .is_some_and(|metadata| !metadata.is_file())
        {
            let file = File::options()
                .write(true)
                .open(&destination)
                .map_err(failed)?;
            let mut output = Self::new(Box::new(file));
            output.name = Some(path.display().to_string());
            return Ok(output);
        }
        let folder = match destination.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::metadata(folder).map_err(failed)?;
        let mut builder = Builder::new();
        builder.prefix(".provstream-");
        #[cfg(unix)]
        if existing.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the mask of the process is taken off.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let made = builder.tempfile_in(folder);
        // Without the name of the temporary file, which nobody asked for.
        let made = made.map_err(|error| failed(io::Error::from(error.kind())));
        let (file, temporary) = made?.into_parts();
        if let Some(existing) = existing {
            file.set_permissions(existing.permissions())
                .map_err(failed)?;
        }
        interrupt::remove_on_signal(&temporary);
        let mut output = Self::new(Box::new(file));
        output.name = Some(path.display().to_string());
        output.file = Some(Unfinished {
            temporary,
            destination,
        });
        Ok(output)
    }

    /// Writes what is buffered, and puts a file in its place.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        self.flush()?;
        let Self { writer, file, .. } = self;
        // Not every system renames a file that is open.
        drop(writer);
        let Some(Unfinished {
            temporary,
            destination,
        }) = file
        else {
            return Ok(());
        };
        temporary
            .persist(&destination)
            .map_err(|error| Failure::Create(destination.display().to_string(), error.error))?;
        interrupt::keep();
        Ok(())
    }
}

impl<W: Write> Output<W> {
    /// Writes to a writer.
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer: BufWriter::with_capacity(BUFFER, writer),
            error: None,
            shown: None,
            line: Vec::new(),
            file: None,
            name: None,
        }
    }

    /// Writes text of the stream: its bytes as they are, but on a terminal what is safe to show there, with
    /// U+FFFD for what is not UTF-8.
    pub(crate) fn text(&mut self, bytes: &[u8]) {
        let Some(mut shown) = self.shown.take() else {
            return self.bytes(bytes);
        };
        shown.push(bytes, |text| self.show(text));
        self.shown = Some(shown);
    }

    /// Ends the text of the stream, and writes everything that is buffered.
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
            let mut serializer = Serializer::with_formatter(&mut self.writer, TerminalJson);
            let written = value.serialize(&mut serializer).map_err(io::Error::from);
            self.error = written.err();
            self.bytes(b"\n");
        }
    }

    /// Writes a line of JSON, an object with at least one member, with further members, each after a comma.
    pub(crate) fn line_with(&mut self, value: &impl Serialize, members: &[u8]) {
        if members.is_empty() {
            return self.line(value);
        }
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let mut serializer = Serializer::with_formatter(&mut line, TerminalJson);
        match value.serialize(&mut serializer) {
            Ok(()) => {
                line.pop();
                line.extend_from_slice(members);
                line.extend_from_slice(b"}\n");
                self.bytes(&line);
            }
            Err(error) => {
                self.error.get_or_insert_with(|| error.into());
            }
        }
        self.line = line;
    }

    /// Reports whether everything could be written so far.
    pub(crate) fn check(&mut self) -> Result<(), Failure> {
        match self.error.take() {
            Some(error) => Err(self.failure(error)),
            None => Ok(()),
        }
    }

    /// Writes everything that is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.check()?;
        let flushed = self.writer.flush();
        flushed.map_err(|error| self.failure(error))
    }

    /// The failure of a write, with the path of the output.
    fn failure(&self, error: io::Error) -> Failure {
        Failure::Write(match &self.name {
            Some(name) => io::Error::new(error.kind(), format!("{name}: {error}")),
            None => error,
        })
    }
}

/// A value as JSON that is safe to show on a terminal.
pub(crate) use provstream_route::terminal_json as json;

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
