//! Clients that hold a number of streams at a time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::{sleep, sleep_until};

use crate::clock::Clock;
use crate::histogram::Histogram;
use crate::response::{Response, Unreadable, content};
use crate::upstream::Plan;

/// Bytes that are read at a time at most.
const BUFFER: usize = 64 << 10;

/// After an error, a stream begins again after this time.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Where clients connect, and what they read there.
#[derive(Clone, Debug)]
pub struct Side {
    /// The port of the proxy, or of the upstream.
    pub port: u16,
    /// What clients are to read.
    pub text: Arc<str>,
}

/// What clients do.
#[derive(Clone, Debug)]
pub struct Load {
    /// The streams go to each of these in turn.
    pub sides: Vec<Side>,
    /// What the upstream sends.
    pub plan: Arc<Plan>,
    /// Streams at a time, of all sides together.
    pub streams: usize,
    /// What comes before this time is not counted, nanoseconds of the clock.
    pub from: u64,
    /// Clients go away at this time.
    pub to: u64,
}

/// What clients saw.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// From a request to the first text.
    pub first: Histogram,
    /// From an event to the next one of its stream.
    pub between: Histogram,
    /// From when the upstream writes an event to when the client has it.
    pub transit: Histogram,
    /// Events that came.
    pub events: u64,
    /// Streams that ended.
    pub streams: u64,
    /// Streams of which another number of events came than was sent.
    pub recounted: u64,
    /// Streams whose text is not what was expected.
    pub wrong: u64,
    /// Streams that broke off, by why.
    pub errors: BTreeMap<String, u64>,
}

impl Seen {
    /// Adds what others saw.
    pub fn merge(&mut self, other: &Self) {
        self.first.merge(&other.first);
        self.between.merge(&other.between);
        self.transit.merge(&other.transit);
        self.events += other.events;
        self.streams += other.streams;
        self.recounted += other.recounted;
        self.wrong += other.wrong;
        for (why, count) in &other.errors {
            *self.errors.entry(why.clone()).or_default() += count;
        }
    }
}

/// What all streams of a thread share.
struct Shared {
    clock: Clock,
    load: Load,
    /// What was seen of each side.
    seen: RefCell<Vec<Seen>>,
    buffer: RefCell<Vec<u8>>,
}

impl Shared {
    /// The number of the side that a stream belongs to.
    fn side(&self, stream: usize) -> usize {
        stream % self.load.sides.len()
    }

    fn count_error(&self, stream: usize, error: String) {
        let seen = &mut self.seen.borrow_mut()[self.side(stream)];
        *seen.errors.entry(error).or_default() += 1;
    }
}

/// Runs streams in this thread until the load is over; what was seen of each side.
///
/// # Errors
///
/// The system gives no runtime.
pub fn run(clock: Clock, load: Load) -> io::Result<Vec<Seen>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let shared = Rc::new(Shared {
        clock,
        seen: RefCell::new(vec![Seen::default(); load.sides.len()]),
        buffer: RefCell::new(vec![0; BUFFER]),
        load,
    });
    let all = LocalSet::new();
    let own = Rc::clone(&shared);
    all.block_on(&runtime, async move {
        let load = &own.load;
        // They begin one after the other, so that as many begin and end at any time.
        let apart = load.plan.duration() / load.streams as u32;
        for stream in 0..load.streams {
            let own = Rc::clone(&own);
            tokio::task::spawn_local(async move {
                sleep(apart * stream as u32).await;
                stream_after_stream(&own, stream).await;
            });
        }
        sleep_until(own.clock.at(load.to).into()).await;
    });
    drop(all);
    Ok(shared.seen.take())
}

async fn stream_after_stream(shared: &Shared, stream: usize) {
    let body = shared.load.plan.request(stream);
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk-1\r\nAccept: text/event-stream\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let port = shared.load.sides[shared.side(stream)].port;
    loop {
        let error = match TcpStream::connect(("127.0.0.1", port)).await {
            Ok(connection) => requests(shared, stream, connection, request.as_bytes()).await,
            Err(error) => error.kind().to_string(),
        };
        shared.count_error(stream, error);
        sleep(AFTER_ERROR).await;
    }
}

/// Request after request through one connection, until something is wrong: what it is.
async fn requests(
    shared: &Shared,
    stream: usize,
    mut connection: TcpStream,
    request: &[u8],
) -> String {
    if let Err(error) = connection.set_nodelay(true) {
        return error.to_string();
    }
    loop {
        let asked = shared.clock.now();
        if let Err(error) = connection.write_all(request).await {
            return error.kind().to_string();
        }
        let mut reading = Reading::new(shared, stream, asked);
        if let Err(error) = reading.read(&connection).await {
            return error;
        }
        reading.end();
    }
}

/// A stream that is being read.
struct Reading<'a> {
    shared: &'a Shared,
    stream: usize,
    asked: u64,
    response: Response,
    events: usize,
    /// When the last event came.
    last: Option<u64>,
    /// Bytes of the text that came, while they are as expected.
    text: Result<usize, ()>,
    transit: Vec<u64>,
}

impl<'a> Reading<'a> {
    fn new(shared: &'a Shared, stream: usize, asked: u64) -> Self {
        Self {
            shared,
            stream,
            asked,
            response: Response::new(),
            events: 0,
            last: None,
            text: Ok(0),
            transit: Vec::with_capacity(shared.load.plan.events()),
        }
    }

    async fn read(&mut self, connection: &TcpStream) -> Result<(), String> {
        while !self.response.is_complete() {
            let readable = connection.readable().await;
            readable.map_err(|error| error.kind().to_string())?;
            let mut buffer = self.shared.buffer.borrow_mut();
            let count = match connection.try_read(&mut buffer) {
                Ok(0) => return Err("closed".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error.kind().to_string()),
            };
            self.take(&buffer[..count]).map_err(|error| match error {
                Unreadable::Status(status) => format!("status {status}"),
                Unreadable::Head => "not in chunks".to_owned(),
                Unreadable::Chunk => "bad chunk".to_owned(),
            })?;
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        let now = self.shared.clock.now();
        let (load, side) = (&self.shared.load, self.shared.side(self.stream));
        let counts = now >= load.from;
        let seen = &mut self.shared.seen.borrow_mut()[side];
        let expected = load.sides[side].text.as_bytes();
        let mut response = core::mem::take(&mut self.response);
        let read = response.push(bytes, |event| {
            let text = content(event);
            if counts {
                seen.events += 1;
                if let Some(last) = self.last {
                    seen.between.add(now - last);
                }
                if !text.is_empty() && self.text == Ok(0) {
                    seen.first.add(now - self.asked);
                }
                if let Some(sent) = load.plan.sent(self.stream, self.events) {
                    self.transit.push(now.saturating_sub(sent));
                }
            }
            self.last = Some(now);
            self.events += 1;
            if let Ok(at) = self.text {
                self.text = match expected[at..].starts_with(text) {
                    true => Ok(at + text.len()),
                    false => Err(()),
                };
            }
        });
        self.response = response;
        read
    }

    /// All of it has come.
    fn end(self) {
        let (load, side) = (&self.shared.load, self.shared.side(self.stream));
        let seen = &mut self.shared.seen.borrow_mut()[side];
        if self.text != Ok(load.sides[side].text.len()) {
            seen.wrong += 1;
        }
        // A gate adds an event with the last text, before the end of the answer.
        let (sent, came) = (load.plan.events(), self.events);
        let known = match came.checked_sub(sent) {
            Some(0) => self.transit.len(),
            Some(1) => self.transit.len().saturating_sub(2),
            _ => 0,
        };
        let times = &self.transit[..known];
        times.iter().for_each(|time| seen.transit.add(*time));
        seen.recounted += u64::from(came != sent);
        if self.last.is_some_and(|last| last >= load.from) {
            seen.streams += 1;
        }
    }
}
