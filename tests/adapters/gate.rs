//! Gates in readers, writers and streams: errors at any byte, and dropping at any place.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::Stream;
use provstream::io::{GateReader, GateStream, GateWriter};
use provstream::{Action, Gate, GateHandler, Handler, Parser, Policy, Question, TextChunk};
use testkit::gate::naive::Drawn;
use testkit::gate::pieces::short;
use tokio::io::{AsyncRead, ReadBuf};

/// Inputs that are read with an error at each of their bytes.
const INPUTS: u64 = 120;

/// Output and events of a gate, kept after the adapter is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Given {
    text: Vec<u8>,
    removed: Vec<u8>,
    decided: Vec<String>,
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
        self.0.borrow_mut().decided.push(line);
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

/// Gives its bytes in pieces, with waits in between, and then an error.
struct Broken<'a> {
    bytes: &'a [u8],
    piece: usize,
    waits: bool,
    failed: bool,
}

impl<'a> Broken<'a> {
    fn new(bytes: &'a [u8], piece: usize) -> Self {
        Self {
            bytes,
            piece,
            waits: false,
            failed: false,
        }
    }

    fn next(&mut self) -> io::Result<&'a [u8]> {
        if self.bytes.is_empty() {
            assert!(!self.failed, "read after the error");
            self.failed = true;
            return Err(io::Error::other("broken"));
        }
        let (now, later) = self.bytes.split_at(self.piece.min(self.bytes.len()));
        self.bytes = later;
        Ok(now)
    }
}

impl Read for Broken<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.next()?;
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

impl AsyncRead for Broken<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.waits = !self.waits;
        if self.waits {
            return Poll::Pending;
        }
        Poll::Ready(self.next().map(|piece| buffer.put_slice(piece)))
    }
}

impl Stream for Broken<'_> {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.waits = !self.waits;
        if self.waits {
            return Poll::Pending;
        }
        Poll::Ready(Some(self.next().map(Bytes::copy_from_slice)))
    }
}

/// The inputs, as free text of the model.
fn inputs() -> impl Iterator<Item = (u64, Vec<u8>)> {
    (0..testkit::search::seeds(INPUTS)).map(|seed| {
        let segments = short(seed, 12).input;
        (
            seed,
            segments
                .into_iter()
                .flat_map(|segment| segment.bytes)
                .collect(),
        )
    })
}

/// Checks what was read up to an error; a gate that the policy ended need not meet it.
fn check(found: (Vec<u8>, bool), log: Log, text: &[u8], seed: u64) {
    let expected = expected(text, seed);
    assert_eq!(
        found.0,
        expected.text,
        "seed {seed}: {}",
        text.escape_ascii()
    );
    let mut gate = Gate::new(Parser::new(), Drawn(seed));
    gate.push(text, ());
    assert_eq!(found.1, gate.ended().is_none(), "the error is reported");
    assert_eq!(
        log.0.take(),
        expected,
        "seed {seed}: {}",
        text.escape_ascii()
    );
}

#[test]
fn what_is_certain_comes_before_an_error_at_any_byte() {
    for (seed, text) in inputs() {
        for upto in 0..=text.len() {
            let text = &text[..upto];
            let gate = || Gate::new(Parser::new(), Drawn(seed));
            let piece = 1 + (seed as usize + upto) % 9;

            let log = Log::default();
            let mut reader = GateReader::new(Broken::new(text, piece), gate(), log.clone());
            let mut out = Vec::new();
            let failed = reader.read_to_end(&mut out).is_err();
            assert_eq!(Read::read(&mut reader, &mut [0]).expect("the end"), 0);
            drop(reader);
            check((out, failed), log, text, seed);

            let log = Log::default();
            let reader = GateReader::new(Broken::new(text, piece), gate(), log.clone());
            check(poll_reader(reader), log, text, seed);

            let log = Log::default();
            let stream = GateStream::new(Broken::new(text, piece), gate(), log.clone());
            check(poll_stream(stream), log, text, seed);
        }
    }
}

fn poll_reader(mut reader: GateReader<Broken<'_>, Drawn, Log>) -> (Vec<u8>, bool) {
    let mut cx = Context::from_waker(Waker::noop());
    let (mut out, mut failed) = (Vec::new(), false);
    loop {
        let mut room = [0; 7];
        let mut room = ReadBuf::new(&mut room);
        match Pin::new(&mut reader).poll_read(&mut cx, &mut room) {
            Poll::Pending => {}
            Poll::Ready(Ok(())) if room.filled().is_empty() => return (out, failed),
            Poll::Ready(Ok(())) => out.extend_from_slice(room.filled()),
            Poll::Ready(Err(_)) => failed = true,
        }
    }
}

fn poll_stream(mut stream: GateStream<Broken<'_>, io::Error, Drawn, Log>) -> (Vec<u8>, bool) {
    let mut cx = Context::from_waker(Waker::noop());
    let (mut out, mut failed) = (Vec::new(), false);
    loop {
        match Pin::new(&mut stream).poll_next(&mut cx) {
            Poll::Pending => {}
            Poll::Ready(None) => return (out, failed),
            Poll::Ready(Some(Ok(text))) => out.extend_from_slice(&text),
            Poll::Ready(Some(Err(_))) => failed = true,
        }
    }
}

#[test]
fn dropping_an_adapter_at_any_place_gives_the_handler_all_decisions() {
    for (seed, text) in inputs() {
        for upto in 0..=text.len() {
            let text = &text[..upto];
            let gate = || Gate::new(Parser::new(), Drawn(seed));
            let expected = expected(text, seed);

            let log = Log::default();
            let mut written = Vec::new();
            let mut writer = GateWriter::new(&mut written, gate(), log.clone());
            for piece in text.chunks(3) {
                writer.write_all(piece).expect("a vector takes all");
            }
            drop(writer);
            assert_eq!(written, expected.text, "seed {seed}");
            assert_eq!(log.0.take(), expected, "seed {seed}");

            // Dropped at a wait, when all was read.
            let log = Log::default();
            let mut stream = GateStream::new(Broken::new(text, 5), gate(), log.clone());
            let mut cx = Context::from_waker(Waker::noop());
            while stream_has_more(&mut stream, &mut cx, text.len()) {}
            drop(stream);
            assert_eq!(log.0.take(), expected, "seed {seed}");
        }
    }
}

/// Polls until all bytes are read, and not further.
fn stream_has_more(
    stream: &mut GateStream<Broken<'_>, io::Error, Drawn, Log>,
    cx: &mut Context<'_>,
    len: usize,
) -> bool {
    if stream.gate().ended().is_some() || stream.position() == len as u64 {
        return false;
    }
    let _ = Pin::new(stream).poll_next(cx);
    true
}

/// Panics at the second assertion.
struct Panics(usize);

impl Policy for Panics {
    fn assertion(&mut self, _: &Question<'_>) -> Action {
        self.0 += 1;
        assert!(self.0 < 2, "a policy that panics");
        Action::Release
    }
}

#[test]
fn a_writer_whose_policy_panics_writes_only_what_was_decided() {
    let mut written = Vec::new();
    let mut writer = GateWriter::new(&mut written, Gate::new(Parser::new(), Panics(0)), ());
    writer
        .write_all(b"One. [substrate.grep] Two.")
        .expect("a vector takes all");
    let write = AssertUnwindSafe(|| writer.write_all(b" [substrate.grep] Three"));
    assert!(catch_unwind(write).is_err());
    drop(writer);
    assert_eq!(written, b"One. ");
}
