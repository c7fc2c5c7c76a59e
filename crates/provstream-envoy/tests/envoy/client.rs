//! A client of HTTP/1.1 that sees how a response ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A response, or as much of it as came.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Lines, in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Lines, in lower case.
    pub(crate) trailers: String,
    /// The response ended as HTTP requires.
    pub(crate) is_complete: bool,
}

impl Response {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    }
}

/// Sends a request and reads all of the response.
pub(crate) fn get(port: u16, path: &str) -> Response {
    post(port, path, "{}")
}

/// Sends a request with a body and reads all of the response.
pub(crate) fn post(port: u16, path: &str, body: &str) -> Response {
    send(port, "POST", path, body)
}

/// Sends a request without a body and reads all of the response.
pub(crate) fn request(port: u16, method: &str, path: &str) -> Response {
    send(port, method, path, "")
}

fn send(port: u16, method: &str, path: &str, body: &str) -> Response {
    let mut response = Response::default();
    // Where it breaks off, what came stays.
    let end = exchange(port, (method, path, body), &mut response);
    response.is_complete = end.is_ok();
    response
}

fn exchange(
    port: u16,
    (method, path, body): (&str, &str, &str),
    response: &mut Response,
) -> io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: upstream\r\naccept-encoding: gzip, br\r\nrange: bytes=0-99\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    let mut reader = BufReader::new(stream);
    response.head = lines(&mut reader)?;
    let status = response
        .head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    response.status = status.unwrap_or(0);
    if method == "HEAD" {
        return Ok(());
    }
    let length = response.header("content-length").map(str::to_owned);
    if let Some(length) = length {
        let length: u64 = length.parse().map_err(|_| io::ErrorKind::InvalidData)?;
        let read = reader
            .by_ref()
            .take(length)
            .read_to_end(&mut response.body)? as u64;
        return if read == length {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        };
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let size = u64::from_str_radix(line.trim(), 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if size == 0 {
            response.trailers = lines(&mut reader)?;
            return Ok(());
        }
        let read = reader.by_ref().take(size).read_to_end(&mut response.body)? as u64;
        reader.read_exact(&mut [0; 2])?;
        if read < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Lines up to an empty one.
fn lines(reader: &mut impl BufRead) -> io::Result<String> {
    let mut all = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            return Ok(all.to_ascii_lowercase());
        }
        all += &line;
    }
}
