//! Bodies that an upstream compresses, and heads that say so in more than one way.

use std::io::Write as _;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::asks::QUESTION;
use crate::support::{
    LONG, Step, WITHHOLD, chat, gate, metrics, post, proxy, request, text_of, whole,
};

const TEXTS: [&str; 3] = [
    "It rains. [substrate.grep] So ",
    "it pours. [unverified-inference]",
    " That is all.",
];

fn head(content_type: &str, encoding: &str) -> Step {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Encoding: {encoding}\r\nConnection: close\r\n\r\n"
    );
    Step::Send(head.into_bytes())
}

fn encoded(content_type: &str, encoding: &str, body: &[u8]) -> Vec<Step> {
    vec![
        head(content_type, encoding),
        Step::Send(body.to_vec()),
        Step::Close,
    ]
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(body: &[u8]) -> Vec<u8> {
    zstd::encode_all(body, 3).expect("memory")
}

const OPEN: &str = "[[route]]\npath = \"*\"\naction = \"strip\"\nfail = \"open\"\n";

#[tokio::test]
async fn zlib_and_deflate_are_both_called_deflate() {
    for settings in [OPEN.to_owned(), gate(WITHHOLD)] {
        for compress in [zlib, deflate] {
            let body = compress(chat(&TEXTS).as_bytes());
            let (running, _) = proxy(&settings, move |_| {
                encoded("text/event-stream", "deflate", &body)
            })
            .await;
            let answer = post(&running.address, "/v1/chat/completions", "{}").await;
            assert_eq!((answer.status, answer.is_complete), (200, true));
            let text = text_of(&answer.text());
            assert!(
                text.starts_with("It rains.") || text.starts_with("(withheld)"),
                "{text}"
            );
            assert!(
                text.ends_with("That is all.") && !text.contains('['),
                "{text}"
            );
        }
    }
}

/// Some caches compress what they have, whatever the request accepts.
#[tokio::test]
async fn each_answer_that_is_asked_for_again_has_an_encoding_of_its_own() {
    let settings = gate("{ action = \"suspend\" }");
    let settings = settings.replace("[route.policy]", "reemit = 1\n[route.policy]");
    let plain = |body: &[u8]| body.to_vec();
    type Encoding = (&'static str, fn(&[u8]) -> Vec<u8>);
    let all: [Encoding; 3] = [("identity", plain), ("gzip", gzip), ("zstd", zstd)];
    for first in all {
        for second in all {
            let (running, _) = proxy(&settings, move |request| {
                let (text, (encoding, compress)) = match request.contains("It was rejected") {
                    true => ("So it is wet.", second),
                    false => ("It rains. It pours. [unverified-inference] SECRET", first),
                };
                encoded(
                    "text/event-stream",
                    encoding,
                    &compress(chat(&[text]).as_bytes()),
                )
            })
            .await;
            let answer = post(&running.address, "/v1/chat/completions", QUESTION).await;
            let text = answer.text();
            let encodings = (first.0, second.0);
            assert_eq!(text_of(&text), "It rains. So it is wet.", "{encodings:?}");
            assert!(
                answer.is_complete && !text.contains("content_filter"),
                "{encodings:?}: {text}"
            );
        }
    }
}

/// A body whose compressed form breaks at its end, on a route that fails open: its text came, and so did its status.
#[tokio::test]
async fn a_compressed_body_that_breaks_at_its_end_keeps_its_status_and_text() {
    let stream = chat(&TEXTS);
    let json = "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"It rains. [substrate.grep] So.\"}}]}";
    for (content_type, plain, expected) in [
        ("text/event-stream", stream.as_str(), "That is all."),
        ("application/json", json, "It rains. So."),
    ] {
        for (encoding, compress, cut) in [
            ("gzip", gzip as fn(&[u8]) -> Vec<u8>, 1),
            ("gzip", gzip, 4),
            ("gzip", gzip, 8),
            ("deflate", zlib, 1),
            ("deflate", zlib, 4),
            ("zstd", zstd, 1),
            (
                "zstd",
                |body| {
                    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
                    encoder.include_checksum(true).expect("a checksum");
                    encoder.write_all(body).expect("memory");
                    encoder.finish().expect("memory")
                },
                4,
            ),
            (
                "gzip",
                |body| {
                    let mut broken = gzip(body);
                    // The checksum.
                    let at = broken.len() - 8;
                    broken[at] ^= 1;
                    broken
                },
                0,
            ),
        ] {
            let about = format!("{content_type}, {encoding}, cut {cut}");
            let body = compress(plain.as_bytes());
            let body = body[..body.len() - cut].to_vec();
            let (running, _) = proxy(OPEN, move |_| encoded(content_type, encoding, &body)).await;
            let answer = post(&running.address, "/v1/chat/completions", "{}").await;
            // The last block of zstd without its end is no block, so nothing of it came.
            let is_empty = encoding == "zstd" && cut == 1;
            if is_empty && content_type == "application/json" {
                assert_eq!(answer.status, 502, "{about}: {answer:?}");
                continue;
            }
            assert_eq!(answer.status, 200, "{about}: {answer:?}");
            if !is_empty {
                assert!(
                    answer.text().contains(expected),
                    "{about}: {}",
                    answer.text()
                );
            }
            assert!(!answer.text().contains("[substrate"), "{about}");
            // It is not taken for a whole one.
            assert!(!answer.is_complete, "{about}: {answer:?}");
        }
    }
}

/// Each event of a stream that is compressed with zstd comes when the upstream flushes it, not at the end.
#[tokio::test]
async fn a_stream_of_zstd_is_streamed() {
    let body = chat(&["It rains. ", "So. ", "That is all."]);
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).expect("memory");
    let mut steps = vec![head("text/event-stream", "zstd")];
    let mut sent = 0;
    let events: Vec<&str> = body.split_inclusive("\n\n").collect();
    for event in &events[..2] {
        encoder.write_all(event.as_bytes()).expect("memory");
        encoder.flush().expect("memory");
        steps.push(Step::Send(encoder.get_ref()[sent..].to_vec()));
        sent = encoder.get_ref().len();
    }
    steps.push(Step::Hang);
    let (running, _) = proxy("", move |_| steps.clone()).await;
    let mut stream = TcpStream::connect(&running.address)
        .await
        .expect("the proxy");
    let request = request("/v1/chat/completions", "{}");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the proxy reads");
    let mut bytes = Vec::new();
    let reads = async {
        while !String::from_utf8_lossy(&bytes).contains("So.") {
            let mut buffer = [0; 512];
            let count = stream.read(&mut buffer).await.expect("bytes");
            assert_ne!(count, 0, "{}", String::from_utf8_lossy(&bytes));
            bytes.extend_from_slice(&buffer[..count]);
        }
    };
    timeout(LONG, reads).await.expect("the second event");
}

/// A plain body that is long and compresses well is no bomb.
#[tokio::test]
async fn a_long_body_of_zstd_comes_whole() {
    let words: String = (0..24_000)
        .map(|n| format!("Word {n} and {}. ", n * n))
        .collect();
    let json = serde_json::json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": words}}]});
    let json = json.to_string();
    assert!(json.len() > 560_000, "{}", json.len());
    let body = zstd(json.as_bytes());
    for settings in [OPEN.to_owned(), gate(WITHHOLD)] {
        let body = body.clone();
        let (running, _) = proxy(&settings, move |_| {
            encoded("application/json", "zstd", &body)
        })
        .await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!((answer.status, answer.is_complete), (200, true));
        assert!(answer.text() == json);
    }
}

/// Bodies in an encoding that the proxy does not know are never counted as inspected; settings name encodings that leave a body plain.
#[tokio::test]
async fn encodings_that_are_not_known_are_not_inspected() {
    let known = format!("{OPEN}plain_encodings = [\"utf-8\"]\n");
    for (encoding, settings, is_inspected) in [
        ("none", OPEN, true),
        ("utf-8", &*known, true),
        ("utf-8", OPEN, false),
        ("x-new", &*known, false),
        ("gzip, br", &*known, false),
    ] {
        let body = chat(&TEXTS).into_bytes();
        let (running, _) = proxy(settings, move |_| {
            encoded("text/event-stream", encoding, &body)
        })
        .await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!((answer.status, answer.is_complete), (200, true));
        assert_eq!(answer.header("content-encoding"), Some(encoding));
        let is_stripped = !answer.text().contains("[substrate.grep]");
        assert_eq!(is_stripped, is_inspected, "{encoding}: {}", answer.text());
        let settled = async {
            loop {
                let counted = metrics(&running.admin).await;
                if counted.contains("provstream_requests_in_flight 0\n") {
                    return counted;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let counted = timeout(LONG, settled).await.expect("an end");
        let line = "provstream_uninspected_total{route=\"*\",reason=\"encoded\"} 1\n";
        assert_eq!(
            counted.contains(line),
            !is_inspected,
            "{encoding}: {counted}"
        );
        assert_eq!(
            counted.contains("provstream_uninspected_total{"),
            !is_inspected
        );
    }
}

/// Heads that two readers may read in two ways are those of bodies that cannot be inspected.
#[tokio::test]
async fn heads_with_two_meanings_are_not_inspected() {
    let body = chat(&TEXTS);
    for lines in [
        "Content-Type: text/event-stream; charset=utf-16",
        "Content-Type: text/event-stream; charset=utf-7",
        "Content-Type: text/event-stream\r\nContent-Type: text/event-stream; charset=utf-16",
        "Content-Type: text/event-stream\r\nContent-Type: audio/mpeg",
        "Content-Type: text/event-stream; charset=utf-16; x=\u{e9}",
        "Content-Type: \u{e9}",
        "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\nContent-Encoding: br",
        "Content-Type: text/event-stream\r\nContent-Encoding: identity\r\nContent-Encoding: gzip",
        "Content-Type: text/event-stream\r\nContent-Encoding: gzip, identity",
        "Content-Type: text/event-stream\r\nContent-Encoding: gzip\u{e9}",
        "Content-Type: text/event-stream\r\nContent-Encoding: \u{e9}",
        "Content-Type: text/event-stream\r\nContent-Encoding: compress",
    ] {
        let response = format!(
            "HTTP/1.1 200 OK\r\n{lines}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let steps = vec![Step::Send(response.into_bytes())];
        let (running, _) = proxy(&gate(WITHHOLD), move |_| steps.clone()).await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(answer.status, 502, "{lines}: {}", answer.text());
        assert!(
            answer.text().contains("not_inspected"),
            "{lines}: {}",
            answer.text()
        );
    }
    for content_type in [
        "text/event-stream; charset=UTF-8",
        "text/event-stream\r\nContent-Type: text/event-stream",
    ] {
        let (running, _) = proxy(&gate(WITHHOLD), move |_| {
            whole("200 OK", content_type, &chat(&["fine"]))
        })
        .await;
        let answer = post(&running.address, "/v1/chat/completions", "{}").await;
        assert_eq!(text_of(&answer.text()), "fine", "{content_type}");
    }
}
