//! The stream that is read.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read, StdinLock};
use std::path::Path;

use crate::failure::Failure;
use crate::progress::Progress;

/// A file, or standard input.
#[derive(Debug)]
pub(crate) struct Input {
    source: Source,
    /// How the input is called in messages.
    name: String,
    /// Whether reading may have to wait for someone to write more.
    may_wait: bool,
    progress: Progress,
}

#[derive(Debug)]
enum Source {
    File(File),
    Stdin(StdinLock<'static>),
}

impl Input {
    /// Opens a file; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(Self {
                source: Source::Stdin(io::stdin().lock()),
                name: "standard input".to_owned(),
                may_wait: true,
                progress: Progress::none(),
            });
        }
        let name = path.display().to_string();
        let unreadable = |error| Failure::Read(name.clone(), error);
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        // A pipe has no length, and what is shown on a terminal must not be torn apart by a bar.
        let progress = if metadata.is_file() && !io::stdout().is_terminal() {
            Progress::of(metadata.len())
        } else {
            Progress::none()
        };
        Ok(Self {
            source: Source::File(file),
            name,
            may_wait: !metadata.is_file(),
            progress,
        })
    }

    /// Whether the next read may have to wait, so that what is known should be told before it.
    pub(crate) const fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Reads what there is, at most a buffer full; 0 bytes at the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            let read = match &mut self.source {
                Source::File(file) => file.read(buffer),
                Source::Stdin(stdin) => stdin.read(buffer),
            };
            match read {
                Ok(count) => {
                    self.progress.advance(count);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Read(self.name.clone(), error)),
            }
        }
    }
}
