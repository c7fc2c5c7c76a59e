//! Streams: events and text are those of the parser and the rewriter, whatever the stream inside does, and whenever a
//! future is dropped.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use futures_util::stream::{self, FusedStream, Stream, StreamExt};
use provstream::io::{EventStream, SideEvents, SideItem, SideSink, TextStream, side_events};
use provstream::{Event, Parser};
use testkit::script::{ANSWER, Events, Keeper, SIZES, Script, Step, cases, rewritten, stripped};

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

/// The events among the items, and the errors.
fn events(items: Vec<Result<provstream::OwnedEvent, ErrorKind>>) -> (Events, Vec<ErrorKind>) {
    let mut events = Events::default();
    let mut errors = Vec::new();
    for item in items {
        match item {
            Ok(event) => events.take(event),
            Err(error) => errors.push(error),
        }
    }
    (events, errors)
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

/// What comes before each chunk: nothing, or waits and empty chunks.
fn interludes() -> [Vec<Step>; 2] {
    let empty = Step::Give(Vec::new());
    [vec![], vec![Step::Wait, empty, Step::Wait]]
}

#[test]
fn a_stream_gives_the_events_of_the_parser() {
    for case in cases() {
        let expected = Events::of(case.parser(), &case.input);
        for size in SIZES {
            for before in interludes() {
                let script = Script::of(case.chunks(size), &before);
                let mut stream = EventStream::new(script, case.parser());
                let (events, errors) = events(all(&mut stream));
                assert_eq!(events, expected, "{} by {size}", case.name);
                assert_eq!(errors, [], "{} by {size}", case.name);
            }
        }
    }
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
        let event_stream = || EventStream::new(script(), Parser::new());
        let text_stream = || TextStream::new(script(), Parser::new(), Keeper::default());
        let (expected, points) = items(&mut event_stream(), |_, _| false);
        assert_eq!(points, 3 * (ANSWER.chunks(size).count() + 1));
        let mut whole = text_stream();
        let texts = items(&mut whole, |_, _| false).0;
        let keeper = whole.handler();
        for polls in 1..=4 {
            let found = items(&mut event_stream(), |own, _| own == polls).0;
            assert_eq!(found, expected, "dropped after {polls} polls, by {size}");
            let mut stream = text_stream();
            let found = items(&mut stream, |own, _| own == polls).0;
            assert_eq!(found, texts, "dropped after {polls} polls, by {size}");
            assert_eq!(stream.handler(), keeper);
        }
        for point in 1..=points {
            let found = items(&mut event_stream(), |_, all| all == point).0;
            assert_eq!(found, expected, "dropped at {point}, by {size}");
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
    let mut stream = EventStream::new(Script::new(steps()), Parser::new());
    assert!(!stream.is_terminated());
    let items = all(&mut stream);
    let kinds: Vec<&str> = items
        .iter()
        .map(|item| match item {
            Ok(Event::Text(_)) => "text",
            Ok(Event::Annotation(_)) => "annotation",
            Ok(Event::Assertion(_)) => "assertion",
            Err(_) => "error",
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = ["text", "annotation", "assertion", "text", "text", "error"];
    assert_eq!(kinds, expected);
    assert_eq!(stream.get_ref().asked, 2, "not after the error");
    assert!(stream.is_terminated());
    assert_eq!(all(&mut stream), []);

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
    let mut stream = EventStream::new(Script::of(ANSWER.chunks(60), &[]), Parser::new());
    let mut several = false;
    while let Poll::Ready(Some(_)) = stream.poll_next_unpin(&mut cx) {
        let asked = stream.get_ref().asked;
        assert!(stream.parser().position() as usize <= asked * 60);
        // Whatever of this chunk is left comes without asking.
        let mut waiting = stream.get_ref().asked;
        if let Poll::Ready(Some(_)) = stream.poll_next_unpin(&mut cx) {
            several |= waiting == stream.get_ref().asked;
            waiting = stream.get_ref().asked;
        }
        assert!(waiting <= asked + 2);
    }
    assert!(several, "some chunk has several events");
    assert_eq!(stream.get_ref().asked, ANSWER.chunks(60).count() + 1);

    let mut stream = TextStream::new(Script::of(ANSWER.chunks(60), &[]), Parser::new(), ());
    let mut taken = 0;
    while let Poll::Ready(Some(_)) = stream.poll_next_unpin(&mut cx) {
        taken += 1;
        assert!(stream.get_ref().asked >= taken, "one item a chunk at most");
    }
}

#[test]
fn texts_share_the_memory_of_their_chunk() {
    let chunk = Bytes::from("It is so. [substrate.grep] Really. [1".to_owned());
    let of = |text: &Bytes| {
        let at = text.as_ptr().addr().wrapping_sub(chunk.as_ptr().addr());
        (at < chunk.len()).then_some(at)
    };
    let source = || stream::iter([Ok::<_, ErrorKind>(chunk.clone())]);
    let mut places = Vec::new();
    for event in all(&mut EventStream::new(source(), Parser::new())) {
        if let Ok(Event::Text(text)) = event {
            places.push(of(&text.into_bytes()));
        }
    }
    assert_eq!(places, [Some(0), Some(26), None], "the last was held");

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

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// The items that are there.
fn there(events: &mut SideEvents) -> (Vec<SideItem>, bool) {
    let mut cx = Context::from_waker(Waker::noop());
    let mut items = Vec::new();
    loop {
        match events.poll_next_unpin(&mut cx) {
            Poll::Ready(Some(item)) => items.push(item),
            Poll::Ready(None) => return (items, true),
            Poll::Pending => return (items, false),
        }
    }
}

#[test]
fn events_come_on_the_side() {
    for case in cases() {
        let expected = Events::of(case.parser(), &case.input).others;
        let clean = stripped(case.parser(), &case.input);
        for size in SIZES {
            let (sink, mut side) = side_events(usize::MAX);
            let script = Script::of(case.chunks(size), &[Step::Wait]);
            let mut stream = TextStream::new(script, case.parser(), sink);
            assert_eq!(text(all(&mut stream)).0, clean, "{} by {size}", case.name);
            // The text has ended, though the sink is still there.
            let (items, ended) = there(&mut side);
            assert!(ended && side.is_terminated());
            let found: Vec<provstream::OwnedEvent> = items
                .into_iter()
                .map(|item| match item {
                    SideItem::Event(event) => event,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert_eq!(found, expected, "{} by {size}", case.name);
        }
    }
}

/// A text with six events on the side, and its chunks.
fn six() -> (Vec<provstream::OwnedEvent>, [Result<Bytes, ErrorKind>; 3]) {
    let chunk = "So. [substrate.grep] ";
    let events = Events::of(Parser::new(), chunk.repeat(3).as_bytes()).others;
    assert_eq!(events.len(), 6);
    (events, [chunk; 3].map(|chunk| Ok(chunk.into())))
}

#[test]
fn a_consumer_that_lags_is_told_how_many_of_the_oldest_are_lost() {
    let (expected, chunks) = six();
    for capacity in [0, 1, 2, 5, 6, 7] {
        let (sink, mut side) = side_events(capacity);
        let mut stream = TextStream::new(stream::iter(chunks.clone()), Parser::new(), sink);
        assert_eq!(text(all(&mut stream)).0, b"So. So. So. ");
        let (items, ended) = there(&mut side);
        assert!(ended);
        let kept = capacity.min(6);
        let mut wanted = Vec::new();
        if kept < 6 {
            wanted.push(SideItem::Lost(6 - kept as u64));
        }
        wanted.extend(expected[6 - kept..].iter().cloned().map(SideItem::Event));
        assert_eq!(items, wanted, "capacity {capacity}");
    }
}

#[test]
fn a_loss_is_told_with_the_next_item_and_counting_begins_anew() {
    let (expected, chunks) = six();
    let (sink, mut side) = side_events(1);
    let mut stream = TextStream::new(stream::iter(chunks), Parser::new(), sink);
    let mut cx = Context::from_waker(Waker::noop());
    let mut found = Vec::new();
    loop {
        let ended = matches!(stream.poll_next_unpin(&mut cx), Poll::Ready(None));
        found.push(there(&mut side));
        if ended {
            break;
        }
    }
    let event = |index: usize| SideItem::Event(expected[index].clone());
    // The first chunk has an annotation; each later one completes an assertion and has another.
    let wanted = [
        (vec![event(0)], false),
        (vec![SideItem::Lost(1), event(2)], false),
        (vec![SideItem::Lost(1), event(4)], false),
        // The end gives text as well: the white space that was held.
        (vec![event(5)], true),
        (vec![], true),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn the_text_never_waits_and_the_consumer_is_woken() {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut cx = Context::from_waker(&waker);
    let (sink, mut side) = side_events(2);
    let script = Script::new([
        Step::Give(b"Plain text.".to_vec()),
        Step::Give(b" [substrate.grep]".to_vec()),
    ]);
    let mut stream = TextStream::new(script, Parser::new(), sink);
    let count = || woken.0.load(Ordering::SeqCst);
    let mut text = Context::from_waker(Waker::noop());
    assert!(side.poll_next_unpin(&mut cx).is_pending());
    assert!(stream.poll_next_unpin(&mut text).is_ready());
    assert_eq!(count(), 0, "text is no event");
    assert!(stream.poll_next_unpin(&mut text).is_ready());
    assert!(count() > 0, "an annotation, then the assertion and the end");
    assert_eq!(there(&mut side).0.len(), 2);

    // The end alone wakes, too; so does dropping the stream in its midst.
    for end in [true, false] {
        let (sink, mut side) = side_events(2);
        let mut stream = TextStream::new(Script::new([]), Parser::new(), sink);
        let before = count();
        assert!(side.poll_next_unpin(&mut cx).is_pending());
        assert!(!side.is_terminated());
        if end {
            assert_eq!(all(&mut stream), []);
        } else {
            drop(stream);
        }
        assert_eq!(count(), before + 1);
        assert_eq!(there(&mut side), (vec![], true));
    }
}

#[test]
fn either_end_may_be_dropped() {
    let (expected, chunks) = six();
    // Without a consumer the text is the same, and nothing is kept.
    for taken in 0..3 {
        let (sink, side) = side_events(10);
        let mut stream = TextStream::new(stream::iter(chunks.clone()), Parser::new(), sink);
        let mut side = Some(side);
        let mut cx = Context::from_waker(Waker::noop());
        let mut text = Vec::new();
        for turn in 0.. {
            if turn == taken {
                side = None;
            }
            match stream.poll_next_unpin(&mut cx) {
                Poll::Ready(Some(Ok(piece))) => text.extend_from_slice(&piece),
                _ => break,
            }
        }
        assert!(side.is_none());
        assert_eq!(text, b"So. So. So. ");
        let shown = format!("{:?}", stream.handler());
        assert!(shown.contains("events: []"), "{shown}");
    }
    // Without the text the events are still there, the last ones, too.
    let (sink, mut side) = side_events(10);
    let mut stream = TextStream::new(stream::iter(chunks), Parser::new(), sink);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(stream.poll_next_unpin(&mut cx).is_ready());
    drop(stream);
    let wanted = expected[..2].iter().cloned().map(SideItem::Event);
    assert_eq!(there(&mut side), (wanted.collect(), true));
}

#[test]
fn a_consumer_in_another_thread_gets_or_is_told_of_every_event() {
    const TIMES: usize = 2_000;
    let chunk = Bytes::from_static(b"So. [substrate.grep] ");
    let (sink, mut side) = side_events(8);
    let source = stream::iter((0..TIMES).map(move |_| Ok::<_, ErrorKind>(chunk.clone())));
    let mut stream = TextStream::new(source, Parser::new(), sink);
    let writer = std::thread::spawn(move || text(all(&mut stream)).0.len());
    let (mut found, mut lost) = (0, 0);
    loop {
        let (items, ended) = there(&mut side);
        for item in items {
            match item {
                SideItem::Event(_) => found += 1,
                SideItem::Lost(events) => lost += events,
                other => panic!("{other:?}"),
            }
        }
        if ended {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!(writer.join().expect("it ends well"), 4 * TIMES);
    assert_eq!(found + lost, 2 * TIMES as u64);
}

#[test]
fn a_side_sink_takes_part_in_another() {
    /// Keeps what the other would remove.
    struct Kept(SideSink);
    impl provstream::Handler for Kept {
        fn annotation(
            &mut self,
            annotation: &provstream::BracketAnnotation<'_>,
        ) -> provstream::Replacement {
            let _ = self.0.annotation(annotation);
            provstream::Replacement::Keep
        }
    }
    let (sink, mut side) = side_events(8);
    let (_, chunks) = six();
    let mut stream = TextStream::new(stream::iter(chunks), Parser::new(), Kept(sink));
    assert_eq!(text(all(&mut stream)).0, b"So. [substrate.grep] ".repeat(3));
    drop(stream);
    assert_eq!(there(&mut side).0.len(), 3);
}

#[test]
fn adapters_can_be_sent_and_moved() {
    fn common<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    fn clone<T: Clone + PartialEq + Eq>() {}
    common::<EventStream<Script, ErrorKind>>();
    common::<TextStream<Script, ErrorKind, SideSink>>();
    common::<SideSink>();
    common::<SideEvents>();
    common::<SideItem>();
    clone::<SideItem>();
}
