//! The file of an audit log, which only grows.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use provstream_route::AuditLog;

use crate::failure::Failure;

/// A file that lines are appended to, each with one write.
#[derive(Debug)]
pub(super) struct AuditFile {
    file: File,
    /// Each line is on the disk before the decision takes effect.
    is_synced: bool,
}

impl AuditFile {
    pub(super) fn open(path: &Path, is_synced: bool) -> Result<Self, Failure> {
        let file = File::options()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| Failure::create(path, error))?;
        Ok(Self { file, is_synced })
    }
}

impl AuditLog for AuditFile {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.write_all(line)?;
        if self.is_synced {
            self.file.sync_data()?;
        }
        Ok(())
    }
}
