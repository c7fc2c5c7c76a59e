//! Standard input and output as files.
//!
//! `std::io::stdin` and `stdout` take a descriptor that cannot be read or written for an empty one and for one that
//! swallows everything. A gate that reads nothing must not pass, so the descriptors are used as the files that they are.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::ui::Ui;

/// Standard input.
pub(crate) fn stdin() -> io::Result<File> {
    let file = os::stdin()?;
    if os::was_closed(&file) {
        let message = "it is closed (the null device opened for writing, too, looks the same); give a FILE, a pipe or </dev/null";
        return Err(io::Error::other(message));
    }
    Ok(file)
}

/// Standard output.
pub(crate) fn stdout() -> io::Result<File> {
    let file = os::stdout()?;
    // Callers that want the exit status alone may discard the output by any means.
    if !Ui::get().is_gate && os::was_closed(&file) {
        let message = "standard output is closed (the null device opened for reading, too, looks the same); redirect it to a file or with >/dev/null";
        return Err(io::Error::other(message));
    }
    Ok(file)
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

    use rustix::fs::{OFlags, fcntl_getfl};

    pub(super) fn stdin() -> io::Result<File> {
        Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
    }

    pub(super) fn stdout() -> io::Result<File> {
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }

    /// Whether the descriptor was closed when the program started.
    ///
    /// Rust's runtime then opens the null device in its place, for reading and writing. Shells open it for one of the
    /// two only, so `</dev/null` and `>/dev/null` are not taken for closed.
    pub(super) fn was_closed(file: &File) -> bool {
        let is_null = |file: &File| -> io::Result<bool> {
            let null = fs::metadata("/dev/null")?;
            let opened = file.metadata()?;
            Ok(opened.file_type().is_char_device() && opened.rdev() == null.rdev())
        };
        is_null(file).unwrap_or(false)
            && fcntl_getfl(file).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDWR)
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

    /// A handle that is missing cannot be cloned, so none gets this far.
    pub(super) const fn was_closed(_: &File) -> bool {
        false
    }

    /// Whether a file is the one at a path, which is not known here.
    pub(super) const fn is_at(_: &File, _: &Path) -> bool {
        false
    }

    pub(super) fn is_file_or_device(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.is_file())
    }
}
