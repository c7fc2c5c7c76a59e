//! A server of HTTP/1.1 that sends each piece of a response as a write of its own, for gateways in front of it.

use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::case::Case;
use crate::http::{asked, list, request};

/// After each of the first pieces of a response, which keeps them apart.
const PAUSE: Duration = Duration::from_micros(50);

/// How many pieces are kept apart.
const APART: usize = 200;

struct Shared {
    cases: Vec<Case>,
    /// Responses so far: each has pieces of another size, from 1 to 64 bytes.
    responses: AtomicUsize,
    /// Connections that the other side has closed within a response.
    gone: AtomicUsize,
}

/// Answers requests until the process ends.
///
/// In addition to the states of a case, `error` is a response with the status 429, and `stall` one that never ends.
/// `GET /gone` is how many clients went away within a response.
pub(crate) fn serve(listener: &TcpListener, cases: Vec<Case>) {
    let shared = Arc::new(Shared {
        cases,
        responses: AtomicUsize::new(0),
        gone: AtomicUsize::new(0),
    });
    for connection in listener.incoming() {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let ended = connection.and_then(|stream| converse(&stream, &shared));
            if ended.is_err() {
                shared.gone.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
}

fn converse(mut stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = request(&mut reader)? {
        if request.starts_with("GET /gone ") {
            let gone = shared.gone.load(Ordering::Relaxed).to_string();
            stream.write_all(&with_length("200 OK", &gone))?;
        } else if request.contains("/cases") {
            stream.write_all(&with_length("200 OK", &list(&shared.cases)))?;
        } else {
            answer(stream, &request, shared)?;
        }
    }
    Ok(())
}

fn answer(mut stream: &TcpStream, request: &str, shared: &Shared) -> io::Result<()> {
    let Some((case, state)) = asked(request, &shared.cases) else {
        return stream.write_all(&with_length("404 Not Found", "{}"));
    };
    if state == "error" {
        let error = r#"{"type":"error","error":{"type":"rate_limit_error","code":429,"message":"slow down"}}"#;
        return stream.write_all(&with_length("429 Too Many Requests", error));
    }
    let stalls = state == "stall";
    let Some(mut body) = case.body(if stalls { "annotated" } else { state }) else {
        return stream.write_all(&with_length("404 Not Found", "{}"));
    };
    if stalls {
        body.truncate(body.len() / 2);
    }
    let size = 1 + shared.responses.fetch_add(1, Ordering::Relaxed) % 64;
    let media_type = case.api.envelope.media_type();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\nx-vercel-ai-ui-message-stream: v1\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    for (number, piece) in body.chunks(size).enumerate() {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        stream.write_all(&chunk)?;
        if number < APART {
            thread::sleep(PAUSE);
        }
    }
    if stalls {
        // Returns when the other side closes the connection.
        let _ = stream.read(&mut [0])?;
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    stream.write_all(b"0\r\n\r\n")
}

fn with_length(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into_bytes()
}
