//! An upstream with a script, and a client that reads bytes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use provstream_proxy::{Config, Handle, Proxy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Nothing in these tests takes as long.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Step of the upstream on a connection after it has read a request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Wait(u64),
    /// Until the proxy closes the connection.
    Hang,
    /// Ends without closing the connection properly.
    Close,
}

/// Requests and counters recorded by the upstream.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) requests: Vec<String>,
    /// Connections that the proxy closed while the upstream hung.
    pub(crate) cancelled: usize,
    /// Bytes that were sent.
    pub(crate) sent: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) url: String,
    seen: Arc<Mutex<Seen>>,
}

impl Upstream {
    /// An upstream that answers each request like this.
    pub(crate) async fn start(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let (script, own) = (Arc::new(script), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&own)));
            }
        });
        Self { url, seen }
    }

    pub(crate) fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().expect("a test"))
    }

    /// Waits until something was seen.
    pub(crate) async fn wait_for(&self, what: impl Fn(&Seen) -> bool) {
        let seen = async {
            while !self.seen(&what) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(LONG, seen).await.expect("the upstream sees it");
    }
}

async fn serve(
    mut stream: TcpStream,
    script: Arc<impl Fn(&str) -> Vec<Step>>,
    seen: Arc<Mutex<Seen>>,
) {
    while let Some(request) = read_request(&mut stream).await {
        seen.lock().expect("a test").requests.push(request.clone());
        for step in script(&request) {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        seen.lock().expect("a test").cancelled += 1;
                        return;
                    }
                    seen.lock().expect("a test").sent += bytes.len();
                }
                Step::Wait(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                Step::Hang => {
                    let _ = stream.read(&mut [0; 1]).await;
                    seen.lock().expect("a test").cancelled += 1;
                    return;
                }
                Step::Close => return,
            }
        }
    }
}

/// The head and the body of a request, the latter with its length or in chunks.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1);
            let length = length.and_then(|rest| rest.lines().next()?.trim().parse::<usize>().ok());
            let body = bytes.len() - end - 4;
            let is_complete = if head.contains("transfer-encoding: chunked") {
                bytes.ends_with(b"0\r\n\r\n")
            } else {
                body >= length.unwrap_or(0)
            };
            if is_complete {
                return Some(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// A proxy that runs.
pub(crate) struct Running {
    pub(crate) address: String,
    pub(crate) admin: String,
    pub(crate) handle: Handle,
    pub(crate) task: JoinHandle<()>,
}

/// Settings for tests: an upstream, ports that are free, no log.
pub(crate) fn config(upstream: &Upstream, more: &str) -> Config {
    config_at(&upstream.url, more)
}

pub(crate) fn config_at(url: &str, more: &str) -> Config {
    let file = format!(
        "upstream = \"{url}\"\nlisten = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\nlog = false\n{more}"
    );
    let folder = std::env::temp_dir();
    Config::from_toml(file.as_bytes(), &folder, None)
        .unwrap_or_else(|error| panic!("{error}\n{file}"))
}

pub(crate) async fn run(config: Config) -> Running {
    let proxy = Proxy::bind(config).await.expect("free ports");
    let address = proxy.address().expect("an address").to_string();
    let admin = proxy.admin_address().expect("an address").to_string();
    let handle = proxy.handle();
    let task = tokio::spawn(proxy.run());
    Running {
        address,
        admin,
        handle,
        task,
    }
}

/// A proxy in front of an upstream with this script, with these settings.
pub(crate) async fn proxy(
    more: &str,
    script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static,
) -> (Running, Upstream) {
    let upstream = Upstream::start(script).await;
    (run(config(&upstream, more)).await, upstream)
}

/// A gate for everything, with this rule for what is inadmissible.
pub(crate) fn gate(inadmissible: &str) -> String {
    format!(
        "[[route]]\npath = \"*\"\naction = \"gate\"\n[route.policy]\nfloor = 1\ndefault_window = \"1h\"\ninadmissible = {inadmissible}\n"
    )
}

pub(crate) const WITHHOLD: &str = "{ action = \"replace\", text = \"(withheld)\" }";
pub(crate) const REFUSE: &str = "{ action = \"refuse\", text = \"I cannot say.\" }";

/// A response as a client reads it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The body has the end that HTTP asks for.
    pub(crate) is_complete: bool,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// Reads the bytes of a connection.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let end = find(bytes, b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let mut rest = bytes.get(end + 4..).unwrap_or_default();
        let mut answer = Self {
            status: status.unwrap_or(0),
            head,
            body: Vec::new(),
            is_complete: false,
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(line) = find(rest, b"\r\n") {
                let size = usize::from_str_radix(&String::from_utf8_lossy(&rest[..line]), 16);
                let size = size.expect("the size of a chunk");
                rest = &rest[line + 2..];
                if size == 0 {
                    answer.is_complete = rest.ends_with(b"\r\n");
                    break;
                }
                answer.body.extend_from_slice(&rest[..size.min(rest.len())]);
                rest = rest.get(size + 2..).unwrap_or_default();
            }
        } else {
            answer.body = rest.to_vec();
            let length = answer
                .header("content-length")
                .and_then(|length| length.parse().ok());
            answer.is_complete = length.is_none_or(|length: usize| length == rest.len());
        }
        answer
    }
}

/// Sends bytes, and reads until the proxy closes the connection.
pub(crate) async fn send(address: &str, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.expect("the proxy");
    // The proxy may answer and close before all of it is read.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let read = timeout(LONG, stream.read_to_end(&mut bytes)).await;
    assert!(
        read.is_ok(),
        "the proxy does not close the connection: {}",
        String::from_utf8_lossy(&bytes)
    );
    Answer::of(&bytes)
}

/// Posts JSON to a path.
pub(crate) async fn post(address: &str, path: &str, body: &str) -> Answer {
    send(address, request(path, body).as_bytes()).await
}

pub(crate) fn request(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\nAuthorization: Bearer sk-secret\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A head of a response with chunks after it.
pub(crate) fn streamed(content_type: &str) -> Step {
    Step::Send(format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nETag: \"x\"\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes())
}

pub(crate) fn chunk(bytes: &[u8]) -> Step {
    let mut all = format!("{:x}\r\n", bytes.len()).into_bytes();
    all.extend_from_slice(bytes);
    all.extend_from_slice(b"\r\n");
    Step::Send(all)
}

pub(crate) fn last_chunk() -> Step {
    Step::Send(b"0\r\n\r\n".to_vec())
}

/// A whole response with its length.
pub(crate) fn whole(status: &str, content_type: &str, body: &str) -> Vec<Step> {
    vec![Step::Send(
        format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nETag: \"x\"\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .into_bytes(),
    )]
}

/// A stream of chat completions with these texts.
pub(crate) fn chat(texts: &[&str]) -> String {
    let mut stream = String::new();
    for text in texts {
        let text = serde_json::to_string(text).expect("a string");
        stream.push_str(&format!("data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"));
    }
    stream.push_str("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    stream
}

/// The text that a client reads in a stream of chat completions.
pub(crate) fn text_of(stream: &str) -> String {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let events = data.filter_map(|data| serde_json::from_str::<serde_json::Value>(data).ok());
    events
        .filter_map(|event| Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned()))
        .collect()
}

/// Numbers that follow from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: usize) -> Self {
        Self((seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub(crate) const fn below(&mut self, limit: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

/// The text of the proxy's metrics.
pub(crate) async fn metrics(admin: &str) -> String {
    let get = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    send(admin, get).await.text()
}

/// The requests that the proxy has counted, in the text of its metrics.
pub(crate) fn requests(metrics: &str) -> usize {
    metrics
        .lines()
        .filter(|line| line.starts_with("provstream_requests_total"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok())
        .sum()
}
