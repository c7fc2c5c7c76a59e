//! `TextStream`.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_core::stream::{FusedStream, Stream};
use provstream::io::TextStream;
use testkit::script::{Keeper, Script, rewritten};

use super::super::super::case::Case;
use super::super::super::reference::engine::Cuts;
use super::super::same_bytes;
use super::{Input, MOST_CALLS, Reach};

/// Checks that a [`TextStream`] gives what a rewriter gives, up to the first error of the stream inside, which comes last. A
/// handler gets the same when the adapter is dropped.
pub(in super::super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let input = Input::new(&case);
    check_text(&case, &input);
    check_dropped(&case, &input);
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

fn check_text(case: &Case, input: &Input) {
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
