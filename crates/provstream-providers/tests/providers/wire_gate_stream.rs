//! A gate in a stream of chunks: dropped at any await point, with errors at any place, and a policy that panics.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::stream::{FusedStream, Stream, StreamExt};
use provstream::{Action, Handler, Parser, Policy, Question, Unannotated};
use provstream_providers::{Format, GateEvent, StreamGate, StreamHandler, WireGateStream};
use testkit::gate::naive::Drawn;
use testkit::script::{Script, Step};
use testkit::wire::generate::{Random, cited, stream};
use testkit::wire::hostile::Notation;

use crate::notation::{all, parser};

/// Responses of each format.
const RESPONSES: u64 = 4;

/// Calls that a handler received.
#[derive(Clone, Debug, Default, PartialEq)]
struct Given {
    bytes: Vec<u8>,
    /// The lines of an audit log.
    lines: Vec<String>,
    removed: Vec<u8>,
    ends: usize,
}

#[derive(Clone, Default)]
struct Log(Rc<RefCell<Given>>);

impl Handler for Log {
    fn end(&mut self) {
        self.0.borrow_mut().ends += 1;
    }
}

impl StreamHandler for Log {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.borrow_mut().bytes.extend_from_slice(bytes);
    }

    fn gate(&mut self, event: GateEvent<'_>) {
        let mut given = self.0.borrow_mut();
        match event {
            GateEvent::Decided(question, action) => {
                let (channel, span) = (question.channel(), question.clean_span());
                given.lines.push(format!("{channel} {span} {action:?}"));
            }
            GateEvent::Removed(text) => given.removed.extend_from_slice(text.bytes()),
            _ => {}
        }
    }
}

/// A response.
fn response(format: Format, notation: Notation, seed: u64) -> Vec<u8> {
    match notation {
        Notation::Annotations => stream(format, seed),
        Notation::Markers => cited(format, seed),
    }
}

/// Output of a gate for a complete response.
fn expected((format, parser): (Format, Parser), input: &[u8], seed: u64) -> Given {
    let mut log = Log::default();
    let mut gate = StreamGate::new(format, parser, Drawn(seed));
    gate.push(input, &mut log);
    gate.finish(&mut log);
    log.0.take()
}

/// Gives its bytes in pieces of any size, waits at any time, and fails or ends after them.
struct Flaky {
    bytes: Vec<u8>,
    given: Rc<Cell<usize>>,
    random: Random,
    fails: bool,
    is_over: bool,
}

impl Stream for Flaky {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.is_over, "polled after the end");
        if self.random.below(3) == 0 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let at = self.given.get();
        let most = [7, 40, 200][self.random.below(3)];
        let len = (1 + self.random.below(most)).min(self.bytes.len() - at);
        self.given.set(at + len);
        self.is_over = len == 0;
        Poll::Ready(match (self.is_over, self.fails) {
            (true, true) => Some(Err(io::Error::other("broken"))),
            (true, false) => None,
            _ => Some(Ok(Bytes::copy_from_slice(&self.bytes[at..at + len]))),
        })
    }
}

/// A future that is dropped when it was polled so many times, or ready.
async fn polled(mut future: Pin<Box<dyn Future<Output = ()>>>, polls: usize) -> bool {
    let mut left = polls;
    std::future::poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        future.as_mut().poll(cx).map(|()| true)
    })
    .await
}

#[tokio::test]
async fn a_gate_that_is_dropped_at_any_await_point_gives_all_that_is_certain() {
    let mut dropped = 0;
    for (format, notation) in all() {
        for seed in 0..RESPONSES {
            let input = response(format, notation, seed);
            for polls in 0.. {
                let (log, given) = (Log::default(), Rc::new(Cell::new(0)));
                let source = Flaky {
                    bytes: input.clone(),
                    given: Rc::clone(&given),
                    random: Random::new(seed),
                    fails: seed % 2 == 0,
                    is_over: false,
                };
                let gate = StreamGate::new(format, parser(notation), Drawn(seed));
                let mut events = WireGateStream::new(source, gate, log.clone());
                let out = Rc::<RefCell<Vec<u8>>>::default();
                let read = Rc::clone(&out);
                let future = Box::pin(async move {
                    while let Some(item) = events.next().await {
                        match item {
                            Ok(bytes) => read.borrow_mut().extend_from_slice(&bytes),
                            Err(error) => assert_eq!(error.to_string(), "broken"),
                        }
                    }
                    assert!(events.is_terminated());
                });
                let is_done = polled(future, polls).await;
                let expected = expected((format, parser(notation)), &input[..given.get()], seed);
                let log = log.0.take();
                assert_eq!(log, expected, "{format}, seed {seed}, {polls} polls");
                assert!(
                    expected.bytes.starts_with(&out.borrow()),
                    "{format}, seed {seed}"
                );
                assert!(
                    !is_done || *out.borrow() == expected.bytes,
                    "{format}, seed {seed}"
                );
                dropped += u64::from(!is_done);
                if is_done {
                    break;
                }
            }
        }
    }
    assert!(dropped > 500, "{dropped}");
}

#[test]
fn what_is_certain_comes_before_an_error_at_any_byte() {
    for (format, notation) in all() {
        let input = response(format, notation, 1);
        for upto in 0..=input.len().min(1_500) {
            let input = &input[..upto];
            let log = Log::default();
            let chunks = input.chunks(61).map(|chunk| Step::Give(chunk.to_vec()));
            let script = Script::new(chunks.chain([Step::Wait, Step::Fail(ErrorKind::TimedOut)]));
            let gate = StreamGate::new(format, parser(notation), Drawn(1));
            let mut events = WireGateStream::new(script, gate, log.clone());
            let mut cx = Context::from_waker(Waker::noop());
            let (mut out, mut has_failed) = (Vec::new(), false);
            loop {
                match events.poll_next_unpin(&mut cx) {
                    Poll::Pending => {}
                    Poll::Ready(Some(Ok(bytes))) => {
                        assert!(!has_failed && !bytes.is_empty());
                        out.extend_from_slice(&bytes);
                    }
                    Poll::Ready(Some(Err(kind))) => {
                        assert_eq!(kind, ErrorKind::TimedOut);
                        has_failed = true;
                    }
                    Poll::Ready(None) => break,
                }
            }
            assert!(has_failed && events.is_terminated());
            let expected = expected((format, parser(notation)), input, 1);
            assert_eq!(out, expected.bytes, "{format}, {upto} bytes");
            assert_eq!(log.0.take(), expected, "{format}, {upto} bytes");
        }
    }
}

/// Panics at one of the questions that it is asked, whichever clone is asked.
#[derive(Clone)]
struct PanicsAt(Drawn, Arc<AtomicUsize>);

impl PanicsAt {
    fn count(&self) {
        let left = self.1.fetch_sub(1, Ordering::Relaxed);
        assert!(left != 0, "a policy that panics");
    }
}

impl Policy for PanicsAt {
    fn assertion(&mut self, question: &Question<'_>) -> Action {
        self.count();
        self.0.assertion(question)
    }

    fn unannotated(&mut self) -> Unannotated {
        self.count();
        self.0.unannotated()
    }
}

#[test]
fn after_a_panic_at_any_question_nothing_more_is_released() {
    let mut panicked = 0;
    for format in Format::ALL {
        for seed in 0..RESPONSES {
            let input = stream(format, seed);
            let expected = expected((format, Parser::new()), &input, seed);
            for left in 0.. {
                let policy = PanicsAt(Drawn(seed), Arc::new(AtomicUsize::new(left)));
                let log = Log::default();
                let chunks: Vec<_> = input
                    .chunks(90)
                    .map(Bytes::copy_from_slice)
                    .map(io::Result::Ok)
                    .collect();
                let gate = StreamGate::new(format, Parser::new(), policy);
                let mut events =
                    WireGateStream::new(futures_util::stream::iter(chunks), gate, log.clone());
                let mut cx = Context::from_waker(Waker::noop());
                let mut out = Vec::new();
                let mut has_panicked = false;
                // It is polled on after the panic.
                loop {
                    let poll = AssertUnwindSafe(|| events.poll_next_unpin(&mut cx));
                    match catch_unwind(poll) {
                        Ok(Poll::Ready(Some(Ok(bytes)))) => out.extend_from_slice(&bytes),
                        Ok(Poll::Ready(None)) => break,
                        Ok(_) => unreachable!("neither waits nor errors"),
                        Err(_) => has_panicked = true,
                    }
                }
                drop(events);
                let given = log.0.take();
                let label = format!("{format}, seed {seed}, after {left}");
                assert!(expected.bytes.starts_with(&given.bytes), "{label}");
                assert!(expected.lines.starts_with(&given.lines), "{label}");
                assert!(expected.removed.starts_with(&given.removed), "{label}");
                assert!(given.bytes.starts_with(&out), "{label}");
                // At most once: not at all if it panics while it finishes.
                assert!(given.ends <= 1, "{label}");
                panicked += u64::from(has_panicked);
                if !has_panicked {
                    break;
                }
            }
        }
    }
    assert!(panicked > 60, "{panicked}");
}
