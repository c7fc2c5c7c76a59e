//! The stream that is read: a file or standard input, decompressed where it is gzip or zstd.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use crate::decompress::{GzipReader, ZstdReader};
use crate::encoded::{self, Encoding};
use crate::failure::{DIRECTORY, Failure, note};
use crate::input_format::InputFormat;
use crate::progress::Progress;
use crate::stdio;
use crate::text_check::{TextCheck, document, response};

/// Room that is needed to recognise an encoding.
const HEAD: usize = 16;

/// Bytes that show whether an input is text.
const BEGINNING: usize = 1 << 10;

/// Compressed bytes that are read at once.
const COMPRESSED: usize = 1 << 16;

/// A file, or standard input.
#[derive(Debug)]
pub(crate) struct Input {
    source: Source,
    /// How the input is called in messages.
    name: String,
    /// Whether reading may have to wait for someone to write more.
    may_wait: bool,
    /// The first bytes, until they show whether they are text.
    beginning: Option<Vec<u8>>,
    /// What finds out whether all of it is text; `None` if something else is expected, or it is known not to be.
    check: Option<TextCheck>,
}

/// Where bytes come from.
enum Source {
    /// Nothing was read yet.
    Unknown(Raw),
    /// Between two states.
    Taken,
    Plain(Raw),
    Decoded(Box<dyn Read + Send>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown(_) => "Unknown",
            Self::Taken => "Taken",
            Self::Plain(_) => "Plain",
            Self::Decoded(_) => "Decoded",
        })
    }
}

/// The bytes as they are in the file.
#[derive(Debug)]
struct Raw {
    file: File,
    progress: Progress,
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.advance(count);
        Ok(count)
    }
}

/// How messages call an input.
pub(crate) fn name_of(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

impl Input {
    /// Opens a file, with a progress bar of its own; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let length = path.metadata().map_or(0, |metadata| metadata.len());
        Self::open_with(path, Progress::of(length)).map_err(|failure| match failure {
            // Only commands that read several files read those in directories.
            Failure::Directory(name) => Failure::Read(name, io::Error::other(DIRECTORY)),
            failure => failure,
        })
    }

    /// Opens a file as one of several that share a progress bar.
    pub(crate) fn open_with(path: &Path, progress: Progress) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            let name = name_of(path);
            let file = stdio::stdin().map_err(|error| Failure::Read(name.clone(), error))?;
            let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
            return Ok(Self {
                source: Source::Unknown(Raw {
                    file,
                    progress: Progress::none(),
                }),
                name,
                may_wait: !is_file,
                beginning: Some(Vec::new()),
                check: None,
            });
        }
        let name = name_of(path);
        let unreadable = |error| Failure::Read(name.clone(), error);
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(Failure::Directory(name));
        }
        Ok(Self {
            source: Source::Unknown(Raw { file, progress }),
            name,
            may_wait: !metadata.is_file(),
            beginning: Some(Vec::new()),
            check: None,
        })
    }

    /// The same where this is expected: of what is read as text, a note says if it is not.
    pub(crate) fn expecting(mut self, format: InputFormat) -> Self {
        self.check = (format == InputFormat::Raw).then(TextCheck::default);
        self
    }

    /// How the input is called in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the next read may have to wait, so that what is known should be written before it.
    pub(crate) const fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Reads what is available, at most a buffer full; 0 bytes at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let count = self.read_decoded(buffer)?;
        if !buffer.is_empty() {
            self.look_at(&buffer[..count]);
        }
        Ok(count)
    }

    /// Notes on standard error what is unexpected in text. `bytes` were just read; it is empty at the end of the input.
    fn look_at(&mut self, bytes: &[u8]) {
        if self.check.is_none() {
            return;
        }
        if let Some(beginning) = &mut self.beginning {
            let room = BEGINNING - beginning.len();
            beginning.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if (beginning.len() == BEGINNING || bytes.is_empty())
                && let Some(beginning) = self.beginning.take()
            {
                self.look_at_beginning(&beginning);
            }
        }
        let Some(check) = &mut self.check else {
            return;
        };
        check.push(bytes);
        if bytes.is_empty() {
            if let Some(wrong) = check.end() {
                note(format_args!("{} {wrong}", self.name));
            }
            self.check = None;
        }
    }

    /// Notes if the input is a document of another kind, a response of a provider, or binary; then nothing more is noted.
    fn look_at_beginning(&mut self, bytes: &[u8]) {
        if let Some(document) = document(bytes) {
            note(format_args!("{} {document}", self.name));
        } else if bytes.contains(&0) {
            note(format_args!(
                "{} contains NUL bytes, expected text; it may be a binary file",
                self.name
            ));
        } else if let Some(format) = response(bytes) {
            note(format_args!(
                "{} looks like a response of {format} in server-sent events, expected text; give --input {format} to read the text in it",
                self.name
            ));
        } else {
            return;
        }
        self.check = None;
    }

    fn read_decoded(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        if let Source::Unknown(_) = self.source {
            return self.begin(buffer);
        }
        loop {
            let read = match &mut self.source {
                Source::Plain(raw) => raw.read(buffer),
                Source::Decoded(decoder) => decoder.read(buffer),
                Source::Unknown(_) | Source::Taken => Ok(0),
            };
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => return read.map_err(|error| self.failure(error)),
            }
        }
    }

    fn failure(&self, error: io::Error) -> Failure {
        Failure::Read(self.name.clone(), error)
    }

    /// Reads the first bytes, and finds out what reads the others.
    fn begin(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Source::Unknown(mut raw) = std::mem::replace(&mut self.source, Source::Taken) else {
            return Ok(0);
        };
        // A buffer that is too small to recognise anything is replaced by one that is not.
        let mut small = [0; HEAD];
        let is_small = buffer.len() < HEAD;
        let head = if is_small {
            &mut small[..]
        } else {
            &mut *buffer
        };
        let (count, encoding) = read_head(&mut raw, head).map_err(|error| self.failure(error))?;
        match encoding {
            Encoding::Plain if !is_small => {
                self.source = Source::Plain(raw);
                return Ok(count);
            }
            Encoding::Unread(encoding) => {
                return Err(self.failure(io::Error::other(encoding.to_string())));
            }
            _ => {}
        }
        let whole = Cursor::new(head[..count].to_vec()).chain(raw);
        self.source = Source::Decoded(match encoding {
            Encoding::Gzip => {
                let compressed = BufReader::with_capacity(COMPRESSED, whole);
                Box::new(GzipReader::new(compressed))
            }
            Encoding::Zstd => {
                let compressed = BufReader::with_capacity(COMPRESSED, whole);
                Box::new(ZstdReader::new(compressed))
            }
            Encoding::Plain | Encoding::Unread(_) => Box::new(whole),
        });
        self.read_decoded(buffer)
    }
}

/// Fills the buffer until its bytes show what they are encoded in.
fn read_head(raw: &mut Raw, head: &mut [u8]) -> io::Result<(usize, Encoding)> {
    let mut count = 0;
    loop {
        let read = match raw.read(&mut head[count..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        count += read;
        if let Some(encoding) = encoded::recognise(&head[..count], read == 0) {
            return Ok((count, encoding));
        }
    }
}
