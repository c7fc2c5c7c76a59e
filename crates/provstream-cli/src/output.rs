//! Output of a command: standard output, or a file that is replaced when the output is complete.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use provstream_route::TerminalJson;
use same_file::Handle;
use serde::Serialize;
use serde_json::Serializer;
use tempfile::{Builder, NamedTempFile};

use crate::error::{OutputError, usage_error};
use crate::messages::EscapeLines;
use crate::progress;
use crate::utf8::Utf8LossyDecoder;

/// Bytes that are buffered while the input does not pause.
const BUFFER: usize = 1 << 16;

/// Name of standard output in messages.
const STDOUT: &str = "the output";

/// Buffered output.
///
/// Callbacks of the parser cannot return errors. The first error is retained for [`Output::check`], and nothing is written
/// after it.
pub(crate) struct Output {
    writer: Box<dyn BufferWriter>,
    /// Bytes that are not written yet. Records are not cut.
    buffer: Vec<u8>,
    /// Length from which the buffer is written.
    limit: usize,
    error: Option<io::Error>,
    name: String,
    /// Decoder of text that a terminal shows.
    terminal_decoder: Option<Utf8LossyDecoder>,
    /// Temporary file, and the path that it replaces.
    file: Option<(NamedTempFile, PathBuf)>,
}

/// Receiver of whole buffers.
pub(crate) trait BufferWriter: Send {
    /// Writes all bytes of a buffer and clears it, or takes it.
    fn write_buffer(&mut self, buffer: &mut Vec<u8>) -> io::Result<()>;

    /// Flushes what was written.
    fn flush_buffers(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write + Send> BufferWriter for W {
    fn write_buffer(&mut self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let written = self.write_all(buffer);
        buffer.clear();
        written
    }

    fn flush_buffers(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Returns `true` if the output is standard output.
pub(crate) fn is_stdout(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path.as_os_str() == "-")
}

/// Returns `true` if the output is standard output, and that is a terminal.
pub(crate) fn is_terminal(path: Option<&Path>) -> bool {
    is_stdout(path) && io::stdout().is_terminal()
}

impl Output {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        let mut output = Self::new(Box::new(io::stdout()), STDOUT.to_owned());
        let is_terminal = io::stdout().is_terminal();
        output.terminal_decoder = is_terminal.then(Utf8LossyDecoder::default);
        output
    }

    /// A file, or standard output without a path and for `-`. The file is replaced by [`Output::commit`]; a device is written
    /// at once.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        match path {
            Some(path) if !is_stdout(Some(path)) => {
                progress::set_output_file();
                Self::create(path).with_context(|| format!("cannot write {}", path.display()))
            }
            _ => Ok(Self::stdout()),
        }
    }

    /// Standard output through another thread, which receives buffers of at least `limit` bytes.
    pub(crate) fn with_buffer(
        buffer: Vec<u8>,
        limit: usize,
        writer: Box<dyn BufferWriter>,
    ) -> Self {
        let mut output = Self::new(writer, STDOUT.to_owned());
        (output.buffer, output.limit) = (buffer, limit);
        output
    }

    fn new(writer: Box<dyn BufferWriter>, name: String) -> Self {
        Self {
            writer,
            buffer: Vec::new(),
            limit: BUFFER,
            error: None,
            name,
            terminal_decoder: None,
            file: None,
        }
    }

    fn create(path: &Path) -> io::Result<Self> {
        let name = path.display().to_string();
        // A link stays a link, and its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&target).ok();
        if existing
            .as_ref()
            .is_some_and(|existing| !existing.is_file())
        {
            let file = File::options().write(true).open(&target)?;
            return Ok(Self::new(Box::new(file), name));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".provstream-");
        #[cfg(unix)]
        if existing.is_none() {
            use std::os::unix::fs::PermissionsExt;
            // Permissions of any new file, from which the process's mask is taken.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // Without the name of the temporary file.
        let temporary = builder.tempfile_in(folder);
        let temporary = temporary.map_err(|error| match error.kind() {
            kind @ io::ErrorKind::NotFound => {
                let message = format!("there is no directory {}", folder.display());
                io::Error::new(kind, message)
            }
            kind => io::Error::from(kind),
        })?;
        if let Some(existing) = existing {
            temporary
                .as_file()
                .set_permissions(existing.permissions())?;
        }
        let mut output = Self::new(Box::new(temporary.as_file().try_clone()?), name);
        output.file = Some((temporary, target));
        Ok(output)
    }

    /// Writes a line of JSON.
    pub(crate) fn write_record(&mut self, record: &impl Serialize) {
        if self.error.is_none() {
            let mut serializer = Serializer::with_formatter(&mut self.buffer, TerminalJson);
            let written = record.serialize(&mut serializer).map_err(io::Error::from);
            self.error = written.err();
            self.write_bytes(b"\n");
        }
    }

    /// Writes text of the stream: unchanged to a file or pipe, escaped and with U+FFFD on a terminal.
    pub(crate) fn write_text(&mut self, bytes: &[u8]) {
        let Some(mut decoder) = self.terminal_decoder.take() else {
            return self.write_bytes(bytes);
        };
        decoder.push(bytes, |text| self.write_escaped(text));
        self.terminal_decoder = Some(decoder);
    }

    fn write_escaped(&mut self, text: &str) {
        self.write_bytes(EscapeLines(text).to_string().as_bytes());
    }

    /// Writes bytes unchanged.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.buffer.extend_from_slice(bytes);
            if self.buffer.len() >= self.limit {
                self.error = self.writer.write_buffer(&mut self.buffer).err();
            }
        }
    }

    /// Writes bytes unchanged, without a copy.
    pub(crate) fn write_buffer(&mut self, buffer: &mut Vec<u8>) -> anyhow::Result<()> {
        self.flush()?;
        let written = self.writer.write_buffer(buffer);
        written.map_err(|error| self.output_error(error))
    }

    /// Takes the bytes that are not written yet.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    /// Returns the first error, after writing buffered bytes if more may not come at once.
    pub(crate) fn check(&mut self, may_pause: bool) -> anyhow::Result<()> {
        let result = match self.error.take() {
            Some(error) => Err(error),
            None if may_pause => self.flush_buffer(),
            None => Ok(()),
        };
        result.map_err(|error| self.output_error(error))
    }

    fn flush_buffer(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.writer.write_buffer(&mut self.buffer)?;
        }
        self.writer.flush_buffers()
    }

    /// Writes buffered bytes.
    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        self.check(true)
    }

    /// Ends the text of the stream, and writes buffered bytes.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        if let Some(mut decoder) = self.terminal_decoder.take() {
            decoder.finish(|text| self.write_escaped(text));
        }
        self.flush()
    }

    /// Writes buffered bytes, and renames the temporary file over its target.
    pub(crate) fn commit(mut self) -> anyhow::Result<()> {
        self.finish()?;
        if let Some((file, target)) = self.file.take() {
            // Not every system renames an open file.
            self.writer = Box::new(io::sink());
            let persisted = file.persist(target);
            persisted.map_err(|error| self.output_error(error.error))?;
        }
        Ok(())
    }

    fn output_error(&self, source: io::Error) -> anyhow::Error {
        let name = self.name.clone();
        OutputError { name, source }.into()
    }
}

impl Drop for Output {
    /// Writes buffered bytes of a command that ends with an error.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.flush_buffer();
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses an output that is also read. Devices can be shared.
pub(crate) fn refuse_input_as_output<'a>(
    option: &str,
    output: Option<&Path>,
    inputs: impl IntoIterator<Item = (&'a str, Option<&'a Path>)>,
) -> anyhow::Result<()> {
    let Some(path) = output.filter(|path| !is_stdout(Some(path))) else {
        return Ok(());
    };
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let output = identity(path).filter(|_| is_file);
    for (input, other) in inputs {
        let Some(other) = other else { continue };
        let is_same = match &output {
            Some(_) => identity(other) == output,
            None => !path.exists() && other == path,
        };
        if is_same {
            return Err(usage_error(format_args!(
                "{option}: expected a file of its own, found {}, which is also {input}",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Returns the device and the number of a file, which is not opened for that: the process would lose its locks on the file when that is
/// closed (POSIX `fcntl`), such as those of SQLite on a ledger that is in use.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Handle> {
    Handle::from_path(path).ok()
}

/// Returns `true` if standard output is the regular file at a path.
pub(crate) fn stdout_is(path: &Path) -> bool {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file
        && Handle::stdout()
            .is_ok_and(|stdout| Handle::from_path(path).is_ok_and(|other| other == stdout))
}
