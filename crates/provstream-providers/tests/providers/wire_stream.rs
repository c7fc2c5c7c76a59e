//! The event stream that a stream of chunks gives is that of the rewriter, whatever the stream inside does, and whenever a
//! future is dropped.

use std::fs;
use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::stream::{FusedStream, Stream, StreamExt};
use provstream::{BracketAnnotation, Event, Handler, Parser, Replacement, TextChunk};
use provstream_providers::{
    Channel, ChannelPosition, Format, Item, ReadReport, StreamHandler, StreamRewriter, WireStream,
};
use testkit::script::{SIZES, Script, Step};

/// Keeps what it is told.
#[derive(Debug, Default, PartialEq)]
struct Keeper {
    bytes: Vec<u8>,
    channel: Channel,
    ends: usize,
    text: Vec<(Channel, u8)>,
    annotations: usize,
    events: Vec<(Channel, provstream::OwnedEvent)>,
    items: Vec<String>,
}

impl Handler for Keeper {
    fn text(&mut self, text: TextChunk<'_>) {
        let channel = self.channel;
        self.text
            .extend(text.bytes().iter().map(|&byte| (channel, byte)));
    }

    fn annotation(&mut self, _: &BracketAnnotation<'_>) -> Replacement {
        self.annotations += 1;
        match self.annotations % 3 {
            0 => Replacement::Keep,
            1 => Replacement::Remove,
            _ => Replacement::from(" (*)"),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.events.push((self.channel, event.into_owned()));
    }

    fn end(&mut self) {
        self.ends += 1;
    }
}

impl StreamHandler for Keeper {
    fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn channel(&mut self, position: ChannelPosition) {
        self.channel = position.channel;
    }

    fn item(&mut self, item: Item<'_>) {
        self.items.push(format!("{item:?}"));
    }
}

/// The streams of the corpus, by name.
fn streams() -> Vec<(String, Vec<u8>)> {
    let folder = testkit::root().join("corpus/wire");
    let mut streams = Vec::new();
    for entry in fs::read_dir(folder).expect("a corpus folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.display().to_string();
        if !name.ends_with(".text.json") {
            streams.push((name, fs::read(path).expect("a readable stream")));
        }
    }
    assert!(streams.len() > 15, "{} streams", streams.len());
    streams
}

fn rewriter() -> StreamRewriter {
    StreamRewriter::detect(Parser::new())
}

/// Reports of the rewriter about the whole stream.
fn expected(input: &[u8]) -> Keeper {
    let mut keeper = Keeper::default();
    let mut rewriter = rewriter();
    rewriter.push(input, &mut keeper);
    rewriter.finish(&mut keeper);
    keeper
}

/// All bytes, none of them in an empty item, and the errors; a future of the next item that has to wait is dropped after
/// this many polls.
fn all<S>(stream: &mut S, polls: usize) -> (Vec<u8>, usize)
where
    S: Stream<Item = Result<Bytes, ErrorKind>> + Unpin,
{
    let mut cx = Context::from_waker(Waker::noop());
    let (mut bytes, mut errors) = (Vec::new(), 0);
    loop {
        drop(stream.next());
        let mut next = stream.next();
        let item = (0..polls).find_map(|_| match Pin::new(&mut next).poll(&mut cx) {
            Poll::Ready(item) => Some(item),
            Poll::Pending => None,
        });
        match item {
            Some(Some(Ok(item))) => {
                assert!(!item.is_empty());
                bytes.extend_from_slice(&item);
            }
            Some(Some(Err(_))) => errors += 1,
            Some(None) => return (bytes, errors),
            None => {}
        }
    }
}

#[test]
fn a_stream_gives_the_event_stream_of_the_rewriter_whenever_its_futures_are_dropped() {
    for (name, input) in streams() {
        let expected = expected(&input);
        for size in SIZES {
            for before in [vec![], vec![Step::Wait, Step::Wait, Step::Wait]] {
                for polls in [1, 2, usize::MAX] {
                    let script = Script::of(input.chunks(size), &before);
                    let mut stream = WireStream::new(script, rewriter(), Keeper::default());
                    let (bytes, errors) = all(&mut stream, polls);
                    assert_eq!(bytes, expected.bytes, "{name} by {size}");
                    assert_eq!(errors, 0, "{name} by {size}");
                    // It is not asked after its end: the script would panic.
                    assert!(stream.is_terminated());
                    assert_eq!(all(&mut stream, 1), (Vec::new(), 0));
                    assert_eq!(*stream.handler(), expected, "{name} by {size}");
                }
            }
        }
    }
}

#[test]
fn what_was_held_back_comes_before_the_first_error_and_the_handler_gets_the_end() {
    for (name, input) in streams() {
        for size in SIZES {
            for count in [0, 1, 3, input.chunks(size).count()] {
                let before = || input.chunks(size).take(count);
                let read: Vec<u8> = before().flatten().copied().collect();
                let expected = expected(&read);
                let steps = before().map(|chunk| Step::Give(chunk.to_vec()));
                let script = Script::new(steps.chain([Step::Fail(ErrorKind::TimedOut)]));
                let mut stream = WireStream::new(script, rewriter(), Keeper::default());
                let what = format!("{name}, {count} of {size}");
                let (bytes, errors) = all(&mut stream, 1);
                assert_eq!((bytes, errors), (expected.bytes.clone(), 1), "{what}");
                assert!(stream.is_terminated());
                assert_eq!(*stream.handler(), expected, "{what}");
            }
        }
    }
}

#[test]
fn a_handler_gets_the_end_of_a_stream_that_is_dropped() {
    let (_, input) = streams().remove(0);
    let middle = &input[..input.len() / 2];
    for is_polled in [false, true] {
        let mut keeper = Keeper::default();
        let script = Script::new([Step::Give(middle.to_vec()), Step::Wait]);
        let mut stream = WireStream::new(script, rewriter(), &mut keeper);
        if is_polled {
            let _ = stream.poll_next_unpin(&mut Context::from_waker(Waker::noop()));
        }
        drop(stream);
        let read = if is_polled { middle } else { b"" };
        assert_eq!(keeper, expected(read));
    }
}

#[test]
fn a_handler_that_panics_is_not_called_again() {
    struct Panics(std::rc::Rc<std::cell::Cell<usize>>);
    impl Handler for Panics {
        fn text(&mut self, _: TextChunk<'_>) {
            self.0.set(self.0.get() + 1);
            panic!("a handler of the test");
        }

        fn end(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    impl StreamHandler for Panics {}

    let calls = std::rc::Rc::new(std::cell::Cell::new(0));
    let script = Script::new([Step::Give(TWO.into())]);
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let mut stream = WireStream::new(script, rewriter, Panics(calls.clone()));
    let mut poll = || stream.poll_next_unpin(&mut Context::from_waker(Waker::noop()));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut poll));
    assert!(caught.is_err());
    drop(stream);
    assert_eq!(calls.get(), 1);
}

const ONE: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"So. [substrate\"}}]}\n\n";
const TWO: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\".grep] Yes.\"}}]}\n\n";

#[test]
fn the_stream_inside_is_asked_for_one_chunk_at_a_time_and_an_error_overtakes_nothing() {
    let script = Script::new([
        Step::Give(ONE.into()),
        Step::Give(TWO.into()),
        Step::Give("data: ".into()),
        Step::Fail(ErrorKind::TimedOut),
    ]);
    let rewriter = StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let mut stream = WireStream::new(script, rewriter, |_: &[u8]| {});
    let mut cx = Context::from_waker(Waker::noop());
    let wanted = [
        Some(Ok(ONE.replace(" [substrate", "").into())),
        Some(Ok(TWO.replace(".grep]", "").into())),
        // What was held, at the end.
        Some(Ok("data: ".into())),
        Some(Err(ErrorKind::TimedOut)),
        None,
    ];
    for (place, item) in wanted.into_iter().enumerate() {
        assert!(!stream.is_terminated());
        assert_eq!(stream.poll_next_unpin(&mut cx), Poll::Ready(item));
        let asked = stream.get_ref().asked;
        assert!(asked <= place + 2, "{asked} at {place}");
    }
    assert!(stream.is_terminated());
    assert_eq!(stream.rewriter().format(), Some(Format::OpenAiChat));
}

/// A web framework keeps stream and handler, so what is known at the end comes from the handler.
#[tokio::test]
async fn the_handler_gets_the_report() {
    struct Reported(Option<ReadReport>);

    impl Handler for Reported {
        fn end(&mut self) {
            assert!(self.0.is_some(), "the report comes before the end");
        }
    }

    impl StreamHandler for Reported {
        fn report(&mut self, report: &ReadReport) {
            assert!(self.0.replace(report.clone()).is_none());
        }
    }

    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"It is so. [substrate.grep]\"}}]}\n\ndata: {oh\n\n";
    let chunks = || futures_util::stream::iter([Ok::<_, ErrorKind>(Bytes::from(body))]);
    let rewriter = || StreamRewriter::new(Format::OpenAiChat, Parser::new());
    let mut handler = Reported(None);
    let mut stream = WireStream::new(chunks(), rewriter(), &mut handler);
    while stream.next().await.is_some() {}
    drop(stream);
    let report = handler.0.expect("the stream ended");
    assert!(!report.is_complete() && report.text_bytes() == 26);
}
