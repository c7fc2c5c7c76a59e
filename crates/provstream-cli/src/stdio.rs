//! Standard input and output as files.
//!
//! A descriptor that was closed is the null device by the time that `main` runs, since Rust's runtime opens it there.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Standard input.
pub(crate) fn stdin() -> io::Result<File> {
    os::stdin()
}

/// Standard output.
pub(crate) fn stdout() -> io::Result<File> {
    os::stdout()
}

/// Whether standard output goes where nobody looks at it while the program runs: to a file or a device that is not a
/// terminal, but not into a pipe, whose reader may draw on the same terminal.
pub(crate) fn stdout_is_out_of_sight() -> bool {
    let Ok(file) = os::stdout() else { return false };
    !file.is_terminal() && os::is_file_or_device(&file)
}

/// Whether standard output is this file. Devices and pipes can be shared.
pub(crate) fn stdout_is(path: &Path) -> bool {
    os::stdout().is_ok_and(|file| os::is_at(&file, path))
}

#[cfg(unix)]
mod os {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::path::Path;

    pub(super) fn stdin() -> io::Result<File> {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    }

    pub(super) fn stdout() -> io::Result<File> {
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }

    /// Whether a regular file is the one at a path.
    pub(super) fn is_at(file: &File, path: &Path) -> bool {
        let (Ok(file), Ok(other)) = (file.metadata(), fs::metadata(path)) else {
            return false;
        };
        file.is_file() && (file.dev(), file.ino()) == (other.dev(), other.ino())
    }

    pub(super) fn is_file_or_device(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| {
            metadata.is_file()
                || metadata.file_type().is_char_device()
                || metadata.file_type().is_block_device()
        })
    }
}

#[cfg(windows)]
mod os {
    use std::fs::File;
    use std::io;
    use std::os::windows::io::AsHandle;
    use std::path::Path;

    pub(super) fn stdin() -> io::Result<File> {
        Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
    }

    pub(super) fn stdout() -> io::Result<File> {
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }

    /// Whether a file is the one at a path, which is not known here.
    pub(super) const fn is_at(_: &File, _: &Path) -> bool {
        false
    }

    pub(super) fn is_file_or_device(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.is_file())
    }
}
