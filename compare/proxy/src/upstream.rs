//! A fake upstream that sends the same answer to every request, an event at a time.

use std::cmp::Ordering as Order;
use std::collections::BinaryHeap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::answer::Answer;
use crate::clock::Clock;
use crate::histogram::Histogram;

/// When a peer that reads nothing is tried again, nanoseconds.
const BLOCKED: u64 = 1_000_000;

/// The head of every response.
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

/// What is sent, how fast, and when it was.
#[derive(Debug)]
pub struct Plan {
    chunks: Vec<Vec<u8>>,
    /// Between two events, nanoseconds; 0 for as fast as they are taken.
    period: u64,
    /// When each event of each stream was written last, by the number of the stream.
    sent: Vec<Vec<AtomicU64>>,
    /// How much later than planned events were written.
    late: Mutex<Histogram>,
    /// Names this plan in requests.
    number: u64,
}

impl Plan {
    /// The answer for so many streams at a time.
    #[must_use]
    pub fn new(answer: &Answer, period: Duration, streams: usize) -> Self {
        static PLANS: AtomicU64 = AtomicU64::new(0);
        let chunks = answer.chunks();
        let times = || chunks.iter().map(|_| AtomicU64::new(0)).collect();
        Self {
            sent: (0..streams).map(|_| times()).collect(),
            chunks,
            period: period.as_nanos() as u64,
            late: Mutex::default(),
            number: PLANS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Events of a response.
    #[must_use]
    pub fn events(&self) -> usize {
        self.chunks.len()
    }

    /// How long a response takes.
    #[must_use]
    pub fn duration(&self) -> Duration {
        Duration::from_nanos(self.period * self.chunks.len() as u64)
    }

    /// When an event of a stream was written; `None` if there is no such event.
    #[must_use]
    pub fn sent(&self, stream: usize, event: usize) -> Option<u64> {
        let time = self.sent.get(stream)?.get(event)?;
        Some(time.load(Ordering::Acquire))
    }

    /// How much later than planned events were written, so far.
    #[must_use]
    pub fn late(&self) -> Histogram {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.clone()
    }

    /// The body of the request for a stream.
    #[must_use]
    pub fn request(&self, stream: usize) -> String {
        let number = self.number;
        format!(
            "{{\"model\":\"fake-1\",\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"Question {number}-{stream}: how is it going?\"}}]}}"
        )
    }
}

/// A response that is being sent.
struct Sending {
    /// When the next event is due.
    due: u64,
    plan: Arc<Plan>,
    stream: usize,
    /// The next event.
    event: usize,
    /// What of the event, or of the head before the first, is written.
    written: usize,
    has_head: bool,
    peer: Arc<TcpStream>,
    done: oneshot::Sender<bool>,
}

impl PartialEq for Sending {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Sending {}

impl PartialOrd for Sending {
    fn partial_cmp(&self, other: &Self) -> Option<Order> {
        Some(self.cmp(other))
    }
}

impl Ord for Sending {
    /// What is due first is the greatest.
    fn cmp(&self, other: &Self) -> Order {
        other.due.cmp(&self.due)
    }
}

/// An upstream that runs.
#[derive(Debug)]
pub struct Upstream {
    port: u16,
    plan: Arc<Mutex<Option<Arc<Plan>>>>,
}

impl Upstream {
    /// Starts an upstream on a free port: a thread that takes requests, and one that sends events.
    ///
    /// # Errors
    ///
    /// No port can be listened at, or no thread started.
    pub fn start(clock: Clock) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let plan: Arc<Mutex<Option<Arc<Plan>>>> = Arc::default();
        let (sender, receiver) = channel();
        let builder = || std::thread::Builder::new();
        builder()
            .name("events".to_owned())
            .spawn(move || send_all(clock, &receiver))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let plans = Arc::clone(&plan);
        builder().name("requests".to_owned()).spawn(move || {
            let served = runtime.block_on(accept(listener, clock, plans, sender));
            if let Err(error) = served {
                eprintln!("the upstream ended: {error}");
            }
        })?;
        Ok(Self { port, plan })
    }

    /// Where it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Sends this from now on.
    pub fn set(&self, plan: Arc<Plan>) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
    }
}

async fn accept(
    listener: std::net::TcpListener,
    clock: Clock,
    plan: Arc<Mutex<Option<Arc<Plan>>>>,
    sender: Sender<Sending>,
) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (peer, _) = listener.accept().await?;
        peer.set_nodelay(true)?;
        let (plan, sender) = (Arc::clone(&plan), sender.clone());
        tokio::spawn(async move {
            let peer = Arc::new(peer);
            // A connection that breaks is the proxy's.
            while let Some(body) = read_request(&peer).await {
                let plan = plan.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let Some((plan, stream)) = plan.and_then(|plan| of_request(plan, &body)) else {
                    return;
                };
                let (done, is_done) = oneshot::channel();
                let sending = Sending {
                    due: clock.now(),
                    plan,
                    stream,
                    event: 0,
                    written: 0,
                    has_head: false,
                    peer: Arc::clone(&peer),
                    done,
                };
                if sender.send(sending).is_err() || !is_done.await.unwrap_or(false) {
                    return;
                }
            }
        });
    }
}

/// The plan with the number of the stream that a request asks for, unless it is a request of a plan that is over.
fn of_request(plan: Arc<Plan>, request: &str) -> Option<(Arc<Plan>, usize)> {
    let (_, question) = request.split_once("Question ")?;
    let (number, stream) = question.split_once(':')?.0.split_once('-')?;
    let is_now = number.parse() == Ok(plan.number);
    let stream = stream.parse().ok()?;
    (is_now && stream < plan.sent.len()).then_some((plan, stream))
}

/// A request with its body, whose length it names; `None` at the end of the connection.
async fn read_request(peer: &TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        peer.readable().await.ok()?;
        match peer.try_read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return None,
        }
        if let Some(body) = body_of(&bytes) {
            return Some(body);
        }
    }
}

fn body_of(request: &[u8]) -> Option<String> {
    let end = memchr::memmem::find(request, b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let body = &request[end..];
    let is_complete = match head.split("content-length: ").nth(1) {
        Some(rest) => {
            let length = rest.lines().next()?.trim().parse::<usize>().ok()?;
            body.len() >= length
        }
        None => !head.contains("transfer-encoding: chunked") || body.ends_with(b"0\r\n\r\n"),
    };
    is_complete.then(|| String::from_utf8_lossy(body).into_owned())
}

/// Writes events when they are due.
fn send_all(clock: Clock, receiver: &Receiver<Sending>) {
    let mut all: BinaryHeap<Sending> = BinaryHeap::new();
    loop {
        let next = all.peek().map(|next| next.due);
        let wait = next.map(|due| Duration::from_nanos(due.saturating_sub(clock.now())));
        let new = match wait {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(Duration::ZERO) => receiver.try_recv().map_err(|_| RecvTimeoutError::Timeout),
            Some(wait) => receiver.recv_timeout(wait),
        };
        match new {
            Ok(sending) => all.push(sending),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(sending) = all.pop()
                    && let Some(sending) = send_one(clock, sending)
                {
                    all.push(sending);
                }
            }
        }
    }
}

/// Writes one event, or a part of it; what is to be sent later.
fn send_one(clock: Clock, mut sending: Sending) -> Option<Sending> {
    let plan = Arc::clone(&sending.plan);
    let chunk = &plan.chunks[sending.event];
    let bytes: &[u8] = if sending.has_head { chunk } else { HEAD };
    let now = clock.now();
    if sending.written == 0 && sending.has_head {
        let time = &plan.sent[sending.stream][sending.event];
        time.store(now, Ordering::Release);
        if plan.period > 0 {
            let mut late = plan.late.lock().unwrap_or_else(PoisonError::into_inner);
            late.add(now.saturating_sub(sending.due));
        }
    }
    match sending.peer.try_write(&bytes[sending.written..]) {
        Ok(count) => sending.written += count,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            sending.due = now + BLOCKED;
            return Some(sending);
        }
        Err(_) => {
            let _ = sending.done.send(false);
            return None;
        }
    }
    if sending.written < bytes.len() {
        return Some(sending);
    }
    sending.written = 0;
    if !sending.has_head {
        sending.has_head = true;
        return Some(sending);
    }
    sending.event += 1;
    // What was late does not make the rest late: a model goes on at its pace.
    sending.due = match (plan.period, sending.event) {
        (0, _) => now,
        // The first event has no text, and comes with the first text.
        (_, 1) => sending.due,
        (period, _) => sending.due + period,
    };
    if sending.event == plan.chunks.len() {
        let _ = sending.done.send(true);
        return None;
    }
    Some(sending)
}
