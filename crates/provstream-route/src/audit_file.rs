//! Audit log in a file.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use crate::audit::AuditSink;

/// File to which lines are appended, each with one write.
///
/// A line that was cut off, by a full disk or the end of a process, is ended before the next one,
/// so that no later line is lost with it.
#[derive(Debug)]
pub struct AuditFile {
    lines: LineWriter<File>,
    is_synced: bool,
}

impl AuditFile {
    /// Opens or creates a file. With `is_synced`, each line is on disk before
    /// [`line`](AuditSink::line) returns.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn open(path: &Path, is_synced: bool) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path)?;
        let lines = LineWriter {
            is_cut: ends_within_line(path),
            out: file,
        };
        Ok(Self { lines, is_synced })
    }
}

impl AuditSink for AuditFile {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.lines.write(line)?;
        if self.is_synced {
            self.lines.out.sync_data()?;
        }
        Ok(())
    }
}

/// Returns `true` if the last byte of a file is not a line feed. Returns `false` for an empty file,
/// and for a path that is not a readable file.
fn ends_within_line(path: &Path) -> bool {
    let is_file = path
        .metadata()
        .is_ok_and(|about| about.is_file() && about.len() > 0);
    let last = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        Ok::<_, io::Error>(last[0])
    };
    is_file && last().is_ok_and(|last| last != b'\n')
}

#[derive(Debug)]
struct LineWriter<W> {
    out: W,
    /// `true` if the last write ended within a line.
    is_cut: bool,
}

impl<W: Write> LineWriter<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let ended;
        let bytes = match self.is_cut {
            true => {
                ended = [b"\n", line].concat();
                &ended
            }
            false => line,
        };
        let mut written = 0;
        while written < bytes.len() {
            match self.out.write(&bytes[written..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    written += count;
                    self.is_cut = bytes[written - 1] != b'\n';
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so much room, which takes a few bytes at a time.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
        most: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let count = bytes.len().min(self.most).min(self.room);
            if count == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.room -= count;
            self.bytes.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_after_one_that_is_cut_off_is_a_line() {
        const LINE: &[u8] = b"{\"one\":1}\n";
        for room in 0..=LINE.len() {
            for most in [1, 3, 100] {
                let (bytes, is_cut) = (Vec::new(), false);
                let out = Disk { bytes, room, most };
                let mut lines = LineWriter { out, is_cut };
                let is_whole = lines.write(LINE).is_ok();
                assert_eq!(is_whole, room == LINE.len());
                // It is still full.
                assert!(lines.write(LINE).is_err());
                lines.out.room = 1;
                assert!(lines.write(LINE).is_err());
                lines.out.room = 1_000;
                assert!(lines.write(b"{\"two\":2}\n").is_ok());
                assert!(lines.write(b"{\"three\":3}\n").is_ok());
                let text = String::from_utf8_lossy(&lines.out.bytes);
                let found: Vec<_> = text.lines().collect();
                let end = &found[found.len() - 2..];
                assert_eq!(end, ["{\"two\":2}", "{\"three\":3}"], "{room}: {text}");
                // One that lacks its line feed alone is whole once that is written.
                let is_kept = room + 1 >= LINE.len();
                assert_eq!(found[0] == "{\"one\":1}", is_kept, "{room}: {text}");
            }
        }
    }

    #[test]
    fn a_file_that_ends_within_a_line_is_gone_on_with_in_another() {
        let name = format!("provstream-audit-file-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        for (before, expected) in [
            ("", "{}\n{}\n"),
            ("{\"a\":1}\n", "{\"a\":1}\n{}\n{}\n"),
            ("{\"a\":1}\n{\"b", "{\"a\":1}\n{\"b\n{}\n{}\n"),
        ] {
            std::fs::write(&path, before).expect("a file");
            let mut file = AuditFile::open(&path, true).expect("a file");
            for _ in 0..2 {
                file.line(b"{}\n").expect("room");
            }
            let text = std::fs::read_to_string(&path).expect("a file");
            assert_eq!(text, expected);
        }
        std::fs::remove_file(&path).expect("a file");
    }
}
