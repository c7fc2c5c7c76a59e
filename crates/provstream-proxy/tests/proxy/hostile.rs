//! Requests and responses that are made to break a proxy: each has a defined answer, and the proxy serves the next one.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{
    Answer, Step, WITHHOLD, chat, chunk, gate, last_chunk, proxy, send, streamed, text_of, whole,
};

/// Expected reaction to a hostile request.
#[derive(Debug)]
enum Expected {
    /// An answer with this status and this in its body; no request reaches the upstream.
    Refused(u16, &'static str),
    /// The connection is closed without an answer, or with one that says that the request is wrong; no request reaches the upstream.
    Closed,
    /// One request reaches the upstream; it contains the first string and not the second.
    Sent(&'static str, &'static str),
}

/// A name, the bytes of the request, and what a client gets.
type Request = (&'static str, Vec<u8>, Expected);

fn head(lines: &str) -> Vec<u8> {
    format!("POST /v1/messages HTTP/1.1\r\n{lines}Connection: close\r\n\r\n").into_bytes()
}

#[expect(clippy::too_many_lines, reason = "a table, a case an entry")]
fn requests() -> Vec<Request> {
    use Expected::{Closed, Refused, Sent};
    let text = |text: &str| text.as_bytes().to_vec();
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    vec![
        (
            "a length and chunks: the chunks count, and what follows is not another request",
            [
                head("Host: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
                text("0\r\n\r\n"),
                text(smuggled),
            ]
            .concat(),
            Sent("transfer-encoding: chunked", "content-length"),
        ),
        (
            "two lengths",
            [
                head("Host: x\r\nContent-Length: 4\r\nContent-Length: 40\r\n"),
                text("abcd"),
            ]
            .concat(),
            Closed,
        ),
        (
            "two lengths in one header",
            [head("Host: x\r\nContent-Length: 4, 40\r\n"), text("abcd")].concat(),
            Closed,
        ),
        (
            "a length with a sign",
            [head("Host: x\r\nContent-Length: +4\r\n"), text("abcd")].concat(),
            Closed,
        ),
        (
            "a negative length",
            head("Host: x\r\nContent-Length: -1\r\n"),
            Closed,
        ),
        (
            "a length beyond all numbers",
            head("Host: x\r\nContent-Length: 99999999999999999999999\r\n"),
            Closed,
        ),
        (
            "a length above the limit",
            head("Host: x\r\nContent-Length: 2000000\r\n"),
            Refused(413, "request_too_large"),
        ),
        (
            "a length at the limit",
            [
                head("Host: x\r\nContent-Length: 1000000\r\n"),
                vec![b'x'; 1_000_000],
            ]
            .concat(),
            Sent("content-length: 1000000", "transfer-encoding"),
        ),
        (
            "chunks above the limit",
            [
                head("Host: x\r\nTransfer-Encoding: chunked\r\n"),
                text("200000\r\n"),
                vec![b'x'; 0x20_0000],
                text("\r\n0\r\n\r\n"),
            ]
            .concat(),
            Refused(413, "request_too_large"),
        ),
        (
            "an encoding after chunked",
            [
                head("Host: x\r\nTransfer-Encoding: chunked, identity\r\n"),
                text("0\r\n\r\n"),
            ]
            .concat(),
            Closed,
        ),
        (
            "an encoding that is not known",
            [
                head("Host: x\r\nTransfer-Encoding: xchunked\r\n"),
                text("0\r\n\r\n"),
            ]
            .concat(),
            Closed,
        ),
        (
            "a size of a chunk that is no number",
            [
                head("Host: x\r\nTransfer-Encoding: chunked\r\n"),
                text("zz\r\nab\r\n0\r\n\r\n"),
            ]
            .concat(),
            Refused(400, "bad_request"),
        ),
        (
            "a size of a chunk beyond all numbers",
            [
                head("Host: x\r\nTransfer-Encoding: chunked\r\n"),
                text("fffffffffffffffff\r\nab\r\n0\r\n\r\n"),
            ]
            .concat(),
            Refused(400, "bad_request"),
        ),
        (
            "a chunk without its end",
            [
                head("Host: x\r\nTransfer-Encoding: chunked\r\n"),
                text("2\r\nabcd\r\n0\r\n\r\n"),
            ]
            .concat(),
            Refused(400, "bad_request"),
        ),
        (
            "a name with a space before the colon",
            head("Host: x\r\nContent-Length : 4\r\n"),
            Closed,
        ),
        (
            "a line that is folded",
            head("Host: x\r\nX-Folded: a\r\n b\r\n"),
            Closed,
        ),
        (
            "a line feed within a value",
            [
                head("Host: x\r\nX-Bad: a\nContent-Length: 4\r\n"),
                text("abcd"),
            ]
            .concat(),
            Sent("content-length: 4", "a\n"),
        ),
        (
            "a NUL within a value",
            head("Host: x\r\nX-Bad: a\0b\r\n"),
            Closed,
        ),
        ("no host", head(""), Refused(400, "bad_request")),
        (
            "two hosts",
            head("Host: x\r\nHost: y\r\n"),
            Refused(400, "bad_request"),
        ),
        (
            "another host",
            head("Host: evil.example\r\nContent-Length: 0\r\n"),
            Sent("POST /v1/messages HTTP/1.1", "evil"),
        ),
        (
            "an absolute URL of another host",
            text(
                "POST http://evil.example/v1/messages HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            ),
            Sent("POST /v1/messages HTTP/1.1", "evil"),
        ),
        (
            "a tunnel",
            text(
                "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            ),
            Refused(405, "method_not_allowed"),
        ),
        (
            "a path that is a star",
            text("OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            Refused(400, "bad_request"),
        ),
        (
            "headers that the client has named as those of its connection",
            text(
                "POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nProxy-Authorization: Basic c2VjcmV0\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",
            ),
            Sent("POST /v1/messages", "x-hop"),
        ),
        (
            "headers that are too many",
            head(&format!("Host: x\r\n{}", "A: b\r\n".repeat(300))),
            Closed,
        ),
        (
            "a header that is too long",
            head(&format!("Host: x\r\nX-Long: {}\r\n", "x".repeat(100_000))),
            Closed,
        ),
        (
            "a path that is too long",
            text(&format!(
                "GET /{} HTTP/1.1\r\nHost: x\r\n\r\n",
                "x".repeat(100_000)
            )),
            Closed,
        ),
        ("no HTTP", vec![0xff; 64], Closed),
        (
            "the greeting of TLS",
            text("\x16\x03\x01\x02\x00\x01\x00\x01\u{0}\x03\x03aaaaaaaaaaaaaaaaaaaaaaaa"),
            Closed,
        ),
        (
            "the beginning of HTTP/2, then no frames",
            text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
            Closed,
        ),
    ]
}

#[tokio::test]
async fn hostile_requests_are_refused_or_made_harmless() {
    let settings = format!(
        "[limits]\nrequest_bytes = 1000000\nheader_bytes = 16384\n{}",
        gate(WITHHOLD)
    );
    let (running, upstream) = proxy(&settings, |_| {
        whole("200 OK", "text/event-stream", &chat(&["fine"]))
    })
    .await;
    for (name, request, expected) in requests() {
        println!("{name}");
        let before = upstream.seen(|seen| seen.requests.len());
        let answer = send(&running.address, &request).await;
        let sent = upstream.seen(|seen| seen.requests[before..].to_vec());
        match expected {
            Expected::Refused(status, code) => {
                assert_eq!(answer.status, status, "{name}: {answer:?}");
                let is_api =
                    answer.text().contains(code) || answer.text().contains("\"type\":\"error\"");
                assert!(is_api, "{name}: {}", answer.text());
                assert!(sent.is_empty(), "{name}: {sent:?}");
            }
            Expected::Closed => {
                assert!(
                    matches!(answer.status, 0 | 400 | 414 | 431),
                    "{name}: {answer:?}"
                );
                assert!(sent.is_empty(), "{name}: {sent:?}");
            }
            Expected::Sent(has, has_not) => {
                assert_eq!((answer.status, sent.len()), (200, 1), "{name}: {answer:?}");
                assert!(sent[0].contains(has), "{name}: {}", sent[0]);
                assert!(
                    !sent[0].to_ascii_lowercase().contains(has_not),
                    "{name}: {}",
                    sent[0]
                );
            }
        }
        assert!(
            !upstream.seen(|seen| seen
                .requests
                .iter()
                .any(|request| request.contains("smuggled"))),
            "{name}"
        );
        let next = crate::support::post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(text_of(&next.text()), "fine", "after {name}");
    }
}

/// A name, what the upstream sends, the status, and whether the body is complete, with what is in it.
type Response = (&'static str, Vec<Step>, u16, bool, &'static str);

fn raw(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn encoded(encoding: &str, body: Vec<u8>) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    vec![raw(&head), Step::Send(body)]
}

fn responses() -> Vec<Response> {
    let sse = || streamed("text/event-stream");
    let first = chat(&["SECRET"])
        .split_inclusive("\n\n")
        .next()
        .expect("an event")
        .to_owned();
    vec![
        ("no HTTP", vec![raw("garbage\r\n\r\n"), Step::Close], 502, true, "upstream_unreachable"),
        ("nothing", vec![Step::Close], 502, true, "upstream_unreachable"),
        ("two lengths", vec![raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), Step::Close], 502, true, "upstream_unreachable"),
        ("a head that is too long", vec![raw(&format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(2_000_000))), Step::Close], 502, true, "upstream_unreachable"),
        ("chunks that are broken", vec![sse(), chunk(first.as_bytes()), raw("zz\r\nSECRET"), Step::Close], 200, true, "upstream_cut"),
        ("a body that is cut", vec![raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"choices\":[{\"SECRET"), Step::Close], 502, true, "upstream_cut"),
        ("a bomb of gzip", encoded("gzip", gzip(&vec![b' '; 20 << 20])), 200, true, "too_large"),
        ("a body that is not gzip", encoded("gzip", b"SECRET SECRET SECRET".to_vec()), 200, true, "not_inspected"),
        ("gzip that is cut", { let mut body = gzip(chat(&["fine"]).as_bytes()); body.truncate(60); encoded("gzip", body) }, 200, true, "upstream_cut"),
        ("an encoding that is not known", encoded("x-secret", b"SECRET".to_vec()), 502, true, "not_inspected"),
        ("two encodings", encoded("gzip, br", b"SECRET".to_vec()), 502, true, "not_inspected"),
        ("a picture", whole("200 OK", "image/png", "SECRET"), 502, true, "not_inspected"),
        ("text that is not UTF-8", vec![sse(), chunk(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe fine\"}}]}\n\n"), last_chunk()], 200, true, "fine"),
        ("JSON that nests without end", whole("200 OK", "application/json", &format!("{}SECRET", "[".repeat(100_000))), 200, true, "not_inspected"),
        ("a stream of comments", { let mut steps = vec![sse()]; steps.extend((0..100).map(|_| chunk(b": SECRET\n"))); steps.push(last_chunk()); steps }, 200, true, ""),
        ("an event without end", { let mut steps = vec![sse(), chunk(b"data: SECRET")]; steps.extend((0..200).map(|_| chunk(&[b'x'; 1 << 16]))); steps.push(last_chunk()); steps }, 200, true, "not_inspected"),
    ]
}

#[tokio::test]
async fn hostile_responses_are_errors_and_nothing_of_them_is_delivered() {
    let file = gate(WITHHOLD).replace("[route.policy]", "max_event = 1048576\n[route.policy]");
    let cases = responses();
    let scripts: Vec<Vec<Step>> = cases.iter().map(|case| case.1.clone()).collect();
    let (running, _) = proxy(&file, move |request| {
        let number = request
            .split("/case/")
            .nth(1)
            .and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        number.map_or_else(
            || whole("200 OK", "text/event-stream", &chat(&["fine"])),
            |number| scripts[number].clone(),
        )
    })
    .await;
    for (number, (name, _, status, is_complete, has)) in cases.into_iter().enumerate() {
        let path = format!("/case/{number}/v1/chat/completions");
        let answer = crate::support::post(&running.address, &path, "{}").await;
        let text = answer.text();
        let shown = &text[..text.len().min(300)];
        assert_eq!(
            (answer.status, answer.is_complete),
            (status, is_complete),
            "{name}: {shown}"
        );
        assert!(text.contains(has), "{name}: {shown}");
        // What came whole before the break is text like any other.
        assert!(
            !text
                .replacen("SECRET", "", usize::from(name == "chunks that are broken"))
                .contains("SECRET"),
            "{name}: {shown}"
        );
        let next = crate::support::post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(text_of(&next.text()), "fine", "after {name}");
    }
}

/// Clients that send hardly anything: nothing at all, part of a head, part of a body, the beginning of HTTP/2.
#[tokio::test]
async fn clients_that_stall_are_cut_off() {
    let settings = "[timeouts]\nhead = \"1s\"\nclient = \"1s\"\n";
    let (running, upstream) = proxy(settings, |_| whole("200 OK", "text/plain", "x")).await;
    let stalls: [&[u8]; 5] = [
        b"",
        b"P",
        b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n",
        b"PRI * HTTP/2.0\r\n",
        b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nab",
    ];
    // All at the same time.
    let mut clients = tokio::task::JoinSet::new();
    for sent in stalls {
        let address = running.address.clone();
        clients.spawn(async move {
            let mut stream = TcpStream::connect(&address).await.expect("the proxy");
            stream.write_all(sent).await.expect("the proxy reads");
            let mut bytes = Vec::new();
            let read = timeout(Duration::from_secs(8), stream.read_to_end(&mut bytes)).await;
            let shown = String::from_utf8_lossy(sent);
            assert!(read.is_ok(), "the proxy waits for ever after {shown:?}");
            assert!(matches!(Answer::of(&bytes).status, 0 | 408), "{shown:?}");
        });
    }
    clients.join_all().await;
    assert!(upstream.seen(|seen| seen.requests.is_empty()));
}
