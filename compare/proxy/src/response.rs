//! A streamed response as a client reads it: the head, chunks, events.

use memchr::memmem;

/// What a response turned out to be that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The status is not 200.
    Status(u16),
    /// The head has no status, or the body is not in chunks.
    Head,
    /// The size of a chunk is not a number.
    Chunk,
}

/// Where in the response the next byte is.
#[derive(Clone, Copy, Debug)]
enum Place {
    Head,
    Size,
    /// In a chunk, with so many bytes to come; the end of its line counts.
    Chunk(usize),
    /// After the last chunk.
    Trailers,
    End,
}

/// Reads one response.
#[derive(Debug)]
pub struct Response {
    place: Place,
    /// A head or line that is not complete.
    line: Vec<u8>,
    /// An event that is not complete.
    event: Vec<u8>,
}

impl Default for Response {
    fn default() -> Self {
        Self::new()
    }
}

impl Response {
    /// A response before its first byte.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            place: Place::Head,
            line: Vec::new(),
            event: Vec::new(),
        }
    }

    /// Whether all of the body has come.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        matches!(self.place, Place::End)
    }

    /// Reads bytes; `event` gets each event that is complete, without comments.
    ///
    /// # Errors
    ///
    /// The response is not the one that is expected.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        mut event: impl FnMut(&[u8]),
    ) -> Result<(), Unreadable> {
        while !bytes.is_empty() {
            match self.place {
                Place::Head => {
                    let Some(rest) = self.line(bytes, b"\r\n\r\n") else {
                        return Ok(());
                    };
                    bytes = rest;
                    check_head(&self.line)?;
                    self.line.clear();
                    self.place = Place::Size;
                }
                Place::Size => {
                    let Some(rest) = self.line(bytes, b"\r\n") else {
                        return Ok(());
                    };
                    bytes = rest;
                    let size = chunk_size(&self.line)?;
                    self.line.clear();
                    self.place = if size == 0 {
                        Place::Trailers
                    } else {
                        Place::Chunk(size + 2)
                    };
                }
                Place::Chunk(left) => {
                    let count = left.min(bytes.len());
                    // The last two bytes end the chunk.
                    let data = count.min(left.saturating_sub(2));
                    self.data(&bytes[..data], &mut event);
                    bytes = &bytes[count..];
                    self.place = match left - count {
                        0 => Place::Size,
                        left => Place::Chunk(left),
                    };
                }
                Place::Trailers => {
                    let Some(rest) = self.line(bytes, b"\r\n") else {
                        return Ok(());
                    };
                    bytes = rest;
                    if self.line == b"\r\n" {
                        self.place = Place::End;
                    }
                    self.line.clear();
                }
                Place::End => return Err(Unreadable::Chunk),
            }
        }
        Ok(())
    }

    /// Appends to the line up to its end; what follows it, or `None` if it is not complete.
    fn line<'a>(&mut self, bytes: &'a [u8], end: &[u8]) -> Option<&'a [u8]> {
        for (at, byte) in bytes.iter().enumerate() {
            self.line.push(*byte);
            if self.line.ends_with(end) {
                return Some(&bytes[at + 1..]);
            }
        }
        None
    }

    fn data(&mut self, bytes: &[u8], event: &mut impl FnMut(&[u8])) {
        let mut rest = bytes;
        if !self.event.is_empty() {
            // The end of an event may be split, too.
            let from = self.event.len().saturating_sub(1);
            let before = self.event.len();
            self.event.extend_from_slice(rest);
            let Some(end) = memmem::find(&self.event[from..], b"\n\n") else {
                return;
            };
            let end = from + end + 2;
            report(&self.event[..end], event);
            rest = &rest[end - before..];
            self.event.clear();
        }
        while let Some(end) = memmem::find(rest, b"\n\n") {
            report(&rest[..end + 2], event);
            rest = &rest[end + 2..];
        }
        self.event.extend_from_slice(rest);
    }
}

fn report(bytes: &[u8], event: &mut impl FnMut(&[u8])) {
    if !bytes.starts_with(b":") {
        event(bytes);
    }
}

fn check_head(head: &[u8]) -> Result<(), Unreadable> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    match status {
        None => Err(Unreadable::Head),
        Some(200) if head.contains("transfer-encoding: chunked") => Ok(()),
        Some(200) => Err(Unreadable::Head),
        Some(status) => Err(Unreadable::Status(status)),
    }
}

fn chunk_size(line: &[u8]) -> Result<usize, Unreadable> {
    let text = core::str::from_utf8(line).map_err(|_| Unreadable::Chunk)?;
    let digits = text.trim_end().split(';').next().unwrap_or_default();
    usize::from_str_radix(digits, 16).map_err(|_| Unreadable::Chunk)
}

/// The text of an event of a chat completion, of an answer without escapes.
#[must_use]
pub fn content(event: &[u8]) -> &[u8] {
    const NAME: &[u8] = b"\"content\":";
    let Some(at) = memmem::find(event, NAME) else {
        return &[];
    };
    let value = event[at + NAME.len()..].trim_ascii_start();
    let Some(text) = value.strip_prefix(b"\"") else {
        return &[];
    };
    let end = memchr::memchr(b'"', text).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Answer;

    #[test]
    fn every_split_gives_the_same_events() {
        let answer = Answer::new(30);
        let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in answer.chunks() {
            bytes.extend_from_slice(b"e\r\n: keep-alive\n\n\r\n");
            bytes.extend_from_slice(&chunk);
        }
        for size in 1..=600 {
            let mut response = Response::new();
            let (mut count, mut text) = (0, Vec::new());
            for piece in bytes.chunks(size) {
                let event = |event: &[u8]| {
                    count += 1;
                    text.extend_from_slice(content(event));
                };
                response.push(piece, event).expect("a response");
            }
            assert!(response.is_complete());
            assert_eq!(count, answer.chunks().len(), "{size}");
            assert_eq!(text, answer.raw().as_bytes());
        }
    }

    #[test]
    fn other_responses_are_errors() {
        let read = |text: &str| Response::new().push(text.as_bytes(), |_| {});
        let refused = "HTTP/1.1 502 Bad Gateway\r\n\r\n";
        assert_eq!(read(refused), Err(Unreadable::Status(502)));
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(read(whole), Err(Unreadable::Head));
        let broken = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ndata";
        assert_eq!(read(&format!("{broken}\r\n")), Err(Unreadable::Chunk));
    }
}
