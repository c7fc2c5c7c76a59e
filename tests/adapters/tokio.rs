//! Tokio: events and text are those of the parser and the rewriter, whatever the reader inside does, and whenever a
//! future is dropped.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use provstream::Parser;
use provstream::io::RewriteReader;
use testkit::script::{ANSWER, Keeper, SIZES, Script, Step, cases, rewritten};
use tokio::io::AsyncReadExt;

/// Makes futures until one is ready: each is polled anew where it waits, or dropped for another one if `drops` says so,
/// which is given the number of polls of this future and of all.
async fn stubborn<T>(
    mut work: impl AsyncFnMut() -> T,
    all: &mut usize,
    drops: &impl Fn(usize, usize) -> bool,
) -> T {
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        let mut future = pin!(work());
        let mut own = 0;
        loop {
            if let Poll::Ready(item) = future.as_mut().poll(&mut cx) {
                return item;
            }
            (own, *all) = (own + 1, *all + 1);
            assert!(*all < 1_000_000, "no end in sight");
            if drops(own, *all) {
                break;
            }
        }
    }
}

/// All text that comes through a reader with room for so many bytes, its errors, and how often it waited.
async fn clean(
    script: Script,
    parser: Parser,
    room: usize,
    drops: impl Fn(usize, usize) -> bool,
) -> (Vec<u8>, Keeper, Vec<ErrorKind>, usize) {
    let mut reader = RewriteReader::new(script, parser, Keeper::default());
    let (mut text, mut errors, mut polls) = (Vec::new(), Vec::new(), 0);
    loop {
        let mut buffer = vec![0; room];
        match stubborn(async || reader.read(&mut buffer).await, &mut polls, &drops).await {
            Ok(0) => break,
            Ok(taken) => text.extend_from_slice(&buffer[..taken]),
            Err(error) => errors.push(error.kind()),
        }
    }
    // Behind the end the reader inside is not asked again: the script would panic.
    let mut more = [0; 4];
    assert_eq!(reader.read(&mut more).await.expect("no error"), 0);
    let keeper = std::mem::take(reader.handler_mut());
    (text, keeper, errors, polls)
}

#[tokio::test]
async fn a_reader_gives_the_text_of_the_rewriter() {
    for case in cases() {
        let (expected, keeper) = rewritten(case.parser(), &case.input);
        for size in SIZES {
            for room in [3, 10_000] {
                let script = Script::of(case.chunks(size), &[Step::Wait]);
                let (text, kept, errors, _) =
                    clean(script, case.parser(), room, |_, _| false).await;
                assert_eq!(text, expected, "{} by {size}", case.name);
                assert_eq!(kept, keeper, "{} by {size}", case.name);
                assert_eq!(errors, []);
            }
        }
    }
}

/// Polled at every point, dropped after each number of polls, and at each single point, with errors in between.
#[tokio::test]
async fn a_future_dropped_at_any_await_loses_and_repeats_nothing() {
    let (text, keeper) = rewritten(Parser::new(), ANSWER);
    let fail = |kind| Step::Fail(kind);
    let before = [
        Step::Wait,
        fail(ErrorKind::WouldBlock),
        Step::Wait,
        Step::Wait,
        fail(ErrorKind::Interrupted),
    ];
    for size in [1, 3, 16, usize::MAX] {
        let script = || Script::of(ANSWER.chunks(size), &before);
        let chunks = ANSWER.chunks(size).count() + 1;
        let told = [ErrorKind::WouldBlock, ErrorKind::Interrupted].repeat(chunks);
        let check = async |drops: &dyn Fn(usize, usize) -> bool| {
            let (found, kept, errors, polls) = clean(script(), Parser::new(), 7, drops).await;
            assert_eq!(found, text, "by {size}");
            assert_eq!(kept, keeper, "by {size}");
            assert_eq!(errors, told, "by {size}");
            polls
        };
        let points = 3 * chunks;
        assert_eq!(check(&|_, _| false).await, points);
        for polls in 1..=4 {
            check(&|own, _| own == polls).await;
        }
        for point in 1..=points {
            check(&|_, all| all == point).await;
        }
    }
}

#[tokio::test]
async fn an_error_comes_after_the_text_that_was_held_back_and_ends_the_reader() {
    let script = Script::new([
        Step::Give(b"It is so. [substrate.grep] And [".to_vec()),
        Step::Fail(ErrorKind::TimedOut),
        Step::Give(b" Really.".to_vec()),
    ]);
    let mut reader = RewriteReader::new(script, Parser::new(), ());
    let mut text = Vec::new();
    let error = reader
        .read_to_end(&mut text)
        .await
        .expect_err("the script fails");
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert_eq!(text, b"It is so. And [");
    // No room, no question.
    assert_eq!(reader.read(&mut []).await.expect("no error"), 0);
    assert_eq!(reader.get_ref().asked, 2);
    assert!(format!("{reader:?}").contains("waiting: 0"));
    assert_eq!(reader.read_to_end(&mut text).await.expect("the end"), 0);
    assert_eq!(reader.get_ref().asked, 2, "not after the error");
}

#[test]
fn adapters_can_be_sent_and_moved() {
    fn common<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    common::<RewriteReader<Script, Keeper>>();
}
