//! Gates in adapters that are dropped at any await point, around a source that waits and fails, with a policy that panics.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt;
use provstream::io::{GateReader, GateStream, GateWriter};
use provstream::provenance::{Assertion, Verdict};
use provstream::{
    Action, AtLimit, Gate, GateHandler, Handler, Parser, Policy, Question, TextChunk, Unannotated,
};
use testkit::gate::naive::Drawn;
use testkit::gate::pieces::short;
use testkit::reference::engine::Cuts;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::runtime::{Builder, Runtime};

/// Inputs of each test; `PROVSTREAM_SEEDS` sets another number.
const INPUTS: u64 = 90;

fn inputs() -> impl Iterator<Item = (u64, Vec<u8>)> {
    (0..testkit::search::seeds(INPUTS)).map(|seed| {
        let segments = short(seed, 14).input;
        let text = segments.into_iter().flat_map(|segment| segment.bytes);
        (seed, text.collect())
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Output and events of a gate, kept after the adapter is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Given {
    text: Vec<u8>,
    removed: Vec<u8>,
    /// The lines of an audit log about assertions, and those about other text.
    lines: Vec<String>,
    runs: Vec<String>,
    ends: usize,
}

#[derive(Clone, Default)]
struct Log(Rc<RefCell<Given>>);

impl Handler for Log {
    fn text(&mut self, text: TextChunk<'_>) {
        self.0.borrow_mut().text.extend_from_slice(text.bytes());
    }

    fn end(&mut self) {
        self.0.borrow_mut().ends += 1;
    }
}

impl GateHandler for Log {
    fn removed(&mut self, text: TextChunk<'_>) {
        self.0.borrow_mut().removed.extend_from_slice(text.bytes());
    }

    fn decided(&mut self, question: &Question<'_>, action: &Action) {
        let line = format!("{} {action:?}", question.clean_span());
        self.0.borrow_mut().lines.push(line);
    }

    fn run_begins(&mut self, at: u64, what: &Unannotated) {
        self.0.borrow_mut().runs.push(format!("{at} {what:?}"));
    }
}

/// Computes the output of a gate for a stream that ends normally.
fn expected(text: &[u8], seed: u64) -> Given {
    let mut log = Log::default();
    let mut gate = Gate::new(Parser::new(), Drawn(seed));
    gate.push(text, &mut log);
    gate.finish(&mut log);
    log.0.take()
}

/// Gives its bytes in pieces of any size, waits at any time, and fails or ends after them.
struct Flaky {
    bytes: Vec<u8>,
    given: Rc<Cell<usize>>,
    cuts: Cuts,
    fails: bool,
    is_over: bool,
}

impl Flaky {
    fn new(bytes: &[u8], seed: u64) -> Self {
        Self {
            bytes: bytes.to_vec(),
            given: Rc::default(),
            cuts: Cuts(seed),
            fails: seed.is_multiple_of(2),
            is_over: false,
        }
    }

    fn give(&mut self, cx: &Context<'_>, most: usize) -> Poll<io::Result<&[u8]>> {
        assert!(!self.is_over, "polled after the end");
        if self.cuts.below(3) == 0 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let at = self.given.get();
        let len = (1 + self.cuts.below(6))
            .min(most)
            .min(self.bytes.len() - at);
        self.given.set(at + len);
        self.is_over = len == 0;
        match self.is_over && self.fails {
            true => Poll::Ready(Err(io::Error::other("broken"))),
            false => Poll::Ready(Ok(&self.bytes[at..at + len])),
        }
    }
}

impl AsyncRead for Flaky {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = buffer.remaining();
        let next = self.give(cx, most);
        next.map_ok(|piece| buffer.put_slice(piece))
    }
}

impl Stream for Flaky {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.give(cx, usize::MAX);
        next.map(|piece| match piece {
            Ok([]) => None,
            Ok(piece) => Some(Ok(Bytes::copy_from_slice(piece))),
            Err(error) => Some(Err(error)),
        })
    }
}

/// Polls a future at most so many times; whether it was ready.
struct Polls<F> {
    future: F,
    left: usize,
}

impl<F: Future + Unpin> Future for Polls<F> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<bool> {
        if self.left == 0 {
            return Poll::Ready(false);
        }
        self.left -= 1;
        let poll = Pin::new(&mut self.future).poll(cx);
        poll.map(|_| true)
    }
}

/// Checks what came out of an adapter that is gone, after so many bytes of its source.
fn check(out: &[u8], log: &Log, (text, seed): (&[u8], u64), is_done: bool) {
    let expected = expected(text, seed);
    let given = log.0.take();
    assert_eq!(given, expected, "seed {seed}: {}", text.escape_ascii());
    assert!(
        expected.text.starts_with(out),
        "seed {seed}: {} of {}",
        out.escape_ascii(),
        expected.text.escape_ascii()
    );
    assert!(!is_done || out == expected.text, "seed {seed}: all of it");
}

/// Reads, with `select!` between each wait and another task, until the end.
async fn read_all(mut reader: GateReader<Flaky, Drawn, Log>, out: Rc<RefCell<Vec<u8>>>) {
    loop {
        let mut room = [0; 5];
        // A read that another branch wins is dropped, and the next one goes on.
        let count = tokio::select! {
            biased;
            read = reader.read(&mut room) => read,
            () = tokio::task::yield_now() => continue,
        };
        match count {
            Ok(0) => return,
            Ok(count) => out.borrow_mut().extend_from_slice(&room[..count]),
            Err(error) => assert_eq!(error.to_string(), "broken"),
        }
    }
}

async fn stream_all(
    mut stream: GateStream<Flaky, io::Error, Drawn, Log>,
    out: Rc<RefCell<Vec<u8>>>,
) {
    while let Some(item) = stream.next().await {
        match item {
            Ok(text) => out.borrow_mut().extend_from_slice(&text),
            Err(error) => assert_eq!(error.to_string(), "broken"),
        }
    }
}

#[test]
fn readers_and_streams_that_are_dropped_at_any_await_point_give_all_that_is_certain() {
    let runtime = runtime();
    let mut dropped = 0;
    for (seed, text) in inputs() {
        for of_reader in [true, false] {
            for polls in 0.. {
                let (log, out) = (Log::default(), Rc::default());
                let source = Flaky::new(&text, seed);
                let given = Rc::clone(&source.given);
                let gate = Gate::new(Parser::new(), Drawn(seed));
                let future: Pin<Box<dyn Future<Output = ()>>> = match of_reader {
                    true => Box::pin(read_all(
                        GateReader::new(source, gate, log.clone()),
                        Rc::clone(&out),
                    )),
                    false => Box::pin(stream_all(
                        GateStream::new(source, gate, log.clone()),
                        Rc::clone(&out),
                    )),
                };
                let polled = Polls {
                    future,
                    left: polls,
                };
                // The adapter is gone with the future.
                let is_done = runtime.block_on(polled);
                check(&out.borrow(), &log, (&text[..given.get()], seed), is_done);
                dropped += u64::from(!is_done);
                if is_done {
                    break;
                }
            }
        }
    }
    assert!(dropped > 500, "{dropped}");
}

/// Takes some of what it is given, or nothing, or fails, and keeps how often it was asked.
struct Short {
    written: Rc<RefCell<Vec<u8>>>,
    cuts: Cuts,
    /// From now on every write succeeds in full.
    is_ready: Rc<Cell<bool>>,
}

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_ready.get() {
            match self.cuts.below(5) {
                0 => return Err(ErrorKind::WouldBlock.into()),
                1 => return Err(ErrorKind::Interrupted.into()),
                _ => {}
            }
        }
        let len = match self.is_ready.get() {
            true => bytes.len(),
            false => (1 + self.cuts.below(3)).min(bytes.len()),
        };
        self.written.borrow_mut().extend_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writers_that_are_dropped_after_any_call_write_all_that_is_certain() {
    for (seed, text) in inputs() {
        for calls in 0.. {
            for is_ready_at_last in [true, false] {
                let (log, written) = (Log::default(), Rc::<RefCell<Vec<u8>>>::default());
                let is_ready = Rc::new(Cell::new(false));
                let inner = Short {
                    written: Rc::clone(&written),
                    cuts: Cuts(seed),
                    is_ready: Rc::clone(&is_ready),
                };
                let gate = Gate::new(Parser::new(), Drawn(seed));
                let mut writer = GateWriter::new(inner, gate, log.clone());
                let mut cuts = Cuts(seed + 1);
                let mut taken = 0;
                for _ in 0..calls {
                    let len = (1 + cuts.below(6)).min(text.len() - taken);
                    match writer.write(&text[taken..taken + len]) {
                        Ok(count) => taken += count,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                    }
                }
                is_ready.set(is_ready_at_last);
                drop(writer);
                check(
                    &written.borrow(),
                    &log,
                    (&text[..taken], seed),
                    is_ready_at_last,
                );
                if taken == text.len() && is_ready_at_last {
                    break;
                }
            }
            if calls > 3 * text.len() {
                break;
            }
        }
    }
}

/// Panics at one of the questions that it is asked, whichever they are.
struct PanicsAt {
    policy: Drawn,
    left: usize,
}

impl PanicsAt {
    fn count(&mut self) {
        assert!(self.left > 0, "a policy that panics");
        self.left -= 1;
    }
}

impl Policy for PanicsAt {
    fn judge(&mut self, assertion: &Assertion<'_>) -> Option<Verdict> {
        self.count();
        self.policy.judge(assertion)
    }

    fn assertion(&mut self, question: &Question<'_>) -> Action {
        self.count();
        self.policy.assertion(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        self.count();
        self.policy.unannotated()
    }

    fn limit(&mut self) -> AtLimit {
        self.count();
        self.policy.limit()
    }
}

/// Feeds pieces to something until it has panicked and, with all the rest, after that; whether it has.
fn feed_on(text: &[u8], mut feed: impl FnMut(&[u8])) -> bool {
    let mut has_panicked = false;
    for piece in text.chunks(3) {
        has_panicked |= catch_unwind(AssertUnwindSafe(|| feed(piece))).is_err();
    }
    has_panicked
}

#[test]
fn after_a_panic_at_any_question_nothing_more_is_released() {
    let mut panicked = 0;
    for (seed, text) in inputs() {
        let expected = expected(&text, seed);
        for left in 0.. {
            let policy = || PanicsAt {
                policy: Drawn(seed),
                left,
            };
            let log = Log::default();
            let mut gate = Gate::new(Parser::new(), policy());
            let mut has_panicked = feed_on(&text, |piece| gate.push(piece, log.clone()));
            let before = log.0.borrow().clone();
            let finish = AssertUnwindSafe(|| gate.finish(log.clone()));
            has_panicked |= catch_unwind(finish).is_err();
            if has_panicked {
                assert_eq!(gate.ended(), Some(provstream::GateEnd::Suspended));
            }
            let given = log.0.take();
            assert!(expected.text.starts_with(&given.text), "seed {seed}");
            assert!(expected.removed.starts_with(&given.removed), "seed {seed}");
            assert!(expected.lines.starts_with(&given.lines), "seed {seed}");
            assert!(expected.runs.starts_with(&given.runs), "seed {seed}");
            assert!(given.lines.starts_with(&before.lines), "seed {seed}");
            panicked += u64::from(has_panicked);

            let (log, written) = (Log::default(), Rc::<RefCell<Vec<u8>>>::default());
            let inner = Short {
                written: Rc::clone(&written),
                cuts: Cuts(seed),
                is_ready: Rc::new(Cell::new(true)),
            };
            let gate = Gate::new(Parser::new(), policy());
            let mut writer = GateWriter::new(inner, gate, log.clone());
            feed_on(&text, |piece| {
                writer.write_all(piece).expect("all is taken");
            });
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(writer)));
            let given = log.0.take();
            assert!(expected.text.starts_with(&given.text), "seed {seed}");
            if dropped.is_ok() {
                // What was released before the panic is not lost.
                assert_eq!(*written.borrow(), given.text, "seed {seed}");
            }
            if !has_panicked {
                break;
            }
        }
    }
    assert!(panicked > 100, "{panicked}");
}

#[test]
fn a_task_that_is_aborted_keeps_the_decisions() {
    let text = b"One is so. [substrate.grep] Two is so. [substrate.grep] Three is".to_vec();
    let runtime = runtime();
    let local = tokio::task::LocalSet::new();
    let log = Log::default();
    let kept = log.clone();
    let gate = Gate::new(Parser::new(), Drawn(3));
    let input = text.clone();
    runtime.block_on(local.run_until(async move {
        let (mut theirs, ours) = tokio::io::duplex(7);
        let task = tokio::task::spawn_local(async move {
            let mut reader = pin!(GateReader::new(ours, gate, log));
            let mut out = Vec::new();
            let _ = reader.read_to_end(&mut out).await;
        });
        tokio::io::AsyncWriteExt::write_all(&mut theirs, &input)
            .await
            .expect("it reads");
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
        // The other end is still open, so the task waits.
        task.abort();
        assert!(task.await.expect_err("aborted").is_cancelled());
        drop(theirs);
    }));
    assert_eq!(kept.0.take(), expected(&text, 3));
}
