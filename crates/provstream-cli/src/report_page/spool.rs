//! The bodies of a page's parts until the page is written, since its head comes first and has the counts.

use std::io::{self, Read, Seek, SeekFrom, Write};

use tempfile::SpooledTempFile;

/// Bytes of all parts that are kept in memory before they go to a temporary file.
const MOST_IN_MEMORY: usize = 16 << 20;

/// Bytes of a part that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// The bodies of a page's parts.
#[derive(Debug)]
pub(super) struct Bodies {
    pub(super) spool: Spool,
    /// Where each of the parts is in the spool.
    pub(super) places: Vec<usize>,
}

/// Parts that grow side by side, in one temporary file.
#[derive(Debug)]
pub(super) struct Spool {
    file: SpooledTempFile,
    len: u64,
    parts: Vec<Part>,
}

#[derive(Debug, Default)]
struct Part {
    buffer: Vec<u8>,
    /// Where its bytes are in the file: start and length.
    pieces: Vec<(u64, u64)>,
}

impl Spool {
    pub(super) fn new() -> Self {
        Self {
            file: SpooledTempFile::new(MOST_IN_MEMORY),
            len: 0,
            parts: Vec::new(),
        }
    }

    /// A further part; gives its number.
    pub(super) fn add(&mut self) -> usize {
        self.parts.push(Part::default());
        self.parts.len() - 1
    }

    /// The end of a part.
    pub(super) const fn writer(&mut self, part: usize) -> PartWriter<'_> {
        PartWriter { spool: self, part }
    }

    fn flush(&mut self, part: usize) -> io::Result<()> {
        let part = &mut self.parts[part];
        let len = part.buffer.len() as u64;
        if len == 0 {
            return Ok(());
        }
        self.file.write_all(&part.buffer)?;
        part.buffer.clear();
        match part.pieces.last_mut() {
            Some((start, before)) if *start + *before == self.len => *before += len,
            _ => part.pieces.push((self.len, len)),
        }
        self.len += len;
        Ok(())
    }

    /// Gives the bytes of a part. After that no part can grow.
    pub(super) fn read(&mut self, part: usize, mut sink: impl FnMut(&[u8])) -> io::Result<()> {
        let mut buffer = vec![0; BUFFER];
        for &(start, len) in &self.parts[part].pieces {
            self.file.seek(SeekFrom::Start(start))?;
            let mut piece = (&mut self.file).take(len);
            loop {
                let count = piece.read(&mut buffer)?;
                if count == 0 {
                    break;
                }
                sink(&buffer[..count]);
            }
        }
        sink(&self.parts[part].buffer);
        Ok(())
    }
}

/// Appends to a part.
pub(super) struct PartWriter<'s> {
    spool: &'s mut Spool,
    part: usize,
}

impl Write for PartWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let buffer = &mut self.spool.parts[self.part].buffer;
        buffer.extend_from_slice(bytes);
        if buffer.len() >= BUFFER {
            self.spool.flush(self.part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.spool.flush(self.part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_grow_side_by_side_are_read_one_by_one() {
        let mut spool = Spool::new();
        let parts = [spool.add(), spool.add()];
        let piece =
            |part: usize, round: usize| vec![b'a' + (part + 2 * round) as u8; 1 + BUFFER / 3];
        for round in 0..10 {
            for part in parts {
                let mut writer = spool.writer(part);
                writer.write_all(&piece(part, round)).unwrap();
            }
        }
        for part in parts {
            let mut read = Vec::new();
            spool
                .read(part, |bytes| read.extend_from_slice(bytes))
                .unwrap();
            let expected: Vec<u8> = (0..10).flat_map(|round| piece(part, round)).collect();
            assert!(read == expected);
        }
    }
}
