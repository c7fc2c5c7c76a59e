//! An upstream, the proxy in front of it, and a client.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest time that a proxy takes to refuse its settings.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder with the files of a proxy that runs.
pub(crate) struct Bench {
    dir: TempDir,
    text: Arc<Mutex<String>>,
    log: Arc<Mutex<String>>,
    running: Option<(Child, String, String)>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a folder"),
            text: Arc::default(),
            log: Arc::default(),
            running: None,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_provstream"));
        command.current_dir(self.dir.path());
        command
    }

    /// Observes a file, and returns the annotation.
    pub(crate) fn observe(&self, file: &str) -> String {
        let args = [
            "observe",
            "code.read",
            file,
            "--root",
            "root",
            "--ledger",
            "obs.db",
        ];
        let output = self
            .command()
            .args(args)
            .output()
            .expect("the program starts");
        let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        record["annotation"]
            .as_str()
            .expect("an annotation")
            .to_owned()
    }

    /// Starts an upstream that answers with the bytes of an API, and the proxy in front of it.
    pub(crate) fn start(
        &mut self,
        settings: impl Fn(&str) -> String,
        api: impl Fn(&str) -> String + Send + 'static,
    ) {
        let upstream = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", upstream.local_addr().expect("an address"));
        let text = Arc::clone(&self.text);
        thread::spawn(move || {
            for stream in upstream.incoming().map_while(Result::ok) {
                let body = api(&text.lock().expect("a text"));
                let _ = serve(stream, &body);
            }
        });
        fs::write(self.path("proxy.toml"), settings(&url)).expect("written");
        let mut child = self.command();
        child
            .args(["proxy", "--config", "proxy.toml"])
            .stderr(Stdio::piped());
        let mut child = child.spawn().expect("the program starts");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let log = Arc::clone(&self.log);
        let (sender, receiver) = std::sync::mpsc::channel();
        thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let _ = sender.send(line.clone());
                let mut log = log.lock().expect("a log");
                log.push_str(&line);
                log.push('\n');
            }
        });
        let address = |before: &str| loop {
            let line = receiver.recv().expect("the proxy listens");
            if let Some((_, after)) = line.split_once(before) {
                let end = after.find('/').unwrap_or(after.len());
                return after[..end].to_owned();
            }
        };
        let own = address("listening at http://");
        let admin = address("metrics at http://");
        self.running = Some((child, own, admin));
    }

    /// The process of the proxy.
    pub(crate) fn pid(&self) -> u32 {
        let (child, ..) = self.running.as_ref().expect("a proxy");
        child.id()
    }

    /// Ends the proxy.
    pub(crate) fn stop(&mut self) {
        if let Some((mut child, ..)) = self.running.take() {
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
    }

    /// Sets the text of the following answers.
    pub(crate) fn answer(&self, text: &str) {
        text.clone_into(&mut self.text.lock().expect("a text"));
    }

    /// Sends a request, and returns the body of the response.
    pub(crate) fn send(&self, path: &str, body: &str) -> String {
        received(self.begin(path, body))
    }

    /// Sends a request, and returns the connection.
    pub(crate) fn begin(&self, path: &str, body: &str) -> TcpStream {
        let (_, address, _) = self.running.as_ref().expect("a proxy");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        sent(address, &format!("{head}{body}"))
    }

    /// Sends a request, and returns the text that a client reads.
    pub(crate) fn ask(&self, path: &str, body: &Value) -> String {
        let response = self.send(path, &body.to_string());
        let data = response
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let events = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let texts = events.filter_map(|event| {
            let openai = event.pointer("/choices/0/delta/content");
            let text = openai.or_else(|| event.pointer("/delta/text"));
            Some(text?.as_str()?.to_owned())
        });
        texts.collect()
    }

    pub(crate) fn metrics(&self) -> String {
        let (_, _, admin) = self.running.as_ref().expect("a proxy");
        received(sent(
            admin,
            &format!("GET /metrics HTTP/1.1\r\nHost: {admin}\r\nConnection: close\r\n\r\n"),
        ))
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().expect("a log").clone()
    }

    /// The outcomes in the audit log, which begins anew.
    pub(crate) fn audited(&self) -> Vec<String> {
        let path = self.path("audit.ndjson");
        let log = fs::read_to_string(&path).expect("a log");
        fs::OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)
            .expect("truncated");
        let lines = log
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let lines = lines.filter(|line| line["decision"] == "assertion");
        let outcomes = lines.map(|line| line["verdict"]["outcomes"][0].clone());
        outcomes
            .map(|outcome| outcome.as_str().expect("an outcome").to_owned())
            .collect()
    }

    /// Starts a proxy with wrong settings, and returns the error.
    pub(crate) fn fails(&self, settings: &str) -> String {
        fs::write(self.path("wrong.toml"), settings).expect("written");
        let args = ["proxy", "--config", "wrong.toml", "--listen", "127.0.0.1:0"];
        let mut command = self.command();
        command.args(args).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let start = Instant::now();
        // A proxy that takes the settings does not end by itself.
        while child.try_wait().expect("a status").is_none() && start.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(2));
        }
        let _ = child.kill();
        let output = child.wait_with_output().expect("the program has ended");
        assert_eq!(output.status.code(), Some(2), "{settings}");
        String::from_utf8(output.stderr).expect("UTF-8")
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.stop();
    }
}

fn sent(address: &str, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.write_all(request.as_bytes()).expect("sent");
    stream
}

fn received(mut stream: TcpStream) -> String {
    let mut response = Vec::new();
    stream.read_to_end(&mut response).expect("received");
    String::from_utf8(response).expect("UTF-8")
}

/// Reads a request, and answers it with a stream of events.
fn serve(stream: TcpStream, body: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    let mut stream = reader.into_inner();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Pieces of a text like a model's tokens.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', ';', '-'])
}

/// A stream of OpenAI's chat completions.
pub(crate) fn openai(text: &str) -> String {
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        let event = json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]});
        format!("data: {event}\n\n")
    };
    let mut stream: String = pieces(text)
        .map(|piece| chunk(json!({"content": piece}), Value::Null))
        .collect();
    stream.push_str(&chunk(json!({}), json!("stop")));
    stream + "data: [DONE]\n\n"
}

/// A stream of Anthropic's messages.
pub(crate) fn anthropic(text: &str) -> String {
    let event = |data: Value| {
        format!(
            "event: {}\ndata: {data}\n\n",
            data["type"].as_str().unwrap_or_default()
        )
    };
    let message = json!({"id": "x", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
    let mut stream = event(json!({"type": "message_start", "message": message}));
    stream += &event(
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    );
    for piece in pieces(text) {
        stream += &event(
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}),
        );
    }
    stream += &event(json!({"type": "content_block_stop", "index": 0}));
    stream += &event(
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 9}}),
    );
    stream + &event(json!({"type": "message_stop"}))
}
