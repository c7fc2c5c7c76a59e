//! The end of `provstream proxy` by a signal, with streams in flight.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Files, provstream};

/// Long enough for the slowest machine; passes as soon as it can.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A text of which a policy withholds an assertion, and whose last sentence is not complete.
const FIRST: &str = "It rains. SECRET is it. [unverified-inference] It is SO";
const REST: &str = " wet. SECRET again. [unverified-inference] That is all.";

/// Flag that lets the upstream continue after the first event.
type Gate = Arc<(Mutex<bool>, Condvar)>;

/// An upstream that sends an event and waits. Paths that end with `/slow` get a head after that only, and no first event.
fn upstream(gate: &Gate) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let gate = Arc::clone(gate);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, gate) = (stream.unwrap(), Arc::clone(&gate));
            // The proxy closes the connections of streams that it ends.
            thread::spawn(move || drop(answer(stream, &gate)));
        }
    });
    address
}

fn answer(stream: TcpStream, gate: &Gate) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let is_anthropic = head.contains("/messages");
    let [first, rest] = events(is_anthropic);
    let mut stream = stream;
    let start =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let is_slow = head.contains("/slow");
    if !is_slow {
        write!(stream, "{start}{:x}\r\n{first}\r\n", first.len())?;
    }
    let (open, opened) = &**gate;
    let mut open = open.lock().unwrap();
    while !*open {
        open = opened.wait(open).unwrap();
    }
    if is_slow {
        write!(stream, "{start}")?;
    }
    write!(stream, "{:x}\r\n{rest}\r\n0\r\n\r\n", rest.len())
}

fn events(is_anthropic: bool) -> [String; 2] {
    let event = |data: &Value| match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    };
    if is_anthropic {
        let text = |text: &str| {
            event(
                &json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            )
        };
        let start = json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}});
        let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let stop = json!({"type": "content_block_stop", "index": 0});
        return [
            event(&start) + &event(&block) + &text(FIRST),
            text(REST) + &event(&stop) + &event(&json!({"type": "message_stop"})),
        ];
    }
    let chunk = |delta: &Value, end: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        event(&json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let text = |text: &str| chunk(&json!({"role": "assistant", "content": text}), None);
    [
        text(FIRST),
        text(REST) + &chunk(&json!({}), Some("stop")) + "data: [DONE]\n\n",
    ]
}

/// A proxy that runs, and what it writes on standard error.
pub(crate) struct Proxy {
    pub(crate) child: Child,
    pub(crate) address: String,
    pub(crate) lines: Receiver<String>,
}

impl Proxy {
    pub(crate) fn start(config: &str) -> Self {
        let child = provstream(&["proxy", "--config", config])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self::of(child)
    }

    /// Wraps a proxy process that was started with a pipe for standard error.
    pub(crate) fn of(mut child: Child) -> Self {
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stderr.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let first = lines.recv_timeout(PATIENCE).unwrap();
        let (_, address) = first.split_once("listening at http://").unwrap();
        Self {
            address: address.to_owned(),
            child,
            lines,
        }
    }

    fn terminate(&self) {
        self.signal("-TERM");
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(status.success());
    }

    fn wait(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(since.elapsed() < PATIENCE, "the proxy does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The log lines of requests, by their names, once the proxy has ended.
    fn log(&self) -> BTreeMap<String, Value> {
        let lines: Vec<Value> = self
            .lines
            .iter()
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect();
        let named = lines
            .into_iter()
            .filter_map(|line| Some((line["request"].as_str()?.to_owned(), line)));
        named.collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It has ended, unless the test failed before.
        let _ = self.child.kill();
    }
}

/// A client that has sent a request.
struct Client(TcpStream, Vec<u8>);

impl Client {
    fn open(proxy: &Proxy, path: &str) -> Self {
        let mut stream = TcpStream::connect(&proxy.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        Self(stream, Vec::new())
    }

    /// Reads until this has come.
    fn reads(&mut self, what: &str) {
        while !String::from_utf8_lossy(&self.1).contains(what) {
            let mut buffer = [0; 512];
            let count = self.0.read(&mut buffer).unwrap();
            assert_ne!(count, 0, "{}", self.text());
            self.1.extend_from_slice(&buffer[..count]);
        }
    }

    /// Reads to the end of the connection.
    fn finish(&mut self) {
        match self.0.read_to_end(&mut self.1) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
            _ => {}
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.1).into_owned()
    }

    fn id(&self) -> String {
        let text = self.text();
        let named = text
            .lines()
            .find_map(|line| line.strip_prefix("provstream-request: "));
        named.expect("the name of the request").to_owned()
    }

    /// The body has the end that HTTP asks for.
    fn is_complete(&self) -> bool {
        self.1.ends_with(b"\r\n0\r\n\r\n")
    }
}

/// A proxy in front of an upstream, with its audit log.
fn start(files: &Files, gate: &Gate, drain: &str) -> Proxy {
    let address = upstream(gate);
    let policy = "[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = { action = \"replace\", text = \"(withheld)\" }\n";
    let config = files.write(
        "proxy.toml",
        format!(
            "upstream = \"http://{address}\"\nlisten = \"127.0.0.1:0\"\naudit = \"audit.ndjson\"\n[timeouts]\ndrain = \"{drain}\"\n\
             [[route]]\npath = \"/gated\"\naction = \"gate\"\n{policy}"
        ),
    );
    let audit = files.path("audit.ndjson");
    files.write(
        "proxy.toml",
        std::fs::read_to_string(&config)
            .unwrap()
            .replace("\"audit.ndjson\"", &format!("{audit:?}")),
    );
    Proxy::start(&config)
}

/// The lines of the audit log, by stream: what was decided, and what was done.
fn audited(files: &Files) -> BTreeMap<String, Vec<(String, String)>> {
    let log = std::fs::read_to_string(files.path("audit.ndjson")).unwrap();
    let mut streams: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let of = |name: &str| line[name].as_str().unwrap().to_owned();
        let what = (of("decision"), of("action"));
        streams.entry(of("stream")).or_default().push(what);
    }
    streams
}

/// New connections are refused, from now on or soon.
fn refuses(proxy: &Proxy) {
    let since = Instant::now();
    while TcpStream::connect(&proxy.address).is_ok() {
        assert!(since.elapsed() < PATIENCE, "connections are taken");
        thread::sleep(Duration::from_millis(5));
    }
}

fn pair(decision: &str, action: &str) -> (String, String) {
    (decision.to_owned(), action.to_owned())
}

#[test]
fn sigterm_lets_streams_end_and_takes_no_more() {
    let (files, gate) = (Files::new(), Gate::default());
    let mut proxy = start(&files, &gate, "50s");
    let paths = [
        "/gated/v1/chat/completions",
        "/gated/v1/messages",
        "/v1/chat/completions",
    ];
    let mut clients: Vec<Client> = paths
        .iter()
        .map(|path| Client::open(&proxy, path))
        .collect();
    for client in &mut clients {
        client.reads("It rains. ");
    }
    // Its head comes after the signal.
    let mut slow = Client::open(&proxy, "/slow/v1/chat/completions");
    thread::sleep(Duration::from_millis(200));
    proxy.terminate();
    refuses(&proxy);
    assert_eq!(proxy.child.try_wait().unwrap(), None, "the proxy has ended");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    for client in &mut clients {
        client.finish();
        assert!(client.is_complete(), "{}", client.text());
    }
    slow.finish();
    assert!(slow.is_complete(), "{}", slow.text());
    clients.push(slow);
    assert!(proxy.wait().success());
    let ends = ["[DONE]", "message_stop", "[DONE]", "[DONE]"];
    for (client, end) in clients.iter().zip(ends) {
        let text = client.text();
        assert!(
            text.contains(end) && text.contains("That is all."),
            "{text}"
        );
        assert!(!text.contains("error"), "{text}");
    }
    let (log, audited) = (proxy.log(), audited(&files));
    assert_eq!(log.len(), 4, "{log:?}");
    for client in &clients[..2] {
        assert!(!client.text().contains("SECRET"), "{}", client.text());
        assert_eq!(
            audited[&client.id()],
            [pair("assertion", "replace"), pair("assertion", "replace")]
        );
    }
    for client in &clients {
        let line = &log[&client.id()];
        assert_eq!(
            (line["end"].as_str(), line["inspected"].as_bool()),
            (Some("complete"), Some(true)),
            "{line}"
        );
    }
    assert_eq!(audited.len(), 2, "{audited:?}");
}

#[test]
fn sigterm_ends_streams_that_do_not_end_with_an_error_in_their_shape() {
    let (files, gate) = (Files::new(), Gate::default());
    let mut proxy = start(&files, &gate, "1s");
    let mut chat = Client::open(&proxy, "/gated/v1/chat/completions");
    let mut messages = Client::open(&proxy, "/gated/v1/messages");
    let mut stripped = Client::open(&proxy, "/v1/chat/completions");
    for client in [&mut chat, &mut messages, &mut stripped] {
        client.reads("It rains. ");
    }
    let mut slow = Client::open(&proxy, "/slow/v1/messages");
    thread::sleep(Duration::from_millis(200));
    let since = Instant::now();
    proxy.terminate();
    refuses(&proxy);
    for client in [&mut chat, &mut messages, &mut stripped, &mut slow] {
        client.finish();
    }
    assert!(proxy.wait().success());
    let took = since.elapsed();
    assert!(
        took >= Duration::from_millis(900) && took < Duration::from_secs(20),
        "{took:?}"
    );
    for (client, error) in [
        (&chat, "\"code\":\"shutdown\""),
        (&messages, "event: error\ndata: {\"type\":\"error\""),
    ] {
        let text = client.text();
        assert!(client.is_complete() && text.contains(error), "{text}");
        // What was withheld, and what was held back.
        assert!(!text.contains("SECRET") && !text.contains("SO"), "{text}");
        assert!(text.contains("(withheld)"), "{text}");
    }
    // There is no error in a stream that nobody decides about: the client sees that it breaks off.
    assert!(
        !stripped.is_complete() && !stripped.text().contains("error"),
        "{}",
        stripped.text()
    );
    let text = slow.text();
    assert!(
        text.starts_with("HTTP/1.1 503 ") && text.contains("overloaded_error"),
        "{text}"
    );
    let (log, audited) = (proxy.log(), audited(&files));
    assert_eq!(log.len(), 4, "{log:?}");
    for line in log.values() {
        assert_eq!(
            (line["end"].as_str(), line["inspected"].as_bool()),
            (Some("shutdown"), Some(false)),
            "{line}"
        );
    }
    for client in [&chat, &messages] {
        assert_eq!(
            audited[&client.id()],
            [pair("assertion", "replace"), pair("end", "suspend")]
        );
    }
    assert_eq!(audited.len(), 2, "{audited:?}");
}
