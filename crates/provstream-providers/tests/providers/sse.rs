//! The SSE decoder: the HTML standard's rules, an established decoder beside it, and every way of cutting.

use core::convert::Infallible;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::Stream;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use provstream_providers::{SseDecoder, SsePiece};
use sseer::event_stream::EventStream;

/// Type, data and last event ID of an event.
type Event = (String, String, String);

/// Returns the events that a decoder finds in a stream.
#[derive(Debug, Default, PartialEq, Eq)]
struct Read {
    events: Vec<Event>,
    /// The spans of events, oversized ones and what is unterminated.
    spans: Vec<(&'static str, u64, u64)>,
    /// All bytes, in order.
    bytes: Vec<u8>,
    retry: Option<Duration>,
}

fn read_with<'a>(mut decoder: SseDecoder, pieces: impl IntoIterator<Item = &'a [u8]>) -> Read {
    let mut read = Read::default();
    let mut sink = |piece: SsePiece<'_>| {
        let at = read.bytes.len() as u64;
        match piece {
            SsePiece::Event(event) => {
                assert_eq!(event.span().start(), at);
                let span = event.span();
                read.spans.push(("event", span.start(), span.end()));
                read.bytes.extend_from_slice(event.raw());
                let text = event.text().into_owned();
                read.events
                    .push((event.name().into(), text, event.id().into()));
            }
            SsePiece::Other(text) | SsePiece::Passed(text) => {
                assert_eq!(text.span().start(), at);
                read.bytes.extend_from_slice(text.bytes());
            }
            SsePiece::Oversized(span) => {
                assert_eq!(span.end(), at);
                read.spans.push(("oversized", span.start(), span.end()));
            }
            SsePiece::Unterminated(text) => {
                let span = text.span();
                read.spans.push(("unterminated", span.start(), span.end()));
                read.bytes.extend_from_slice(text.bytes());
            }
            other => panic!("{other:?}"),
        }
    };
    for piece in pieces {
        decoder.push(piece, &mut sink);
    }
    decoder.finish(&mut sink);
    read.retry = decoder.retry();
    read
}

fn read(stream: &[u8]) -> Read {
    read_with(SseDecoder::new(), [stream])
}

/// Names and data alone.
fn events(stream: &[u8]) -> Vec<(String, String)> {
    let events = read(stream).events.into_iter();
    events.map(|(name, data, _)| (name, data)).collect()
}

fn message(data: &str) -> (String, String) {
    ("message".into(), data.into())
}

/// Chunks that are all there.
struct Chunks(VecDeque<Bytes>);

impl Stream for Chunks {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }
}

/// Returns the events that sseer finds in a stream; `None` if it gives up.
fn peer<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<Event>> {
    let chunks = pieces.into_iter().map(Bytes::copy_from_slice).collect();
    let mut stream = Box::pin(EventStream::new(Chunks(chunks)));
    let mut found = Vec::new();
    loop {
        match stream
            .as_mut()
            .poll_next(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(Some(Ok(event))) => found.push((
                event.event.to_string(),
                event.data.to_string(),
                event.id.to_string(),
            )),
            Poll::Ready(Some(Err(_))) => return None,
            Poll::Ready(None) => return Some(found),
            Poll::Pending => unreachable!("all chunks are there"),
        }
    }
}

/// The examples of the standard.
#[test]
fn the_examples_of_the_standard_are_read_as_it_says() {
    assert_eq!(
        events(b"data: YHOO\ndata: +2\ndata: 10\n\n"),
        [message("YHOO\n+2\n10")]
    );
    let found = read(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
    );
    let first = ("message".into(), "first event".into(), "1".into());
    let second = ("message".into(), "second event".into(), String::new());
    assert_eq!(found.events, [first, second]);
    assert_eq!(found.spans.last(), Some(&("unterminated", 62, 81)));
    assert_eq!(
        events(b"data\n\ndata\ndata\n\ndata:"),
        [message(""), message("\n")]
    );
    assert_eq!(
        events(b"data:test\n\ndata: test\n\n"),
        [message("test"), message("test")]
    );
}

#[test]
fn one_space_behind_the_colon_is_no_content_and_a_field_may_have_none() {
    assert_eq!(
        events(b"event:  add\ndata:\x20 x\nother: y\ndatas: z\n data: w\n\n"),
        [(" add".into(), " x".into())]
    );
    assert_eq!(events(b"event: a\nevent\ndata\n\n"), [message("")]);
    assert_eq!(events(b"event: add\n\ndata: x\n\n"), [message("x")]);
}

/// Each event is compared with the one before it, in which nothing may come between the name of a field and its value.
#[test]
fn a_field_without_a_colon_does_not_begin_a_longer_one() {
    let stream = b"data\n\ndatax\n\ndata}\n\ndata:\n\ndata:x\n\ndata\n\ndata:x\n\n";
    assert_eq!(events(stream), ["", "", "x", "", "x"].map(message));
}

#[test]
fn an_id_with_nul_is_ignored_and_the_last_one_stays() {
    let ids = |stream: &[u8]| -> Vec<String> {
        read(stream)
            .events
            .into_iter()
            .map(|(_, _, id)| id)
            .collect()
    };
    let stream = b"id: 1\ndata\n\ndata\n\nid: 2\n\ndata\n\nid: 3\0\ndata\n\nid\ndata\n\n";
    assert_eq!(ids(stream), ["1", "1", "2", "2", ""]);
}

#[test]
fn retry_is_taken_from_digits_alone() {
    let retry = |stream: &[u8]| read(stream).retry.map(|wait| wait.as_millis());
    assert_eq!(retry(b"retry: 3000\n\n"), Some(3000));
    assert_eq!(
        retry(b"retry: 30\n\nretry: +5\n\nretry: 1e3\n\nretry: \n\n"),
        Some(30)
    );
    assert_eq!(retry(b"retry: 99999999999999999999\n\n"), None);
}

#[test]
fn a_byte_order_mark_counts_at_the_start_alone() {
    assert_eq!(events(b"\xEF\xBB\xBFdata: x\n\n"), [message("x")]);
    assert_eq!(events(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\n"), []);
    assert_eq!(events(b"\n\xEF\xBB\xBFdata: x\n\n"), []);
    assert_eq!(events(b"\xEF\xBBdata: x\n\ndata: y\n\n"), [message("y")]);
    assert_eq!(read(b"\xEF\xBB").spans, [("unterminated", 0, 2)]);
    assert_eq!(read(b"\xEF\xBB\xBF").spans, []);
}

#[test]
fn an_event_comes_with_the_last_byte_it_needs() {
    for (stream, needed) in [
        (&b"data: x\n\n"[..], 9),
        (b"data: x\r\r", 9),
        (b"data: x\r\n\r\n", 11),
        // Without an LF the next byte ends the event.
        (b"data: x\r\n\r:", 11),
    ] {
        let mut decoder = SseDecoder::new();
        let mut count = 0;
        for (at, byte) in stream.iter().enumerate() {
            decoder.push(&[*byte], |piece| {
                if matches!(piece, SsePiece::Event(_)) {
                    assert_eq!(at + 1, needed);
                    count += 1;
                }
            });
        }
        assert_eq!(count, 1);
    }
}

#[test]
fn what_is_no_event_is_handed_on_at_the_end_of_its_line() {
    let mut decoder = SseDecoder::new();
    let mut seen = Vec::new();
    decoder.push(b": ping\r\n\r\n: pong\ndata: x\n", |piece| match piece {
        SsePiece::Other(text) => seen.push(text.bytes().to_vec()),
        other => panic!("{other:?}"),
    });
    let expected: [&[u8]; 4] = [b": ping\r", b"\n", b"\r\n", b": pong\n"];
    assert_eq!(seen, expected);
}

#[test]
fn an_event_longer_than_the_limit_is_passed_by_and_told() {
    let stream = b"data: 1\n\ndata: 123456789\nid: 7\n\ndata: 2\n\n";
    for limit in [9, 10, 20, 22] {
        let found = read_with(SseDecoder::new().with_max_event(limit), [&stream[..]]);
        assert_eq!(found.events.len(), 2, "{limit}");
        assert_eq!(found.events[1].2, "");
        assert_eq!(found.spans[1], ("oversized", 9, 32));
        assert_eq!(found.bytes, stream);
    }
    assert_eq!(
        read_with(SseDecoder::new().with_max_event(23), [&stream[..]])
            .events
            .len(),
        3
    );
}

/// Deviation of sseer from the standard: a field `event` without a colon does not change the type.
#[test]
fn peer_departs_in_a_type_field_without_colon() {
    let stream = b"event: a\nevent\ndata: x\n\n";
    assert_eq!(
        peer([&stream[..]]),
        Some(vec![("a".into(), "x".into(), String::new())])
    );
    assert_eq!(events(stream), [message("x")]);
}

/// Deviation of sseer from the standard, which decodes with U+FFFD: bytes that are not UTF-8 are an error.
#[test]
fn peer_departs_in_what_is_not_utf8() {
    let stream = b"data: a\xFFb\n\n";
    assert_eq!(peer([&stream[..]]), None);
    assert_eq!(events(stream), [message("a\u{FFFD}b")]);
}

/// Lines of a stream, a line end each.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let line = select(vec![
        "data: a",
        "data:b",
        "data",
        "data:",
        "data:  c",
        "data: {\"x\":\"\u{e9}\u{1F600}\"}",
        "event: add",
        "event:",
        "id: 1",
        "id",
        "id: 2\0",
        "retry: 10",
        "retry: x",
        ": comment",
        ":",
        "",
        "",
        "",
        "",
        "other: x",
        " data: y",
        "data : z",
        "\u{FEFF}data: w",
    ]);
    let end = select(vec!["\n", "\r", "\r\n"]);
    (any::<bool>(), vec((line, end), 0..24), any::<bool>()).prop_map(|(bom, lines, cut)| {
        let mut stream = String::from(if bom { "\u{FEFF}" } else { "" });
        let count = lines.len();
        for (number, (line, end)) in lines.into_iter().enumerate() {
            stream.push_str(line);
            if !(cut && number + 1 == count) {
                stream.push_str(end);
            }
        }
        stream.into_bytes()
    })
}

/// The stream in pieces of these lengths, over and over.
fn pieces<'a>(stream: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = stream;
    let mut lengths = lengths.iter().cycle();
    core::iter::from_fn(move || {
        let length = *lengths.next()?;
        if rest.is_empty() {
            return None;
        }
        let (piece, later) = rest.split_at(length.min(rest.len()));
        rest = later;
        Some(piece)
    })
}

/// Some lengths, not all of them 0.
fn lengths() -> impl Strategy<Value = Vec<usize>> {
    vec(0usize..9, 1..6).prop_filter("progress", |lengths| lengths.iter().sum::<usize>() > 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_peer_on_every_mix_of_line_ends(stream in stream(), lengths in lengths()) {
        let found = read_with(SseDecoder::new(), pieces(&stream, &lengths));
        prop_assert_eq!(Some(found.events), peer(pieces(&stream, &lengths)));
    }

    #[test]
    fn every_cut_gives_the_same_and_no_byte_is_lost(
        stream in stream(), lengths in lengths(), limit in 0usize..40,
    ) {
        for decoder in [SseDecoder::new(), SseDecoder::new().with_max_event(limit)] {
            let whole = read_with(decoder.clone(), [&stream[..]]);
            prop_assert_eq!(&whole.bytes, &stream);
            prop_assert_eq!(whole, read_with(decoder, pieces(&stream, &lengths)));
        }
    }
}

/// An event that comes in pieces has no effect on which identifier later ones have.
#[test]
fn each_event_has_its_own_identifier_however_it_comes() {
    let events = [
        "id: 1\ndata: a\n\n",
        "id: 2\ndata: b\n\n",
        "id: 1\ndata: c\n\n",
        "data: d\n\n",
    ];
    let expected = ["1", "2", "1", "1"];
    for (whole, one) in events.iter().enumerate() {
        for cut in 0..one.len() {
            let pieces = events.iter().enumerate().flat_map(|(at, event)| {
                let (before, after) = event.split_at(if at == whole { cut } else { 0 });
                [before, after].map(str::as_bytes)
            });
            let read = read_with(SseDecoder::new(), pieces);
            let ids: Vec<_> = read.events.iter().map(|(_, _, id)| &**id).collect();
            assert_eq!(ids, expected, "event {whole} cut at {cut}");
        }
    }
}
