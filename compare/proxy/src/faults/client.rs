//! A client: reads all, reads slowly, or goes away.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use super::script::{Random, SECRET, Script};

/// Bytes that the system takes for a slow client before it reads them.
const WINDOW: u32 = 4096;

/// How long a client pauses.
const PAUSE: Duration = Duration::from_millis(700);

/// No stream takes as long.
const LONG: Duration = Duration::from_secs(30);

/// What a client got.
#[derive(Clone, Debug)]
pub struct Got {
    /// What the upstream was asked for.
    pub seed: u64,
    /// The name of the request, if a head came.
    pub id: Option<String>,
    /// How it ended.
    pub end: End,
    /// The code of the error event, if one came.
    pub code: Option<String>,
    /// How many annotated assertions it read, or marks in their places.
    pub assertions: usize,
    /// What does not hold, if anything.
    pub breach: Option<String>,
}

/// How a response ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With the end of the answer.
    Complete,
    /// With an error event.
    Error,
    /// The client went away.
    Left,
    /// The proxy took no connection, or closed one before the head of a response.
    Refused,
}

impl End {
    /// The name in the summary.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "ended",
            Self::Error => "ended with an error event",
            Self::Left => "left by the client",
            Self::Refused => "refused while the proxy was ended",
        }
    }
}

/// How a client reads.
#[derive(Clone, Copy, Debug)]
struct Manner {
    is_slow: bool,
    /// After so many bytes it pauses once.
    pause: usize,
    /// After so many bytes it goes away.
    most: usize,
}

/// Asks for the stream of a seed, and reads it.
pub async fn stream(port: u16, seed: u64) -> Got {
    let script = Script::new(seed);
    let mut random = Random::new(seed.wrapping_add(1 << 40));
    let is_slow = random.below(4) == 0;
    let pause = match random.below(6) {
        0 => random.below(20_000),
        _ => usize::MAX,
    };
    let most = match random.below(5) {
        0 => random.below(6_000),
        _ => usize::MAX,
    };
    let manner = Manner {
        is_slow,
        pause,
        most,
    };
    let read = read(port, seed, manner);
    let Ok((bytes, has_ended)) = timeout(LONG, read).await else {
        return Got {
            seed,
            id: None,
            end: End::Left,
            code: None,
            assertions: 0,
            breach: Some("the connection is stuck".to_owned()),
        };
    };
    judge(seed, &script, &bytes, has_ended)
}

/// The bytes that came, and whether the proxy closed the connection.
async fn read(port: u16, seed: u64, mut manner: Manner) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let Ok(mut connection) = connect(port, manner.is_slow).await else {
        return (bytes, true);
    };
    let body = format!("{{\"seed\":{seed}}}");
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    if connection.write_all(request.as_bytes()).await.is_err() {
        return (bytes, true);
    }
    let mut buffer = [0; 512];
    while bytes.len() < manner.most {
        match connection.read(&mut buffer).await {
            Ok(0) | Err(_) => return (bytes, true),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
        if manner.is_slow {
            sleep(Duration::from_millis(2)).await;
        }
        if bytes.len() >= manner.pause {
            manner.pause = usize::MAX;
            sleep(PAUSE).await;
        }
    }
    (bytes, false)
}

async fn connect(port: u16, is_slow: bool) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if is_slow {
        socket.set_recv_buffer_size(WINDOW)?;
    }
    socket.connect((Ipv4Addr::LOCALHOST, port).into()).await
}

/// What a client got, from the bytes of its connection.
fn judge(seed: u64, script: &Script, bytes: &[u8], has_ended: bool) -> Got {
    let (head, mut rest) = match memchr::memmem::find(bytes, b"\r\n\r\n") {
        Some(end) => (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 4..]),
        None => (String::new().into(), &[][..]),
    };
    let (body, is_complete) = dechunked(&mut rest);
    let body = String::from_utf8_lossy(&body).into_owned();
    let read = text_of(&body);
    let (_, code) = body.split_once("\"code\":\"").unzip();
    let code = code
        .and_then(|rest| rest.split('"').next())
        .map(str::to_owned);
    let end = match (head.is_empty(), has_ended, code.is_some()) {
        (_, false, _) => End::Left,
        (true, true, _) => End::Refused,
        (false, true, true) => End::Error,
        (false, true, false) => End::Complete,
    };
    let id = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("provstream-request")
            .then(|| value.to_owned())
    });
    let released = &script.text.released;
    let breach = if body.contains(SECRET) {
        Some(format!("withheld text was delivered: {read}"))
    } else if !released.starts_with(read.as_str()) {
        Some(format!(
            "read {read:?}, which is not the beginning of {released:?}"
        ))
    } else if matches!(end, End::Complete | End::Error) && !head.starts_with("HTTP/1.1 200 ") {
        Some(format!("a head that is not expected: {head}"))
    } else if matches!(end, End::Complete | End::Error) && !is_complete {
        Some("the body has no end".to_owned())
    } else if end == End::Complete && !(body.ends_with("data: [DONE]\n\n") && read == *released) {
        Some(format!(
            "released text was lost: read {read:?} of {released:?}"
        ))
    } else {
        None
    };
    Got {
        seed,
        id,
        end,
        code,
        assertions: script.text.read_of(&read),
        breach,
    }
}

/// A body without its chunks, and whether it has its end.
fn dechunked(rest: &mut &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(line) = memchr::memmem::find(rest, b"\r\n") {
        let size = core::str::from_utf8(&rest[..line]).ok();
        let Some(size) = size.and_then(|size| usize::from_str_radix(size, 16).ok()) else {
            return (body, false);
        };
        *rest = &rest[line + 2..];
        if size == 0 {
            return (body, *rest == b"\r\n");
        }
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        *rest = rest.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

/// The text of the events that are complete.
fn text_of(body: &str) -> String {
    let data = body
        .split_inclusive('\n')
        .filter_map(|line| line.strip_prefix("data: ")?.strip_suffix('\n'));
    let events = data.filter_map(|data| serde_json::from_str::<serde_json::Value>(data).ok());
    events
        .filter_map(|event| Some(event["choices"][0]["delta"]["content"].as_str()?.to_owned()))
        .collect()
}
