//! Input of a command: a file or standard input, decompressed.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context as _, bail};
use flate2::bufread::MultiGzDecoder;
use provstream_providers::Format;

use crate::error::CliError;
use crate::messages::print_note;
use crate::progress::Progress;
use crate::response::InputKind;

/// Bytes that are read at once.
pub(crate) const BUFFER: usize = 1 << 16;

/// Bytes at the beginning that show whether an input is a provider's response.
const BEGINNING: usize = 1 << 10;

/// Largest base-2 logarithm of a zstd window: 8 MiB, which RFC 8878 3.1.1.1.2 recommends decoders to support.
const MAX_ZSTD_WINDOW: u32 = 23;

/// First bytes of encodings. All others are read as text.
const MAGIC: [(&[u8], &str); 8] = [
    (b"\x1F\x8B", "gzip"),
    (b"\x28\xB5\x2F\xFD", "zstd"),
    (b"\xFF\xFE\0\0", "UTF-32"),
    (b"\xFF\xFE", "UTF-16"),
    (b"\xFE\xFF", "UTF-16"),
    (b"\xFD7zXZ\0", "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
];

/// A file or standard input.
pub(crate) struct InputSource {
    reader: Box<dyn Read + Send>,
    name: String,
    is_interactive: bool,
    /// First bytes of an input that is read as text, until they were checked.
    beginning: Option<Vec<u8>>,
}

impl fmt::Debug for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A file, with the progress of reading it.
struct ProgressReader {
    file: Box<dyn Read + Send>,
    progress: Progress,
}

impl Read for ProgressReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.advance(count);
        Ok(count)
    }
}

/// Returns the name of an input in messages.
pub(crate) fn input_name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

impl InputSource {
    /// Opens a file with a progress bar of its own; `-` is standard input.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        Self::open_with(path, Progress::new(length))
    }

    /// Opens one of several files that share a progress bar.
    pub(crate) fn open_with(path: &Path, progress: Progress) -> anyhow::Result<Self> {
        let name = input_name(path);
        let unreadable = || CliError::Input(format!("cannot read {name}"));
        let (file, is_interactive) = if path.as_os_str() == "-" {
            let reader: Box<dyn Read + Send> = Box::new(io::stdin());
            (reader, !is_stdin_file())
        } else {
            let file = File::open(path).with_context(unreadable)?;
            let metadata = file.metadata().with_context(unreadable)?;
            if metadata.is_dir() {
                let folder = name.trim_end_matches(std::path::MAIN_SEPARATOR);
                bail!(CliError::Input(format!(
                    "cannot read {name}: it is a directory; give the files in it, such as {folder}/*, or to extract, admit, summary or report --recursive"
                )));
            }
            let reader: Box<dyn Read + Send> = Box::new(file);
            (reader, !metadata.is_file())
        };
        let raw = ProgressReader { file, progress };
        Ok(Self {
            reader: decode(raw).with_context(unreadable)?,
            name,
            is_interactive,
            beginning: None,
        })
    }

    /// Prints a note if the input, which is read as text, is a provider's response.
    pub(crate) fn detect_response(mut self, is_text: bool) -> Self {
        self.beginning = is_text.then(Vec::new);
        self
    }

    /// Returns the name in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if the next read may have to wait, so that the output should be flushed.
    pub(crate) const fn is_interactive(&self) -> bool {
        self.is_interactive
    }

    /// Reads available bytes; 0 at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> anyhow::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    let count = read
                        .with_context(|| CliError::Input(format!("cannot read {}", self.name)))?;
                    self.check_beginning(&buffer[..count]);
                    return Ok(count);
                }
            }
        }
    }

    fn check_beginning(&mut self, bytes: &[u8]) {
        let Some(beginning) = &mut self.beginning else {
            return;
        };
        let room = BEGINNING - beginning.len();
        beginning.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if beginning.len() < BEGINNING && !bytes.is_empty() {
            return;
        }
        if let Some(format) = response_format(beginning) {
            let name = &self.name;
            print_note(format_args!(
                "{name} looks like a response of {format} in server-sent events, expected text; give --input {format} to read the text in it"
            ));
        }
        self.beginning = None;
    }
}

/// Detects the format of a response in server-sent events.
fn response_format(beginning: &[u8]) -> Option<Format> {
    let lines = beginning.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.trim_ascii().is_empty())
        .take_while(|line| InputKind::of(line) == Some(InputKind::Events))
        .filter_map(|line| line.strip_prefix(b"data:"))
        .find_map(Format::detect)
}

#[cfg(unix)]
fn is_stdin_file() -> bool {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let metadata = stdin.and_then(|stdin| File::from(stdin).metadata());
    metadata.is_ok_and(|metadata| metadata.is_file())
}

#[cfg(not(unix))]
const fn is_stdin_file() -> bool {
    false
}

/// Reads the first bytes and decompresses the others.
fn decode(mut raw: ProgressReader) -> io::Result<Box<dyn Read + Send>> {
    let mut head = vec![0; BUFFER];
    let mut length = 0;
    // A slow pipe may give a part of the first bytes. Text that begins with letters does not wait for more.
    let is_undecided = |head: &[u8]| {
        let mut magic = MAGIC.iter().map(|(magic, _)| *magic);
        magic.any(|magic| {
            magic.len() > head.len() && magic.starts_with(head) && !magic[0].is_ascii_alphabetic()
        })
    };
    loop {
        match raw.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if !is_undecided(&head[..length]) {
            break;
        }
    }
    head.truncate(length);
    let encoding = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    let bytes = Cursor::new(head).chain(raw);
    Ok(match encoding {
        None => Box::new(bytes),
        Some((_, "gzip")) => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, bytes))),
        Some((_, "zstd")) => {
            let bytes = BufReader::with_capacity(BUFFER, bytes);
            let mut decoder = zstd::Decoder::with_buffer(bytes)?;
            decoder.window_log_max(MAX_ZSTD_WINDOW)?;
            Box::new(decoder)
        }
        Some((_, other)) => {
            let message = format!("unsupported encoding: {other}");
            return Err(io::Error::new(ErrorKind::Unsupported, message));
        }
    })
}
