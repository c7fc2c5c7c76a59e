//! An upstream that answers as scripts say, in pieces of the network that each are a write of their own.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Number of pieces of a response that are sent separately.
const APART: usize = 200;

/// End of a response.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// Complete and well-formed.
    Clean,
    /// With trailers.
    Trailers(Vec<(&'static str, &'static str)>),
    /// With the connection, in the middle.
    Cut,
    /// Never, until the client goes away.
    Stall,
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) status: &'static str,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Bytes of each piece.
    pub(crate) piece: usize,
    /// After each of the first pieces, which keeps them apart.
    pub(crate) pause: Duration,
    /// With a content length instead of chunks.
    pub(crate) has_length: bool,
    pub(crate) end: End,
}

impl Script {
    /// Server-sent events in pieces of so many bytes.
    pub(crate) fn sse(body: impl Into<Vec<u8>>, piece: usize) -> Self {
        Self {
            status: "200 OK",
            headers: vec![("content-type", "text/event-stream".into())],
            body: body.into(),
            piece,
            pause: Duration::from_micros(50),
            has_length: false,
            end: End::Clean,
        }
    }

    /// Builds a response of one JSON value with a `content-length`.
    pub(crate) fn json(body: impl Into<Vec<u8>>, piece: usize) -> Self {
        Self {
            headers: vec![("content-type", "application/json".into())],
            has_length: true,
            ..Self::sse(body, piece)
        }
    }

    /// Replaces the end of the response.
    pub(crate) fn ends(self, end: End) -> Self {
        Self { end, ..self }
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Replaces the status.
    pub(crate) fn status(self, status: &'static str) -> Self {
        Self { status, ..self }
    }
}

#[derive(Debug, Default)]
struct Shared {
    scripts: Mutex<HashMap<String, Script>>,
    /// The heads of the requests so far.
    requests: Mutex<Vec<String>>,
    /// Connections that went away while a response was sent or stalled.
    gone: AtomicUsize,
}

/// The server; it answers until the process ends.
pub(crate) struct Upstream {
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared::default());
        let to = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = Arc::clone(&to);
                thread::spawn(move || {
                    if stream
                        .and_then(|stream| converse(&stream, &shared))
                        .is_err()
                    {
                        shared.gone.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { port, shared }
    }

    /// Answers requests whose path ends so with a script.
    pub(crate) fn set(&self, name: &str, script: Script) {
        let mut scripts = self.shared.scripts.lock().expect("not poisoned");
        scripts.insert(name.to_owned(), script);
    }

    /// The head of the last request whose path ends so.
    pub(crate) fn request(&self, name: &str) -> String {
        let requests = self.shared.requests.lock().expect("not poisoned");
        let found = requests
            .iter()
            .rev()
            .find(|head| path(head).ends_with(name));
        found.cloned().unwrap_or_default()
    }

    /// Number of connections that the client closed within a response.
    pub(crate) fn gone(&self) -> usize {
        self.shared.gone.load(Ordering::Relaxed)
    }
}

fn path(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

/// Answers the requests of a connection.
fn converse(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        skip_body(&mut reader, &head.to_ascii_lowercase())?;
        let name = path(&head)
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        let script = shared
            .scripts
            .lock()
            .expect("not poisoned")
            .get(&name)
            .cloned();
        let is_head = head.starts_with("HEAD ");
        shared.requests.lock().expect("not poisoned").push(head);
        match script {
            Some(script) => answer(stream, &script, is_head)?,
            None => (&*stream).write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?,
        }
    }
}

/// Skips the body of a request with this head.
fn skip_body(reader: &mut impl BufRead, head: &str) -> io::Result<()> {
    let length = head.split_once("content-length:");
    let length = length.and_then(|(_, rest)| rest.lines().next()?.trim().parse().ok());
    io::copy(&mut reader.take(length.unwrap_or(0)), &mut io::sink())?;
    let mut is_last = !head.contains("transfer-encoding: chunked");
    while !is_last {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
        // With the line end after it.
        io::copy(&mut reader.take(size + 2), &mut io::sink())?;
        is_last = size == 0;
    }
    Ok(())
}

/// Sends a response.
fn answer(mut to: &TcpStream, script: &Script, is_head: bool) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\n", script.status);
    for (name, value) in &script.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &match script.has_length {
        true => format!("content-length: {}\r\n\r\n", script.body.len()),
        false => "transfer-encoding: chunked\r\n\r\n".to_owned(),
    };
    to.write_all(head.as_bytes())?;
    if is_head {
        return Ok(());
    }
    for (number, piece) in script.body.chunks(script.piece).enumerate() {
        if script.has_length {
            to.write_all(piece)?;
        } else {
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            to.write_all(&chunk)?;
        }
        if number < APART {
            thread::sleep(script.pause);
        }
    }
    match &script.end {
        End::Clean if script.has_length => Ok(()),
        End::Clean => to.write_all(b"0\r\n\r\n"),
        End::Trailers(trailers) => {
            let mut end = "0\r\n".to_owned();
            for (name, value) in trailers {
                end += &format!("{name}: {value}\r\n");
            }
            to.write_all((end + "\r\n").as_bytes())
        }
        End::Cut => {
            to.shutdown(Shutdown::Both)?;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
        End::Stall => {
            // Returns when the other side closes the connection.
            let _ = to.read(&mut [0])?;
            Err(io::ErrorKind::ConnectionAborted.into())
        }
    }
}
