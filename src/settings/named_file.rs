//! Files that settings name.

use core::error::Error;
use core::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Largest text that is read, in bytes: as much as settings may have.
const MAX_TEXT: usize = 1 << 20;

/// Error in reading or writing a file that settings name. Its message says what was expected, what
/// was found and what to do, without the path.
#[derive(Debug)]
pub struct FileError(Problem);

#[derive(Debug)]
enum Problem {
    Directory,
    /// The path leads through a file.
    NotADirectory,
    /// More bytes than this.
    TooLarge(usize),
    /// The first byte that is not UTF-8, and its offset.
    NotUtf8(u8, usize),
    Other(io::Error),
}

impl FileError {
    /// Creates the error for a file that could not be opened or read, from the error of the system.
    #[must_use]
    pub fn new(path: &Path, error: io::Error) -> Self {
        Self(match error.kind() {
            _ if path.is_dir() => Problem::Directory,
            ErrorKind::NotADirectory => Problem::NotADirectory,
            _ => Problem::Other(error),
        })
    }

    /// Returns `true` if the file does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(&self.0, Problem::Other(error) if error.kind() == ErrorKind::NotFound)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Problem::Directory => {
                f.write_str("it is a directory, expected a file; give the path of a file")
            }
            Problem::NotADirectory => {
                f.write_str("a part of the path is a file, expected a directory; check the path")
            }
            Problem::TooLarge(most) => {
                write!(
                    f,
                    "expected a file of at most {} MiB, found a larger one",
                    most >> 20
                )
            }
            Problem::NotUtf8(byte, at) => write!(
                f,
                "expected UTF-8, found the byte 0x{byte:02X} at byte {at}; save it as UTF-8"
            ),
            Problem::Other(error) => {
                let advice = match error.kind() {
                    ErrorKind::NotFound => "; check the path",
                    ErrorKind::PermissionDenied => "; change its permissions, or name another file",
                    _ => "",
                };
                write!(f, "{error}{advice}")
            }
        }
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Problem::Other(error) => Some(error),
            _ => None,
        }
    }
}

/// Reads a file of at most `most` bytes, whole MiB.
///
/// # Errors
///
/// The file cannot be read, or is larger. No more than one byte above `most` is read, even of a file without an end.
pub fn read_file(path: &Path, most: usize) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| FileError::new(path, error))?;
    if bytes.len() > most {
        return Err(FileError(Problem::TooLarge(most)));
    }
    Ok(bytes)
}

/// Reads a file of text, such as one in TOML, of at most 1 MiB.
///
/// # Errors
///
/// As [`read_file`], and if it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    String::from_utf8(read_file(path, MAX_TEXT)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        FileError(Problem::NotUtf8(error.as_bytes()[at], at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let message = |path: &str| read_text(&root.join(path)).map_err(|error| error.to_string());
        assert!(message("Cargo.toml").is_ok_and(|text| text.contains("[workspace]")));
        for (path, part) in [
            (
                "src",
                "it is a directory, expected a file; give the path of a file",
            ),
            ("nowhere", "; check the path"),
            (
                "Cargo.toml/a",
                "a part of the path is a file, expected a directory; check the path",
            ),
        ] {
            let found = message(path).expect_err(path);
            assert!(found.ends_with(part), "{path}: {found}");
        }
        let missing = read_file(&root.join("nowhere"), 1 << 20);
        assert!(missing.expect_err("no file").is_missing());
        if cfg!(target_os = "linux") {
            let part = "expected a file of at most 1 MiB, found a larger one";
            assert_eq!(message("/dev/zero").expect_err("no end"), part);
        }
        let wrong = FileError(Problem::NotUtf8(0xE9, 7)).to_string();
        assert_eq!(
            wrong,
            "expected UTF-8, found the byte 0xE9 at byte 7; save it as UTF-8"
        );
    }
}
