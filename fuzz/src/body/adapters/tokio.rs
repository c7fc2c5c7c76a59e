//! `RewriteReader`.

use std::io::ErrorKind;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use provstream::io::RewriteReader;
use testkit::script::{Keeper, rewritten};
use tokio::io::{AsyncRead, ReadBuf};

use super::super::super::case::Case;
use super::super::super::reference::engine::Cuts;
use super::super::same_bytes;
use super::{Input, MOST_CALLS, Reach};

/// Checks that a [`RewriteReader`] gives what a rewriter gives, its first error last, and its handler all events when it is
/// dropped.
pub(in super::super) fn check(data: &[u8]) {
    let case = Case::new(data);
    let input = Input::new(&case);
    check_reader(&case, &input);
    check_dropped(&case, &input);
}

fn check_reader(case: &Case, input: &Input) {
    let script = input.script(false);
    let reach = Reach::of(&script);
    let (expected, keeper) = rewritten(case.parser(), &input.bytes[..reach.bytes]);
    let mut reader = RewriteReader::new(script, case.used_parser(), Keeper::default());
    let mut choices = Cuts(input.seed);
    let most = [1, 7, 60, 9_000][choices.below(4)];
    let mut room = vec![0; most];
    let mut text = Vec::new();
    let (mut interrupted, mut failed) = (0, false);
    let mut cx = Context::from_waker(Waker::noop());
    for call in 0.. {
        assert!(call < MOST_CALLS, "no end in sight");
        let room = &mut room[..choices.below(most + 1)];
        let empty = room.is_empty();
        let mut buffer = ReadBuf::new(room);
        let waited = reader.get_ref().waited;
        match Pin::new(&mut reader).poll_read(&mut cx, &mut buffer) {
            Poll::Ready(Ok(())) if empty => assert!(buffer.filled().is_empty()),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => break,
            Poll::Ready(Ok(())) => {
                assert!(!failed, "text after the error");
                text.extend_from_slice(buffer.filled());
            }
            Poll::Ready(Err(error)) => {
                assert!(!failed, "a second error");
                match error.kind() {
                    ErrorKind::Interrupted => interrupted += 1,
                    _ => failed = true,
                }
                assert_eq!(reader.parser().position(), reader.get_ref().given as u64);
            }
            Poll::Pending => assert_eq!(reader.get_ref().waited, waited + 1),
        }
    }
    assert_eq!((interrupted, failed), (reach.interrupted, reach.fails));
    assert_eq!(reader.get_ref().given, reach.bytes, "read after its end");
    same_bytes(&text, &expected, "text of a reader");
    assert_eq!(reader.handler(), &keeper, "events of a reader");
}

/// A handler gets all events of what was read when the adapter is dropped, at any place.
fn check_dropped(case: &Case, input: &Input) {
    let script = input.script(false);
    let polls = Cuts(input.seed ^ 0xD20B).below(Reach::of(&script).steps + 2);
    let mut keeper = Keeper::default();
    let mut reader = RewriteReader::new(script, case.used_parser(), &mut keeper);
    let mut room = vec![0; 9_000];
    for _ in 0..polls {
        let mut cx = Context::from_waker(Waker::noop());
        let _ = Pin::new(&mut reader).poll_read(&mut cx, &mut ReadBuf::new(&mut room));
    }
    let given = reader.get_ref().given;
    drop(reader);
    let expected = rewritten(case.parser(), &input.bytes[..given]).1;
    assert_eq!(keeper, expected, "events of a dropped reader");
}
