//! Tokio: events and text are those of the parser and the rewriter, whatever the reader inside does, and whenever a
//! future is dropped.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use provstream::io::{AnnotationEncoder, EventDecoder, RewriteReader};
use provstream::provenance::{Annotation, Class, Reason, WriteError};
use provstream::{Event, Parser};
use testkit::script::{ANSWER, Events, Keeper, SIZES, Script, Step, cases, rewritten};
use tokio::io::AsyncReadExt;
use tokio_util::codec::{Decoder, Encoder, FramedRead, FramedWrite};

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

/// All events that a decoder makes of a reader, its errors, and how often it waited.
async fn decoded(
    script: Script,
    parser: Parser,
    drops: impl Fn(usize, usize) -> bool,
) -> (Events, Vec<ErrorKind>, usize) {
    let mut framed = FramedRead::with_capacity(script, EventDecoder::new(parser), 64);
    let (mut events, mut errors, mut polls) = (Events::default(), Vec::new(), 0);
    // Behind an error the transport says once that it paused, and then goes on.
    let mut failed = false;
    loop {
        match stubborn(async || framed.next().await, &mut polls, &drops).await {
            Some(Ok(event)) => events.take(event),
            Some(Err(error)) => {
                errors.push(error.kind());
                failed = true;
                continue;
            }
            None if failed => {}
            None => return (events, errors, polls),
        }
        failed = false;
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
async fn a_decoder_gives_the_events_of_the_parser() {
    for case in cases() {
        let expected = Events::of(case.parser(), &case.input);
        for size in SIZES {
            let script = Script::of(case.chunks(size), &[Step::Wait]);
            let (events, errors, _) = decoded(script, case.parser(), |_, _| false).await;
            assert_eq!(events, expected, "{} by {size}", case.name);
            assert_eq!(errors, []);
        }
    }
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
    let expected = Events::of(Parser::new(), ANSWER);
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
            let (events, errors, first) = decoded(script(), Parser::new(), drops).await;
            assert_eq!(events, expected, "by {size}");
            assert_eq!(errors, told, "by {size}");
            let (found, kept, errors, second) = clean(script(), Parser::new(), 7, drops).await;
            assert_eq!(found, text, "by {size}");
            assert_eq!(kept, keeper, "by {size}");
            assert_eq!(errors, told, "by {size}");
            (first, second)
        };
        let points = 3 * chunks;
        assert_eq!(check(&|_, _| false).await, (points, points));
        for polls in 1..=4 {
            check(&|own, _| own == polls).await;
        }
        for point in 1..=points {
            check(&|_, all| all == point).await;
        }
    }
}

#[test]
fn a_decoder_takes_all_bytes_once_its_events_are_taken() {
    let mut decoder = EventDecoder::new(Parser::new());
    let mut source = BytesMut::from(&b"It is so. [substrate.grep] And"[..]);
    let first = decoder.decode(&mut source).expect("no error");
    assert!(matches!(first, Some(Event::Text(_))));
    assert!(source.is_empty());
    source.extend_from_slice(b" more [");
    let mut events = 1;
    while !source.is_empty() {
        assert!(decoder.decode(&mut source).expect("no error").is_some());
        events += 1;
    }
    assert_eq!(
        events, 5,
        "three more of the first bytes, then the text of the second"
    );
    assert_eq!(decoder.decode(&mut source).expect("no error"), None);
    assert_eq!(decoder.parser().position(), 37);
    let last = decoder.decode_eof(&mut source).expect("no error");
    let Some(Event::Text(text)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(text.bytes()[..], *b"[");
    for _ in 0..2 {
        assert_eq!(decoder.decode_eof(&mut source).expect("no error"), None);
    }
    // A transport that goes on goes on with the same stream.
    source.extend_from_slice(b"on");
    let Some(Event::Text(text)) = decoder.decode(&mut source).expect("no error") else {
        panic!("no text");
    };
    assert_eq!((text.span().start(), &text.bytes()[..]), (37, &b"on"[..]));
    source.extend_from_slice(b"[");
    let last = decoder.decode_eof(&mut source).expect("no error");
    assert!(last.is_some(), "what is held comes at its next end, too");
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
fn an_encoder_writes_what_reads_back_or_nothing() {
    let mut encoder = AnnotationEncoder::new();
    let mut out = BytesMut::new();
    let annotation = Annotation::new(Class::GREP, "substrate.grep").with_observation_id("a;b");
    encoder.encode(Bytes::from("So. "), &mut out).expect("text");
    encoder.encode(&annotation, &mut out).expect("sound");
    assert_eq!(&out[..], b"So. [substrate.grep; observation-id=\"a;b\"]");
    let written = out.len();
    let malformed = annotation.with_reason(Reason::Malformed);
    let error = encoder
        .encode(malformed, &mut out)
        .expect_err("a malformed one");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    assert_eq!(inner, Some(&WriteError::Malformed));
    assert_eq!(out.len(), written);
}

#[tokio::test]
async fn what_is_encoded_is_decoded() {
    let mut framed = FramedWrite::new(Vec::new(), AnnotationEncoder::new());
    let annotation = Annotation::new(Class::GREP, "substrate.grep").with_ts("2026-05-28T11:40:00Z");
    framed.send(Bytes::from("It is so. ")).await.expect("text");
    framed.send(&annotation).await.expect("sound");
    framed.send(annotation).await.expect("sound");
    let written = framed.into_inner();
    let decoder = EventDecoder::new(Parser::new());
    let found: Vec<provstream::OwnedEvent> = FramedRead::new(&written[..], decoder)
        .map(|event| event.expect("no error"))
        .collect()
        .await;
    let Some(Event::Assertion(assertion)) = found.last() else {
        panic!("{found:?}");
    };
    assert_eq!(assertion.text(), "It is so.");
    assert_eq!(assertion.annotations().len(), 2);
}

#[test]
fn adapters_can_be_sent_and_moved() {
    fn common<T: Send + Sync + Unpin + std::fmt::Debug + 'static>() {}
    fn clone<T: Clone + Default>() {}
    common::<EventDecoder>();
    common::<AnnotationEncoder>();
    common::<RewriteReader<Script, Keeper>>();
    clone::<EventDecoder>();
    clone::<AnnotationEncoder>();
}
