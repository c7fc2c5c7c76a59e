//! Streams: events and text are those of the parser and the rewriter, whatever the stream inside does, and whenever a
//! future is dropped.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::stream::{self, FusedStream, Stream, StreamExt};
use provstream::Parser;
use provstream::io::TextStream;
use testkit::script::{ANSWER, Keeper, SIZES, Script, Step, cases, rewritten};

/// All items of a stream. Its future of the next item is polled anew where it waits, or dropped for another one if
/// `drops` says so, which is given the number of polls of this future and of all.
fn items<S: Stream + Unpin>(
    stream: &mut S,
    drops: impl Fn(usize, usize) -> bool,
) -> (Vec<S::Item>, usize) {
    let mut cx = Context::from_waker(Waker::noop());
    let mut items = Vec::new();
    let mut all = 0;
    loop {
        // One that is never polled changes nothing either.
        drop(stream.next());
        let mut next = stream.next();
        let mut own = 0;
        let item = loop {
            match Pin::new(&mut next).poll(&mut cx) {
                Poll::Ready(item) => break item,
                Poll::Pending => {}
            }
            (own, all) = (own + 1, all + 1);
            assert!(all < 1_000_000, "no end in sight");
            if drops(own, all) {
                drop(next);
                next = stream.next();
                own = 0;
            }
        };
        match item {
            Some(item) => items.push(item),
            None => return (items, all),
        }
    }
}

/// All items, nothing dropped.
fn all<S: Stream + Unpin>(stream: &mut S) -> Vec<S::Item> {
    items(stream, |_, _| false).0
}

/// The text of the items, and the errors.
fn text(items: Vec<Result<Bytes, ErrorKind>>) -> (Vec<u8>, Vec<ErrorKind>) {
    let mut text = Vec::new();
    let mut errors = Vec::new();
    for item in items {
        match item {
            Ok(piece) => {
                assert!(!piece.is_empty(), "an item of nothing");
                text.extend_from_slice(&piece);
            }
            Err(error) => errors.push(error),
        }
    }
    (text, errors)
}

/// Returns the steps to insert before each chunk: none, or waits and empty chunks.
fn interludes() -> [Vec<Step>; 2] {
    let empty = Step::Give(Vec::new());
    [vec![], vec![Step::Wait, empty, Step::Wait]]
}

#[test]
fn a_stream_gives_the_text_of_the_rewriter() {
    for case in cases() {
        let (expected, keeper) = rewritten(case.parser(), &case.input);
        for size in SIZES {
            for before in interludes() {
                let script = Script::of(case.chunks(size), &before);
                let mut stream = TextStream::new(script, case.parser(), Keeper::default());
                let (text, errors) = text(all(&mut stream));
                assert_eq!(text, expected, "{} by {size}", case.name);
                assert_eq!(errors, [], "{} by {size}", case.name);
                assert_eq!(stream.handler(), &keeper, "{} by {size}", case.name);
            }
        }
    }
}

/// Polled at every point, dropped after each number of polls, and at each single point: the same items.
#[test]
fn a_future_dropped_at_any_await_loses_and_repeats_nothing() {
    let fail = Step::Fail(ErrorKind::ConnectionReset);
    let before = [Step::Wait, Step::Wait, Step::Wait];
    for size in [1, 3, 16, usize::MAX] {
        let calm = Script::of(ANSWER.chunks(size), &before);
        let script = || Script::new(calm.steps().chain([&fail]).cloned());
        let text_stream = || TextStream::new(script(), Parser::new(), Keeper::default());
        let mut whole = text_stream();
        let (texts, points) = items(&mut whole, |_, _| false);
        assert_eq!(points, 3 * (ANSWER.chunks(size).count() + 1));
        let keeper = whole.handler();
        for polls in 1..=4 {
            let mut stream = text_stream();
            let found = items(&mut stream, |own, _| own == polls).0;
            assert_eq!(found, texts, "dropped after {polls} polls, by {size}");
            assert_eq!(stream.handler(), keeper);
        }
        for point in 1..=points {
            let mut stream = text_stream();
            let found = items(&mut stream, |_, all| all == point).0;
            assert_eq!(found, texts, "dropped at {point}, by {size}");
            assert_eq!(stream.handler(), keeper);
        }
    }
}

#[test]
fn an_error_comes_after_what_was_held_back_and_ends_the_stream() {
    let steps = || {
        [
            Step::Give(b"It is so. [substrate.grep] And then [".to_vec()),
            Step::Fail(ErrorKind::TimedOut),
            Step::Give(b" more".to_vec()),
        ]
    };
    let mut stream = TextStream::new(Script::new(steps()), Parser::new(), ());
    let items = all(&mut stream);
    let expected: [Result<Bytes, ErrorKind>; 3] = [
        Ok("It is so. And then".into()),
        Ok(" [".into()),
        Err(ErrorKind::TimedOut),
    ];
    assert_eq!(items, expected);
    assert_eq!(stream.get_ref().asked, 2, "not after the error");
    assert!(stream.is_terminated());
    assert_eq!(all(&mut stream), []);
}

#[test]
fn the_stream_inside_is_asked_only_when_all_items_are_taken() {
    let mut cx = Context::from_waker(Waker::noop());
    let mut stream = TextStream::new(Script::of(ANSWER.chunks(60), &[]), Parser::new(), ());
    let mut taken = 0;
    while let Poll::Ready(Some(_)) = stream.poll_next_unpin(&mut cx) {
        taken += 1;
        assert!(stream.get_ref().asked >= taken, "one item a chunk at most");
    }
}

#[test]
fn texts_share_the_memory_of_their_chunk() {
    let plain = Bytes::from("Plain words. [1] \n".to_owned());
    let source = stream::iter([Ok::<_, ErrorKind>(plain.clone()), Ok("and".into())]);
    let items: Vec<Bytes> = all(&mut TextStream::new(source, Parser::new(), ()))
        .into_iter()
        .map(|item| item.expect("no error"))
        .collect();
    // White space that an annotation would remove waits, and is joined to what follows.
    assert_eq!(items, ["Plain words. [1]", " \nand"]);
    assert_eq!(items[0].as_ptr(), plain.as_ptr());
}

#[test]
fn chunks_may_be_all_that_becomes_bytes() {
    fn length<B: Into<Bytes> + Unpin>(chunks: Vec<B>) -> usize {
        let source = stream::iter(chunks.into_iter().map(Ok::<_, ErrorKind>));
        text(all(&mut TextStream::new(source, Parser::new(), ())))
            .0
            .len()
    }
    assert_eq!(length(vec!["ab", "c"]), 3);
    assert_eq!(length(vec!["ab".to_owned()]), 2);
    assert_eq!(length(vec![vec![b'a']]), 1);
    assert_eq!(length(vec![Bytes::from("ab")]), 2);
}

#[test]
fn adapters_can_be_sent_and_moved() {
    fn common<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    common::<TextStream<Script, ErrorKind, Keeper>>();
}
