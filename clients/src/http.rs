//! A server of HTTP/1.1 for clients on the same machine.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use crate::case::Case;

/// Answers requests until the process ends.
pub(crate) fn serve(listener: &TcpListener, cases: Vec<Case>) {
    let cases = Arc::new(cases);
    for connection in listener.incoming() {
        let cases = Arc::clone(&cases);
        // A client that goes away is not an error.
        thread::spawn(move || connection.and_then(|stream| converse(&stream, &cases)).ok());
    }
}

/// Answers the requests of one connection.
fn converse(stream: &TcpStream, cases: &[Case]) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = request(&mut reader)? {
        let mut to = stream;
        if request.contains("/cases") {
            let all = list(cases);
            to.write_all(&response("application/json", all.as_bytes(), 1 << 16))?;
            continue;
        }
        let asked =
            asked(&request, cases).and_then(|(case, state)| Some((case, case.body(state)?)));
        let out =
            asked.map(|(case, body)| response(case.api.envelope.media_type(), &body, case.size));
        let missing = || b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec();
        to.write_all(&out.unwrap_or_else(missing))?;
    }
    Ok(())
}

/// The list of the cases, in JSON.
pub(crate) fn list(cases: &[Case]) -> String {
    let cases = cases.iter().enumerate();
    let all: serde_json::Value = cases.map(|(number, case)| case.to_json(number)).collect();
    all.to_string()
}

/// The line, headers and body of the next request.
pub(crate) fn request(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    let lower = head.to_ascii_lowercase();
    let length = lower
        .split_once("content-length:")
        .and_then(|(_, rest)| rest.lines().next()?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    if lower.contains("transfer-encoding: chunked") {
        chunks(reader, &mut body)?;
    }
    head += &String::from_utf8_lossy(&body);
    Ok(Some(head))
}

/// Reads a body in chunks, without trailers.
fn chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        let begin = body.len();
        // With the line end after it.
        body.resize(begin + size + 2, 0);
        reader.read_exact(&mut body[begin..])?;
        body.truncate(begin + size);
        if size == 0 {
            return Ok(());
        }
    }
}

/// The case that a request names anywhere, in its path or as the model: `case-7-stripped`.
pub(crate) fn asked<'a, 'r>(request: &'r str, cases: &'a [Case]) -> Option<(&'a Case, &'r str)> {
    let (_, rest) = request.split_once("case-")?;
    let (number, rest) = rest.split_once('-')?;
    let end = rest.find(|char: char| !char.is_ascii_lowercase());
    let state = &rest[..end.unwrap_or(rest.len())];
    Some((cases.get(number.parse::<usize>().ok()?)?, state))
}

/// A response whose body comes in chunks of this size, which clients see as they are.
fn response(media_type: &str, body: &[u8], size: usize) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\nx-vercel-ai-ui-message-stream: v1\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let mut out = head.into_bytes();
    for chunk in body.chunks(size) {
        out.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}
