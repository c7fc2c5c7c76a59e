//! `EventStream`, `TextStream` and `side_events`.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use provstream::Event;
use provstream::io::{EventStream, SideEvents, SideItem, TextStream, side_events};
use testkit::script::{Events, Keeper, Script, rewritten, stripped};

use super::super::super::case::Case;
use super::super::super::reference::engine::Cuts;
use super::super::same_bytes;
use super::{Input, MOST_CALLS, Reach};

/// What a [`EventStream`] and a [`TextStream`] make of a stream of chunks is what the parser and a rewriter make of it, up to
/// its first error, which comes last; a handler gets the same when the adapter is dropped. Side events are those of the
/// rewriter, less as many as they say are lost.
pub(in super::super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let input = Input::new(&case);
    check_events(&case, &input);
    let keeper = check_text(&case, &input);
    check_dropped(&case, &input);
    check_side(&case, &input, &keeper);
}

fn poll<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Takes all items of a stream that waits only where the script inside waits.
fn drive<S: FusedStream + Unpin>(
    stream: &mut S,
    script: impl Fn(&S) -> &Script,
    mut take: impl FnMut(&S, S::Item),
) {
    for _ in 0..MOST_CALLS {
        let waited = script(stream).waited;
        match poll(stream) {
            Poll::Ready(Some(item)) => take(stream, item),
            Poll::Ready(None) => {
                assert!(stream.is_terminated());
                assert!(
                    matches!(poll(stream), Poll::Ready(None)),
                    "an item after the end"
                );
                return;
            }
            Poll::Pending => assert_eq!(script(stream).waited, waited + 1),
        }
    }
    panic!("no end in sight");
}

fn check_events(case: &Case, input: &Input) {
    let script = input.script(true);
    let reach = Reach::of(&script);
    let mut stream = EventStream::new(script, case.used_parser());
    let mut found = Events::default();
    let mut failed = false;
    drive(
        &mut stream,
        EventStream::get_ref,
        |stream, item| match item {
            Ok(event) => {
                assert!(!failed, "an event after the error");
                found.take(event);
            }
            Err(_) => {
                assert!(!failed, "a second error");
                failed = true;
                assert_eq!(stream.parser().position(), stream.get_ref().given as u64);
            }
        },
    );
    assert_eq!(failed, reach.fails);
    assert_eq!(stream.get_ref().asked, reach.steps, "polled after its end");
    assert_eq!(
        found,
        Events::of(case.parser(), &input.bytes[..reach.bytes]),
        "events of a stream"
    );
}

fn check_text(case: &Case, input: &Input) -> Keeper {
    let script = input.script(true);
    let reach = Reach::of(&script);
    let (expected, keeper) = rewritten(case.parser(), &input.bytes[..reach.bytes]);
    let mut stream = TextStream::new(script, case.used_parser(), Keeper::default());
    let mut text = Vec::new();
    let mut failed = false;
    let mut asked = 0;
    drive(&mut stream, TextStream::get_ref, |stream, item| {
        assert!(!failed, "an item after the error");
        match item {
            Ok(piece) => {
                take(&mut text, &piece);
                // Each chunk gives at most one item, at once.
                assert!(stream.get_ref().asked > asked, "two items of a chunk");
                asked = stream.get_ref().asked;
            }
            Err(_) => failed = true,
        }
    });
    assert_eq!(failed, reach.fails);
    assert_eq!(stream.get_ref().asked, reach.steps, "polled after its end");
    same_bytes(&text, &expected, "text of a stream");
    assert_eq!(stream.handler(), &keeper, "events beside a stream");
    keeper
}

/// A handler gets all events of what was taken when the adapter is dropped, at any place.
fn check_dropped(case: &Case, input: &Input) {
    let script = input.script(true);
    let polls = Cuts(input.seed ^ 0xD20B).below(Reach::of(&script).steps + 2);
    let mut keeper = Keeper::default();
    let mut stream = TextStream::new(script, case.used_parser(), &mut keeper);
    for _ in 0..polls {
        let _ = poll(&mut stream);
    }
    let given = stream.get_ref().given;
    drop(stream);
    let expected = rewritten(case.parser(), &input.bytes[..given]).1;
    assert_eq!(keeper, expected, "events beside a dropped stream");
}

fn take(text: &mut Vec<u8>, piece: &Bytes) {
    assert!(!piece.is_empty(), "an item of nothing");
    text.extend_from_slice(piece);
}

/// Events that go past the text: all of them where there is room, else the last ones and the number of those lost.
fn check_side(case: &Case, input: &Input, keeper: &Keeper) {
    let mut choices = Cuts(input.seed ^ 0xACE);
    let capacity = [usize::MAX, 0, 1, 3][choices.below(4)];
    let (sink, mut side) = side_events(capacity);
    let script = input.script(true);
    let reach = Reach::of(&script);
    let mut stream = TextStream::new(script, case.parser(), sink);
    let (mut text, mut found, mut lost) = (Vec::new(), Vec::new(), 0);
    let mut end = false;
    while !end {
        match poll(&mut stream) {
            Poll::Ready(Some(Ok(piece))) => take(&mut text, &piece),
            Poll::Ready(None) => end = true,
            _ => {}
        }
        if choices.below(3) == 0 {
            // With the last text, before the end of the text stream, they may have ended already.
            let ended = take_side(&mut side, &mut found, &mut lost);
            let asked = stream.get_ref().asked;
            assert!(!ended || asked == reach.steps, "an end too soon");
        }
    }
    assert!(take_side(&mut side, &mut found, &mut lost), "no end");
    assert_eq!(text, stripped(case.parser(), &input.bytes[..reach.bytes]));
    assert_eq!(found.len() as u64 + lost, keeper.events.len() as u64);
    let mut rest = keeper.events.iter();
    for event in &found {
        assert!(rest.any(|other| other == event), "{event:?} is not next");
    }
    match capacity {
        usize::MAX => assert_eq!(lost, 0),
        0 => assert_eq!(found, []),
        _ => assert!(found.len() >= capacity.min(keeper.events.len())),
    }
}

/// Takes the side events that are there; whether the stream of them has ended.
fn take_side(
    side: &mut SideEvents,
    found: &mut Vec<Event<'static, bytes::Bytes>>,
    lost: &mut u64,
) -> bool {
    loop {
        match poll(side) {
            Poll::Ready(Some(SideItem::Event(event))) => found.push(event),
            Poll::Ready(Some(SideItem::Lost(events))) => {
                assert!(events > 0, "none are lost");
                *lost += events;
            }
            Poll::Ready(Some(other)) => panic!("an item that there is not: {other:?}"),
            Poll::Ready(None) => return true,
            Poll::Pending => return false,
        }
    }
}
