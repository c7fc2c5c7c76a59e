//! Scripted readers and streams for tests of the I/O adapters, with the output expected of the
//! adapters.
use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use tokio::io::{AsyncRead, ReadBuf};

use provstream::{
    BracketAnnotation, Event, Handler, JsonRecord, Mode, Parser, Replacement, Rewriter, TextChunk,
};

/// Chunk sizes in which every case is read, in bytes; the last one stands for a single chunk.
pub const SIZES: [usize; 6] = [1, 2, 7, 16, 64, usize::MAX];

/// Annotated text with constructs that span chunks: a bracket that is no annotation, white space,
/// assertions in both encodings.
pub const ANSWER: &[u8] =
    b"It is [so \n [substrate.grep; ts=2026-05-28T11:40:00Z] \n[substrate.git.log]. And \
      [substrate.code.read; ts=x] {\"assertion\": \"It runs.\"} [substrate.grep] Then\xff it [substrate.";

/// A named input with a parser configured for it.
pub struct Case {
    pub name: String,
    pub input: Vec<u8>,
    parser: Parser,
}

impl Case {
    /// Clones the parser, which is at the start of its stream.
    pub fn parser(&self) -> Parser {
        self.parser.clone()
    }

    /// Iterates over the input in chunks of `size` bytes.
    pub fn chunks(&self, size: usize) -> impl Iterator<Item = &[u8]> {
        self.input.chunks(size)
    }
}

/// Collects the inputs of the corpus and a few more.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![Case {
        name: "the answer".to_owned(),
        input: ANSWER.to_vec(),
        parser: Parser::new(),
    }];
    let held = Parser::builder().hold_records(true);
    cases.push(Case {
        name: "held records".to_owned(),
        input: b"So: {\"assertion\": \"It runs.\"} and {\"a\": 1} {\"assertion\":".to_vec(),
        parser: held.build(),
    });
    cases.push(Case {
        name: "longer than a piece".to_owned(),
        input: "It is so. [substrate.grep] Words \n\n"
            .repeat(900)
            .into_bytes(),
        parser: Parser::new(),
    });
    for folder in ["text", "json", "transcripts"] {
        let root = crate::root().join("corpus").join(folder);
        for entry in fs::read_dir(root).expect("a corpus folder") {
            let path = entry.expect("a readable entry").path();
            let mode = match path.extension().and_then(|end| end.to_str()) {
                Some("txt") if folder == "json" => Mode::Auto,
                Some("txt") => Mode::Text,
                Some("json") => Mode::Json,
                Some("lines") => Mode::Ndjson,
                _ => continue,
            };
            cases.push(Case {
                name: path.display().to_string(),
                input: fs::read(&path).expect("a readable case"),
                parser: Parser::builder().mode(mode).build(),
            });
        }
    }
    assert!(cases.len() > 150, "{} cases", cases.len());
    cases
}

/// Events of a stream in a form that does not depend on the chunking.
#[derive(Debug, Default, PartialEq)]
pub struct Events {
    /// Contiguous text with its stream offset.
    texts: Vec<(u64, Vec<u8>)>,
    /// All events other than text, in order.
    pub others: Vec<provstream::OwnedEvent>,
}

impl Events {
    /// Appends an event, joining contiguous text.
    pub fn take(&mut self, event: provstream::OwnedEvent) {
        let Event::Text(text) = event else {
            self.others.push(event);
            return;
        };
        assert!(!text.bytes().is_empty(), "a text of nothing");
        match self.texts.last_mut() {
            Some((start, bytes)) if *start + bytes.len() as u64 == text.span().start() => {
                bytes.extend_from_slice(text.bytes());
            }
            _ => self
                .texts
                .push((text.span().start(), text.bytes().to_vec())),
        }
    }

    /// Collects the events of a parser for an input.
    pub fn of(mut parser: Parser, input: &[u8]) -> Self {
        let mut events = Self::default();
        parser.push(input, |event: Event<'_>| events.take(event.into_owned()));
        parser.finish(|event: Event<'_>| events.take(event.into_owned()));
        events
    }
}

/// A handler that keeps, removes or replaces annotations by turns, and records all events but text.
#[derive(Debug, Default, PartialEq)]
pub struct Keeper {
    pub events: Vec<provstream::OwnedEvent>,
    pub ends: usize,
}

impl Handler for Keeper {
    fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
        self.events
            .push(Event::Annotation(*annotation).into_owned());
        match self.events.len() % 3 {
            0 => Replacement::Keep,
            1 => Replacement::Remove,
            _ => Replacement::from(" (*)"),
        }
    }

    fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
        self.events.push(Event::Record(*record).into_owned());
        Replacement::from("{}")
    }

    fn event(&mut self, event: Event<'_>) {
        self.events.push(event.into_owned());
    }

    fn end(&mut self) {
        self.ends += 1;
    }
}

/// Rewrites an input with a [`Keeper`] and returns the output and the keeper.
pub fn rewritten(parser: Parser, input: &[u8]) -> (Vec<u8>, Keeper) {
    struct Both(Vec<u8>, Keeper);
    impl Handler for Both {
        fn text(&mut self, text: TextChunk<'_>) {
            self.0.extend_from_slice(text.bytes());
        }
        fn annotation(&mut self, annotation: &BracketAnnotation<'_>) -> Replacement {
            self.1.annotation(annotation)
        }
        fn record(&mut self, record: &JsonRecord<'_>) -> Replacement {
            self.1.record(record)
        }
        fn event(&mut self, event: Event<'_>) {
            self.1.event(event);
        }
        fn end(&mut self) {
            self.1.end();
        }
    }
    let mut both = Both(Vec::new(), Keeper::default());
    let mut rewriter = Rewriter::new(parser);
    rewriter.push(input, &mut both);
    rewriter.finish(&mut both);
    (both.0, both.1)
}

/// Removes all annotations and records from an input and returns the remaining text.
pub fn stripped(parser: Parser, input: &[u8]) -> Vec<u8> {
    let mut clean = Vec::new();
    let mut rewriter = Rewriter::new(parser);
    let mut sink = |event: Event<'_>| {
        if let Event::Text(text) = event {
            clean.extend_from_slice(text.bytes());
        }
    };
    rewriter.push(input, &mut sink);
    rewriter.finish(&mut sink);
    clean
}

/// Next action of a scripted reader or stream.
#[derive(Clone, Debug)]
pub enum Step {
    /// Yields the bytes.
    Give(Vec<u8>),
    /// Fails with an error of this kind.
    Fail(ErrorKind),
    /// Is not ready; an asynchronous script wakes the task at once.
    Wait,
}

/// Steps followed by the end of the stream. Reading again after the end fails the test.
#[derive(Debug)]
pub struct Script {
    steps: VecDeque<Step>,
    /// End of the stream was reported.
    pub ended: bool,
    /// Number of steps requested.
    pub asked: usize,
    /// Number of [`Step::Wait`] steps taken.
    pub waited: usize,
    /// Number of bytes yielded.
    pub given: usize,
}

impl Script {
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            ended: false,
            asked: 0,
            waited: 0,
            given: 0,
        }
    }

    /// Builds a script of the chunks, with the steps `before` in front of each chunk and of the
    /// end.
    pub fn of<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, before: &[Step]) -> Self {
        let mut steps = Vec::new();
        for chunk in chunks {
            steps.extend_from_slice(before);
            steps.push(Step::Give(chunk.to_vec()));
        }
        steps.extend_from_slice(before);
        Self::new(steps)
    }

    /// Takes the next step; returns `None` at the end.
    pub fn next_step(&mut self) -> Option<Step> {
        self.asked += 1;
        let step = self.steps.pop_front();
        if step.is_none() {
            assert!(!self.ended, "asked behind the end");
            self.ended = true;
        }
        match &step {
            Some(Step::Give(bytes)) => self.given += bytes.len(),
            Some(Step::Wait) => self.waited += 1,
            _ => {}
        }
        step
    }

    /// Iterates over the steps not yet taken.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter()
    }

    /// Returns bytes that the reader had no room for.
    pub fn put_back(&mut self, rest: &[u8]) {
        if !rest.is_empty() {
            self.given -= rest.len();
            self.steps.push_front(Step::Give(rest.to_vec()));
        }
    }
}

impl Read for Script {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        match self.next_step() {
            Some(Step::Give(bytes)) => {
                let taken = bytes.len().min(room.len());
                room[..taken].copy_from_slice(&bytes[..taken]);
                self.put_back(&bytes[taken..]);
                Ok(taken)
            }
            Some(Step::Fail(kind)) => Err(kind.into()),
            Some(Step::Wait) => Err(ErrorKind::WouldBlock.into()),
            None => Ok(0),
        }
    }
}

impl Stream for Script {
    type Item = Result<Bytes, ErrorKind>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let step = match self.get_mut().next_step() {
            Some(Step::Give(bytes)) => Some(Ok(bytes.into())),
            Some(Step::Fail(kind)) => Some(Err(kind)),
            Some(Step::Wait) => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            None => None,
        };
        Poll::Ready(step)
    }
}

impl AsyncRead for Script {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        room: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let script = self.get_mut();
        match script.next_step() {
            Some(Step::Give(bytes)) => {
                let taken = bytes.len().min(room.remaining());
                room.put_slice(&bytes[..taken]);
                script.put_back(&bytes[taken..]);
            }
            Some(Step::Fail(kind)) => return Poll::Ready(Err(kind.into())),
            Some(Step::Wait) => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            None => {}
        }
        Poll::Ready(Ok(()))
    }
}
